"""A rule that names no kind: a floor, an allowed drop, or both on one mean."""

from collections.abc import Iterator
from typing import Self

from pydantic import model_validator

from runner.rules.drop import drop_finding
from runner.rules.evidence import Evidence
from runner.rules.floor import Floor, floor_finding
from runner.rules.mean import Finding, Mean, Sample
from runner.rules.rule import Rule, Share


class Bounds(Mean):
    """min: a floor for the mean. max_drop: how much the mean may fall below the baseline's. One may be left out."""

    min: Share | None = None
    max_drop: Share | None = None

    @model_validator(mode="after")
    def _demanding(self) -> Self:
        if self.min is None and self.max_drop is None:
            raise ValueError(f"rule {self.name!r} demands nothing; give it min, max_drop or both")
        return self

    @property
    def limit(self) -> float | None:
        """The floor, if it has one."""
        return self.min

    def at(self, k: int) -> Rule | None:
        """The floor alone, at that k."""
        if self.min is None:
            return None
        return Floor(**self.model_dump(exclude={"max_drop", "k"}), k=k)

    def findings(self, sample: Sample, evidence: Evidence) -> Iterator[Finding]:
        """The floor, then the drop."""
        if self.min is not None:
            yield floor_finding(self.metric, sample, self.min)
        if self.max_drop is not None:
            yield drop_finding(self, sample, evidence, self.max_drop)
