"""How sure each mean of one run is: its bootstrap interval over queries, and Wilson's for proportions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from runner.scoring.evaluate import ALL, Evaluation
from runner.scoring.judgments import Floats
from runner.stats.intervals import Intervals, Method, bootstrap_intervals, wilson

# The means that are shares of queries, where a closed form stands beside the bootstrap.
_PROPORTION = "hit"


class IntervalOptions(Protocol):
    """How the intervals are made: see `runner.stats.bootstrap_intervals`."""

    @property
    def resamples(self) -> int: ...
    @property
    def level(self) -> float: ...
    @property
    def method(self) -> Method: ...


@dataclass(frozen=True)
class Uncertainty:
    """bounds: by slice (`ALL` for every query), by metric such as `recall.low`, in the metric's unit."""

    bounds: Mapping[str, Mapping[str, float]]


def uncertainties_of(evaluations: Sequence[Evaluation], settings: IntervalOptions, seed: int) -> list[Uncertainty]:
    """Intervals of all metrics over all slices for runs of one judged set; a slice without queries has none.

    In one pass: resamples are drawn once, and equal scores are counted once.
    """
    judged = evaluations[0].judged
    if any(evaluation.judged is not judged for evaluation in evaluations):
        raise ValueError("intervals in one pass need runs of one judged set")
    n = len(judged.scored)
    if not n:
        return [Uncertainty({}) for _ in evaluations]
    members = np.vstack([np.ones((1, n), np.bool_), judged.slices.members])
    # What does not depend on k is the same column in every run of a retriever.
    columns: dict[bytes, int] = {}
    distinct: list[Floats] = []
    for evaluation in evaluations:
        for values in evaluation.values.values():
            if values.tobytes() not in columns:
                columns[values.tobytes()] = len(distinct)
                distinct.append(values)
    ends = bootstrap_intervals(
        np.stack(distinct, axis=1),
        members,
        resamples=settings.resamples,
        level=settings.level,
        seed=seed,
        method=settings.method,
    )
    return [_bounds(evaluation, members, columns, ends, settings.level) for evaluation in evaluations]


def _bounds(
    evaluation: Evaluation, members: NDArray[np.bool_], columns: Mapping[bytes, int], ends: Intervals, level: float
) -> Uncertainty:
    place = {str(metric): columns[evaluation.values[metric.of_query].tobytes()] for metric in evaluation.metrics}
    sizes = members.sum(axis=1)
    wilson_low, wilson_high = wilson(members @ evaluation.values[_PROPORTION], sizes, level)
    bounds: dict[str, dict[str, float]] = {}
    for row, group in enumerate((ALL, *evaluation.judged.slices.names)):
        if not sizes[row]:
            continue
        found = {f"{name}.low": float(ends.low[row, column]) for name, column in place.items()}
        found |= {f"{name}.high": float(ends.high[row, column]) for name, column in place.items()}
        found |= {
            f"{_PROPORTION}.wilson_low": float(wilson_low[row]),
            f"{_PROPORTION}.wilson_high": float(wilson_high[row]),
        }
        bounds[group] = found
    return Uncertainty(bounds)
