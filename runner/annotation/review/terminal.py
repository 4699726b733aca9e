"""Single keys from a terminal, or lines from anything else."""

import os
import select
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from runner.annotation.review.display import Answers

_ESCAPE = b"\x1b"
_END_OF_INPUT = b"\x04"


class LineAnswers:
    """Reads an answer a line: from a pipe, a file, or a terminal without single keys."""

    single = False

    def __init__(self, source: TextIO, out: TextIO) -> None:
        self._source, self._out = source, out

    def key(self) -> str | None:
        """The next line without white space, in lower case; None at the end."""
        line = self._source.readline()
        return plain(line) if line else None

    def line(self, prompt: str) -> str | None:
        """The next line as it is."""
        self._out.write(prompt)
        self._out.flush()
        line = self._source.readline()
        return line.strip() if line else None


class KeyAnswers:
    """Reads single keys of a POSIX terminal, which `keys` has prepared."""

    single = True

    def __init__(self, handle: int, out: TextIO) -> None:
        self._handle, self._out = handle, out

    def key(self) -> str | None:
        """The next character; cursor and function keys are passed over."""
        while True:
            first = os.read(self._handle, 1)
            if not first or first == _END_OF_INPUT:
                return None
            if first == _ESCAPE:
                self._pass_over()
                continue
            # The first byte of UTF-8 says how many follow.
            more = 3 if first >= b"\xf0" else 2 if first >= b"\xe0" else 1 if first >= b"\xc0" else 0
            character = first + b"".join(os.read(self._handle, 1) for _ in range(more))
            return plain(character.decode(errors="replace"))

    def _pass_over(self) -> None:
        """Read the rest of an escape sequence, and nothing of what was typed after it."""
        introduced = False
        while select.select([self._handle], [], [], 0.05)[0]:
            byte = os.read(self._handle, 1)
            if not introduced and byte in (b"[", b"O"):
                introduced = True
            elif not introduced or b"@" <= byte <= b"~" or not byte:
                return

    def line(self, prompt: str) -> str | None:
        """A line, typed as at any prompt."""
        import termios

        self._out.write(prompt)
        self._out.flush()
        single = termios.tcgetattr(self._handle)
        whole = termios.tcgetattr(self._handle)
        whole[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(self._handle, termios.TCSADRAIN, whole)
        try:
            data = b""
            while not data.endswith(b"\n"):
                more = os.read(self._handle, 4096)
                if not more:
                    return None
                data += more
        finally:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, single)
        return data.decode(errors="replace").strip()


@contextmanager
def answers(source: TextIO | None = None, out: TextIO | None = None, *, single: bool = True) -> Iterator[Answers]:
    """Single keys where the input is a terminal that can give them, else lines; the terminal is left as it was."""
    source, out = source or sys.stdin, out or sys.stdout
    try:
        import termios
        import tty
    except ImportError:
        single = False
    if not single or not source.isatty():
        yield LineAnswers(source, out)
        return
    handle = source.fileno()
    before = termios.tcgetattr(handle)
    # What was typed ahead is kept: flushing would throw answers away.
    tty.setcbreak(handle, termios.TCSADRAIN)
    try:
        yield KeyAnswers(handle, out)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def plain(text: str) -> str:
    """A key as it is meant: full-width letters and digits of an input method are the narrow ones."""
    return unicodedata.normalize("NFKC", text).strip().lower()
