"""What rules on the mean of a metric share: whose judgments count, and when a mean can be judged at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from runner.errors import ConfigError
from runner.rules.estimate import Estimate, Outcome, worst
from runner.rules.evidence import Evidence
from runner.rules.over_queries import OverQueries, small_sample_notes
from runner.rules.rule import Verdict
from runner.scoring.judgments import Floats
from runner.scoring.metric_names import metric_name

Source = Literal["human", "synthetic", "click"]
HUMAN: Source = "human"


@dataclass(frozen=True)
class Sample:
    """The queries that a rule counts; values and earlier (the baseline's, else the same): float64 [queries]."""

    values: Floats
    earlier: Floats
    ids: tuple[str, ...]
    value: Estimate


@dataclass(frozen=True)
class Finding:
    """What became of one demand on a mean."""

    outcome: Outcome
    reason: str
    baseline: float | None = None
    difference: Estimate | None = None
    notes: Sequence[str] = ()
    losers: tuple[str, ...] = field(default=())


class Mean(OverQueries):
    """A rule on the mean of one metric. sources: whose judgments count; only people's may block."""

    metric: str
    sources: Annotated[tuple[Source, ...], Field(min_length=1)] = (HUMAN,)

    @field_validator("metric")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            return metric_name(value)
        except ConfigError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _human(self) -> Self:
        if self.severity == "block" and set(self.sources) != {HUMAN}:
            raise ValueError(
                f"rule {self.name!r} blocks on judgments by {', '.join(self.sources)}; only human judgments may "
                "block, so make it severity: warn"
            )
        return self

    @property
    def measure(self) -> str:
        """The metric."""
        return self.metric

    def findings(self, sample: Sample, evidence: Evidence) -> Iterator[Finding]:
        """Judge every demand on enough queries."""
        raise NotImplementedError

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge: a score that is no number fails, too few queries decide nothing, else as the demands say."""
        k = self.k or evidence.run.k
        counted, notes = self.counted(self.group, evidence)
        n = int(counted.sum())
        values = evidence.run.values(self.metric, k)[counted]
        earlier = evidence.baseline.values(self.metric, k)[counted] if evidence.baseline is not None else values
        if not (np.isfinite(values).all() and np.isfinite(earlier).all()):
            hole = "a score is missing or not a number"
            return Verdict(self, k, n, "fail", None, reasons=(hole,), notes=notes, lacking=f"cannot be judged: {hole}")
        if n < self.min_queries:
            few = f"{n} of at least {self.min_queries} queries"
            value = Estimate(float(values.mean()), 0.0, 1.0) if n else None
            reasons = (f"{few}{self.left_out(self.group, evidence)}", *_of_few(values, earlier, evidence))
            return Verdict(self, k, n, "inconclusive", value, reasons=reasons, notes=notes, lacking=f"has {few}")
        ids = tuple(evidence.run.query_ids[number] for number in np.flatnonzero(counted))
        sample = Sample(values, earlier, ids, self.estimate(values, evidence))
        found = list(self.findings(sample, evidence))
        return Verdict(
            self,
            k,
            n,
            worst(each.outcome for each in found),
            sample.value,
            next((each.baseline for each in found if each.baseline is not None), None),
            next((each.difference for each in found if each.difference is not None), None),
            tuple(each.reason for each in found),
            (*notes, *(note for each in found for note in each.notes)),
            next((each.losers for each in found if each.losers), ()),
        )

    def counted(self, group: str, evidence: Evidence) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
        """Which queries of a slice count, bool [queries], and what to say of their number."""
        trusted = self._trusted(group, evidence)
        counted = trusted & evidence.run.settled
        n = int(counted.sum())
        return counted, (*small_sample_notes(n), *_disputed_notes(int(trusted.sum()) - n))

    def left_out(self, group: str, evidence: Evidence) -> str:
        """How many queries of a slice do not count for who judged them, in brackets; nothing where all do."""
        others = int((evidence.run.members(group) & ~self._trusted(group, evidence)).sum())
        return f" ({others} more are not judged by {' or '.join(self.sources)})" if others else ""

    def _trusted(self, group: str, evidence: Evidence) -> NDArray[np.bool_]:
        return evidence.run.members(group) & np.isin(evidence.run.sources, self.sources)


def _disputed_notes(disputed: int) -> list[str]:
    if not disputed:
        return []
    queries = "1 query is" if disputed == 1 else f"{disputed} queries are"
    return [f"{queries} left out: annotators disagree and nobody has adjudicated (python -m runner judgments review)"]


def _of_few(values: Floats, earlier: Floats, evidence: Evidence) -> Iterator[str]:
    """What was measured over too few queries to decide: the reader may know better than the rule."""
    if len(values):
        before = f", {earlier.mean():.3f} in the baseline" if evidence.baseline is not None else ""
        yield f"their mean is {values.mean():.3f}{before}; min_queries says how many it takes"
