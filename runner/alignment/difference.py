"""The difference of two snapshots: what became of their documents and passages, and of what was judged."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runner.alignment.documents import DocumentChanges, compare_documents
from runner.alignment.exact_match import match_exactly, propose_exact
from runner.alignment.fuzzy_match import propose_fuzzy
from runner.alignment.impact import QueryImpact, query_impacts
from runner.alignment.passage_change import KINDS, PassageChange
from runner.alignment.range_match import follow_ranges
from runner.alignment.unresolved import UnresolvedPassages
from runner.alignment.word_diff import WordRun, word_diff
from runner.snapshots import Passage, Snapshot
from runner.suites import Suite


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


@dataclass(frozen=True, slots=True)
class Move:
    """old, new: documents. passages: old id and new id of each."""

    old: str
    new: str
    passages: tuple[tuple[str, str], ...]

    def names(self) -> list[str]:
        """The passages by what follows the document in their ids, old and new where they differ."""
        return [
            f"{_name(old, self.old)} -> {_name(new, self.new)}"
            if _name(old, self.old) != _name(new, self.new)
            else _name(old, self.old)
            for old, new in self.passages
        ]


def _name(id_: str, document: str) -> str:
    return id_.removeprefix(document) or id_


@dataclass(frozen=True)
class Difference:
    """touched: for each suite asked about, its queries that a change touches."""

    old: Snapshot
    new: Snapshot
    documents: DocumentChanges
    passages: tuple[PassageChange, ...]
    impacts: tuple[tuple[Suite, tuple[QueryImpact, ...]], ...]

    @classmethod
    def between(cls, old: Snapshot, new: Snapshot, suites: Sequence[Suite] = ()) -> "Difference":
        """Compare two snapshots. Raises InputError for a suite whose judgments do not exist in the old one."""
        documents = compare_documents(old, new)
        passages = compare_passages(old, new, documents)
        impacts = tuple((suite, query_impacts(suite, old, new, documents, passages)) for suite in suites)
        return cls(old, new, documents, passages, impacts)

    @cached_property
    def document_counts(self) -> Mapping[str, int]:
        """How many documents are the same, changed, renamed, removed and added."""
        kinds = ("same", "changed", "renamed", "removed", "added")
        return {kind: len(getattr(self.documents, kind)) for kind in kinds}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many changes of passages there are of each kind."""
        found = Counter(change.kind for change in self.passages)
        return {kind: found[kind] for kind in KINDS}

    def of_kind(self, kind: str) -> tuple[PassageChange, ...]:
        """The changes of one kind: those that touch a judged query first, those of the title alone last."""
        return tuple(
            sorted(
                (change for change in self.passages if change.kind == kind),
                key=lambda change: (
                    not self.judged.keys() & {*change.old},
                    change.similarity == 1.0,
                    change.old,
                    change.new,
                ),
            )
        )

    @cached_property
    def judged(self) -> Mapping[str, tuple[str, ...]]:
        """Old passages that a suite of passages judges -> the queries that do so."""
        found: dict[str, tuple[str, ...]] = {}
        for suite, impacts in self.impacts:
            if suite.unit == "passage":
                for each in impacts:
                    for impact in each.judgments_hit:
                        found[impact.id] = (*found.get(impact.id, ()), each.query.id)
        return found

    def wording(self, change: PassageChange) -> tuple[WordRun, ...]:
        """The changed wording of passages, each side read one after the other."""
        before, after = self._bodies
        return word_diff("\n\n".join(before[id_] for id_ in change.old), "\n\n".join(after[id_] for id_ in change.new))

    def old_title(self, id_: str) -> str:
        """The title that an old passage has."""
        return self._passages[0][id_].title

    def new_title(self, id_: str) -> str:
        """The title that a new passage has."""
        return self._passages[1][id_].title

    def document_of(self, id_: str) -> str:
        """The document of a new passage."""
        return self._passages[1][id_].document

    @cached_property
    def _bodies(self) -> tuple[dict[str, str], dict[str, str]]:
        before = {passage.id: self.old.text(passage) for passage in self.old.passages}
        return before, {passage.id: self.new.text(passage) for passage in self.new.passages}

    @cached_property
    def _passages(self) -> tuple[dict[str, Passage], dict[str, Passage]]:
        return {each.id: each for each in self.old.passages}, {each.id: each for each in self.new.passages}

    def moves(self) -> list[Move]:
        """The moved passages by the documents that they went from and to, the most first."""
        before, after = self._passages
        found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for change in self.passages:
            if change.kind == "moved":
                (old,), (new,) = change.old, change.new
                found[before[old].document, after[new].document].append((old, new))
        grouped = [Move(one, other, tuple(pairs)) for (one, other), pairs in found.items()]
        return sorted(grouped, key=lambda move: (-len(move.passages), move.old, move.new))
