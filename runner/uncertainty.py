"""How sure each mean of one run is: its bootstrap interval over queries, and Wilson's for proportions."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from runner.config import IntervalSettings
from runner.evaluate import ALL, Evaluation
from runner.metrics import MEAN_NAMES
from runner.stats.intervals import bootstrap_intervals, wilson

# The means that are shares of queries, where a closed form stands beside the bootstrap.
_PROPORTION = "hit"


@dataclass(frozen=True)
class Uncertainty:
    """bounds: by slice (`ALL` for every query), by metric such as `recall.low`, in the metric's unit."""

    bounds: Mapping[str, Mapping[str, float]]


def uncertainty_of(evaluation: Evaluation, settings: IntervalSettings, seed: int) -> Uncertainty:
    """Intervals of all metrics over all slices, in one pass; a slice without queries has none."""
    n = len(evaluation.judged.scored)
    members = np.vstack([np.ones((1, n), np.bool_), evaluation.judged.slices.members])
    if not n:
        return Uncertainty({})
    names = [MEAN_NAMES.get(metric, metric) for metric in evaluation.values]
    values = np.stack(list(evaluation.values.values()), axis=1)
    ends = bootstrap_intervals(
        values, members, resamples=settings.resamples, level=settings.level, seed=seed, method=settings.method
    )
    sizes = members.sum(axis=1)
    wilson_low, wilson_high = wilson(members @ evaluation.values[_PROPORTION], sizes, settings.level)
    bounds: dict[str, dict[str, float]] = {}
    for row, group in enumerate((ALL, *evaluation.judged.slices.names)):
        if not sizes[row]:
            continue
        found = {f"{name}.low": float(ends.low[row, column]) for column, name in enumerate(names)}
        found |= {f"{name}.high": float(ends.high[row, column]) for column, name in enumerate(names)}
        found |= {
            f"{_PROPORTION}.wilson_low": float(wilson_low[row]),
            f"{_PROPORTION}.wilson_high": float(wilson_high[row]),
        }
        bounds[group] = found
    return Uncertainty(bounds)
