"""What stands now where a quotation stood: found by the words around it that both states of a page have."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from runner.alignment.word_diff import word_diff
from runner.annotation.migration.blocks import HEADING, Blocks
from runner.annotation.migration.nearest_text import best_piece

# With fewer words in its place than this share, a quotation was taken out rather than replaced.
_LEAST_LEFT = 0.25
_LONG = 2


@dataclass(frozen=True, slots=True)
class _Run:
    """Characters of both texts, [start, end) each: equal, or the ones in the place of the others."""

    equal: bool
    old: tuple[int, int]
    new: tuple[int, int]


class InPlace:
    """old, new: two states of one page. blocks: of the new one."""

    def __init__(self, old: str, new: str, blocks: Blocks) -> None:
        self._old, self._new, self._blocks = old, new, blocks
        self._runs = _runs(old, new)
        self._starts = [run.old[0] for run in self._runs]
        self._ends = [run.old[1] for run in self._runs]
        self.related = any(run.equal and _visible(old, *run.old) for run in self._runs)

    def find(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the new text has what came of [start, end) of the old one; None if that was taken out.

        Whole words, and whole sentences where a change touches an end. Of a change that goes on beyond the quotation,
        or put much more in its place, the sentences that are most like it.
        """
        runs = self._runs[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        if not runs:
            return None
        first, last = runs[0], runs[-1]
        begin = first.new[0] + (start - first.old[0] if first.equal else 0)
        finish = last.new[0] + end - last.old[0] if last.equal else last.new[1]
        left, needed = _visible(self._new, begin, finish), _LEAST_LEFT * _visible(self._old, start, end)
        if left < needed or not self._new[begin:finish].strip():
            return None
        whole = self._blocks.sentences(begin, finish)
        if self._touched(start):
            begin = whole[0]
        if self._touched(end):
            finish = whole[1]
        quote = self._old[start:end]
        if not HEADING.search(quote):
            finish = min(finish, self._blocks.next_heading(begin))
        long = finish - begin > _LONG * len(quote)
        before = long or (not first.equal and _visible(self._old, first.old[0], start) > 0)
        after = long or (not last.equal and _visible(self._old, end, last.old[1]) > 0)
        place = best_piece(quote, self._new, self._blocks, (begin, finish), before, after)
        return place if place[0] < place[1] else None

    def _touched(self, position: int) -> bool:
        """Whether something was changed, put in or taken out next to a place of the old text."""
        near = self._runs[bisect_left(self._ends, position) : bisect_right(self._starts, position)]
        return any(not run.equal for run in near)


def _runs(old: str, new: str) -> list[_Run]:
    runs: list[_Run] = []
    before = after = 0
    for piece in word_diff(old, new):
        length = len(piece.text)
        old_end = before + length * (piece.kind != "added")
        new_end = after + length * (piece.kind != "removed")
        if piece.kind == "added" and runs and not runs[-1].equal:
            runs[-1] = _Run(False, runs[-1].old, (runs[-1].new[0], new_end))
        else:
            runs.append(_Run(piece.kind == "same", (before, old_end), (after, new_end)))
        before, after = old_end, new_end
    return runs


def _visible(text: str, start: int, end: int) -> int:
    return sum(map(str.isalnum, text[start:end]))
