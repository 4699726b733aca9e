"""Passages that were cut in two, or put together, in the course of an edit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.alignment.shingles import Codes, ShingledText

# How much of a part must stand in the whole, and how much of that no other part has brought.
_CONTAINED = 0.6
_OWN = 0.6
# One word in six is another, and half of all runs of three are: then its words, in their order, say that it is there.
_CONTAINED_AT_LEAST, _WORDS_CONTAINED = 0.3, 0.75
# Shorter parts are found in any text; from another page they must be longer still.
_FEWEST_RUNS = 5
_FEWEST_RUNS_ELSEWHERE = 15


@dataclass(frozen=True, slots=True)
class PossiblePart:
    """A passage that may be a piece of another one. same_page: both stand in the same document."""

    id: str
    whole: str
    same_page: bool


def wholes(
    parts: Sequence[PossiblePart], small: Mapping[str, ShingledText], large: Mapping[str, ShingledText]
) -> dict[str, list[str]]:
    """For every passage that holds most of the words of at least two others, each at a place of its own: those others.

    Runs of three words stand for the words. Each part belongs to the one passage that holds most of it.
    """
    best: dict[str, tuple[float, str]] = {}
    for part in parts:
        own = small[part.id]
        if len(own.runs) < (_FEWEST_RUNS if part.same_page else _FEWEST_RUNS_ELSEWHERE):
            continue
        shared = own.shared(large[part.whole])
        strength = shared + 0.5 * part.same_page
        better = (strength, part.whole) > best.get(part.id, (0.0, ""))
        if better and _stands_in(own, large[part.whole], shared):
            best[part.id] = strength, part.whole
    belonging: dict[str, list[str]] = defaultdict(list)
    covered: dict[str, Codes] = {}
    for id_ in sorted(best, key=lambda id_: (-best[id_][0], id_)):
        whole = best[id_][1]
        brought = covered.get(whole, np.zeros(0, np.uint64))
        if belongs_to(small[id_], large[whole], brought, [small[other] for other in belonging[whole]]):
            belonging[whole].append(id_)
            covered[whole] = np.union1d(brought, small[id_].runs)
    return {whole: ids for whole, ids in belonging.items() if len(ids) > 1}


def belongs_to(part: ShingledText, whole: ShingledText, brought: Codes, others: Iterable[ShingledText]) -> bool:
    """Whether most of a part stands in a whole, at a place that no other part of it has brought.

    brought: the runs of the other parts.
    """
    shared = np.intersect1d(part.runs, whole.runs, assume_unique=True)
    if len(part.runs) < _FEWEST_RUNS or not _stands_in(part, whole, len(shared)):
        return False
    if len(np.setdiff1d(shared, brought, assume_unique=True)) >= _OWN * len(shared):
        return True
    # Word for word: then it may share most runs with its neighbour, as tables and limits do.
    return part.encoded in whole.encoded and not any(part.encoded in other.encoded for other in others)


def _stands_in(part: ShingledText, whole: ShingledText, shared: int) -> bool:
    """Whether most of a part is in a whole, be it word for word or with a word changed here and there."""
    from rapidfuzz.distance import LCSseq

    if shared >= _CONTAINED * len(part.runs):
        return True
    if shared < _CONTAINED_AT_LEAST * len(part.runs):
        return False
    return int(LCSseq.similarity(part.encoded, whole.encoded)) >= _WORDS_CONTAINED * len(part.encoded)
