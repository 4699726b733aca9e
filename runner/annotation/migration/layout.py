"""A page that is not Markdown by its lines: what each of them is, as its reader saw it."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from runner.documents.outline import Outline, Range

Kind = Literal["text", "item", "row", "heading", "code"]


@dataclass(frozen=True, slots=True)
class PageLine:
    """[start, end): its characters without white space at its ends. at: where it begins. opens: it begins a block."""

    kind: Kind
    at: int
    start: int
    end: int
    opens: bool


def lines_of(text: str, layout: Outline, first: int, last: int) -> Iterator[PageLine]:
    """The lines of [first, last) that are not blank."""
    tables, whole = _Ranges(layout.tables), _Ranges(layout.whole)
    headings = _Ranges(tuple((each.start, each.end) for each in layout.headings))
    items = frozenset(layout.items)
    at, kind, opens = first, "text", True
    while at < last:
        end = text.find("\n", at, last)
        end = last if end < 0 else end
        line = text[at:end]
        if not line.strip():
            kind, opens, at = "text", True, end + 1
            continue
        before = kind
        kind = _kind(at, tables, whole, headings, kind, at in items)
        start = at + len(line) - len(line.lstrip())
        begins = opens or kind in ("row", "code") or at in items or kind != before
        yield PageLine(kind, at, start, at + len(line.rstrip()), begins)
        opens, at = False, end + 1


class _Ranges:
    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self._ranges = [each for each in ranges if each[0] < each[1]]
        self._starts = [start for start, _ in self._ranges]

    def hold(self, place: int) -> bool:
        found = bisect_right(self._starts, place) - 1
        return found >= 0 and place < self._ranges[found][1]


def _kind(at: int, tables: _Ranges, whole: _Ranges, headings: _Ranges, before: str, item: bool) -> Kind:
    if tables.hold(at):
        return "row"
    if whole.hold(at):
        return "code"
    if headings.hold(at):
        return "heading"
    return "item" if item or before == "item" else "text"
