"""Read a PowerPoint presentation: a section a slide."""

import io
from collections.abc import Iterable
from typing import Any

from runner.documents.archive import open_archive
from runner.documents.lines import LineLayout
from runner.documents.page import Page
from runner.errors import InputError, Problem

_WHAT = "a presentation (.pptx)"


def read_pptx(data: bytes, problems: list[Problem]) -> Page | None:
    """Titles, texts, tables and the speaker's notes, without pictures. Raises InputError."""
    from pptx import Presentation

    open_archive(data, _WHAT).close()
    lines = LineLayout()
    try:
        deck = Presentation(io.BytesIO(data))
        for number, slide in enumerate(deck.slides, 1):
            title = slide.shapes.title
            _heading(lines, title.text_frame.text if title is not None else "", number)
            _shapes(lines, (each for each in slide.shapes if title is None or each.shape_id != title.shape_id))
            if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
                _paragraphs(lines, frame.text)
        name = deck.core_properties.title or ""
    except Exception as error:
        # What a damaged presentation makes of the parsers below is of no one family.
        raise InputError(f"cannot be read ({type(error).__name__}: {error}); expected {_WHAT}") from error
    return Page(lines, name)


def _heading(lines: LineLayout, title: str, number: int) -> None:
    lines.gap()
    first = lines.here()
    if title.strip():
        lines.words(title.replace("\v", " "))
        lines.heading(2, first)
    else:
        lines.heading(2, first, f"Slide {number}")


def _shapes(lines: LineLayout, shapes: Iterable[Any]) -> None:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            _shapes(lines, shape.shapes)
        elif getattr(shape, "has_table", False):
            lines.gap()
            first = lines.here()
            for row in shape.table.rows:
                for number, cell in enumerate(row.cells):
                    if number:
                        lines.tab()
                    lines.words(cell.text.replace("\v", " "))
                lines.end_line()
            lines.keep_whole(first, table=True)
        elif getattr(shape, "has_text_frame", False):
            _paragraphs(lines, shape.text_frame.text)


def _paragraphs(lines: LineLayout, text: str) -> None:
    lines.gap()
    for line in text.replace("\v", "\n").split("\n"):
        lines.words(line)
        lines.end_line()
