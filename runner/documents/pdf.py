"""Read the text of a PDF: a section a page."""

from runner.documents.lines import LineLayout
from runner.documents.page import Page
from runner.errors import InputError, Problem


def read_pdf(data: bytes, problems: list[Problem]) -> Page | None:
    """The lines of each page; a page that is only a picture has none. Raises InputError.

    PDFium, the reader in Chromium, is used for its licence (BSD and Apache), its speed and its order of lines.
    """
    import pypdfium2

    lines = LineLayout()
    try:
        with pypdfium2.PdfDocument(data) as document:
            title = document.get_metadata_value("Title")
            for number in range(len(document)):
                lines.gap()
                lines.heading(2, lines.here(), f"Page {number + 1}")
                text = document[number].get_textpage().get_text_bounded()
                # U+FFFE stands for the hyphen of a word that goes on in the next line.
                for line in text.replace("\ufffe\r\n", "").replace("\ufffe", "").splitlines():
                    lines.words(line.replace("\x00", ""))
                    lines.end_line()
    except pypdfium2.PdfiumError as error:
        raise InputError(f"cannot be read ({error}); expected a whole PDF without a password") from None
    return Page(lines, title)
