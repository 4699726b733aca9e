"""A result at the terminal: lines that wrap where the terminal does, and tables."""

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from runner.rendering.console import PAPER, console

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


_WIDTH = 110


def show(items: "Iterable[str | Text | Table]", stream: TextIO, paper: int = PAPER) -> None:
    """Print lines and tables one after another; a long line is left for the terminal to wrap."""
    from rich.table import Table

    target = console(stream, paper)
    for item in items:
        target.print(item, soft_wrap=not isinstance(item, Table))


def terminal_table(
    header: Sequence[str],
    rows: "Iterable[Sequence[str | Text]]",
    *,
    left: Collection[str] = (),
    fold: Collection[str] = (),
    bold: Collection[int] = (),
    title: str = "",
) -> "Table":
    """A table with a rule below its header.

    left: the columns that stand at their left side. fold: those that may go on in a further line. bold: rows by number.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(title) if title else None, title_justify="left")
    for name in header:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=name not in fold, overflow="fold")
    for number, cells in enumerate(rows):
        table.add_row(*cells, style="bold" if number in bold else None)
    return table


def aligned(rows: Sequence[tuple[str, str]], most: int = 34) -> Iterator[str]:
    """Two columns, the first one at most so wide, the second one wrapped."""
    width = min(max((len(first) for first, _ in rows), default=0), most)
    for first, second in rows:
        lines = textwrap.wrap(second, max(_WIDTH - width - 4, 40)) or [""]
        if len(first) > width:
            yield f"  {first}"
            first = ""
        yield f"  {first:<{width}}  {lines[0]}".rstrip()
        for line in lines[1:]:
            yield f"  {'':<{width}}  {line}"
