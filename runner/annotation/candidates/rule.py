"""A rule that makes texts anonymous, and a text as rules read it, with the way back to what was written."""

import re
import signal
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import NoReturn

# At these a clause ends, which their plain forms do not say: they also stand within addresses and times.
_STAYING = "，：；！？"


class _NormalForms(dict[int, str]):
    """For `str.translate`: what each character becomes, found once; never more than one character."""

    def __missing__(self, code: int) -> str:
        became = self[code] = _normalized(chr(code))
        return became


def _normalized(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":
        return ""  # zero width, soft hyphens, directions: nobody sees them
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Zs" or (category == "Cc" and character not in "\r\n"):
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(character))
    # ① and ² are no digits of a number.
    plain = unicodedata.normalize("NFKC", character) if category != "No" and character not in _STAYING else character
    return plain if len(plain) == 1 else character


_NORMAL = _NormalForms()


@dataclass(frozen=True)
class NormalizedText:
    """given: what was written. text: what it is read as; a NUL stands in no such text."""

    given: str
    text: str

    @classmethod
    def of(cls, given: str) -> "NormalizedText":
        """Normalize a text."""
        return cls(given, given if given.isascii() and given.isprintable() else given.translate(_NORMAL))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of `given` in which a range of `text`, which is not empty, was written."""
        if self._places is None:
            return start, end
        return self._places[start], self._places[end - 1] + 1

    @cached_property
    def _places(self) -> list[int] | None:
        if len(self.given) == len(self.text):
            return None
        return [place for place, character in enumerate(self.given) if _NORMAL[ord(character)]]


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
