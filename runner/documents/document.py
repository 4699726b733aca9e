"""A source page as this program sees it, and the declared way its text was made uniform."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

from runner.documents.markdown_outline import outline_of
from runner.documents.outline import Outline
from runner.documents.passed import Passed
from runner.errors import ConfigError
from runner.files.strict_json import sha256_of

_FORMS = ("NFC", "NFKC", "none")


@dataclass(frozen=True)
class Normalization:
    """What was done to every text before anything was cut or hashed; part of a snapshot's id.

    unicode: composed form (NFC, NFKC or none). line_ends: CRLF and CR become LF. trailing_space: white space at
    the end of a line goes. blank_ends: blank lines before and after the text go.
    """

    unicode: str = "NFC"
    line_ends: bool = True
    trailing_space: bool = True
    blank_ends: bool = True

    def __post_init__(self) -> None:
        if self.unicode not in _FORMS:
            raise ConfigError(f"normalization.unicode must be one of {', '.join(_FORMS)}, found {self.unicode!r}")

    def text(self, text: str) -> str:
        """Make one text uniform; doing it twice changes nothing more."""
        text = self.characters(text)
        if self.line_ends:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self.trailing_space:
            text = "\n".join([line.rstrip() for line in text.split("\n")])
        return text.strip("\n") if self.blank_ends else text

    def title(self, title: str) -> str:
        """Make a title uniform: one line, single spaces."""
        return " ".join(self.characters(title).split())

    def value(self, value: Any) -> Any:
        """Make the strings of a field's value uniform, whatever its depth."""
        if isinstance(value, str):
            return self.characters(value)
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        if isinstance(value, Mapping):
            return {self.characters(str(key)): self.value(inner) for key, inner in value.items()}
        return value

    def characters(self, text: str) -> str:
        """Compose the characters of a text."""
        if self.unicode == "none" or text.isascii():
            return text
        # The literal types of unicodedata do not accept a checked str.
        return unicodedata.normalize(self.unicode, text)  # type: ignore[arg-type]

    def settings(self) -> dict[str, Any]:
        """The declaration as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Document:
    """One source page: a readable id, a one-line title, its normalised text, and its fields as JSON values.

    layout: where headings and blocks are in a text that is not Markdown, as its reader saw them; None for Markdown.
    """

    id: str
    title: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    layout: Outline | None = None

    @cached_property
    def outline(self) -> Outline:
        """Headings and blocks: as the reader saw them, or as the text says in Markdown."""
        return outline_of(self.text) if self.layout is None else self.layout

    @cached_property
    def sha256(self) -> str:
        """64 hex digits over title, text, fields and layout; the id is not part of it."""
        content = {"fields": dict(self.fields), "text": self.text, "title": self.title}
        if self.layout is not None:
            content["layout"] = self.layout.values()
        return sha256_of(content)


class Documents(list[Document]):
    """The documents that a reader found, and what it passed over, the most frequent kind first."""

    def __init__(self, documents: Iterable[Document] = (), passed: Iterable[Passed] = ()) -> None:
        super().__init__(documents)
        self.passed = tuple(passed)


class DocumentReader(Protocol):
    """Whatever makes documents: a source of your own needs these two.

    It may have a method `sources()` too, which gives the paths of all files that it is going to read: where their bytes
    are as they were, nothing is read and cut again.
    """

    @property
    def normalization(self) -> Normalization: ...

    def read(self) -> list[Document]:
        """Return the documents, normalised, sorted by id, no id twice; as `Documents` where files were passed over."""
        ...
