"""Character ranges of one text: which of many share a character with a given one."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

Range = tuple[int, int]


class Intervals:
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
