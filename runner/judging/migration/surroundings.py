"""What stands around a quotation: the same words elsewhere say something else."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from runner.documents.document import Document
from runner.formats.markdown_outline import outline_of
from runner.judging.migration.blocks import Blocks


@dataclass(frozen=True, slots=True)
class Around:
    """title: of the page. headings: the path above the words. words: the sentence, and what it depends on."""

    title: str
    headings: tuple[str, ...]
    words: tuple[str, ...]

    def difference(self, other: "Around") -> str:
        """What is not the same, in two words; empty if all is."""
        if self.title != other.title:
            return "other title"
        if self.headings != other.headings:
            return "other heading"
        return "other surroundings" if self.words != other.words else ""


class Surroundings:
    """documents: by id."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.blocks = cache(lambda id_: Blocks(documents[id_].text))
        self._outline = cache(self._headings_of)

    def around(self, id_: str, start: int, end: int) -> Around:
        """What stands around [start, end) of a document."""
        words = self.blocks(id_).around(start, end)
        return Around(self._documents[id_].title, self.headings(id_, start), words)

    def paths(self, id_: str) -> set[tuple[str, ...]]:
        """Every path of headings that a document has, and none."""
        return {(), *self._outline(id_)[1]}

    def headings(self, id_: str, position: int) -> tuple[str, ...]:
        """The path of headings above a place in a document, its own last."""
        starts, paths = self._outline(id_)
        found = bisect_right(starts, position)
        return paths[found - 1] if found else ()

    def _headings_of(self, id_: str) -> tuple[list[int], list[tuple[str, ...]]]:
        starts, paths = [], []
        path: list[tuple[int, str]] = []
        for heading in outline_of(self._documents[id_].text).headings:
            path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.title)]
            starts.append(heading.start)
            paths.append(tuple(title for _, title in path))
        return starts, paths
