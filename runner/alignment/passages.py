"""What became of the passages between two snapshots."""

from runner.alignment.documents import DocumentChanges, compare_documents
from runner.alignment.exact_match import match_exactly, propose_exact
from runner.alignment.fuzzy_match import propose_fuzzy
from runner.alignment.passage_change import PassageChange
from runner.alignment.range_match import follow_ranges
from runner.alignment.unresolved import UnresolvedPassages
from runner.snapshots import Snapshot


def compare_passages(
    old: Snapshot, new: Snapshot, documents: DocumentChanges | None = None
) -> tuple[PassageChange, ...]:
    """Say what became of every passage: each old one is in exactly one change, each new one in at most one.

    Documents of equal text are followed by character ranges; elsewhere equal bodies under equal titles are the same
    passage where that is beyond doubt, and what is left is proposed by its wording, first within a document. In the
    order of the old ids, what was added at the end. documents: what `compare_documents` found, if it is known already.
    """
    documents = documents or compare_documents(old, new)
    counterpart = {id_: id_ for id_ in (*documents.same, *documents.changed)} | dict(documents.renamed)
    unresolved = UnresolvedPassages(old, new, counterpart)
    follow_ranges(unresolved, old, new)
    match_exactly(unresolved)
    propose_exact(unresolved, short=False)
    propose_fuzzy(unresolved)
    propose_exact(unresolved, short=True)
    for id_ in list(unresolved.before):
        unresolved.settle("gone", [id_], [], 0.0)
    unresolved.changes.sort(key=lambda change: min(change.old))
    for id_ in list(unresolved.after):
        unresolved.settle("added", [], [id_], 0.0)
    return tuple(unresolved.changes)
