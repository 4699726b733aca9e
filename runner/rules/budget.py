"""A budget: what a run may cost at its k."""

from typing import ClassVar, Literal

from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.rule import Positive, Rule, Verdict

Cost = Literal["context_tokens", "latency_p95_ms", "reranked_pairs"]


class Budget(Rule):
    """`kind: budget`. cost: what is measured, as runs log it; max: the most it may be.

    context_tokens: mean length of the first k passages together. latency_p95_ms: of a query. reranked_pairs: a query.
    Whatever was not measured is undecided.
    """

    ceiling: ClassVar[bool] = True

    kind: Literal["budget"] = "budget"
    cost: Cost
    max: Positive

    @property
    def limit(self) -> float:
        """The most it may cost."""
        return self.max

    @property
    def measure(self) -> str:
        """The cost."""
        return self.cost

    @property
    def demand(self) -> str:
        """The demand in words."""
        return f"{self.cost} at most {self.shown(self.max)}"

    def shown(self, value: float) -> str:
        """A cost as text: whole from 100 on."""
        return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge what the run measured of itself."""
        k, n, value = evidence.run.k, len(evidence.run.query_ids), evidence.measurements.get(self.cost)
        if value is None:
            lacking = f"was not measured, so it cannot be held to {self.shown(self.max)}"
            reasons = (f"{self.cost} {lacking}",)
            return Verdict(self, k, n, "inconclusive", None, reasons=reasons, lacking=lacking)
        reason = f"{self.cost} {self.shown(value)} against a limit of {self.shown(self.max)}"
        estimate = Estimate.exact(value)
        return Verdict(self, k, n, estimate.against_ceiling(self.max), estimate, reasons=(reason,))

    def missed(self, verdict: Verdict) -> str:
        """By how much it is over the limit."""
        # One of the section `budget:` bears the name of its cost.
        name = self.cost if self.name == self.cost else f"{self.name!r}: {self.cost}"
        if verdict.value is None:
            return f"{name} {verdict.lacking}"
        over = self.shown(verdict.value.value - self.max)
        return f"{name} is {self.shown(verdict.value.value)} of {self.shown(self.max)} ({over} over)"
