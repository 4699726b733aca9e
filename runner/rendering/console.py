"""What goes to a terminal: nothing that came from pages, users or stored runs may steer it, and no secret is shown.

Commands write through streams that are guarded here; tables and colours through a console that is.
"""

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

from runner.rendering.redaction import redacted
from runner.rendering.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

# The width of what is no terminal: nothing is cut there.
PAPER = 1000
# What a bar of tqdm writes to stand where it stood before.
_UP = "\x1b[A"


def shown(text: str) -> str:
    """The text as it may be shown."""
    return visible(redacted(text))


class Guarded:
    """A stream of text on which only line ends, tabs and the moves of a progress bar are more than text."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write the text as it may be shown."""
        if not text.replace(_UP, "").strip("\r\n"):
            return self.raw.write(text)
        inner = text.strip("\r")
        before = text[: len(text) - len(text.lstrip("\r"))]
        return self.raw.write(f"{before}{shown(inner)}{text[len(before) + len(inner) :]}")

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line as it may be shown."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def open_streams() -> None:
    """Give a stream that the shell closed (`>&-`) nowhere to lead to, and let no character of an output be a fault.

    Else the next file that is opened, a database even, would have the number of the standard output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            opened = os.open(os.devnull, os.O_RDWR)
            try:
                os.fstat(number)
            except OSError:
                os.dup2(opened, number)
            setattr(sys, name, os.fdopen(opened, "w" if number else "r", encoding="utf-8"))
        elif number and isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            # What the encoding of a terminal lacks is shown as a code.
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def guarded_output() -> Iterator[None]:
    """Guard this process's output and errors for a while; inside of another such while it changes nothing."""
    open_streams()
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (each if isinstance(each, Guarded) else cast("TextIO", Guarded(each)) for each in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console(stream: TextIO, paper: int = PAPER, **options: Any) -> "Console":
    """A console of rich that shows texts as they may be shown; its own colours pass.

    It is as wide as its terminal; paper: how many characters wide, where the stream is none.
    """
    raw = stream.raw if isinstance(stream, Guarded) else stream
    settings = {"width": None if stream.isatty() else paper, "highlight": False, "emoji": False, "markup": False}
    return _console_class()(file=raw, **settings | options)  # type: ignore[no-any-return]


@cache
def _console_class() -> Any:
    from rich.console import Console
    from rich.segment import Segment

    class GuardedConsole(Console):
        def render_str(self, text: str, **options: Any) -> Any:
            # Before it is measured: a table's columns are as wide as what is shown.
            return super().render_str(shown(text), **options)

        def render(self, renderable: Any, options: Any = None) -> Any:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else shown(text), style, control)

    return GuardedConsole
