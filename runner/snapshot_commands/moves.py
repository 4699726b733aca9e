"""Passages that moved, page by page: a page that was taken apart moves many at once."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from runner.changes.change import PassageChange
from runner.snapshots import Snapshot


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


def moves(changes: Iterable[PassageChange], old: Snapshot, new: Snapshot) -> list[Move]:
    """Group the moved passages by their documents, the most first."""
    before = {passage.id: passage.document for passage in old.passages}
    after = {passage.id: passage.document for passage in new.passages}
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for change in changes:
        if change.kind == "moved":
            found[before[change.old[0]], after[change.new[0]]].append((change.old[0], change.new[0]))
    grouped = [Move(one, other, tuple(pairs)) for (one, other), pairs in found.items()]
    return sorted(grouped, key=lambda move: (-len(move.passages), move.old, move.new))


def _name(id_: str, document: str) -> str:
    return id_.removeprefix(document) or id_
