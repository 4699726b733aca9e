"""What stands around a short quotation: the same few words elsewhere say something else."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache

from runner.documents.document import Document
from runner.formats.markdown_outline import outline_of


class Surroundings:
    """documents: by id."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._headings = lru_cache(maxsize=64)(self._headings_of)

    def around(self, id_: str, start: int, end: int) -> tuple[str, tuple[str, ...], str]:
        """The page's title, the path of headings above [start, end), and the whole lines that hold it."""
        document = self._documents[id_]
        text = document.text
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        lines = text[first : len(text) if last < 0 else last]
        starts, paths = self._headings(id_)
        position = bisect_right(starts, start)
        return document.title, paths[position - 1] if position else (), " ".join(lines.split())

    def _headings_of(self, id_: str) -> tuple[list[int], list[tuple[str, ...]]]:
        starts, paths = [], []
        path: list[tuple[int, str]] = []
        for heading in outline_of(self._documents[id_].text).headings:
            path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.title)]
            starts.append(heading.start)
            paths.append(tuple(title for _, title in path))
        return starts, paths
