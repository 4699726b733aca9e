"""One anonymising rule: what it looks for, what it must not see, what it writes."""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from runner.annotation.candidates.normalized_text import NormalizedText

# Stands for what is kept; no normalized text holds it.
_HIDDEN = "\0"
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,\}|.", re.DOTALL)
_ENDLESS = re.compile(r"[*+]|\{\d*,\}")


@dataclass(frozen=True)
class AnonymisingRule:
    """pattern: what is looked for in the normalized text. replacement: what stands there instead, `\\1` being a group.

    keep: what one of these covers is hidden from the pattern.
    """

    name: str
    pattern: re.Pattern[str]
    replacement: str
    keep: tuple[re.Pattern[str], ...] = ()

    @property
    def may_be_slow(self) -> bool:
        """Whether an unbounded repeat stands inside another one, which on some texts takes exponential time."""
        return any(_nested(each.pattern) for each in (self.pattern, *self.keep))

    def replaced(self, read: NormalizedText) -> str | None:
        """The text with everything found replaced; None where nothing is. An empty match is nothing."""
        if not self.pattern.search(read.text):
            return None
        pieces, done = [], 0
        for match in self.pattern.finditer(self._shown(read.text)):
            if match[0] and _HIDDEN not in match[0]:
                start, end = read.span(*match.span())
                pieces += [read.given[done:start], match.expand(self.replacement)]
                done = end
        return "".join([*pieces, read.given[done:]]) if pieces else None

    def _shown(self, text: str) -> str:
        shown = list(text)
        for pattern in self.keep:
            for match in pattern.finditer(text):
                shown[match.start() : match.end()] = _HIDDEN * len(match[0])
        return "".join(shown)


def _nested(pattern: str) -> bool:
    """Whether a group that repeats something without end is itself repeated without end."""
    repeats, closed = [False], False
    for token in _TOKENS.findall(pattern):
        if _ENDLESS.fullmatch(token):
            if closed:
                return True
            repeats[-1] = True
        if token == "(":
            repeats.append(False)
        closed = token == ")" and len(repeats) > 1 and repeats.pop()
        repeats[-1] |= closed
    return False


class TookTooLong(Exception):
    """A search was ended."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TookTooLong once what is inside has used so many seconds of processor time.

    Python's `re` looks for signals while it searches. Where there is no such timer (Windows, another thread than the
    main one) nothing is ended.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise TookTooLong
