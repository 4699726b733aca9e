"""Documents with the same text that were cut differently: passages are followed by the characters they cover."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from runner.alignment.passage_change import Kind
from runner.alignment.unresolved import UnresolvedPassages
from runner.snapshots import Passage, Snapshot

Cut = tuple[int, int]
_Node = tuple[int, str]


def follow_ranges(unresolved: UnresolvedPassages, old: Snapshot, new: Snapshot) -> None:
    """Settle the passages of every document whose text is equal in both, exactly.

    A passage that is left open here covers only characters that others cover, too, or none that is visible. Under
    another title of the page all of it is a proposal.
    """
    before = {document.id: document for document in old.documents}
    after = {document.id: document for document in new.documents}
    cuts_before, cuts_after = _by_document(old), _by_document(new)
    for old_id, new_id in unresolved.counterpart.items():
        page, now = before[old_id], after[new_id]
        if page.text != now.text:
            continue
        settle = unresolved.settle_same if page.title == now.title else unresolved.propose_same_words
        first, second = cuts_before[old_id], cuts_after[new_id]
        if [(each.start, each.end) for each in first] == [(each.start, each.end) for each in second]:
            for passage, other in zip(first, second, strict=True):
                settle(passage.id, other.id)
        else:
            _follow(unresolved, page.text, first, second, settle)


def _by_document(snapshot: Snapshot) -> dict[str, list[Passage]]:
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in sorted(snapshot.passages, key=lambda each: (each.document, each.start, each.end, each.id)):
        found[passage.document].append(passage)
    return found


def _follow(
    unresolved: UnresolvedPassages,
    text: str,
    before: Sequence[Passage],
    after: Sequence[Passage],
    settle: Callable[[str, str], None],
) -> None:
    visible = np.concatenate(([0], np.cumsum([not character.isspace() for character in text])))
    # Counted in visible characters, white space at the ends makes no difference.
    old = {each.id: (int(visible[each.start]), int(visible[each.end])) for each in before}
    new = {each.id: (int(visible[each.start]), int(visible[each.end])) for each in after}
    at: dict[Cut, list[str]] = defaultdict(list)
    for id_, cut in new.items():
        at[cut].append(id_)
    for id_, cut in list(old.items()):
        if cut[0] < cut[1] and at[cut]:
            same = id_ if id_ in at[cut] else at[cut][0]
            at[cut].remove(same)
            settle(id_, same)
            del old[id_], new[same]
    certain = settle == unresolved.settle_same
    for group in _groups(old, new):
        kind = group.kind if certain or group.kind != "moved" else "edited"
        unresolved.settle(kind, group.old, group.new, group.similarity)


@dataclass(frozen=True)
class _Group:
    kind: Kind
    old: tuple[str, ...]
    new: tuple[str, ...]
    similarity: float


def _groups(old: dict[str, Cut], new: dict[str, Cut]) -> list[_Group]:
    """Old and new passages joined by the characters that they share."""
    joined: dict[_Node, _Node] = {}

    def root(node: _Node) -> _Node:
        while joined.setdefault(node, node) != node:
            joined[node] = node = joined[joined[node]]
        return node

    after = TextRanges((id_, cut) for id_, cut in new.items() if _size(cut))
    for cut, id_ in sorted((cut, id_) for id_, cut in old.items() if _size(cut)):
        near = {other: new[other] for other in after.touching(*cut)}
        for other in _shown_in(cut, near):
            joined[root((1, other))] = root((0, id_))
    members: dict[_Node, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, id_ in list(joined):
        members[root((side, id_))][side].append(id_)
    return [_group(olds, news, old, new) for olds, news in members.values()]


def _shown_in(cut: Cut, near: dict[str, Cut]) -> list[str]:
    """The smallest passage that shows all of a cut, else the fewest that together show what there is of it.

    near: those that overlap it, by start.
    """
    whole = [id_ for id_, other in near.items() if other[0] <= cut[0] and cut[1] <= other[1]]
    if whole:
        return [min(whole, key=lambda id_: (_size(near[id_]), id_))]
    chosen: list[str] = []
    shown = cut[0]
    best = ""
    for id_, (start, end) in near.items():
        if start > shown and best:
            chosen.append(best)
            shown, best = near[best][1], ""
        if start > shown:
            # Between the two, no passage shows anything.
            shown = start
        if shown < cut[1] and end > shown and (not best or end > near[best][1]):
            best = id_
    return [*chosen, best] if best else chosen


def _group(olds: list[str], news: list[str], old: dict[str, Cut], new: dict[str, Cut]) -> _Group:
    before, after = _union([old[id_] for id_ in olds]), _union([new[id_] for id_ in news])
    both = _length(_union([*before, *after]))
    shared = _length(before) + _length(after) - both
    kind: Kind
    if len(olds) == len(news) == 1:
        # All of it is still there, or only a part.
        kind = "moved" if shared == _length(before) else "edited"
    else:
        kind = "split" if len(news) >= len(olds) else "merged"
    return _Group(kind, tuple(olds), tuple(news), shared / both)


def _size(cut: Cut) -> int:
    return max(0, cut[1] - cut[0])


def _length(cuts: Sequence[Cut]) -> int:
    return sum(map(_size, cuts))


def _union(cuts: Sequence[Cut]) -> list[Cut]:
    joined: list[Cut] = []
    for start, end in sorted(cut for cut in cuts if cut[0] < cut[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


Range = tuple[int, int]


class TextRanges:
    """ranges: each under a name, [start, end).

    They are kept in rows of which none holds a range inside another: then starts and ends are both in order, and
    those that overlap a given range stand next to each other, whatever else spans the whole text.
    """

    def __init__(self, ranges: Iterable[tuple[str, Range]]) -> None:
        self._rows: list[tuple[list[int], list[int], list[str]]] = []
        # The last end of every row, negated so that they ascend.
        lasts: list[int] = []
        for (start, end), name in sorted((each, name) for name, each in ranges):
            row = bisect_left(lasts, -end)
            if row == len(self._rows):
                self._rows.append(([], [], []))
                lasts.append(-end)
            lasts[row] = -end
            starts, ends, names = self._rows[row]
            starts.append(start)
            ends.append(end)
            names.append(name)

    def touching(self, start: int, end: int) -> list[str]:
        """The names of those that share a character with [start, end), in reading order."""
        found: list[tuple[int, int, str]] = []
        for starts, ends, names in self._rows:
            row = slice(bisect_right(ends, start), bisect_left(starts, end))
            found += zip(starts[row], ends[row], names[row], strict=True)
        return [name for *_, name in sorted(found)]


def trimmed(text: str, start: int, end: int) -> Range:
    """A range without the white space at its ends; empty at its start if there is nothing else."""
    part = text[start:end]
    kept = part.strip()
    if not kept:
        return start, start
    begin = start + len(part) - len(part.lstrip())
    return begin, begin + len(kept)


def shared(one: Range, other: Range) -> int:
    """How many characters two ranges share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))
