"""Passages of about equal size that begin and end with sentences where they can."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from runner.chunkers.base import Chunk, check_sizes
from runner.chunkers.stretches import stretches
from runner.documents.document import Document
from runner.errors import ConfigError

if TYPE_CHECKING:
    from semantic_text_splitter import TextSplitter

# Chinese and Japanese have no spaces: there every character counts as a word.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\s\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


@dataclass(frozen=True)
class Window:
    """size and overlap: upper limits in characters or words; sentences, Chinese ones too, stay whole if they fit.

    Whatever is between two passages is white space only: no text is lost. The title is the document's.
    """

    size: int = 800
    overlap: int = 100
    by: str = "characters"

    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("semantic-text-splitter",)

    def __post_init__(self) -> None:
        if self.by not in _SIZES:
            raise ConfigError(f"chunker.by must be one of {', '.join(_SIZES)}, found {self.by!r}")
        check_sizes(self.size, self.overlap)

    def split(self, document: Document) -> list[Chunk]:
        """Return chunks named 1, 2, ...; a blank text gives one empty chunk."""
        text, splitter = document.text, _splitter(self.size, self.overlap, self.by)
        # A word of usual length, with the space after it, has at most this many characters.
        size = self.size if self.by == "characters" else self.size * 8
        found = [
            (first + start, first + start + len(part))
            for first, last in stretches(text, 0, len(text), size)
            for start, part in splitter.chunk_indices(text[first:last])
        ]
        chunks = [Chunk(start, end, document.title, str(number)) for number, (start, end) in enumerate(found, 1)]
        return chunks or [Chunk(0, 0, document.title, "1")]


def count_words(text: str) -> int:
    """How many words a text has: runs without white space, and each Chinese or Japanese character by itself."""
    return sum(1 for _ in _WORD.finditer(text))


_SIZES: dict[str, Callable[[str], int]] = {"characters": len, "words": count_words}


@lru_cache(maxsize=8)
def _splitter(size: int, overlap: int, by: str) -> "TextSplitter":
    from semantic_text_splitter import TextSplitter

    if by == "characters":
        return TextSplitter(size, overlap)
    return TextSplitter.from_callback(_SIZES[by], size, overlap)
