"""What a chunker is: it cuts one document into named ranges of its text."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from runner.documents.document import Document
from runner.errors import ConfigError

_LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """[start, end) in characters of the document's text, a title, and a slug that is unique in the document.

    An empty slug means the document itself: the passage then has the document's id.
    """

    start: int
    end: int
    title: str
    slug: str


def check_sizes(size: int, overlap: int) -> None:
    """Raise ConfigError unless passages of at most `size` that share up to `overlap` can be made."""
    if not (1 <= size <= _LARGEST and 0 <= overlap < size):
        raise ConfigError(
            f"chunker.size must be from 1 to {_LARGEST:,} and chunker.overlap from 0 to below it, "
            f"found {size} and {overlap}"
        )


class Chunker(Protocol):
    """A chunker of your own needs `split`; the two class values become part of every snapshot's id.

    version: raise it whenever the same text would be cut differently. libraries: distributions that decide the cut.
    """

    version: ClassVar[int]
    libraries: ClassVar[tuple[str, ...]]

    def split(self, document: Document) -> list[Chunk]:
        """Return at least one chunk, so that every document can be found by its title."""
        ...
