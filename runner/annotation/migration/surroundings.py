"""What stands around a piece of a page and gives it its meaning: the same words elsewhere say something else."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from runner.annotation.migration.blocks import Blocks
from runner.annotation.migration.containers import TAG, judgments_by, open_at
from runner.annotation.migration.document_map import scope_of
from runner.annotation.migration.pointers import Notes, overall
from runner.annotation.migration.statements import Statement, laid_out_statements, say_the_same, statements_of
from runner.documents.document import Document
from runner.documents.outline import OutlineHeading, Range


@dataclass(frozen=True, slots=True)
class Around:
    """title and fields: what they say of the page. headings: the paths above, and what else its sections are in.

    words: the text before the first heading, then that of every section on the paths, its own last. after: the heading
    before each of the paths; it tells those apart that have the path of others. repeated: whether any has.
    overall: the sentences anywhere on the page that speak of all of it, or of all above or below them.
    """

    title: str
    fields: Mapping[str, str]
    headings: tuple[str, ...]
    words: tuple[tuple[Statement, ...], ...]
    after: tuple[str, ...]
    repeated: bool
    overall: tuple[str, ...]

    def difference(self, other: "Around") -> str:
        """What is not the same, in two words; empty if all is."""
        if self.title != other.title:
            return "other title"
        if self.fields != other.fields:
            return "other fields"
        if self.headings != other.headings or ((self.repeated or other.repeated) and self.after != other.after):
            return "other heading"
        if self.overall != other.overall:
            return "other surroundings"
        same = len(self.words) == len(other.words) and all(map(say_the_same, self.words, other.words))
        return "" if same else "other surroundings"


@dataclass(frozen=True, slots=True)
class _Section:
    """path: its headings, its own last. lead: the sections that lead to it, by number, its own last.

    within: what is open where it begins. after: the heading before each on the path. repeated: whether another section
    has the same path. below: the headings of its sub-sections.
    """

    path: tuple[str, ...]
    lead: tuple[int, ...]
    body: Range
    within: tuple[str, ...]
    after: tuple[str, ...]
    repeated: bool
    below: tuple[str, ...]


class Surroundings:
    """documents: by id."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.blocks = cache(lambda id_: Blocks(documents[id_].text, documents[id_].layout))
        self._sections = cache(self._sections_of)
        self._notes = cache(lambda id_: Notes(documents[id_].text))
        self._overall = cache(lambda id_: tuple(overall(documents[id_].text)))
        self._label = cache(self._label_in)

    def around(self, id_: str, start: int, end: int) -> Around:
        """What stands around [start, end) of a document."""
        sections = self._sections(id_)[1]
        numbers = range(self._number(id_, start), self._number(id_, max(start, end - 1)) + 1)
        above = dict.fromkeys(each for number in numbers for each in sections[number].lead if each not in numbers)
        words = [self._label(id_, number) for number in above]
        words += [self._label_in(id_, number, start, end) for number in numbers]
        own = [sections[number] for number in numbers]
        headings = tuple(each for section in own for each in (*section.path, *section.within))
        after, repeated = (
            tuple(each for section in own for each in section.after),
            any(section.repeated for section in own),
        )
        document = self._documents[id_]
        return Around(document.title, scope_of(document), headings, tuple(words), after, repeated, self._overall(id_))

    def headings(self, id_: str, position: int) -> tuple[str, ...]:
        """The path of headings above a place in a document, its own last."""
        return self._sections(id_)[1][self._number(id_, position)].path

    def _number(self, id_: str, position: int) -> int:
        return bisect_right(self._sections(id_)[0], position) - 1

    def _label_in(self, id_: str, number: int, start: int = 0, end: int = 0) -> tuple[Statement, ...]:
        """What a section says. [start, end): what of it is judged."""
        document, section = self._documents[id_], self._sections(id_)[1][number]
        first, last = section.body
        if document.layout is not None:
            found = laid_out_statements(document.text, document.layout, first, last)
        else:
            found = statements_of(document.text[first:last], start - first, end - first)
        found += tuple(Statement("note", note) for note in self._notes(id_).of(document.text[first:last]))
        if end and found and found[-1].text.endswith((":", "：")):
            found += tuple(Statement("heading", title) for title in section.below)
        return found

    def _sections_of(self, id_: str) -> tuple[list[int], list[_Section]]:
        document = self._documents[id_]
        text, headings = document.text, document.outline.headings
        starts = [0, *(heading.start for heading in headings)]
        ends = [*starts[1:], len(text)]
        marked = document.layout is None
        inside = list(open_at(text, starts, document.outline.whole)) if marked else [()] * len(starts)
        titles = ["", *(_title(heading, text) if marked else heading.title for heading in headings)]
        levels = [0, *(heading.level for heading in headings)]
        paths: list[tuple[str, ...]] = [()]
        leads: list[tuple[int, ...]] = [(0,)]
        for number in range(1, len(titles)):
            lead = (*(each for each in leads[-1] if levels[each] < levels[number]), number)
            leads.append(lead)
            paths.append(tuple(titles[each] for each in lead[1:]))
        times = Counter(paths)
        sections = []
        for number, (path, lead) in enumerate(zip(paths, leads, strict=True)):
            deeper = takewhile(lambda each, level=levels[number]: levels[each] > level, range(number + 1, len(titles)))  # type: ignore[misc]
            body = (headings[number - 1].end if number else 0, ends[number])
            below = tuple(titles[each] for each in deeper)
            after = tuple(titles[each - 1] for each in lead[1:])
            sections.append(_Section(path, lead, body, inside[number], after, times[path] > 1, below))
        return starts, sections


def _title(heading: OutlineHeading, text: str) -> str:
    """A heading's title, and what tags in it say: that it is struck out."""
    return " ".join([heading.title, *filter(None, map(judgments_by, TAG.finditer(text, heading.start, heading.end)))])
