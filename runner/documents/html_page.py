"""Read an HTML page, in whatever charset it declares."""

from runner.documents.html import close_empty_elements, read_html
from runner.documents.markdown import read_front_matter
from runner.documents.page import Page
from runner.errors import Problem


def read_html_page(data: bytes, problems: list[Problem]) -> Page | None:
    """The page as a browser shows it; front matter may stand before it."""
    front = read_front_matter(data, problems, declared=True)
    if front is None:
        return None
    page = read_html(front.body)
    return Page(page.lines, page.title, front.fields)


def read_xhtml_page(data: bytes, problems: list[Problem]) -> Page | None:
    """The same of a page in XHTML."""
    front = read_front_matter(data, problems, declared=True)
    if front is None:
        return None
    page = read_html(close_empty_elements(front.body))
    return Page(page.lines, page.title, front.fields)
