"""Read a Word document."""

import io
import zipfile

from runner.documents.archive import open_archive
from runner.documents.html import read_html
from runner.documents.page import Page
from runner.errors import InputError, Problem

_WHAT = "a Word document (.docx)"
_LONGEST_MARKUP = 4 * 1024**2
_TITLE = "p[style-name='Title'] => h1:fresh"


def read_docx(data: bytes, problems: list[Problem]) -> Page | None:
    """Headings, paragraphs, lists, tables and notes, without images. Raises InputError."""
    import mammoth

    with open_archive(data, _WHAT) as archive:
        _refuse_endless_markup(archive)
    try:
        # Pictures are no text; without this each would become a data URI.
        picture = mammoth.images.img_element(lambda image: {})
        found = mammoth.convert_to_html(io.BytesIO(data), convert_image=picture, style_map=_TITLE)
    except Exception as error:
        # What a damaged document makes of the parsers below is of no one family.
        raise InputError(f"cannot be read ({type(error).__name__}: {error}); expected {_WHAT}") from error
    return Page(read_html(found.value).lines)


def _refuse_endless_markup(archive: zipfile.ZipFile) -> None:
    """Raise InputError for a part whose next tag never comes.

    Mammoth hands a part over piece by piece, and expat looks through what has no end yet again with every piece: 300 MB
    without a tag would take hours.
    """
    for part in archive.infolist():
        if not part.filename.endswith((".xml", ".rels")) or part.file_size <= _LONGEST_MARKUP:
            continue
        try:
            pieces = archive.read(part).split(b">")
        except Exception:  # a damaged part is told of, in one way, where the document is read
            continue
        if max(map(len, pieces)) > _LONGEST_MARKUP:
            raise InputError(
                f"{part.filename} in it holds more than {_LONGEST_MARKUP:,} bytes without a tag; expected {_WHAT}"
            )
