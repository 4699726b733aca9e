"""Where the headings, tables and code blocks of a Markdown text are, in characters."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from retrievers.ignorable import seen
from runner.documents.outline import Outline, OutlineHeading
from runner.files.reading import nfc

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# `## Limits { #limits }`: an id written by the author, as Python-Markdown, kramdown and Pandoc read it.
_WRITTEN_ID = re.compile(r"\s*\{:?\s*#(?P<id>[^\s{}#]+)(?:\s+[^{}]*)?\}\s*$")
# Only a tag that opens its line makes a table; one named in a sentence does not.
_TABLE_TAG = re.compile(r"^[ \t]*(?P<open><table\b)|</table\s*>|(?P<inner><table\b)", re.IGNORECASE | re.MULTILINE)
_WHOLE = ("fence", "table_open")


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    # Blocks are enough for an outline; the inline pass would double the time.
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@lru_cache(maxsize=1)
def _inline_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def outline_of(text: str) -> Outline:
    """Parse CommonMark with tables. A `#` inside code, a quote or a list is not a heading of the page."""
    tokens = _parser().parse(text)
    starts = _line_starts(text)
    headings = []
    whole = []
    for token, inner in pairwise(tokens):
        if not token.map:
            continue
        if token.type == "heading_open" and token.level == 0:
            title, slug = _name(inner)
            headings.append(OutlineHeading(int(token.tag[1:]), title, slug, *_range(token, starts)))
        elif token.type in _WHOLE:
            whole.append(_range(token, starts))
    # A fence that is the last token has no successor to be paired with.
    if tokens and tokens[-1].type == "fence":
        whole.append(_range(tokens[-1], starts))
    tables = _html_tables(text, whole)
    # What looks like a heading between two rows of an HTML table does not end a section.
    apart = [heading for heading in headings if not any(start <= heading.start < end for start, end in tables)]
    return Outline(tuple(apart), _apart(whole + tables))


def first_title(text: str) -> str:
    """The first heading of level 1, without markup, or an empty string."""
    if "#" not in text and "=" not in text:
        return ""
    return next((heading.title for heading in outline_of(text).headings if heading.level == 1), "")


def slug_of(title: str) -> str:
    """Lower case, white space to `-`, letters and digits of any script kept; empty if nothing is left.

    So an id can be typed: of an emoji nothing stays, neither its joiners and selectors nor the ring or the key around
    it; a mark stays behind the letter that it belongs to (Hindi, Thai).
    """
    kept = []
    before = "-"
    for character in nfc(seen(title.lower())):
        kind = unicodedata.category(character)
        if character.isspace() or character == "-":
            kept.append("-")
        elif character == "_" or kind[0] in "LN" or (kind in ("Mn", "Mc") and before in "LM"):
            kept.append(character)
        else:
            kind = "-"
        before = kind[0]
    return re.sub("-+", "-", "".join(kept)).strip("-")


def _name(inline: "Token") -> tuple[str, str]:
    content = inline.content
    written = _WRITTEN_ID.search(content)
    title = _plain(content[: written.start()] if written else content)
    return title, (slug_of(written["id"]) if written else "") or slug_of(title)


def _plain(markdown: str) -> str:
    (token,) = _inline_parser().parseInline(markdown)
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline", "text_special"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(child.content)
    return " ".join("".join(parts).split())


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(text)
    return starts


def _range(token: "Token", starts: list[int]) -> tuple[int, int]:
    first, last = token.map or (0, 0)
    return starts[first], starts[min(last, len(starts) - 1)]


def _html_tables(text: str, fences: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    for tag in _TABLE_TAG.finditer(text):
        if tag["open"] or (tag["inner"] and depth):
            start = start if depth else tag.start()
            depth += 1
        elif depth and not tag["inner"]:
            depth -= 1
            if not depth:
                found.append((start, tag.end()))
    return [span for span in found if not any(first <= span[0] < last for first, last in fences)]


def _apart(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
