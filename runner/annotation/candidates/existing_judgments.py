"""What has been said about the passages of a suite's queries, and by whom: people, or programs and clicks only."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from retrievers.ignorable import seen
from runner.errors import ConfigError
from runner.snapshots import Passage, Snapshot
from runner.suites import SOURCES, JudgedQuery, Span, Suite
from runner.suites.existence import SpanPlaces


@dataclass(frozen=True)
class JudgedThings:
    """people: what a person has judged. labelled: what only a program or clicks have, with the source.

    relevant: what counts as relevant now. All of these are passages, or documents for a suite of documents.
    """

    people: frozenset[str]
    labelled: Mapping[str, str]
    relevant: frozenset[str]


@dataclass(frozen=True)
class ExistingJudgments:
    """Reads the judgments of a suite; snapshot: needed wherever they name something else than passages."""

    suite: Suite
    snapshot: Snapshot | None

    def __post_init__(self) -> None:
        if self.suite.unit != "passage" and self.snapshot is None:
            raise ConfigError(
                f"suite {self.suite.name!r} judges the unit {self.suite.unit}; name the snapshot whose passages are "
                "meant with --snapshot ID"
            )

    def thing(self, passage_id: str) -> str:
        """What is judged when this passage is: itself, or its document."""
        return self._document_of.get(passage_id, passage_id) if self.suite.unit == "document" else passage_id

    def of(self, query: JudgedQuery) -> JudgedThings:
        """What has been said about one query; a span was judged in every passage that shows any of it."""
        by: dict[str, set[str]] = defaultdict(set)
        relevant: set[str] = set()
        for judgment in query.every_judgment:
            for thing, enough in self._things(query, judgment.id):
                by[thing].add(judgment.source)
                if enough and query.grades[judgment.id] >= self.suite.min_grade:
                    relevant.add(thing)
        people = frozenset(thing for thing, sources in by.items() if "human" in sources)
        labelled = {thing: max(by[thing], key=SOURCES.index) for thing in by if thing not in people}
        return JudgedThings(people, labelled, frozenset(relevant))

    def _things(self, query: JudgedQuery, id_: str) -> Iterator[tuple[str, bool]]:
        """The things that a judged id stands for, and whether each shows enough of it by itself."""
        if self._places is None:
            yield id_, True
            return
        span: Span = query.spans[id_]
        if self._places.fault(span):
            return  # words that this snapshot does not hold say nothing of its passages
        start, end = self._places.find(span)
        length = self._characters(span.document, start, end)
        for passage in self._passages_of[span.document]:
            shown = self._characters(span.document, max(passage.start, start), min(passage.end, end))
            if shown:
                yield passage.id, shown >= self.suite.coverage * length - 1e-9

    def _characters(self, document: str, start: int, end: int) -> int:
        """How many characters of a range are seen."""
        return len("".join(seen(self._text_of[document][start:end]).split())) if start < end else 0

    @cached_property
    def _places(self) -> SpanPlaces | None:
        return SpanPlaces(self.snapshot) if self.suite.unit == "span" and self.snapshot else None

    @cached_property
    def _text_of(self) -> dict[str, str]:
        return {document.id: document.text for document in self.snapshot.documents} if self.snapshot else {}

    @cached_property
    def _document_of(self) -> dict[str, str]:
        return {passage.id: passage.document for passage in self.snapshot.passages} if self.snapshot else {}

    @cached_property
    def _passages_of(self) -> dict[str, list[Passage]]:
        found: dict[str, list[Passage]] = defaultdict(list)
        for passage in self.snapshot.passages if self.snapshot else ():
            found[passage.document].append(passage)
        return found
