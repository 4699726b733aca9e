"""A floor: the mean of a metric must not be below it."""

from collections.abc import Iterator
from typing import Literal

from runner.rules.evidence import Evidence
from runner.rules.mean import Finding, Mean, Sample
from runner.rules.rule import Share


class Floor(Mean):
    """`kind: floor`. min: the least that the mean may be."""

    kind: Literal["floor"] = "floor"
    min: Share

    @property
    def limit(self) -> float:
        """The floor."""
        return self.min

    def findings(self, sample: Sample, evidence: Evidence) -> Iterator[Finding]:
        """Passed where the whole interval reaches the floor, failed where none of it does."""
        yield floor_finding(self.metric, sample, self.min)


def floor_finding(metric: str, sample: Sample, least: float) -> Finding:
    """A mean held against a floor."""
    reason = f"{metric} {sample.value.shown()} against a floor of {least:.3f}"
    return Finding(sample.value.against_floor(least), reason)
