"""Read a book in EPUB: an archive of HTML pages and the order in which they are read."""

import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from runner.documents.archive import open_archive
from runner.documents.charset import decode_page
from runner.documents.html import close_empty_elements, read_html
from runner.documents.lines import LineLayout
from runner.documents.page import Page
from runner.errors import InputError, Problem

_WHAT = "a book in EPUB"


def read_epub(data: bytes, problems: list[Problem]) -> Page | None:
    """The chapters in their order as one page; the table of contents is left out. Raises InputError."""
    lines = LineLayout()
    try:
        with open_archive(data, _WHAT) as archive:
            package = _package(archive)
            title = _title(package[1])
            for name in _chapters(*package):
                text = decode_page(archive.read(name), problems, declared=True)
                if text is not None:
                    lines.gap()
                    read_html(close_empty_elements(text), lines)
    except InputError:
        raise
    except (KeyError, ElementTree.ParseError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError) as error:
        raise InputError(f"its chapters cannot be found ({error}); expected {_WHAT}") from None
    except Exception as error:
        # What zlib and expat raise is not all of one family.
        raise InputError(f"cannot be read ({type(error).__name__}: {error}); expected {_WHAT}") from error
    return None if problems else Page(lines, title)


def _package(archive: zipfile.ZipFile) -> tuple[str, ElementTree.Element]:
    container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
    name = next((each.get("full-path") for each in container.iter() if _tag(each) == "rootfile"), None)
    if not name:
        raise KeyError("META-INF/container.xml names no rootfile")
    return posixpath.dirname(name), ElementTree.fromstring(archive.read(name))


def _chapters(folder: str, package: ElementTree.Element) -> Iterator[str]:
    items = {each.get("id"): each for each in package.iter() if _tag(each) == "item"}
    for each in package.iter():
        item = items.get(each.get("idref")) if _tag(each) == "itemref" else None
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        if "html" in (item.get("media-type") or ""):
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))


def _title(package: ElementTree.Element) -> str:
    return next((each.text or "" for each in package.iter() if _tag(each) == "title"), "")


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
