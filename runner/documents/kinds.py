"""Which reader reads which kind of file, and what has to be installed for it."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath

from runner.documents.page import PageReader

_EXTRA = 'install ".[documents]"'


@dataclass(frozen=True)
class Kind:
    """reader: module and function below runner.documents. needs: the module that must be installed, or ""."""

    reader: tuple[str, str]
    needs: str = ""

    def missing(self) -> str:
        """What to install first, or an empty string."""
        return _EXTRA if self.needs and find_spec(self.needs) is None else ""

    def load(self) -> PageReader:
        """The function that reads such a file; what it needs is imported only now."""
        module, name = self.reader
        found: Callable[..., object] = getattr(import_module(f"runner.documents.{module}"), name)
        return found  # type: ignore[return-value]


_MARKDOWN = Kind(("markdown", "read_markdown"))
_HTML = Kind(("html_page", "read_html_page"))
# MarkItDown reads the office kinds, too, but by way of Markdown, which it does not escape, and it brings a model with
# onnxruntime to guess what a suffix says; one small library a kind is lighter and exact.
_KINDS = {
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".mdx": Kind(("markdown", "read_mdx")),
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": Kind(("html_page", "read_xhtml_page")),
    ".txt": Kind(("markdown", "read_plain")),
    ".rst": Kind(("rst", "read_rst")),
    ".ipynb": Kind(("notebook", "read_notebook")),
    ".epub": Kind(("epub", "read_epub")),
    ".pdf": Kind(("pdf", "read_pdf"), "pypdfium2"),
    ".docx": Kind(("docx", "read_docx"), "mammoth"),
    ".pptx": Kind(("pptx", "read_pptx"), "pptx"),
}
SUFFIXES = tuple(_KINDS)
# Kinds that people keep among their pages and that nothing here reads.
_NO_READER = {
    ".adoc": "no reader; convert it to HTML (asciidoctor)",
    ".asciidoc": "no reader; convert it to HTML (asciidoctor)",
    ".doc": "no reader; save it as .docx",
    ".ppt": "no reader; save it as .pptx",
}


def kind_of_page(name: str) -> Kind:
    """The kind of a file by its suffix; what has an unknown one and was asked for all the same is Markdown."""
    return _KINDS.get(suffix_of(name), _MARKDOWN)


def suffix_of(name: str) -> str:
    """The suffix in small letters, `.md`, or an empty string."""
    return PurePath(name).suffix.lower()


def not_asked_for(name: str) -> str:
    """What would have a file read whose name no pattern matches, or an empty string."""
    suffix = suffix_of(name)
    return "not in corpus.include" if suffix in _KINDS else _NO_READER.get(suffix, "")
