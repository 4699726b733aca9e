"""Read a Word document."""

import io

from runner.documents.archive import open_archive
from runner.documents.html import read_html
from runner.documents.page import Page
from runner.errors import InputError, Problem

_WHAT = "a Word document (.docx)"
_TITLE = "p[style-name='Title'] => h1:fresh"


def read_docx(data: bytes, problems: list[Problem]) -> Page | None:
    """Headings, paragraphs, lists, tables and notes, without images. Raises InputError."""
    import mammoth

    open_archive(data, _WHAT).close()
    try:
        # Pictures are no text; without this each would become a data URI.
        picture = mammoth.images.img_element(lambda image: {})
        found = mammoth.convert_to_html(io.BytesIO(data), convert_image=picture, style_map=_TITLE)
    except Exception as error:
        # What a damaged document makes of the parsers below is of no one family.
        raise InputError(f"cannot be read ({type(error).__name__}: {error}); expected {_WHAT}") from error
    return Page(read_html(found.value).lines)
