"""What rules over the queries of a slice share: the cut, the slice, and how sure a verdict must be."""

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.rule import Rule
from runner.scoring.judgments import Floats
from runner.stats.intervals import bootstrap_intervals

_FEW = 30


class OverQueries(Rule):
    """A rule on a mean over the queries of one slice.

    k: the cut; null means the run's own. slice: "all", or `field.value`. min_queries: fewer decide nothing.
    confidence: how sure a verdict must be, one-sided.
    """

    k: Annotated[int, Field(strict=True, ge=1)] | None = None
    slice: Annotated[str, Field(min_length=1)] = "all"
    min_queries: Annotated[int, Field(strict=True, ge=1)] = 10
    confidence: Annotated[float, Field(strict=True, gt=0.5, lt=1)] = 0.95

    @property
    def where(self) -> str:
        """The slice as the policy names it."""
        return self.slice

    @property
    def group(self) -> str:
        """The slice as scores name it: empty for all queries."""
        return group_of(self.slice)

    @property
    def level(self) -> float:
        """Level of the two-sided interval whose each end is exceeded with chance 1 - confidence."""
        return 2 * self.confidence - 1

    def at(self, k: int) -> Self | Rule | None:
        """The same rule at that k."""
        return None if self.needs_baseline else self.model_copy(update={"k": k})

    def problems(self, evidence: Evidence) -> list[str]:
        """A k that the rankings do not reach, and a slice that the run does not have."""
        k = self.k or evidence.run.k
        found = [
            f"k={k} is deeper than run {scores.id} goes ({scores.depth})"
            for scores in (evidence.run, evidence.baseline)
            if scores is not None and k > scores.depth
        ]
        return [*found, *slice_problems(self.slice, evidence)]

    def estimate(self, values: Floats, evidence: Evidence) -> Estimate:
        """The mean of these queries with its bootstrap interval; values: float64 [queries] in [0, 1]."""
        everyone = np.ones((1, len(values)), np.bool_)
        ends = bootstrap_intervals(
            values[:, None], everyone, resamples=evidence.resamples, level=self.level, seed=evidence.seed
        )
        return Estimate(float(values.mean()), float(ends.low[0, 0]), float(ends.high[0, 0]))


def group_of(slice_: str) -> str:
    """A slice of a policy as scores name it: empty for all queries."""
    return "" if slice_ == "all" else slice_


def slice_problems(slice_: str, evidence: Evidence) -> list[str]:
    """That the run does not have a slice: since the baseline, or at all."""
    known = evidence.run.slice_names
    if slice_ == "all" or slice_ in known:
        return []
    if slice_ in evidence.earlier_slices:
        return [f"slice {slice_!r} has vanished since the baseline"]
    return [f"unknown slice {slice_!r}; known: {', '.join(known) or 'none'}"]


def small_sample_notes(n: int) -> list[str]:
    """How much one query weighs, where there are few."""
    return [f"with {n} queries one query moves the mean by {1 / n:.3f}"] if 0 < n < _FEW else []
