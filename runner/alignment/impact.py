"""Which judged queries a change of the documents touches."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.alignment.documents import DocumentChanges
from runner.alignment.passage_change import PassageChange
from runner.snapshots import Passage, Snapshot
from runner.suites import JudgedQuery, Suite
from runner.suites.existence import SpanPlaces
from runner.suites.span import Span, find_quote


@dataclass(frozen=True, slots=True)
class JudgmentImpact:
    """One judgment, and what became of what it names.

    kind: of the passage's change, or changed, renamed or removed for a document. new: where it may be now. stands: for
    a span, whether its words still stand exactly once in its document.
    """

    id: str
    grade: int
    kind: str
    new: tuple[str, ...]
    similarity: float
    stands: bool = False


@dataclass(frozen=True, slots=True)
class QueryImpact:
    """A judged query with those of its judgments that a change touches, in the order of the suite."""

    query: JudgedQuery
    judgments_hit: tuple[JudgmentImpact, ...]


def query_impacts(
    suite: Suite, old: Snapshot, new: Snapshot, documents: DocumentChanges, passages: Iterable[PassageChange]
) -> tuple[QueryImpact, ...]:
    """The queries of a suite, by id, whose judged documents, passages or spans are not what and where they were.

    A span is touched by what became of every passage that shows any of it. Raises InputError unless the suite's
    judgments exist in the old snapshot.
    """
    suite.check(old)
    suite = suite.within(old)
    if suite.unit == "document":
        found = _of_documents(documents)
    elif suite.unit == "passage":
        found = {id_: (change,) for change in passages if change.kind != "unchanged" for id_ in change.old}
    else:
        found = _of_spans(suite, old, passages)
    stands = _standing(suite, old, new, documents) if suite.unit == "span" else set()
    impacts = []
    for query in suite.queries:
        judgments_hit = tuple(
            JudgmentImpact(id_, grade, change.kind, change.new, change.similarity, id_ in stands)
            for id_, grade in query.grades.items()
            for change in found.get(id_, ())
        )
        if judgments_hit:
            impacts.append(QueryImpact(query, judgments_hit))
    return tuple(sorted(impacts, key=lambda each: each.query.id))


@dataclass(frozen=True, slots=True)
class _Document:
    kind: str
    new: tuple[str, ...]
    similarity: float = 0.0


_Change = PassageChange | _Document


def _of_documents(documents: DocumentChanges) -> Mapping[str, Sequence[_Change]]:
    return {
        **{id_: (_Document("changed", (id_,)),) for id_ in documents.changed},
        **{id_: (_Document("removed", ()),) for id_ in documents.removed},
        **{id_: (_Document("renamed", (new,)),) for id_, new in documents.renamed.items()},
    }


def _of_spans(suite: Suite, old: Snapshot, passages: Iterable[PassageChange]) -> Mapping[str, Sequence[_Change]]:
    change_of = {id_: change for change in passages if change.kind != "unchanged" for id_ in change.old}
    in_document: dict[str, list[Passage]] = defaultdict(list)
    for passage in old.passages:
        if passage.id in change_of:
            in_document[passage.document].append(passage)
    places = SpanPlaces(old)
    found: dict[str, Sequence[_Change]] = {}
    for id_, span in _spans(suite):
        if in_document[span.document]:
            start, end = places.find(span)
            shown = [each for each in in_document[span.document] if each.start < end and start < each.end]
            found[id_] = list({change_of[each.id]: None for each in shown})
    return found


def _standing(suite: Suite, old: Snapshot, new: Snapshot, documents: DocumentChanges) -> set[str]:
    before = {document.id: document.text for document in old.documents}
    after = {document.id: document.text for document in new.documents}
    places = SpanPlaces(old)
    standing = set()
    for id_, span in _spans(suite):
        start, end = places.find(span)
        now = after.get(documents.renamed.get(span.document, span.document), "")
        if len(find_quote(before[span.document][start:end], now)) == 1:
            standing.add(id_)
    return standing


def _spans(suite: Suite) -> Iterator[tuple[str, Span]]:
    for query in suite.queries:
        yield from query.spans.items()
