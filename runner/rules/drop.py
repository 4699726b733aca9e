"""An allowed drop: the mean of a metric may fall below the baseline's by so much and no more."""

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np

from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.mean import Finding, Mean, Sample
from runner.rules.rule import Share
from runner.scoring.judgments import Floats
from runner.stats.paired import TIE, paired_intervals
from runner.stats.power import minimum_detectable

_NO_BASELINE = "no baseline is accepted for this suite; accept one with python -m runner accept RUN_ID"


class Drop(Mean):
    """`kind: drop`. max_drop: how much the mean may fall below the baseline's."""

    needs_baseline: ClassVar[bool] = True

    kind: Literal["drop"] = "drop"
    max_drop: Share

    @property
    def demand(self) -> str:
        """The demand in words."""
        return f"{self.metric} of {self.slice} at most {self.max_drop:.3f} below the baseline"

    def findings(self, sample: Sample, evidence: Evidence) -> Iterator[Finding]:
        """Passed where the whole interval of the difference is within the allowance, failed where none of it is."""
        yield drop_finding(self, sample, evidence, self.max_drop)


def drop_finding(rule: Mean, sample: Sample, evidence: Evidence, allowed: float) -> Finding:
    """The mean change of the same queries, held against an allowed drop; undecided without a baseline."""
    if evidence.baseline is None:
        return Finding("inconclusive", _NO_BASELINE)
    changes = sample.values - sample.earlier
    difference = _difference(changes, rule, evidence)
    return Finding(
        difference.against_floor(-allowed),
        f"changed by {difference.shown(sign=True)}, allowed {-allowed:+.3f}",
        float(sample.earlier.mean()),
        difference,
        _power_notes(changes, allowed),
        _losers(sample.ids, changes),
    )


def _difference(differences: Floats, rule: Mean, evidence: Evidence) -> Estimate:
    differences = np.where(np.abs(differences) < TIE, 0.0, differences)
    if not differences.any():
        # Not one query changed: there is no drop to be unsure of.
        return Estimate.exact(0.0)
    members = np.ones((1, len(differences)), np.bool_)
    ends = paired_intervals(
        differences[:, None], members, resamples=evidence.resamples, level=rule.level, seed=evidence.seed
    )
    # Where no query lost there is no drop either: a gain may not turn a pass into doubt.
    low = float(ends.low[0, 0]) if differences.min() < 0 else max(float(ends.low[0, 0]), 0.0)
    return Estimate(float(differences.mean()), low, float(ends.high[0, 0]))


def _losers(ids: tuple[str, ...], differences: Floats) -> tuple[str, ...]:
    order = np.argsort(differences, kind="stable")
    return tuple(ids[number] for number in order[:5] if differences[number] < 0)


def _power_notes(differences: Floats, allowed: float) -> list[str]:
    if len(differences) < 2:
        return []
    spread = np.array([[float(differences.std(ddof=1))]])
    least = float(minimum_detectable(spread, np.array([len(differences)]))[0, 0])
    if least <= allowed or not spread.any():
        return []
    if not np.isfinite(least):
        return [f"a drop of {allowed:.3f} is finer than {len(differences)} queries can show at all"]
    return [f"a drop of {allowed:.3f} is finer than this slice can show ({least:.3f} at 80% power)"]
