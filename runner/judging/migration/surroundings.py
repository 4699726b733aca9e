"""What stands around a piece of a page and gives it its meaning: the same words elsewhere say something else."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from runner.documents.document import Document
from runner.judging.migration.blocks import Blocks
from runner.judging.migration.heirs import scope_of
from runner.judging.migration.statements import Statement, laid_out_statements, say_the_same, statements_of


@dataclass(frozen=True, slots=True)
class Around:
    """title and fields: what they say of the page. headings: the path above.

    words: the text before the first heading, then that of every section on the path, its own last.
    """

    title: str
    fields: Mapping[str, str]
    headings: tuple[str, ...]
    words: tuple[tuple[Statement, ...], ...]

    def difference(self, other: "Around") -> str:
        """What is not the same, in two words; empty if all is."""
        if self.title != other.title:
            return "other title"
        if self.fields != other.fields:
            return "other fields"
        if self.headings != other.headings:
            return "other heading"
        same = len(self.words) == len(other.words) and all(map(say_the_same, self.words, other.words))
        return "" if same else "other surroundings"


@dataclass(frozen=True, slots=True)
class _Section:
    """path: its headings, its own last. lead: the sections that lead to it, by number, its own last."""

    path: tuple[str, ...]
    lead: tuple[int, ...]
    body: tuple[int, int]


class Surroundings:
    """documents: by id."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.blocks = cache(lambda id_: Blocks(documents[id_].text, documents[id_].layout))
        self._sections = cache(self._sections_of)
        self._said = cache(self._said_in)

    def around(self, id_: str, position: int) -> Around:
        """What stands around a place in a document."""
        section = self._section(id_, position)
        above = (self._said(id_, number) for number in section.lead[:-1])
        start, end = section.body
        own = self._statements(id_, start, end, position)
        words = (*above, own)
        document = self._documents[id_]
        return Around(document.title, scope_of(document), section.path, words)

    def headings(self, id_: str, position: int) -> tuple[str, ...]:
        """The path of headings above a place in a document, its own last."""
        return self._section(id_, position).path

    def _section(self, id_: str, position: int) -> _Section:
        starts, sections = self._sections(id_)
        return sections[bisect_right(starts, position) - 1]

    def _said_in(self, id_: str, number: int) -> tuple[Statement, ...]:
        start, end = self._sections(id_)[1][number].body
        return self._statements(id_, start, end)

    def _statements(self, id_: str, start: int, end: int, position: int = -1) -> tuple[Statement, ...]:
        document = self._documents[id_]
        if document.layout is not None:
            return laid_out_statements(document.text, document.layout, start, end)
        return statements_of(document.text[start:end], position - start if position >= 0 else -1)

    def _sections_of(self, id_: str) -> tuple[list[int], list[_Section]]:
        text = self._documents[id_].text
        headings = self._documents[id_].outline.headings
        ends = [*(heading.start for heading in headings), len(text)]
        starts, sections = [0], [_Section((), (0,), (0, ends[0]))]
        path: list[tuple[int, str, int]] = []
        for number, heading in enumerate(headings, 1):
            path = [*(above for above in path if above[0] < heading.level), (heading.level, heading.title, number)]
            starts.append(heading.start)
            lead = (0, *(each for *_, each in path))
            sections.append(_Section(tuple(title for _, title, _ in path), lead, (heading.end, ends[number])))
        return starts, sections
