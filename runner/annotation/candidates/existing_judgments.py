"""What suites hold already: who judged the passages of a query, and which questions were asked."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrievers.ignorable import seen
from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.click_log import ClickLog
from runner.errors import ConfigError
from runner.rendering.progress import progress_bar
from runner.snapshots import Passage, Snapshot
from runner.suites import SOURCES, JudgedQuery, Span, Suite
from runner.suites.existence import SpanPlaces
from runner.suites.question_key import comparable


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
                "meant with snapshot=ID"
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


@dataclass(frozen=True)
class Question:
    """key: its normalized text. shown: the commonest of its texts, anonymised. texts: codes in the log.

    rules: those that changed any of its texts.
    """

    key: str
    shown: str
    texts: tuple[int, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """What suites hold. by_key: their questions by normalized text, without follow-ups. ids: all of their query ids."""

    by_key: Mapping[str, tuple[JudgedQuery, ExistingJudgments]]
    ids: frozenset[str]

    @classmethod
    def of(cls, judgments: Iterable[ExistingJudgments], rules: Rules) -> "Known":
        """Look through suites; where two hold one question, the first counts. A follow-up is none by itself.

        What users wrote is compared as the log's texts are: anonymised.
        """
        by_key: dict[str, tuple[JudgedQuery, ExistingJudgments]] = {}
        ids: set[str] = set()
        for each in judgments:
            for query in each.suite.queries:
                ids.add(query.id)
                if query.text and not query.history:
                    text = rules.apply(query.text).text if query.source == "click" else query.text
                    by_key.setdefault(comparable(text), (query, each))
        return cls(by_key, frozenset(ids))


def questions_of(log: ClickLog, rules: Rules) -> list[Question]:
    """The log's questions, in the order in which they first appear."""
    cleaned = [rules.apply(text) for text in progress_bar(log.values["query"], "anonymise")]
    by_key: dict[str, list[int]] = defaultdict(list)
    for code, each in enumerate(cleaned):
        by_key[comparable(each.text)].append(code)
    events = np.bincount(log.columns["query"], minlength=len(cleaned)).tolist()
    questions = []
    for key, codes in by_key.items():
        commonest = min(codes, key=lambda code: (-events[code], cleaned[code].text))
        applied = {name for code in codes for name in cleaned[code].rules}
        questions.append(
            Question(key, cleaned[commonest].text, tuple(codes), tuple(name for name in rules.names if name in applied))
        )
    return questions


def question_numbers(log: ClickLog, questions: Sequence[Question]) -> NDArray[np.int64]:
    """Which question each distinct text of the log is, int64 [texts]."""
    numbers = np.zeros(len(log.values["query"]), np.int64)
    for number, question in enumerate(questions):
        numbers[list(question.texts)] = number
    return numbers


def query_ids(
    log: ClickLog, questions: Sequence[Question], numbers: NDArray[np.int64], known: Known, rules: Rules
) -> list[str]:
    """The suite's id of a question that one holds, else the log's where the two stand for each other, else a hash.

    An id of the log in which a rule finds something is not used.
    """
    named, asked = _pairs(log, numbers)
    ids = []
    for number, question in enumerate(questions):
        if question.key in known.by_key:
            ids.append(known.by_key[question.key][0].id)
            continue
        id_ = f"click-{hashlib.sha256(question.key.encode()).hexdigest()[:12]}"
        if len(named[number]) == 1:
            (code,) = named[number]
            own = log.values["query_id"][code]
            if asked[code] == {number} and own not in known.ids and not rules.apply(own).rules:
                id_ = own
        ids.append(id_)
    return ids


def _pairs(log: ClickLog, numbers: NDArray[np.int64]) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """The codes of the log's ids by question, and the questions by code."""
    named: dict[int, set[int]] = defaultdict(set)
    asked: dict[int, set[int]] = defaultdict(set)
    if "query_id" in log.columns:
        both = np.stack([numbers[log.columns["query"]], log.columns["query_id"]], axis=1)
        for number, code in np.unique(both[both[:, 1] >= 0], axis=0).tolist():
            named[number].add(code)
            asked[code].add(number)
    return named, asked
