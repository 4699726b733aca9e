"""What becomes of a rule: passed, failed or undecided, with the estimate it rests on."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from runner.rules.rule import Rule

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


@dataclass(frozen=True)
class Verdict:
    """What became of one rule.

    value: of what the rule measures, in the run. difference: run minus baseline, None without a baseline. reasons: one
    sentence a demand. notes: what a reader should know beside it. losers: ids of the queries that lost most. lacking:
    what kept it from being judged at all, in words that follow the rule's name; empty where it was judged.
    """

    rule: "Rule"
    k: int
    n: int
    outcome: Outcome
    value: Estimate | None
    baseline: float | None = None
    difference: Estimate | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    losers: tuple[str, ...] = ()
    lacking: str = ""

    @property
    def shortfall(self) -> float:
        """How far the limit is missed, in units of what is measured; infinite where nothing can be said.

        One that fails misses by its value; one that cannot be decided, by the end of its interval.
        """
        if self.value is None or self.rule.limit is None or self.lacking:
            return math.inf
        failed, ceiling = self.outcome == "fail", self.rule.ceiling
        reached = self.value.value if failed else self.value.high if ceiling else self.value.low
        return max(reached - self.rule.limit if ceiling else self.rule.limit - reached, 0.0)

    @property
    def beyond(self) -> bool:
        """Whether the value itself, whatever its interval, is on the wrong side of the limit."""
        if self.value is None or self.rule.limit is None or self.lacking:
            return False
        return self.value.value > self.rule.limit if self.rule.ceiling else self.value.value < self.rule.limit


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of some outcomes: a failure, else what is undecided, else a pass."""
    return max(outcomes, key=_ORDER.index)
