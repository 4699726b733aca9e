"""Judged documents from one snapshot to another."""

from runner.changes.tokens import Coder, words
from runner.judging.migration.heirs import Heirs, scope_of
from runner.judging.migration.pair import Fate, JudgedPair, Successor
from runner.snapshots import Snapshot


class DocumentFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._heirs = Heirs.between(old, new)

    def follow(self, pair: JudgedPair) -> tuple[Fate, ...]:
        """What became of a judged document: nothing but its fields may have changed, or a person has to look."""
        old, heir = self._heirs.old[pair.id], self._heirs.heir(pair.id)
        if heir is None:
            return (Fate("gone", similarity=0.0, why="removed"),)
        successors = (Successor(heir.id),)
        if self._heirs.twin(old.id):
            return (Fate("carried", successors, 1.0, "same text" if old.id == heir.id else "renamed"),)
        if old.text == heir.text:
            fields = "other layout" if scope_of(old) == scope_of(heir) else "other fields"
            what = self._heirs.doubt(old.id) or (fields if old.title == heir.title else "other title")
            return (Fate("proposed", successors, 1.0, f"same text, {what}"),)
        from rapidfuzz.distance import Indel

        coder = Coder()
        similarity = Indel.normalized_similarity(*(coder.encode(words(each.text)) for each in (old, heir)))
        why = "changed" if old.id == heir.id else "renamed and changed"
        return (Fate("proposed", successors, round(similarity, 4), why),)
