"""Markdown: text as it is shown unchanged, ids as code, lists and tables."""

import re
from collections.abc import Iterable, Sequence

from runner.rendering.visible import one_line, visible

_STEERING = "\\`*_{}[]<>#|!&~$"
# A bar that no backslash keeps from parting two cells.
_BARE_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def escape(text: str) -> str:
    """Text as Markdown shows it unchanged, on one line."""
    return "".join(f"\\{character}" if character in _STEERING else character for character in one_line(text))


def code(id_: str) -> str:
    """An id as code, fenced by more backticks than it holds in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", id_)), default=0))
    pad = " " if id_.startswith("`") or id_.endswith("`") else ""
    return f"{fence}{pad}{visible(id_)}{pad}{fence}"


def bullets(lines: Iterable[str]) -> str:
    """A list of lines that are Markdown already."""
    return "\n".join(f"- {line}" for line in lines)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown already; a bar in one of them parts nothing."""
    lines = [header, ["---"] * len(header), *([_BARE_BAR.sub(r"\1\\|", cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def document(parts: Iterable[str]) -> str:
    """Parts that are not empty, a blank line between them."""
    return "\n\n".join(part for part in parts if part) + "\n"
