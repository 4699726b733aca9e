"""What waits for a person's judgment: migrations, disputes, candidates, or every pair once more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.history.entry import RecordEntry, pending_in, standing
from runner.annotation.history.items import read_items
from runner.errors import MOST_LISTED, ConfigError, InputError, Problem
from runner.files.nearest import nearest_ids
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Span, Suite

CHOICES = ("uncertain", "proposed", "gone", "disputed", "candidates", "all")
# What each choice asks for.
_KINDS: Mapping[str, tuple[str, ...]] = {
    "uncertain": ("proposed", "gone", "disputed", "candidate"),
    "candidates": ("candidate",),
    "all": ("again",),
}


@dataclass(frozen=True)
class Target:
    """Something to be judged. grade: what it is proposed with, if anything."""

    id: str
    span: Span | None = None
    grade: int | None = None


@dataclass(frozen=True)
class ReviewItem:
    """One thing to ask a person.

    kind: proposed, gone, disputed, candidate, or again (a second judgment). suite: that is judged. named: what is
    judged, where no entry says it. said: what others said of it. entry: the entry of the record that waits. known:
    whether the suite holds the query.
    """

    kind: str
    suite: Suite = field(repr=False)
    query: JudgedQuery
    named: Target | None = None
    said: tuple[Judgment, ...] = ()
    entry: RecordEntry | None = None
    candidate: JudgmentCandidate | None = None
    known: bool = True

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells this item from the others, the same in the next session."""
        if self.entry:
            return (self.kind, self.query.id, self.entry.id)
        passage = self.candidate.passage if self.candidate else None
        return (self.kind, self.query.id, self.named.id if self.named else passage or "")

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """What is judged now; several where a passage was split, none where it is gone or not known."""
        if self.entry is None:
            return (self.named,) if self.named else ()
        return self._read(self.entry, self.entry.new)

    @cached_property
    def old(self) -> Target | None:
        """What was judged before a migration."""
        if self.entry is None or self.entry.old is None:
            return None
        return next(iter(self._read(self.entry, [self.entry.old])), None)

    def _read(self, entry: RecordEntry, items: Iterable[Mapping[str, Any]]) -> tuple[Target, ...]:
        where = f"{self.suite.path or self.suite.name}: line {entry.number} of its record"
        # A span may be proposed twice in one document; what is asked is named by its id.
        read = [pair for item in items for pair in read_items([item], self.suite, self.query.source, where)]
        found = {judgment.id: Target(judgment.id, span, judgment.grade) for judgment, span in read}
        return tuple(found.values())


@dataclass(frozen=True)
class Wanted:
    """only: one of CHOICES. annotator: who is asked, and never twice about one pair. candidates: ranked."""

    only: str
    annotator: str
    candidates: tuple[JudgmentCandidate, ...] = ()

    def __post_init__(self) -> None:
        if self.only not in CHOICES:
            raise ConfigError(f"only: found {self.only!r}, expected one of {', '.join(CHOICES)}")
        if self.only == "candidates" and not self.candidates:
            raise ConfigError("only=candidates needs a file of them (candidates=FILE.jsonl)")


def queue(suite: Suite, entries: Sequence[RecordEntry], wanted: Wanted) -> tuple[ReviewItem, ...]:
    """Everything that is left to ask, in the order in which to ask it."""
    kinds = _KINDS.get(wanted.only, (wanted.only,))
    items = list(_pending(suite, entries, kinds))
    if "disputed" in kinds:
        items += _disputed(suite)
    if "candidate" in kinds:
        items += _candidates(suite, entries, wanted)
    if "again" in kinds:
        items += _again(suite, wanted.annotator)
    return tuple(items)


def _pending(suite: Suite, entries: Sequence[RecordEntry], kinds: Sequence[str]) -> Iterator[ReviewItem]:
    """What migrations left, in the order of the record: all of a query in a row."""
    queries = {query.id: query for query in suite.queries}
    for entry in pending_in(entries):
        query = queries.get(entry.query)
        if entry.what in kinds and query is not None:
            yield ReviewItem(entry.what, suite, query, entry=entry)


