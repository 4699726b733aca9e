"""One anonymising rule: what it looks for, what it must not see, what it writes."""

import re
from dataclasses import dataclass

from runner.judging.candidates.even_text import EvenText

# Stands for what is kept; no evened text holds it.
_HIDDEN = "\0"
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,\}|.", re.DOTALL)
_ENDLESS = re.compile(r"[*+]|\{\d*,\}")


@dataclass(frozen=True)
class Rule:
    """pattern: what is looked for in the evened text. replacement: what stands there instead, `\\1` being a group.

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

    def replaced(self, read: EvenText) -> str | None:
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
