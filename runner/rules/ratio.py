"""A floor of a ratio: one slice must do at least so well as another, whatever both do."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.mean import Mean
from runner.rules.over_queries import group_of, slice_problems
from runner.rules.rule import Positive, Verdict
from runner.stats.ratios import ratio_interval


class Ratio(Mean):
    """`kind: ratio`. to: the slice to measure by. min: the least share of its mean that the mean of `slice` may be."""

    kind: Literal["ratio"] = "ratio"
    to: Annotated[str, Field(min_length=1)] = "all"
    min: Positive

    @property
    def limit(self) -> float:
        """The floor of the ratio."""
        return self.min

    @property
    def where(self) -> str:
        """Both slices."""
        return f"{self.slice} / {self.to}"

    def problems(self, evidence: Evidence) -> list[str]:
        """As for one slice, and the other that is not there."""
        return [*super().problems(evidence), *slice_problems(self.to, evidence)]

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge the ratio of both means; undecided with too few queries in either slice, and where the other is 0."""
        k = self.k or evidence.run.k
        counted, notes = self.counted(self.group, evidence)
        others, _ = self.counted(group_of(self.to), evidence)
        values = evidence.run.values(self.metric, k)
        n = int(counted.sum())
        if not np.isfinite(values[counted | others]).all():
            hole = "a score is missing or not a number"
            return Verdict(self, k, n, "fail", None, reasons=(hole,), notes=notes, lacking=f"cannot be judged: {hole}")
        for number, slice_ in ((n, self.slice), (int(others.sum()), self.to)):
            if number < self.min_queries:
                few = f"{number} of at least {self.min_queries} queries"
                reasons = (f"{slice_}: {few}{self.left_out(group_of(slice_), evidence)}",)
                return Verdict(self, k, n, "inconclusive", None, reasons=reasons, notes=notes, lacking=f"has {few}")
        one, other = self.estimate(values[counted], evidence), self.estimate(values[others], evidence)
        means = f"{self.metric} {one.value:.3f} of {self.slice} against {other.value:.3f} of {self.to}"
        if other.value == 0:
            reasons = (f"{means}: there is no ratio to 0",)
            return Verdict(self, k, n, "inconclusive", None, reasons=reasons, notes=notes, lacking="has no ratio to 0")
        low, high = ratio_interval((one.value, one.low, one.high), (other.value, other.low, other.high))
        ratio = Estimate(one.value / other.value, low, high)
        reason = f"{means}, a ratio of {ratio.shown()} against a floor of {self.min:.3f}"
        return Verdict(self, k, n, ratio.against_floor(self.min), ratio, reasons=(reason,), notes=notes)