def _disputed(suite: Suite) -> Iterator[ReviewItem]:
    for query in suite.queries:
        for id_ in query.disputed:
            yield ReviewItem("disputed", suite, query, Target(id_, query.spans.get(id_)), _judgments_about(query, id_))


def _candidates(suite: Suite, entries: Sequence[RecordEntry], wanted: Wanted) -> Iterator[ReviewItem]:
    if not wanted.candidates:
        return
    # Which words of a passage were judged does not tell of which candidate they were.
    answered = {(entry.query, entry.details["passage"]) for entry in standing(entries) if "passage" in entry.details}
    queries = {query.id: query for query in suite.queries}
    by_text = {(query.history, query.text): query for query in suite.queries}
    asked: set[tuple[str, str]] = set()
    for candidate in wanted.candidates:
        query = queries.get(candidate.query_id) or by_text.get((candidate.history, candidate.text))
        known = query is not None
        if query is None:
            query = JudgedQuery(
                candidate.query_id,
                candidate.text,
                {},
                candidate.fields,
                judged=False,
                source=candidate.source,
                history=candidate.history,
            )
        said = _judgments_about(query, candidate.id)
        again = (query.id, candidate.id or candidate.passage or "")
        if again in asked or again in answered or any(each.source == "human" for each in said):
            continue
        asked.add(again)
        # Whether anything answers it, a person has said already.
        settled = query.judged and not query.answerable
        if not again[1] and (settled or any(grade >= suite.min_grade for grade in query.grades.values())):
            continue
        named = Target(candidate.id) if candidate.id else None
        yield ReviewItem("candidate", suite, query, named, said, candidate=candidate, known=known)


def _again(suite: Suite, annotator: str) -> Iterator[ReviewItem]:
    for query in suite.queries:
        for id_ in query.grades:
            said = _judgments_about(query, id_)
            if all(each.annotator != annotator for each in said):
                yield ReviewItem("again", suite, query, Target(id_, query.spans.get(id_)), said)


def _judgments_about(query: JudgedQuery, id_: str | None) -> tuple[Judgment, ...]:
    return tuple(each for each in query.every_judgment if each.id == id_) if id_ in query.grades else ()


def fitted(
    candidates: Sequence[JudgmentCandidate], snapshot: Snapshot, suite: Suite, path: str
) -> tuple[JudgmentCandidate, ...]:
    """The candidates of a file, which mostly name passages, as a suite of documents, passages or spans judges them.

    A document stands for its passages; which words of a passage a span is, a person has to say. Raises InputError
    for a holdout, which nothing seen may enter, and naming every passage that the snapshot does not hold, by line.
    """
    if suite.role == "holdout":
        raise InputError(
            f"{path}: suite {suite.name!r} is a holdout; candidates come from what was seen, so they belong into "
            "another suite"
        )
    document_of = {passage.id: passage.document for passage in snapshot.passages}
    if suite.unit == "document":
        document_of |= {document.id: document.id for document in snapshot.documents}
    missing = [each for each in candidates if each.id is not None and each.id not in document_of]
    if missing:
        hints = nearest_ids([str(each.id) for each in missing[:MOST_LISTED]], snapshot.units("passage"))
        problems = []
        for each in missing:
            near = ", ".join(map(repr, hints.get(str(each.id), ())))
            message = f"snapshot {snapshot.id} holds no passage {each.id!r}{f'; nearest: {near}' if near else ''}"
            problems.append(Problem(each.line, message))
        raise InputError.of(path, problems)
    if suite.unit == "passage":
        return tuple(candidates)
    return tuple(
        replace(each, id=document_of.get(each.id or "") if suite.unit == "document" else None, passage=each.id)
        for each in candidates
    )
