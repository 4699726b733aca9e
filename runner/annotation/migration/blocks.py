"""A page as paragraphs, list items, table rows and headings, by their lines, and the sentences in them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from runner.alignment.range_match import trimmed
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


_PREFIX = re.compile(r"[\s>]*")
HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_BULLET = re.compile(r"[-*+•・]\s+")
_NUMBER = re.compile(r"[（(]?(?P<number>\d{1,3}|[一二三四五六七八九十]{1,3})(?:[.)]\s+|[）、]\s*)")
_RULE = frozenset("|:- \t")
_HTML = re.compile(r"</?(?:table|thead|tbody|tr|td|th)\b", re.IGNORECASE)
# A stop before a small letter is that of an abbreviation.
_STOP = re.compile(r"[.!?][*_`)\"'”’\]]*(?=\s)(?!\s+[a-z])|[。！？][」』）)”’*_]*")
_BAR = re.compile(r"\|")
_TAB = re.compile(r"\t")

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """at: where its first line begins. [start, end): its characters, without the mark of a list item."""

    kind: Literal["text", "item", "row", "heading", "html"]
    at: int
    start: int
    end: int


class Blocks:
    """The blocks of a text, in reading order. layout: that of a text which is not Markdown."""

    def __init__(self, text: str, layout: Outline | None = None) -> None:
        self._text = text
        self._bar = _BAR if layout is None else _TAB
        self._blocks = list(_blocks(text) if layout is None else _laid_out(text, layout))
        self._starts = [block.at for block in self._blocks]

    def sentences(self, start: int, end: int) -> Place:
        """[start, end) widened to whole sentences, in a table to whole cells."""
        first, last = self._at(start), self._at(max(start, end - 1))
        return (start, end) if first is None or last is None else self._widened(first, last, start, end)

    def pieces(self, start: int, end: int) -> list[Place]:
        """The sentences and cells that share a character with [start, end)."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_left(self._starts, end)
        found = [piece for block in self._blocks[first:last] for piece in self._parts(block)]
        return [piece for piece in found if piece[0] < end and start < piece[1]]

    def next_heading(self, position: int) -> int:
        """Where the first heading after a place begins, or the text ends."""
        after = self._blocks[bisect_right(self._starts, position) :]
        return next((block.at for block in after if block.kind == "heading"), len(self._text))

    def _at(self, position: int) -> int | None:
        found = bisect_right(self._starts, position) - 1
        return found if found >= 0 else None

    def _widened(self, first: int, last: int, start: int, end: int) -> Place:
        begins = [piece[0] for piece in self._parts(self._blocks[first]) if piece[0] <= start]
        ends = [piece[1] for piece in self._parts(self._blocks[last]) if piece[1] >= end]
        return begins[-1] if begins else start, ends[0] if ends else end

    def _parts(self, block: Block) -> list[Place]:
        """The sentences of a block, the cells of a row."""
        marks = [block.start]
        if block.kind == "row":
            bars = [bar.start() for bar in self._bar.finditer(self._text, block.start, block.end)]
            cells = zip((block.start, *(bar + 1 for bar in bars)), (*bars, block.end), strict=True)
            places = [trimmed(self._text, *cell) for cell in cells]
            return [place for place in places if place[0] < place[1]]
        if block.kind != "html":
            marks += [stop.end() for stop in _STOP.finditer(self._text, block.start, block.end)]
        places = [trimmed(self._text, *pair) for pair in pairwise((*marks, block.end))]
        return [place for place in places if place[0] < place[1]]


def _laid_out(text: str, layout: Outline) -> Iterator[Block]:
    open_: Block | None = None
    for line in lines_of(text, layout, 0, len(text)):
        if open_ is not None and not line.opens:
            open_ = replace(open_, end=line.end)
            continue
        if open_ is not None:
            yield open_
        open_ = Block("text" if line.kind == "code" else line.kind, line.at, line.start, line.end)
    if open_ is not None:
        yield open_


def _blocks(text: str) -> Iterator[Block]:
    chunk: list[Block] = []
    position = 0
    for line in text.split("\n"):
        prefix = _PREFIX.match(line)
        inside = prefix.end() if prefix else 0
        at, start, end = position, position + inside, position + len(line.rstrip())
        position += len(line) + 1
        if start >= end:
            yield from _rows(text, chunk)
            chunk = []
            continue
        chunk.append(Block("text", at, start, end))
    yield from _rows(text, chunk)


def _rows(text: str, lines: list[Block]) -> Iterator[Block]:
    """The blocks of lines without an empty one between them: what stands above a table, and its rows."""
    for number, line in enumerate(lines):
        words = text[line.start : line.end]
        if number and "|" in words and "-" in words and _RULE.issuperset(words):
            yield from _items(text, lines[: number - 1])
            for row in (*lines[number - 1 : number], *lines[number + 1 :]):
                yield replace(row, kind="row")
            return
    yield from _items(text, lines)


def _items(text: str, lines: list[Block]) -> Iterator[Block]:
    """Lines put together to paragraphs and list items."""
    if any(_HTML.match(text, line.start) for line in lines):
        yield replace(lines[0], kind="html", end=lines[-1].end)
        return
    open_: Block | None = None
    for line in lines:
        heading = HEADING.match(text, line.start)
        mark = _BULLET.match(text, line.start) or _NUMBER.match(text, line.start)
        # Only a list that has begun, or its first number, parts a paragraph: a line may begin with "10." by chance.
        numbered = mark is not None and "number" in mark.re.groupindex
        if mark and numbered and open_ is not None and open_.kind == "text" and mark["number"] not in ("1", "一"):
            mark = None
        if open_ is not None and (heading or mark or open_.kind == "heading"):
            yield open_
            open_ = None
        if open_ is not None:
            open_ = replace(open_, end=line.end)
        elif heading:
            open_ = replace(line, kind="heading")
        elif mark and mark.end() < line.end:
            open_ = replace(line, kind="item", start=mark.end())
        else:
            open_ = line
    if open_ is not None:
        yield open_
