"""What a Markdown text says: its sentences in order, each with its place in lists and tables, without markup."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from runner.annotation.migration.blocks import lines_of
from runner.annotation.migration.containers import TAG, judgments_by, mark_includes, notices, taken_out
from runner.annotation.migration.pointers import LINK, is_pointer, refers_back, same_but_for_a_gloss
from runner.documents.outline import Outline

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


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


# `{ #limits .wide target=_blank }` behind a heading or a link, as Python-Markdown and Pandoc read it.
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*(?P<names>[#.][^\s{}][^{}\n]*)\}")
_ANCHOR = re.compile(r"<(?P<close>/?)a[\s>]", re.IGNORECASE)
# A stop before a small letter is that of an abbreviation.
_STOP = re.compile(r"[.!?][\"'”’)\]]*(?=\s)(?!\s+[a-z])|[。！？][」』）)”’]*")
# A footnote of one word, or in Chinese, is else read as the address of a link.
_FOOTNOTE = re.compile(r"^([ \t]*)(?=\[\^)", re.MULTILINE)
# Which lines of code are marked or numbered.
_LINES = re.compile(r"(?:hl_lines|linenums|linenostart)=(?:\"[^\"]*\"|\S+)|\{[\d,\s-]*\}|showLineNumbers")
# Words of a link that leave it to its address to say what is there.
_HERE = re.compile(
    r"(?:click |right )?here|(?:this|the)? ?(?:link|page|address|file|url)|[這此][裡處頁]|此?連結", re.IGNORECASE
)
_CONTAINERS = frozenset({"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"})

Place = tuple[int, int]


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def statements_of(text: str, start: int = 0, end: int = 0) -> tuple[Statement, ...]:
    """The sentences, cells and lines of code of a text, in reading order.

    Tabs that show files of code are left out, unless [start, end) is within them.
    """
    tokens = _parser().parse(_FOOTNOTE.sub(r"\1\\", mark_includes(text, start, end)))
    found: list[Statement] = []
    for each in _statements(tokens):
        if each.text and not (each.where == "file" and found[-1:] == [each]):
            found.append(each)
    return tuple(found)


def laid_out_statements(text: str, layout: Outline, start: int, end: int) -> tuple[Statement, ...]:
    """The same of [start, end) of a text that is not Markdown; of a table's cell its column is part of its place."""
    found: list[Statement] = []
    items = 0
    for number, line in enumerate(lines_of(text, layout, start, end)):
        words = text[line.start : line.end]
        items += line.kind == "item" and line.opens
        if line.kind == "row":
            cells = enumerate(words.split("\t"))
            found += (Statement(f"row {number} td {column}", " ".join(cell.split())) for column, cell in cells)
        elif line.kind == "code":
            found.append(Statement("code", text[line.at : line.end]))
        else:
            item = f" {items}" if line.kind == "item" else ""
            found += _sentences(f"{line.kind} {line.start - line.at}{item}", words, [])
    return tuple(statement for statement in found if statement.text)


def _statements(tokens: Sequence["Token"]) -> Iterator[Statement]:
    where: list[str] = []
    inside = [Counter[str]()]
    for token in tokens:
        if token.nesting > 0:
            inside[-1][token.tag] += 1
            number = inside[-1][token.tag] if token.tag in _CONTAINERS else ""
            first = token.attrs.get("start", "")
            where.append(f"{token.tag}{number}" + (f" from {first}" if first != "" else ""))
            inside.append(Counter())
        elif token.nesting < 0:
            where.pop()
            inside.pop()
        elif token.type == "inline":
            yield from _sentences(" ".join(where), *_plain(token))
            yield from (Statement("file", name) for name in taken_out(token.content)[1])
        elif token.type in ("fence", "code_block"):
            yield from _code(token, where)
        elif token.type == "html_block":
            yield from _sentences("html", TAG.sub(lambda tag: f" {judgments_by(tag)} ", token.content), [])


def _code(token: "Token", where: Sequence[str]) -> Iterator[Statement]:
    language, _, rest = _LINES.sub("", token.info).strip().partition(" ")
    place = " ".join([*where, "code", language.lower(), *rest.split()])
    for line in token.content.split("\n"):
        code, files = taken_out(line)
        if files:
            yield from (Statement("file", name) for name in files)
        elif code.strip():
            # Indentation is part of what code says.
            yield Statement(place, code.rstrip())


def _plain(inline: "Token") -> tuple[str, list[Place]]:
    """The text of a paragraph as it is read, with what tags and pictures say, and where links are in it."""
    text = ""
    links: list[Place] = []
    opened, address, title = 0, "", ""
    for child in inline.children or ():
        tag = TAG.fullmatch(child.content) if child.type == "html_inline" else None
        anchor = _ANCHOR.match(child.content) if tag else None
        if child.type == "link_open" or (anchor and not anchor["close"]):
            opened, address = len(text), str(child.attrs.get("href", ""))
            title = f" {child.attrs['title']}" if "title" in child.attrs else ""
        elif child.type == "link_close" or anchor:
            if _HERE.fullmatch(text[opened:].strip()):
                text += f" ({_end_of(address)})"
            text += title
            links.append((opened, len(text)))
        elif child.type in ("softbreak", "hardbreak"):
            text += " "
        elif child.type == "image":
            text += child.content or PurePosixPath(str(child.attrs.get("src", ""))).stem
            text += f" {child.attrs['title']}" if "title" in child.attrs else ""
        elif tag:
            text += judgments_by(tag)
        elif child.type == "text":
            text += _ATTRIBUTES.sub(_noticed, taken_out(child.content)[0])
        elif child.type != "html_inline":
            text += child.content
    return text, links


def _noticed(attributes: re.Match[str]) -> str:
    return "".join(f" .{name}" for name in notices(attributes["names"]))


def _end_of(address: str) -> str:
    """The host and the last name of an address, which stay when a site is put in another order."""
    parts = urlsplit(address)
    return f"{parts.netloc} {PurePosixPath(parts.path).stem or parts.fragment}".strip()


def _sentences(where: str, text: str, links: Sequence[Place]) -> Iterator[Statement]:
    start = 0
    # The steps of a procedure are to be taken, be they to read something.
    step = " li" in where and "ol" in where
    for end in (*(stop.end() for stop in _STOP.finditer(text)), len(text)):
        sentence = " ".join(text[start:end].split())
        within = [link for link in links if start <= link[0] and link[1] <= end]
        pointer = bool(within) and not step and is_pointer(sentence, _shown(text, start, end, within))
        yield Statement(where, sentence, pointer)
        start = end


def _shown(text: str, start: int, end: int, links: Sequence[Place]) -> str:
    parts, at = [], start
    for first, last in links:
        parts += [text[at:first], LINK]
        at = last
    return " ".join("".join([*parts, text[at:end]]).split())
