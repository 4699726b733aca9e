"""What became of the passages between two snapshots."""

from runner.alignment.documents import DocumentChanges, compare_documents
from runner.alignment.exact_match import match_bodies, propose_bodies
from runner.alignment.fuzzy_match import propose_edits
from runner.alignment.passage_change import PassageChange
from runner.alignment.range_match import follow_ranges
from runner.alignment.unresolved import Undecided
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
    undecided = Undecided(old, new, counterpart)
    follow_ranges(undecided, old, new)
    match_bodies(undecided)
    propose_bodies(undecided, short=False)
    propose_edits(undecided)
    propose_bodies(undecided, short=True)
    for id_ in list(undecided.before):
        undecided.say("gone", [id_], [], 0.0)
    undecided.changes.sort(key=lambda change: min(change.old))
    for id_ in list(undecided.after):
        undecided.say("added", [], [id_], 0.0)
    return tuple(undecided.changes)
