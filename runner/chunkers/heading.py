"""One passage a section of a page; tables and code blocks are never cut."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from runner.chunkers.base import Chunk, check_sizes
from runner.chunkers.stretches import stretches
from runner.documents.document import Document
from runner.documents.outline import Outline, Range

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

_TOP = "top"
_UNNAMED = "section"


@dataclass(frozen=True)
class Heading:
    """A section is the text between one heading and the next of any level, without the heading's own line.

    A section longer than `size` is cut at the largest units that fit (of Markdown, or lines and sentences),
    `overlap` characters shared; a table or a code block stays whole, whatever its length. The title is the path
    of headings, the document's first. A page whose id ends in `.txt` has no headings.
    """

    size: int = 1200
    overlap: int = 0

    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("markdown-it-py", "semantic-text-splitter")

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def split(self, document: Document) -> list[Chunk]:
        """Return the sections' chunks in reading order; a page without any body gives one empty chunk, `top`."""
        plain = document.id.lower().endswith(".txt")
        outline = Outline((), ()) if plain else document.outline
        slugs = _Slugs()
        chunks = [
            Chunk(start, end, title, slugs.take(slug))
            for body, title, slug in _sections(document, outline)
            for start, end in self._parts(document, body, outline.whole)
        ]
        return chunks or [Chunk(0, 0, document.title, _TOP)]

    def _parts(self, document: Document, body: Range, whole: tuple[Range, ...]) -> Iterator[Range]:
        start, end = _trimmed(document.text, *body)
        if start == end:
            return
        if end - start <= self.size:
            yield start, end
            return
        pieces = self._pieces(document, start, end, whole)
        first, last = next(pieces)
        for piece in pieces:
            if piece[1] - first <= self.size:
                last = piece[1]
            else:
                yield first, last
                first, last = piece
        yield first, last

    def _pieces(self, document: Document, start: int, end: int, whole: tuple[Range, ...]) -> Iterator[Range]:
        """Cut [start, end) into blocks that must stay whole and, between them, prose that the splitter cuts."""
        text, markdown = document.text, document.layout is None
        inside = whole[bisect_left(whole, (start, start)) : bisect_left(whole, (end, end))]
        for block in (*inside, (end, end)):
            for first, last in stretches(text, start, block[0], self.size):
                for offset, piece in _splitter(self.size, self.overlap, markdown).chunk_indices(text[first:last]):
                    yield first + offset, first + offset + len(piece)
            if block[0] < block[1]:
                yield _trimmed(text, *block)
            start = block[1]


@lru_cache(maxsize=8)
def _splitter(size: int, overlap: int, markdown: bool) -> "MarkdownSplitter | TextSplitter":
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    return MarkdownSplitter(size, overlap) if markdown else TextSplitter(size, overlap)


def _sections(document: Document, outline: Outline) -> Iterator[tuple[tuple[int, int], str, str]]:
    headings = outline.headings
    yield (0, headings[0].start if headings else len(document.text)), document.title, _TOP
    path: list[tuple[int, str]] = []
    for position, heading in enumerate(headings):
        after = headings[position + 1].start if position + 1 < len(headings) else len(document.text)
        path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.title)]
        titles = [title for _, title in path if title]
        if titles[:1] == [document.title]:
            titles = titles[1:]
        yield (heading.end, after), " > ".join(filter(None, [document.title, *titles])), heading.slug or _UNNAMED


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out blank lines at both ends and white space at the end; the first line keeps its indentation."""
    part = text[start:end]
    kept = part.rstrip()
    if not kept:
        return start, start
    indented = len(kept) - len(kept.lstrip())
    return start + kept.rfind("\n", 0, indented) + 1, start + len(kept)


class _Slugs:
    """Hands out slugs in reading order; one that is taken gets the next free number, from 2."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, slug: str) -> str:
        number = self._next.get(slug, 1)
        found = slug
        while found in self._taken:
            number += 1
            found = f"{slug}-{number}"
        self._next[slug] = number
        self._taken.add(found)
        return found
