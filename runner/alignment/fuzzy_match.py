"""Passages that were edited, split or merged: proposals, with how much of the wording is left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.alignment.passage_change import Kind
from runner.alignment.shingles import ShingleIndex, near_pairs, shingles_of_all
from runner.alignment.split_match import PossiblePart, belongs_to, wholes
from runner.alignment.unresolved import SHORT, UnresolvedPassages

# The least similarity of a passage with the one of the same name in its document, with any other there, elsewhere.
_LEAST_NAMED, _LEAST_HERE, _LEAST_ELSEWHERE = 0.3, 0.5, 0.6
# A text of which so much stands in the other one was extended or cut, however alike the two are.
_CONTAINED_NAMED, _CONTAINED = 0.2, 0.8
_FEWEST_RUNS_HERE, _FEWEST_RUNS_ELSEWHERE = 5, 15
_FEWEST_WORDS_ELSEWHERE = 6
# What the same name, and the same document, are worth beside similarity where a passage has several candidates.
_NAMED, _HERE = 0.2, 0.1
# A short text under another name says little, however equal it is.
_SHORT = 0.5


@dataclass(frozen=True, slots=True)
class _Pair:
    old: str
    new: str
    here: bool
    named: bool


@dataclass(frozen=True, slots=True)
class _Group:
    old: list[str]
    new: list[str]


class _Groups:
    """Old and new passages that belong together, none of them in two groups."""

    def __init__(self) -> None:
        self.all: list[_Group] = []
        self.of_old: dict[str, _Group] = {}
        self.of_new: dict[str, _Group] = {}

    def open(self, pair: _Pair) -> bool:
        return pair.old not in self.of_old and pair.new not in self.of_new

    def make(self, old: Sequence[str], new: Sequence[str]) -> None:
        group = _Group(list(old), list(new))
        self.all.append(group)
        self.of_old |= dict.fromkeys(old, group)
        self.of_new |= dict.fromkeys(new, group)


def propose_fuzzy(unresolved: UnresolvedPassages) -> None:
    """Propose, for passages still open, the ones that took their place."""
    if not unresolved.before or not unresolved.after:
        return
    shingles = ShingleIndex(unresolved)
    pairs = list(_possible_pairs(unresolved, shingles))
    groups = _Groups()
    splits = wholes([PossiblePart(each.new, each.old, each.here) for each in pairs], shingles.new, shingles.old)
    for old, news in splits.items():
        groups.make([old], news)
    rest = [each for each in pairs if groups.open(each)]
    merges = wholes([PossiblePart(each.old, each.new, each.here) for each in rest], shingles.old, shingles.new)
    for new, olds in merges.items():
        groups.make(olds, [new])
    strengths = []
    for each in rest:
        if groups.open(each):
            similarity, contained = (
                shingles.similarity([each.old], [each.new]),
                shingles.old[each.old].contained(shingles.new[each.new]),
            )
            if _belong(unresolved, shingles, each, similarity, contained):
                strength = max(similarity, 0.75 * contained) + _NAMED * each.named + _HERE * each.here
                strength -= _SHORT * (not each.named and _shortest(unresolved, each) < SHORT)
                strengths.append((-strength, each.old, each.new, each))
    for _, old, new, each in sorted(strengths, key=lambda found: found[:3]):
        if groups.open(each):
            groups.make([old], [new])
    _join_leftovers(groups, pairs, shingles)
    for group in groups.all:
        old_ids, new_ids = unresolved.read_before(group.old), unresolved.read_now(group.new)
        unresolved.settle(_kind(group), old_ids, new_ids, shingles.similarity(old_ids, new_ids))


def _kind(group: _Group) -> Kind:
    if len(group.old) == len(group.new) == 1:
        return "edited"
    return "split" if len(group.new) >= len(group.old) else "merged"


def _join_leftovers(groups: _Groups, pairs: Sequence[_Pair], shingles: ShingleIndex) -> None:
    """Add what nothing took the place of to the group of the passage, of its page, where its words still stand."""
    for each in pairs:
        if not each.here:
            continue
        old, new = shingles.old[each.old], shingles.new[each.new]
        named = each.named and old.contained(new) >= _CONTAINED_NAMED
        group = groups.of_new.get(each.new)
        if group and each.old not in groups.of_old:
            others = [shingles.old[id_] for id_ in group.old]
            if named or belongs_to(old, new, shingles_of_all(others), others):
                group.old.append(each.old)
                groups.of_old[each.old] = group
        group = groups.of_old.get(each.old)
        if group and each.new not in groups.of_new:
            others = [shingles.new[id_] for id_ in group.new]
            if named or belongs_to(new, old, shingles_of_all(others), others):
                group.new.append(each.new)
                groups.of_new[each.new] = group


def _possible_pairs(unresolved: UnresolvedPassages, shingles: ShingleIndex) -> Iterator[_Pair]:
    olds, news = list(shingles.old), list(shingles.new)
    number = {document: position for position, document in enumerate(unresolved.counterpart.values())}
    home = {id_: unresolved.counterpart.get(unresolved.before[id_].document) for id_ in olds}
    document_of = {id_: unresolved.after[id_].document for id_ in news}
    found = near_pairs(
        [shingles.old[id_].runs for id_ in olds],
        [shingles.new[id_].runs for id_ in news],
        [number.get(home[id_] or "", -1) for id_ in olds],
        [number.get(document_of[id_], -1) for id_ in news],
    )
    seen = {(olds[row], news[column]) for row, column in zip(found.old.tolist(), found.new.tolist(), strict=True)}
    expected = {id_: unresolved.expected_id(unresolved.before[id_]) for id_ in olds}
    seen |= {(id_, expected_id) for id_, expected_id in expected.items() if expected_id in unresolved.after}
    for old, new in sorted(seen):
        yield _Pair(old, new, here=home[old] == document_of[new], named=expected[old] == new)


def _belong(
    unresolved: UnresolvedPassages, shingles: ShingleIndex, pair: _Pair, similarity: float, contained: float
) -> bool:
    if pair.named:
        if unresolved.before[pair.old].title != unresolved.after[pair.new].title:
            return similarity >= _LEAST_NAMED
        # Where little was said under a heading, little of it is left after any change.
        little = _shortest(unresolved, pair) < SHORT
        return similarity >= _LEAST_NAMED or contained >= _CONTAINED_NAMED or little
    old, new = shingles.old[pair.old], shingles.new[pair.new]
    runs = min(len(old.runs), len(new.runs))
    if contained >= _CONTAINED and runs >= (_FEWEST_RUNS_HERE if pair.here else _FEWEST_RUNS_ELSEWHERE):
        return True
    if pair.here:
        return similarity >= _LEAST_HERE
    shortest = min(len(old.encoded), len(new.encoded))
    return similarity >= _LEAST_ELSEWHERE and shortest >= _FEWEST_WORDS_ELSEWHERE


def _shortest(unresolved: UnresolvedPassages, pair: _Pair) -> int:
    return min(len(unresolved.old_body[pair.old]), len(unresolved.new_body[pair.new]))
