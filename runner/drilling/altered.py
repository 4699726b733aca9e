"""Copies of a snapshot and of a suite with something removed, renamed or doubled; the originals stay as they are.

What is altered is what the judgments name: a passage, or a whole document. A judged span is altered with the document
that holds its words. Every altered snapshot has the id of its own content.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from runner.documents.document import Document
from runner.snapshots import Passage, Snapshot
from runner.suites import JudgedQuery, Suite


def target_unit(suite: Suite) -> str:
    """What is altered for a suite's judgments: `passage` or `document`."""
    return "passage" if suite.unit == "passage" else "document"


def target_of(query: JudgedQuery, id_: str) -> str:
    """The passage or the document that is altered for one judged id."""
    return query.spans[id_].document if id_ in query.spans else id_


def new_names(snapshot: Snapshot, unit: str, targets: Iterable[str], word: str) -> dict[str, str]:
    """An id for each target that nothing in the snapshot has: `en/a.md (moved)`.

    A space sorts before whatever else ids go on with, so that the new one stands where the old one did.
    """
    taken = set(snapshot.units(unit))
    names = {}
    for target in targets:
        name = f"{target} ({word})"
        while name in taken:
            name += "*"
        names[target] = name
    return names


def without(snapshot: Snapshot, unit: str, targets: Collection[str]) -> Snapshot:
    """The snapshot less some passages, or less some documents with all their passages."""
    if unit == "passage":
        return _named(snapshot, snapshot.documents, (each for each in snapshot.passages if each.id not in targets))
    documents = (each for each in snapshot.documents if each.id not in targets)
    return _named(snapshot, documents, (each for each in snapshot.passages if each.document not in targets))


def moved(snapshot: Snapshot, unit: str, names: Mapping[str, str]) -> Snapshot:
    """The snapshot with the same text under other ids."""
    rest = without(snapshot, unit, names)
    documents = (*rest.documents, *_document_copies(snapshot, unit, names))
    return _named(snapshot, documents, (*rest.passages, *_passage_copies(snapshot, unit, names)))


def copied(snapshot: Snapshot, unit: str, names: Mapping[str, str]) -> Snapshot:
    """The snapshot with the same text under other ids too."""
    documents = (*snapshot.documents, *_document_copies(snapshot, unit, names))
    return _named(snapshot, documents, (*snapshot.passages, *_passage_copies(snapshot, unit, names)))


def renamed(suite: Suite, names: Mapping[str, str], snapshot: Snapshot) -> Suite:
    """The suite with its judgments led to the new ids, pinned to the snapshot that has them."""
    return pinned(replace(suite, queries=tuple(_renamed(query, names) for query in suite.queries)), snapshot)


def with_copies(suite: Suite, names: Mapping[str, str], snapshot: Snapshot) -> Suite:
    """The suite that judges the copies as it judges what they are copies of, pinned to the snapshot that has them."""
    queries = []
    for query in suite.queries:
        copy = _renamed(query, names)
        said = tuple(dict.fromkeys((*query.judgments, *copy.judgments)))
        both = {**query.grades, **copy.grades}
        queries.append(replace(query, grades=both, judgments=said, spans={**query.spans, **copy.spans}))
    return pinned(replace(suite, queries=tuple(queries)), snapshot)


def pinned(suite: Suite, snapshot: Snapshot) -> Suite:
    """The suite as if it had been made for this snapshot: what it judges has to be there all the same."""
    return replace(suite, snapshot=snapshot.id, documents=None)


def _renamed(query: JudgedQuery, names: Mapping[str, str]) -> JudgedQuery:
    spans = {id_: replace(each, document=names.get(each.document, each.document)) for id_, each in query.spans.items()}
    ids = {id_: spans[id_].id if id_ in spans else names.get(id_, id_) for id_ in query.grades}
    return replace(
        query,
        grades={ids[id_]: grade for id_, grade in query.grades.items()},
        judgments=tuple(replace(each, id=ids[each.id]) for each in query.judgments),
        spans={each.id: each for each in spans.values()},
        lines={},
    )


def _passage_copies(snapshot: Snapshot, unit: str, names: Mapping[str, str]) -> Iterator[Passage]:
    for passage in snapshot.passages:
        if unit == "passage":
            if passage.id in names:
                yield replace(passage, id=names[passage.id])
        elif passage.document in names:
            name = names[passage.document]
            # A passage's id begins with its document's, unless a chunker of somebody's own says otherwise.
            begins = passage.id.startswith(passage.document)
            rest = passage.id.removeprefix(passage.document) if begins else f"#{passage.id}"
            yield replace(passage, id=f"{name}{rest}", document=name)


def _document_copies(snapshot: Snapshot, unit: str, names: Mapping[str, str]) -> Iterator[Document]:
    if unit == "document":
        yield from (replace(each, id=names[each.id]) for each in snapshot.documents if each.id in names)


def _named(snapshot: Snapshot, documents: Iterable[Document], passages: Iterable[Passage]) -> Snapshot:
    kept = tuple(sorted(documents, key=lambda each: each.id))
    unnamed = Snapshot("", kept, tuple(sorted(passages, key=lambda each: each.id)), snapshot.settings)
    unnamed.check_ranges()
    return replace(unnamed, id=unnamed.content_id())
