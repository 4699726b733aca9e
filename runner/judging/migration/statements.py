"""What a Markdown text says: its sentences in order, each with its place in lists and tables, without markup."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from runner.formats.outline import Outline
from runner.judging.migration.laid_out import lines_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Lines that put a file of code in their place: which file it is is no wording.
_INCLUDE = re.compile(r"^[ \t]*(?:\{!.*!\}|\{\*.*\*\}|--8<--.*)[ \t]*$", re.MULTILINE)
# `{ #limits .wide target=_blank }` behind a heading or a link, as Python-Markdown and Pandoc read it.
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*[#.][^\s{}][^{}\n]*\}")
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
_ANCHOR = re.compile(r"<a[\s>]", re.IGNORECASE)
# A stop before a small letter is that of an abbreviation.
_STOP = re.compile(r"[.!?][\"'”’)\]]*(?=\s)(?!\s+[a-z])|[。！？][」』）)”’]*")
_POINTS = re.compile(
    r"(?:(?:to|for) (?:see|learn|read|an?|more|details|further|the full)\b|see\b|check\b|(?:read|learn) more\b"
    r"|you can read\b|more (?:details|information|about)\b"
    r"|請?(?:參考|參見|參閱|參照)|詳見|詳情|更多|(?:想|若要|如需)(?:了解|瞭解|看))",
    re.IGNORECASE,
)
# What a sentence with such a word says of others is more than where to read on.
_LIMITS = re.compile(
    r"\b(?:not?|never|none|nor|cannot|\w+n['’]t|only|except|unless|until|instead|but|however|if|longer|deprecated|removed"
    r"|replaced|legacy|old|former(?:ly)?|previous(?:ly)?|was|were|without|un\w+)\b"
    r"|[不沒無未非僅只除但卻舊已若]|棄用|取代|移除",
    re.IGNORECASE,
)

# A term as another language has it, behind the Chinese one: 終止代理 (Termination Proxy).
_GLOSS = re.compile(r"(?<=[\u3400-\u9fff])\s*[（(][a-zA-Z][a-zA-Z .'-]*[)）]\s*")
# `//// tab | Python 3.9+` ... `////`: one of several forms of the same code.
_TAB = re.compile(r"^(?P<bars>/{3,}) *tab *\|.*?^(?P=bars)[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """where: the lists, quotes and tables it stands in. text: in uniform white space. linked: whether it has a link."""

    where: str
    text: str
    linked: bool = False

    @property
    def points_elsewhere(self) -> bool:
        """Whether it only says where to read on, so that what stands beside it means the same without it."""
        return self.linked and bool(_POINTS.match(self.text)) and not _LIMITS.search(self.text)


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def statements_of(text: str, position: int = -1) -> tuple[Statement, ...]:
    """The sentences, cells and lines of code of a text, in reading order.

    Tabs that show files of code, one for each version of a language, say nothing of what stands beside them; position:
    a place in the text whose own tab counts all the same.
    """

    def shown(tab: re.Match[str]) -> str:
        own = tab.start() <= position < tab.end()
        return "" if _INCLUDE.search(tab[0]) and not own else tab[0]

    tokens = _parser().parse(_ATTRIBUTES.sub("", _INCLUDE.sub("", _TAB.sub(shown, text))))
    return tuple(statement for statement in _statements(tokens) if statement.text)


def laid_out_statements(text: str, layout: Outline, start: int, end: int) -> tuple[Statement, ...]:
    """The same of [start, end) of a text that is not Markdown; of a table's cell its column is part of its place."""
    found: list[Statement] = []
    for line in lines_of(text, layout, start, end):
        words = text[line.start : line.end]
        if line.kind == "row":
            found += (Statement(f"td {n}", " ".join(cell.split())) for n, cell in enumerate(words.split("\t")))
        elif line.kind == "code":
            found.append(Statement("code", text[line.at : line.end]))
        else:
            found += _sentences(f"{line.kind} {line.start - line.at}", words, [])
    return tuple(statement for statement in found if statement.text)


def say_the_same(one: Sequence[Statement], other: Sequence[Statement]) -> bool:
    """Whether two texts say the same, but for sentences that only say where to read on, and translations of terms."""
    before, after = ([(each.where, each.text) for each in side] for side in (one, other))
    if before == after:
        return True
    for kind, start, end, begin, finish in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = one[start:end], other[begin:finish]
        if kind == "equal" or all(each.points_elsewhere for each in (*old, *new)):
            continue
        if len(old) != len(new) or not all(map(_but_for_a_gloss, old, new)):
            return False
    return True


def _but_for_a_gloss(one: Statement, other: Statement) -> bool:
    """Whether one is the other with translations of its terms; one that took another's place is a change."""
    shorter, longer = sorted((one.text, other.text), key=len)
    glosses = _GLOSS.findall(longer)
    return one.where == other.where and _GLOSS.sub("", longer) == shorter and not any(map(_LIMITS.search, glosses))


def _statements(tokens: Sequence["Token"]) -> Iterator[Statement]:
    where: list[str] = []
    for token in tokens:
        if token.nesting > 0:
            where.append(token.tag)
        elif token.nesting < 0:
            where.pop()
        elif token.type == "inline":
            text, links = _plain(token)
            yield from _sentences(" ".join(where), text, links)
        elif token.type in ("fence", "code_block"):
            # Indentation is part of what code says.
            lines = (line.rstrip() for line in token.content.split("\n"))
            yield from (Statement("code", line) for line in lines if line)
        elif token.type == "html_block":
            yield from _sentences("html", _TAG.sub(" ", token.content), [])


def _plain(inline: "Token") -> tuple[str, list[int]]:
    """The text of a paragraph as it is read, and where links begin in it."""
    parts: list[str] = []
    links: list[int] = []
    for child in inline.children or ():
        if child.type == "link_open" or (child.type == "html_inline" and _ANCHOR.match(child.content)):
            links.append(sum(map(len, parts)))
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type != "html_inline":
            parts.append(child.content)
    return "".join(parts), links


def _sentences(where: str, text: str, links: Sequence[int]) -> Iterator[Statement]:
    start = 0
    for end in (*(stop.end() for stop in _STOP.finditer(text)), len(text)):
        linked = any(start <= link < end for link in links)
        yield Statement(where, " ".join(text[start:end].split()), linked)
        start = end
