"""Read the text of an HTML page as a browser shows it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runner.documents.html_elements import (
    APART,
    CELLS,
    LAYOUT,
    LINES,
    LISTS,
    VERBATIM,
    heading_level,
    is_left_out,
    is_permalink,
    names,
)
from runner.documents.lines import LineLayout
from runner.errors import InputError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# The parser's time grows with the square of the depth; browsers themselves stop nesting at 512.
_DEEPEST = 5_000
_TAGS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title|xmp)\b.*?(?:</(?P=raw)|\Z)"
    r"|<(?P<close>/?)(?P<name>[a-z][^\s/>]*)(?P<rest>[^>]*)",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY = re.compile(
    r"<(?P<name>a|b|div|em|i|iframe|p|script|span|strong|style|td|textarea|th|title)\b(?P<rest>[^<>]*?)/>",
    re.IGNORECASE,
)
# These end by themselves, or hold nothing: any number of them may stand in a row without an end tag.
_NOT_NESTED = names(
    "area base body br col colgroup dd dt embed frame head hr html img input li link meta optgroup option p "
    "param rp rt source tbody td tfoot th thead tr track wbr"
)


@dataclass(frozen=True)
class HtmlPage:
    """title: the text of `<title>`, or empty. lines: what the page shows."""

    title: str
    lines: LineLayout


def read_html(html: str, lines: LineLayout | None = None) -> HtmlPage:
    """Parse a page, whatever its faults, as HTML5 says.

    Left out on purpose are scripts, styles, templates, navigation, what is hidden, images and data URIs, what stands
    in for something that a browser can show, and the links beside headings that only give their address.
    lines: what the page is added to. Raises InputError for a page that is nested absurdly deep.
    """
    from selectolax.lexbor import LexborHTMLParser

    if _depth(html) > _DEEPEST:
        raise InputError(f"its elements are nested more than {_DEEPEST:,} deep; expected a page")
    # A parser without a document has no root.
    root = LexborHTMLParser(html or " ").root
    if root is None:
        return HtmlPage("", lines or LineLayout())
    title = root.css_first("title")
    page = _Page(_layout_tables(root), lines or LineLayout())
    for node, entering in _walk(root, page):
        if entering:
            page.enter(node)
        else:
            page.leave(node)
    return HtmlPage(" ".join((title.text() if title else "").split()), page.lines)


def close_empty_elements(xhtml: str) -> str:
    """XHTML as HTML reads it: there `<title/>` opens an element that never ends."""
    return _EMPTY.sub(r"<\g<name>\g<rest>></\g<name>>", xhtml)


def _depth(html: str) -> int:
    """At most this deep are the elements nested; tags in scripts and comments do not count."""
    open_: Counter[str] = Counter()
    depth = deepest = 0
    for tag in _TAGS.finditer(html):
        name = (tag["name"] or "").lower()
        if not name or name in _NOT_NESTED:
            continue
        if not tag["close"]:
            open_[name] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif open_[name]:
            open_[name] -= 1
            depth -= 1
    return deepest


def _walk(root: "LexborNode", page: "_Page | None" = None) -> Iterator[tuple["LexborNode", bool]]:
    """Every node on entering and on leaving it, without recursion; what the page skips is not entered."""
    # Nodes are compared by their ids: `==` would compare the HTML of two whole trees.
    node, top = root, root.mem_id
    while True:
        if page is None or not page.skips(node):
            yield node, True
            child = node.first_child
            if child is not None:
                node = child
                continue
            yield node, False
        while (after := node.next) is None or node.mem_id == top:
            parent = node.parent
            if node.mem_id == top or parent is None:
                return
            node = parent
            yield node, False
        node = after


def _layout_tables(root: "LexborNode") -> set[int]:
    """The tables that set out a page: those that hold headings, code or other tables."""
    found: set[int] = set()
    if root.css_first("table") is None:
        return found
    tables: list[int] = []
    for node, entering in _walk(root):
        tag = node.tag or ""
        if entering and tag in LAYOUT and tables:
            found.add(tables[-1])
        if tag == "table":
            if entering:
                tables.append(node.mem_id)
                if (node.attributes.get("role") or "") in ("presentation", "none"):
                    found.add(node.mem_id)
            else:
                tables.pop()
    return found


@dataclass
class _Page:
    """Turns elements into lines; rows: how many tables of values are open, which have a line a row."""

    layout_tables: set[int]
    lines: LineLayout
    rows: int = 0
    lists: int = 0
    quotes: int = 0
    verbatim: int = 0
    first: dict[int, int] = field(default_factory=dict)
    named: list[tuple[int, int, int]] = field(default_factory=list)
    terms: int = 0

    def skips(self, node: "LexborNode") -> bool:
        if not node.is_element_node:
            return not node.is_text_node
        tag, attributes = node.tag or "", node.attributes
        if is_left_out(tag, attributes):
            return True
        return tag == "a" and is_permalink(attributes, node.text(), bool(self.named) or self.terms > 0)

    def enter(self, node: "LexborNode") -> None:
        tag = node.tag or ""
        if node.is_text_node:
            text = node.text_content or ""
            if self.verbatim and not self.rows:
                self.lines.verbatim(text)
            else:
                self.lines.words(text)
        elif tag == "br":
            if self.rows:
                self.lines.words(" ")
            elif self.verbatim:
                self.lines.verbatim("\n")
            else:
                self.lines.break_line()
        else:
            self._enter_element(node, tag)

    def leave(self, node: "LexborNode") -> None:
        if node.is_text_node:
            return
        tag = node.tag or ""
        if self.named and self.named[-1][0] == node.mem_id:
            _, level, first = self.named.pop()
            self.lines.heading(level, first)
        self._part(tag)
        if tag in VERBATIM and not self.rows:
            self.verbatim -= 1
            self.lines.keep_whole(self.first.pop(node.mem_id))
            self.lines.gap()
        elif tag == "table" and node.mem_id not in self.layout_tables:
            self.rows -= 1
            self.lines.end_line()
            self.lines.keep_whole(self.first.pop(node.mem_id), table=True)
            self.lines.gap()
        elif tag == "caption":
            self._after_caption(node)
        elif tag in LISTS:
            self.lists -= 1
            self.lines.indent(-2 if self.lists else 0)
        elif tag == "li":
            self.lines.item(False)
        elif tag == "blockquote":
            self.quotes -= 1
        elif tag == "dt":
            self.terms -= 1

    def _enter_element(self, node: "LexborNode", tag: str) -> None:
        self._part(tag, entering=True)
        level = heading_level(tag, node.attributes)
        if tag in VERBATIM and not self.rows:
            self.verbatim += 1
            self.first[node.mem_id] = self.lines.here()
        elif tag == "table" and node.mem_id not in self.layout_tables:
            self.first[node.mem_id] = self.lines.here()
            self.rows += 1
        elif tag in CELLS and self.rows:
            if _has_cell_before(node):
                self.lines.tab()
        elif tag in LISTS:
            self.lists += 1
            self.lines.indent(2 if self.lists > 1 else 0)
        elif tag == "li" and not self.rows:
            self.lines.item(True)
        elif tag == "blockquote":
            self.quotes += 1
        elif tag == "dt":
            self.terms += 1
        elif level and not self.named and not self.quotes and not self.rows:
            self.named.append((node.mem_id, level, self.lines.here()))

    def _part(self, tag: str, entering: bool = False) -> None:
        """Part a block from what is before or behind it; in a row of values that is a space."""
        if self.rows and tag not in ("table", "tr", "caption", "thead", "tbody", "tfoot"):
            if tag in APART or tag in LINES:
                self.lines.words(" ")
        elif tag in APART and not (tag in LISTS and self.lists > (0 if entering else 1)):
            self.lines.gap()
        elif tag in APART or tag in LINES or tag in CELLS:
            self.lines.end_line()

    def _after_caption(self, node: "LexborNode") -> None:
        """A caption is a line above the table's own rows."""
        table = node.parent
        if table is not None and table.mem_id in self.first:
            self.first[table.mem_id] = self.lines.here()


def _has_cell_before(node: "LexborNode") -> bool:
    before = node.prev
    while before is not None and before.tag not in CELLS:
        before = before.prev
    return before is not None
