"""What of a snapshot is altered as one, for each judged id: a passage, a document, or the passages that show a span."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from runner.documents.document import Document
from runner.snapshots import Passage, Snapshot
from runner.suites import Span, Suite
from runner.suites.existence import SpanPlaces

Range = tuple[int, int]


@dataclass(frozen=True)
class EvidencePart:
    """id: of the passage, of the document, or of the first passage that shows the spans. judged: all that judgments say
    of it. passages: their ids. extent: the characters of its document, [start, end), that hold all of it; None where
    the document stays as it is. cuts: those that go with it, ascending. whole: whether the document does.
    """

    id: str
    judged: tuple[str, ...]
    document: str
    passages: tuple[str, ...]
    extent: Range | None = None
    cuts: tuple[Range, ...] = ()
    whole: bool = False

    def copies(self, snapshot: "SnapshotIndex", mark: str) -> tuple[tuple[Document, ...], tuple[Passage, ...]]:
        """The same text under other ids: its own, and those of its passages, with a mark behind."""
        passages = [snapshot.passages[id_] for id_ in self.passages]
        if self.extent is None:
            return (), tuple(replace(each, id=each.id + mark) for each in passages)
        low, high = self.extent
        document = snapshot.documents[self.document]
        return (replace(document, id=self.id + mark, text=document.text[low:high]),), tuple(
            replace(each, id=each.id + mark, document=self.id + mark, start=each.start - low, end=each.end - low)
            for each in passages
        )

    def led_to(self, id_: str, spans: Mapping[str, Span], mark: str) -> tuple[str, Span | None]:
        """What a judged id, or its span, is called in the copies."""
        if id_ not in spans:
            return id_ + mark, None
        span = replace(spans[id_], document=self.id + mark)
        return span.id, span


class SnapshotIndex:
    """The documents and passages of a snapshot by id."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.documents = {each.id: each for each in snapshot.documents}
        self.passages = {each.id: each for each in snapshot.passages}
        self.of_document: dict[str, list[Passage]] = {id_: [] for id_ in self.documents}
        for passage in snapshot.passages:
            self.of_document[passage.document].append(passage)


def evidence_of(suite: Suite, snapshot: Snapshot) -> dict[str, EvidencePart]:
    """The piece that each judged id of a suite, whatever its grade, is altered with."""
    pages = SnapshotIndex(snapshot)
    if suite.unit == "span":
        found = _shown(suite, snapshot, pages)
    else:
        judged = dict.fromkeys(id_ for query in suite.queries for id_ in query.grades)
        if suite.unit == "passage":
            found = (EvidencePart(id_, (id_,), pages.passages[id_].document, (id_,)) for id_ in judged)
        else:
            found = (_document(id_, (id_,), pages) for id_ in judged)
    return {id_: part for part in found for id_ in part.judged}


def _document(id_: str, judged: Iterable[str], pages: SnapshotIndex) -> EvidencePart:
    extent = (0, len(pages.documents[id_].text))
    return EvidencePart(
        id_, tuple(judged), id_, tuple(each.id for each in pages.of_document[id_]), extent, (extent,), True
    )


def _shown(suite: Suite, snapshot: Snapshot, pages: SnapshotIndex) -> Iterator[EvidencePart]:
    places, located = SpanPlaces(snapshot), dict[str, dict[str, tuple[Span, Range]]]()
    for query in suite.queries:
        for id_, span in query.spans.items():
            if id_ not in located.setdefault(span.document, {}):
                located[span.document][id_] = (span, places.find(span))
    for document, spans in located.items():
        # Once anything before them is cut, characters by their number are others.
        if any(span.start is not None for span, _ in spans.values()):
            yield _document(document, spans, pages)
        else:
            yield from _apart(document, {id_: place for id_, (_, place) in spans.items()}, pages)


def _apart(document: str, places: Mapping[str, Range], pages: SnapshotIndex) -> Iterator[EvidencePart]:
    """Spans that overlap, or that one passage shows some of, go together, so that no other piece loses by it."""
    last: EvidencePart | None = None
    for id_, place in sorted(places.items(), key=lambda item: (item[1], item[0])):
        shown = [each for each in pages.of_document[document] if each.start < place[1] and place[0] < each.end]
        ends = [place, *((each.start, each.end) for each in shown)]
        extent = (min(start for start, _ in ends), max(end for _, end in ends))
        found = EvidencePart("", (id_,), document, tuple(each.id for each in shown), extent, (place,))
        if last and (last.cuts[-1][1] > place[0] or set(last.passages) & set(found.passages)):
            last = _joined(last, found)
            continue
        if last:
            yield _named(last)
        last = found
    if last:
        yield _named(last)


def _joined(one: EvidencePart, two: EvidencePart) -> EvidencePart:
    assert one.extent and two.extent
    (low, high), (start, end) = one.cuts[-1], two.cuts[0]
    cuts = (*one.cuts[:-1], (low, max(high, end))) if start <= high else (*one.cuts, (start, end))
    extent = (min(one.extent[0], two.extent[0]), max(one.extent[1], two.extent[1]))
    passages = tuple(dict.fromkeys((*one.passages, *two.passages)))
    return replace(one, judged=(*one.judged, *two.judged), passages=passages, extent=extent, cuts=cuts)


def _named(part: EvidencePart) -> EvidencePart:
    return replace(part, id=(part.passages or part.judged)[0])
