"""Judged passages from one snapshot to another: by their range where the document stayed, else by what is compared."""

from collections import defaultdict
from functools import cached_property

from runner.changes.passages import PassageChange, compare_passages
from runner.judging.migration.pair import TELLING, Fate, Pair, Target
from runner.judging.migration.ranges import Ranges, shared, trimmed
from runner.judging.migration.twins import Heirs
from runner.snapshots import Passage, Snapshot


class PassageFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._old, self._new = old, new
        self._heirs = Heirs.between(old, new)
        self._before = {passage.id: passage for passage in old.passages}
        self._after = {passage.id: passage for passage in new.passages}

    def follow(self, pair: Pair) -> tuple[Fate, ...]:
        """What became of a judged passage."""
        passage = self._before[pair.id]
        twin = self._heirs.twin(passage.document)
        if twin is None or not self._means_the_same(passage, twin.title):
            return (self._compared(passage),)
        found = self._ranges.get(twin.id) or Ranges(())
        return self._by_range(passage, found, pair.ever_relevant)

    def _means_the_same(self, passage: Passage, title: str) -> bool:
        """A short text says what it says under its page's title only."""
        same = self._heirs.old[passage.document].title == title
        return same or len(self._old.text(passage).strip()) >= TELLING

    @cached_property
    def _ranges(self) -> dict[str, Ranges]:
        by_document: dict[str, list[Passage]] = defaultdict(list)
        for passage in self._new.passages:
            by_document[passage.document].append(passage)
        return {document: Ranges(passages) for document, passages in by_document.items()}

    @cached_property
    def _changes(self) -> dict[str, PassageChange]:
        changes = compare_passages(self._old, self._new, self._heirs.changes)
        return {id_: change for change in changes for id_ in change.old}

    def _by_range(self, passage: Passage, ranges: Ranges, relevant: bool) -> tuple[Fate, ...]:
        text = self._heirs.old[passage.document].text
        start, end = trimmed(text, passage.start, passage.end)
        if start == end:
            return (self._compared(passage),)
        bounds = {each.id: trimmed(text, each.start, each.end) for each in ranges.touching(start, end)}
        touching = [each for each in ranges.touching(start, end) if shared(bounds[each.id], (start, end))]
        exact = [each for each in touching if bounds[each.id] == (start, end)]
        if exact:
            return (Fate("carried", _targets(exact), 1.0, "same text"),)
        if relevant:
            # All that hold the whole of it are evidence alike, as overlapping windows do.
            holding = [each for each in touching if bounds[each.id][0] <= start and end <= bounds[each.id][1]]
            if holding:
                return (Fate("carried", _targets(holding), 1.0, "lies wholly inside"),)
        else:
            within = [each for each in touching if start <= bounds[each.id][0] and bounds[each.id][1] <= end]
            larger = [each for each in touching if each not in within]
            fates = [Fate("carried", _targets(within), 1.0, "part of what is not relevant")] if within else []
            if larger:
                fates.append(_spread(larger, bounds, (start, end), "larger than what was judged"))
            if fates:
                return tuple(fates)
        if not touching:
            return (Fate("gone", similarity=0.0, why="no passage shows any of it"),)
        return (_spread(touching, bounds, (start, end), "cut in other places"),)

    def _compared(self, passage: Passage) -> Fate:
        change = self._changes[passage.id]
        if not change.new:
            return Fate("gone", similarity=change.similarity, why="gone")
        targets = tuple(Target(id_) for id_ in change.new)
        if change.kind in ("unchanged", "moved") and len(targets) == 1 and self._same(passage, change.new[0]):
            return Fate("carried", targets, 1.0, "same text")
        return Fate("proposed", targets, change.similarity, change.kind)

    def _same(self, passage: Passage, id_: str) -> bool:
        other = self._after[id_]
        text = self._old.text(passage)
        return text == self._new.text(other) and (passage.title == other.title or len(text.strip()) >= TELLING)


def _targets(passages: list[Passage]) -> tuple[Target, ...]:
    return tuple(Target(passage.id, share=1.0) for passage in passages)


def _spread(passages: list[Passage], bounds: dict[str, tuple[int, int]], judged: tuple[int, int], why: str) -> Fate:
    length = judged[1] - judged[0]
    shares = {each.id: round(shared(bounds[each.id], judged) / length, 4) for each in passages}
    targets = tuple(Target(id_, share=share) for id_, share in shares.items())
    return Fate("proposed", targets, max(shares.values()), why, {"shares": list(shares.values())})
