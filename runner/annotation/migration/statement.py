"""A sentence, a cell or a line of code with its place, and whether two texts of them say the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from runner.annotation.migration.pointers import refers_back, same_but_for_a_gloss


@dataclass(frozen=True, slots=True)
class Statement:
    """where: the lists, quotes and tables it stands in, each with its number, and of what cell or item it is.

    text: in uniform white space. points_elsewhere: it only says where to read on, so that what stands beside it means
    the same without it.
    """

    where: str
    text: str
    points_elsewhere: bool = False


def say_the_same(one: Sequence[Statement], other: Sequence[Statement]) -> bool:
    """Whether two texts say the same, but for sentences that only say where to read on, and translations of terms."""
    before, after = ([(each.where, each.text) for each in side] for side in (one, other))
    if before == after:
        return True
    for kind, start, end, begin, finish in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = one[start:end], other[begin:finish]
        if kind == "equal":
            continue
        if old and new:
            if len(old) != len(new) or not all(map(_but_for_a_gloss, old, new)):
                return False
        elif not all(each.points_elsewhere for each in (*old, *new)) or any(
            refers_back(each.text) for each in (*one[end : end + 1], *other[finish : finish + 1])
        ):
            return False
    return True


def _but_for_a_gloss(one: Statement, other: Statement) -> bool:
    return one.where == other.where and same_but_for_a_gloss(one.text, other.text)
