"""Copies of a snapshot and of a suite with something removed, renamed or doubled; the originals stay as they are.

What is altered are pieces: see `runner.selftest.evidence`. Every altered snapshot has the id of its own content.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from runner.documents.document import Document
from runner.selftest.evidence import EvidencePart, Range, SnapshotIndex
from runner.snapshots import Passage, Snapshot
from runner.suites import JudgedQuery, Suite


def new_mark(snapshot: Snapshot, word: str) -> str:
    """What makes new ids of the ids of a snapshot: ` (moved)`.

    A space sorts before whatever else ids go on with, so that the new one stands where the old one did.
    """
    mark = f" ({word})"
    while any(id_.endswith(mark) for unit in ("document", "passage") for id_ in snapshot.units(unit)):
        mark += "*"
    return mark


def without(snapshot: Snapshot, evidence: Collection[EvidencePart]) -> Snapshot:
    """The snapshot less some passages, and less the documents, or the words of documents, that go with them."""
    gone = {id_ for part in evidence for id_ in part.passages}
    whole = {part.document for part in evidence if part.whole}
    cuts: dict[str, list[Range]] = defaultdict(list)
    for part in evidence:
        cuts[part.document] += part.cuts
    documents = (_less(each, sorted(cuts[each.id])) for each in snapshot.documents if each.id not in whole)
    left = (each for each in snapshot.passages if each.id not in gone)
    return _named(snapshot, documents, (_earlier(each, cuts[each.document]) for each in left))


def moved(snapshot: Snapshot, evidence: Collection[EvidencePart], mark: str) -> Snapshot:
    """The snapshot with the same text under other ids."""
    return _with(without(snapshot, evidence), snapshot, evidence, mark)


def copied(snapshot: Snapshot, evidence: Collection[EvidencePart], mark: str) -> Snapshot:
    """The snapshot with the same text under other ids too."""
    return _with(snapshot, snapshot, evidence, mark)


def renamed(suite: Suite, evidence: Collection[EvidencePart], mark: str, snapshot: Snapshot) -> Suite:
    """The suite with its judgments led to the new ids, pinned to the snapshot that has them."""
    evidence_for = {id_: part for part in evidence for id_ in part.judged}
    return pinned(replace(suite, queries=tuple(_led(query, evidence_for, mark) for query in suite.queries)), snapshot)


def with_copies(suite: Suite, evidence: Collection[EvidencePart], mark: str, snapshot: Snapshot) -> Suite:
    """The suite that judges the copies as it judges what they are copies of, pinned to the snapshot that has them."""
    queries = []
    for query, copy in zip(suite.queries, renamed(suite, evidence, mark, snapshot).queries, strict=True):
        judgments = tuple(dict.fromkeys((*query.judgments, *copy.judgments)))
        both = {**query.grades, **copy.grades}
        queries.append(replace(query, grades=both, judgments=judgments, spans={**query.spans, **copy.spans}))
    return pinned(replace(suite, queries=tuple(queries)), snapshot)


def pinned(suite: Suite, snapshot: Snapshot) -> Suite:
    """The suite as if it had been made for this snapshot: what it judges has to be there all the same."""
    return replace(suite, snapshot=snapshot.id, documents=None)


def _led(query: JudgedQuery, evidence_for: Mapping[str, EvidencePart], mark: str) -> JudgedQuery:
    led = {
        id_: evidence_for[id_].led_to(id_, query.spans, mark) if id_ in evidence_for else (id_, query.spans.get(id_))
        for id_ in query.grades
    }
    return replace(
        query,
        grades={led[id_][0]: grade for id_, grade in query.grades.items()},
        judgments=tuple(replace(each, id=led[each.id][0]) for each in query.judgments),
        spans={id_: span for id_, span in led.values() if span},
        lines={},
    )


def _with(base: Snapshot, snapshot: Snapshot, evidence: Collection[EvidencePart], mark: str) -> Snapshot:
    pages = SnapshotIndex(snapshot)
    copies = [part.copies(pages, mark) for part in evidence]
    documents = (*base.documents, *(each for found, _ in copies for each in found))
    return _named(base, documents, (*base.passages, *(each for _, found in copies for each in found)))


def _less(document: Document, cuts: list[Range]) -> Document:
    if not cuts:
        return document
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(document.text)]
    text = "".join(document.text[a:b] for a, b in zip(starts, ends, strict=True))
    layout = document.layout and document.layout.moved(
        lambda place: place - sum(min(end, place) - start for start, end in cuts if start < place)
    )
    return replace(document, text=text, layout=layout)


def _earlier(passage: Passage, cuts: Iterable[Range]) -> Passage:
    """The passage where it stands once these are cut; it overlaps none of them."""
    gone = sum(end - start for start, end in cuts if end <= passage.start)
    return replace(passage, start=passage.start - gone, end=passage.end - gone)


def _named(snapshot: Snapshot, documents: Iterable[Document], passages: Iterable[Passage]) -> Snapshot:
    kept = tuple(sorted(documents, key=lambda each: each.id))
    unnamed = Snapshot("", kept, tuple(sorted(passages, key=lambda each: each.id)), snapshot.settings)
    unnamed.check_ranges()
    return replace(unnamed, id=unnamed.content_id())
