"""Passages of one text by their character ranges: which hold a range, which lie within it, which touch it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from runner.snapshots import Passage


class Ranges:
    """The passages of one document."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = sorted(passages, key=lambda passage: (passage.start, passage.end, passage.id))
        self._starts = [passage.start for passage in self._passages]
        # Windows overlap, so ends alone are not sorted; their running maximum is.
        self._reach = list(accumulate((passage.end for passage in self._passages), max))

    def touching(self, start: int, end: int) -> Iterator[Passage]:
        """The passages that share a character with [start, end), in reading order."""
        first = bisect_right(self._reach, start)
        last = bisect_left(self._starts, end)
        for passage in self._passages[first:last]:
            if passage.end > start:
                yield passage


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the white space at its ends; empty at its start if there is nothing else."""
    part = text[start:end]
    kept = part.strip()
    if not kept:
        return start, start
    begin = start + len(part) - len(part.lstrip())
    return begin, begin + len(kept)


def shared(one: tuple[int, int], other: tuple[int, int]) -> int:
    """How many characters two ranges share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))
