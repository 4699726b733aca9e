"""Judged passages from one snapshot to another: by their range where the document stayed, else by what is compared."""

from collections import defaultdict
from functools import cached_property

from runner.alignment.difference import compare_passages
from runner.alignment.passage_change import PassageChange
from runner.alignment.range_match import TextRanges, shared, trimmed
from runner.alignment.shingles import Coder, words
from runner.alignment.unresolved import evenly_spaced
from runner.annotation.migration.document_map import DocumentMap, scope_of
from runner.annotation.migration.pair import JudgedPair, Outcome, Successor
from runner.annotation.migration.surroundings import Surroundings
from runner.snapshots import Passage, Snapshot


class PassageFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._old, self._new = old, new
        self._map = DocumentMap.between(old, new)
        self._before = {passage.id: passage for passage in old.passages}
        self._after = {passage.id: passage for passage in new.passages}
        self._surroundings_before = Surroundings(self._map.old)
        self._surroundings_after = Surroundings(self._map.new)

    def follow(self, pair: JudgedPair) -> tuple[Outcome, ...]:
        """What became of a judged passage."""
        passage = self._before[pair.id]
        twin = self._map.twin(passage.document)
        if twin is None:
            return (self._compared(passage),)
        return self._by_range(passage, self._ranges.get(twin.id) or TextRanges(()), pair.ever_relevant)

    @cached_property
    def _ranges(self) -> dict[str, TextRanges]:
        by_document: dict[str, list[tuple[str, tuple[int, int]]]] = defaultdict(list)
        for passage in self._new.passages:
            by_document[passage.document].append((passage.id, (passage.start, passage.end)))
        return {document: TextRanges(ranges) for document, ranges in by_document.items()}

    @cached_property
    def _changes(self) -> dict[str, PassageChange]:
        changes = compare_passages(self._old, self._new, self._map.changes)
        return {id_: change for change in changes for id_ in change.old}

    def _by_range(self, passage: Passage, ranges: TextRanges, relevant: bool) -> tuple[Outcome, ...]:
        text = self._map.old[passage.document].text
        start, end = trimmed(text, passage.start, passage.end)
        if start == end:
            return (self._compared(passage),)
        near = [self._after[id_] for id_ in ranges.touching(start, end)]
        bounds = {each.id: trimmed(text, each.start, each.end) for each in near}
        touching = {id_: place for id_, place in bounds.items() if shared(place, (start, end))}
        exact = [id_ for id_, place in touching.items() if place == (start, end)]
        if exact:
            return (Outcome("carried", _successors(exact), 1.0, "same text"),)
        if relevant:
            # All that hold the whole of it are evidence alike, as overlapping windows do.
            holding = [id_ for id_, place in touching.items() if place[0] <= start and end <= place[1]]
            if holding:
                return (Outcome("carried", _successors(holding), 1.0, "lies wholly inside"),)
        else:
            within = [id_ for id_, place in touching.items() if start <= place[0] and place[1] <= end]
            larger = {id_: place for id_, place in touching.items() if place[0] < start or end < place[1]}
            outcomes = [Outcome("carried", _successors(within), 1.0, "part of what is not relevant")] if within else []
            if larger:
                outcomes.append(_spread(larger, (start, end), "larger than what was judged"))
            if outcomes:
                return tuple(outcomes)
        if not touching:
            return (Outcome("gone", similarity=0.0, why="no passage shows any of it"),)
        return (_spread(touching, (start, end), "cut in other places"),)

    def _compared(self, passage: Passage) -> Outcome:
        change = self._changes[passage.id]
        if not change.new:
            return Outcome("gone", similarity=change.similarity, why="gone")
        successors = tuple(Successor(id_) for id_ in change.new)
        before, now = self._old.text(passage), self._new.text(self._after[change.new[0]])
        if len(successors) > 1 or evenly_spaced(before) != evenly_spaced(now):
            return Outcome("proposed", successors, change.similarity, change.kind)
        after = self._after[change.new[0]]
        difference = self._difference(passage, after)
        why = f"same text, {difference}" if difference else "same text"
        if change.kind not in ("unchanged", "moved"):
            return Outcome("proposed", successors, 1.0, why if difference else "same text, not the only one")
        return Outcome("proposed" if difference else "carried", successors, 1.0, why)

    def _difference(self, old: Passage, new: Passage) -> str:
        """What is not the same around two passages of one text: the page, or what gives them their meaning there."""
        successor = self._map.successor(old.document)
        if successor is None or successor.id != new.document:
            return "on another page"
        around = self._surroundings_before.around(old.document, old.start, old.end)
        now = self._surroundings_after.around(new.document, new.start, new.end)
        return self._map.doubt(old.document) or around.difference(now)


def _successors(ids: list[str]) -> tuple[Successor, ...]:
    return tuple(Successor(id_, share=1.0) for id_ in ids)


def _spread(places: dict[str, tuple[int, int]], judged: tuple[int, int], why: str) -> Outcome:
    length = judged[1] - judged[0]
    shares = {id_: round(shared(place, judged) / length, 4) for id_, place in places.items()}
    successors = tuple(Successor(id_, share=share) for id_, share in shares.items())
    return Outcome("proposed", successors, max(shares.values()), why, {"shares": list(shares.values())})


class DocumentFollower:
    """old, new: the snapshots."""

    def __init__(self, old: Snapshot, new: Snapshot) -> None:
        self._map = DocumentMap.between(old, new)

    def follow(self, pair: JudgedPair) -> tuple[Outcome, ...]:
        """What became of a judged document: nothing but its fields may have changed, or a person has to look."""
        old, successor = self._map.old[pair.id], self._map.successor(pair.id)
        if successor is None:
            return (Outcome("gone", similarity=0.0, why="removed"),)
        successors = (Successor(successor.id),)
        if self._map.twin(old.id):
            return (Outcome("carried", successors, 1.0, "same text" if old.id == successor.id else "renamed"),)
        if old.text == successor.text:
            fields = "other layout" if scope_of(old) == scope_of(successor) else "other fields"
            what = self._map.doubt(old.id) or (fields if old.title == successor.title else "other title")
            return (Outcome("proposed", successors, 1.0, f"same text, {what}"),)
        from rapidfuzz.distance import Indel

        coder = Coder()
        similarity = Indel.normalized_similarity(*(coder.encode(words(each.text)) for each in (old, successor)))
        why = "changed" if old.id == successor.id else "renamed and changed"
        return (Outcome("proposed", successors, round(similarity, 4), why),)
