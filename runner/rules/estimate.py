"""An estimate with its interval, and what it says of a limit: passed, failed or undecided."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["pass", "fail", "inconclusive"]
# Worst last: a rule's verdict is the worst of its demands.
_ORDER: Sequence[Outcome] = ("pass", "inconclusive", "fail")


@dataclass(frozen=True)
class Estimate:
    """A value with its interval; both ends are the value where it was measured, not estimated."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Estimate":
        """A value that nothing is unsure about."""
        return cls(value, value, value)

    def against_floor(self, least: float) -> Outcome:
        """Whether the whole interval, or none of it, reaches a floor."""
        return "pass" if self.low >= least else "fail" if self.high < least else "inconclusive"

    def against_ceiling(self, most: float) -> Outcome:
        """Whether the whole interval, or none of it, stays within a limit."""
        return "pass" if self.high <= most else "fail" if self.low > most else "inconclusive"

    def shown(self, sign: bool = False) -> str:
        """The value and its ends, three decimals each."""
        form = "+.3f" if sign else ".3f"
        return f"{self.value:{form}} [{self.low:{form}}, {self.high:{form}}]"


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of some outcomes: a failure, else what is undecided, else a pass."""
    return max(outcomes, key=_ORDER.index)
