"""A source page as this program sees it, and the declared way its text was made uniform."""

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

from runner.errors import ConfigError
from runner.formats.canonical import sha256_of

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
    """One source page: a readable id, a one-line title, its normalised text, and its fields as JSON values."""

    id: str
    title: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def sha256(self) -> str:
        """64 hex digits over title, text and fields; the id is not part of it."""
        return sha256_of({"fields": dict(self.fields), "text": self.text, "title": self.title})


class DocumentReader(Protocol):
    """Whatever makes documents: a source of your own needs these two."""

    @property
    def normalization(self) -> Normalization: ...

    def read(self) -> list[Document]:
        """Return the documents, normalised, sorted by id, no id twice."""
        ...
