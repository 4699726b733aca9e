"""One passage a document."""

from dataclasses import dataclass
from typing import ClassVar

from runner.chunkers.base import Chunk
from runner.documents.document import Document


@dataclass(frozen=True)
class WholeDocument:
    """The passage is the document: same id, whole text, even if that is empty."""

    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    def split(self, document: Document) -> list[Chunk]:
        """Return the one chunk."""
        return [Chunk(0, len(document.text), document.title, "")]
