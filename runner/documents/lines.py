"""A page's text put together line by line, with its headings, blocks and list items by their lines."""

import re
from dataclasses import dataclass, field

from runner.documents.document import Normalization
from runner.documents.markdown_outline import slug_of
from runner.documents.outline import Outline, OutlineHeading

# What HTML calls white space; a no-break or an ideographic space is a character like any other.
_SPACE = re.compile(r"[ \t\n\f\r]+")
_DEEPEST_INDENT = 16


@dataclass
class LineLayout:
    """Takes words, line ends and gaps as a reader meets them; `laid_out` gives the text and its outline.

    Between two blocks there is one empty line at most; white space is collapsed as a browser does it, but for
    what is added `verbatim`.
    """

    _lines: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    _headings: list[tuple[int, str, int, int]] = field(default_factory=list)
    _whole: list[tuple[int, int]] = field(default_factory=list)
    _tables: list[tuple[int, int]] = field(default_factory=list)
    _items: list[int] = field(default_factory=list)
    _gap: bool = False
    _indent: int = 0
    _blank: bool = True
    _item_next: bool = False

    def words(self, text: str) -> None:
        """Add words to the open line."""
        text = _SPACE.sub(" ", text)
        if self._blank and text[:1] == " ":
            text = text[1:]
        if not text:
            return
        if not self._open:
            self._begin()
            self._open.append(" " * min(self._indent, _DEEPEST_INDENT))
        self._open.append(text)
        self._blank = text[-1] == " "

    def verbatim(self, text: str) -> None:
        """Add text whose white space means something; a line feed in it ends the line."""
        first, *others = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._verbatim_line(first)
        for line in others:
            self._end(keep_empty=True)
            self._verbatim_line(line)

    def tab(self) -> None:
        """End a cell of a table's row."""
        if not self._open:
            self._begin()
        if self._open and self._open[-1][-1:] == " ":
            self._open[-1] = self._open[-1][:-1]
        self._open.append("\t")
        self._blank = True

    def end_line(self) -> None:
        """End the open line, if there is one."""
        self._end()

    def break_line(self) -> None:
        """End the open line, or leave an empty one."""
        self._end(keep_empty=bool(self._lines and self._lines[-1]) and not self._gap)

    def gap(self) -> None:
        """End the open line; what follows has an empty line above it."""
        self._end()
        self._gap = True

    def indent(self, by: int) -> None:
        """Set the lines that follow further in, or out again."""
        self._indent = max(0, self._indent + by)

    def item(self, begins: bool) -> None:
        """The next line begins a list item, or the item has ended, be it empty."""
        self._end()
        self._item_next = begins

    def here(self) -> int:
        """The number of the line that comes next, once the open one is ended and a gap is made."""
        self._end()
        if self._gap and self._lines and self._lines[-1]:
            self._lines.append("")
        self._gap = False
        return len(self._lines)

    def heading(self, level: int, first: int, title: str = "") -> None:
        """The lines from `first` on are a heading; a title that stands in no line may be given."""
        last = self.here()
        title = title or " ".join(" ".join(self._lines[first:last]).split())
        if title:
            self._headings.append((level, title, first, last))
        self._gap = last > first

    def keep_whole(self, first: int, table: bool = False) -> None:
        """The lines from `first` on are a table or a code block."""
        self._end()
        last = len(self._lines)
        if first < last:
            self._whole.append((first, last))
            if table:
                self._tables.append((first, last))

    def laid_out(self, normalization: Normalization) -> tuple[str, Outline]:
        """The normalised text and its outline in characters of that text."""
        self._end()
        lines = [normalization.text(line) for line in self._lines]
        first, last = 0, len(lines)
        if normalization.blank_ends:
            while first < last and not lines[first]:
                first += 1
            while last > first and not lines[last - 1]:
                last -= 1
        starts = [0] * (first + 1)
        for line in lines[first:last]:
            starts.append(starts[-1] + len(line) + 1)
        text = "\n".join(lines[first:last])
        starts += [len(text)] * (len(lines) + 1 - len(starts))
        starts = [min(start, len(text)) for start in starts]

        def at(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
            places = ((starts[begin], starts[end]) for begin, end in _apart(ranges))
            return tuple(place for place in places if place[0] < place[1])

        headings = []
        for level, title, begin, end in self._headings:
            named = normalization.title(title)
            headings.append(OutlineHeading(level, named, slug_of(named), starts[begin], starts[end]))
        items = tuple(dict.fromkeys(starts[line] for line in self._items))
        return text, Outline(tuple(headings), at(self._whole), at(self._tables), items)

    def _begin(self) -> None:
        if self._gap and self._lines and self._lines[-1]:
            self._lines.append("")
        self._gap = False
        if self._item_next:
            self._items.append(len(self._lines))
            self._item_next = False

    def _verbatim_line(self, line: str) -> None:
        if line:
            if not self._open:
                self._begin()
            self._open.append(line)
            self._blank = False

    def _end(self, keep_empty: bool = False) -> None:
        if self._open:
            line = "".join(self._open)
            self._lines.append(line.rstrip(" \t") if self._blank else line)
            self._open.clear()
        elif keep_empty:
            self._begin()
            self._lines.append("")
        self._blank = True


def _apart(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged
