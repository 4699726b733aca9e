"""A rule of a policy: one class a kind, which says what keys it takes, judges, and tells its demand in words."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from runner.rules.estimate import Estimate, Outcome
from runner.rules.evidence import Evidence

# Strict: `min: true` would be a floor of 1.
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]

KINDS: dict[str, type["Rule"]] = {}


class Rule(BaseModel):
    """One demand on a run. A kind of its own is a subclass with a field `kind: Literal["its name"] = "its name"`.

    name: what reports call it. severity: whether a failure stops the release. The fields of the subclass are the keys
    of the policy file, checked by pydantic. Everything below has a default but `judge` and `measure`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Whether the limit is a most, not a least: what a larger k runs into.
    ceiling: ClassVar[bool] = False
    # Whether nothing can be said without a baseline.
    needs_baseline: ClassVar[bool] = False

    name: Annotated[str, Field(min_length=1)]
    severity: Literal["block", "warn"] = "block"

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        kind = cls.model_fields.get("kind")
        if kind is not None:
            KINDS[str(kind.default)] = cls

    @property
    def limit(self) -> float | None:
        """The least, or for a ceiling the most, that the measured value may be; None for a demand of another form."""
        return None

    @property
    def measure(self) -> str:
        """What is measured: a metric, or the name of a cost."""
        raise NotImplementedError

    @property
    def where(self) -> str:
        """Over which queries: the slice, or "all"."""
        return "all"

    @property
    def demand(self) -> str:
        """The demand in words: `recall of all at least 0.600`."""
        if self.limit is None:
            return f"{self.measure} of {self.where}"
        return f"{self.measure} of {self.where} at {'most' if self.ceiling else 'least'} {self.shown(self.limit)}"

    def shown(self, value: float) -> str:
        """A measured value as text."""
        return f"{value:.3f}"

    def problems(self, evidence: Evidence) -> list[str]:
        """What of this rule does not fit the runs, one sentence each: a slice or a k that is not there."""
        return []

    def judge(self, evidence: Evidence) -> "Verdict":
        """Judge. The same evidence gives the same verdict."""
        raise NotImplementedError

    def at(self, k: int) -> Self | "Rule" | None:
        """The rule as it can be judged at this k of a sweep without a baseline; None where it cannot be."""
        return None if self.needs_baseline else self

    def missed(self, verdict: "Verdict") -> str:
        """By how much a verdict of this rule misses the limit, in words."""
        value, limit = verdict.value, self.limit
        if verdict.lacking or value is None or limit is None:
            return f"{self.name!r} {verdict.lacking or 'cannot be judged'}"
        by = f"({self.shown(verdict.shortfall)} {'over' if self.ceiling else 'short'})"
        if verdict.outcome == "fail":
            return f"{self.name!r} has {self.shown(value.value)} of {self.shown(limit)} {by}"
        ends = f"{value.value:.3f} [{value.low:.2f}, {value.high:.2f}]"
        return f"{self.name!r} has {ends}, undecided against {self.shown(limit)} {by}"


@dataclass(frozen=True)
class Verdict:
    """What became of one rule.

    value: of what the rule measures, in the run. difference: run minus baseline, None without a baseline. reasons: one
    sentence a demand. notes: what a reader should know beside it. losers: ids of the queries that lost most. lacking:
    what kept it from being judged at all, in words that follow the rule's name; empty where it was judged.
    """

    rule: Rule
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
