"""How a metric of a suite moved over its accepted runs, and where its line must not be joined."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from runner.decisions.accepted import Accepted
from runner.decisions.run_scores import NotInRun, RunScores
from runner.errors import ConfigError, InputError
from runner.rules.estimate import Estimate
from runner.scoring.metric import Metric
from runner.scoring.metric_names import parse_metric
from runner.scoring.slices import CROSSING
from runner.stats.intervals import bootstrap_intervals

# Across a change in any of these, two scores are not scores of the same thing. Parameter -> what it is called.
BREAKS: Mapping[str, str] = {
    "suite_revision": "suite revision",
    "snapshot": "snapshot",
    "unit": "unit",
    "metrics_version": "metrics version",
}
_OVER_DEPTH = {"depth": "depth"}
# Not the windows: the name of a slice says where its window begins and ends.
_BY_AGE = {"slicing.freshness.field": "freshness field", "slicing.freshness.as_of": "freshness as_of"}
_HASHES = ("suite_revision", "snapshot")
_DOCUMENTS = "documents_sha256"
_UNKNOWN = "not logged"


@dataclass(frozen=True)
class Measure:
    """What is followed: a metric at k, or over the whole depth where it has no k, of one slice, "" for all queries."""

    metric: str = "recall"
    k: int | None = None
    group: str = ""
    level: float = 0.95
    seed: int = 13
    resamples: int = 10_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", str(parse_metric(self.metric)))
        if self.k is not None and self.k < 1:
            raise ConfigError(f"k must be at least 1, found {self.k}")
        if not 0 < self.level < 1:
            raise ConfigError(f"the level must lie between 0 and 1, found {self.level}")

    @property
    def of(self) -> Metric:
        """The metric itself."""
        return parse_metric(self.metric)

    @property
    def depth_of_cut(self) -> int | None:
        """The k, or None for a metric that does not depend on it."""
        return self.k if self.of.follows_k else None

    @property
    def breaks(self) -> Mapping[str, str]:
        """Parameters across whose change this measure is another one, and what they are called."""
        by_age = "freshness" in self.group.partition(".")[0].split(CROSSING)
        return {**BREAKS, **(_OVER_DEPTH if self.of.whole else {}), **(_BY_AGE if by_age else {})}

    def __str__(self) -> str:
        at = f" at k={self.k}" if self.of.follows_k else ""
        return f"{self.metric}{at}, {self.group or 'all queries'}"


@dataclass(frozen=True)
class Change:
    """What is not what it was at the point before, so that the two are not to be joined."""

    what: str
    before: str
    now: str
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.before} -> {self.now}{self.remark}"


@dataclass(frozen=True)
class TrendPoint:
    """One accepted run in the order of time. value: None where there is none, for which `missing` gives the reason.

    changes: since the point before. documents_changed: None for the first.
    """

    accepted: Accepted
    n: int
    value: Estimate | None
    missing: str
    changes: tuple[Change, ...]
    documents_changed: bool | None

    @property
    def params(self) -> Mapping[str, str]:
        """The run's parameters."""
        params: Mapping[str, str] = self.accepted.run.data.params
        return params


@dataclass(frozen=True)
class Trend:
    """points: oldest first."""

    suite: str
    measure: Measure
    points: tuple[TrendPoint, ...]

    @property
    def segment_numbers(self) -> tuple[int, ...]:
        """For each point the number, from 0, of the stretch in which points may be joined."""
        return tuple(int(number) for number in np.cumsum([bool(point.changes) for point in self.points]))

    def lines(self) -> list[list[int]]:
        """Points to be joined, by their numbers: neighbours of one stretch that stand and have a value."""
        pairs = zip(range(len(self.points)), self.segment_numbers, strict=True)
        return [
            [number for number, _ in stretch if self.points[number].value and not self.points[number].accepted.undone]
            for _, stretch in groupby(pairs, key=lambda pair: pair[1])
        ]


def trend_of(
    suite: str, measure: Measure, accepted: Iterable[Accepted], scores: Callable[[Accepted], RunScores]
) -> Trend:
    """Compute a metric with its bootstrap interval for every accepted run, oldest first.

    scores: reads the scores of one run. A run that has no such slice, no ranking that deep, or whose table cannot be
    read stays as a point without a value. Raises ConfigError where none has a value.
    """
    points: list[TrendPoint] = []
    for each in accepted:
        n, value, missing = _measured(measure, each, scores)
        before = points[-1].params if points else None
        points.append(TrendPoint(each, n, value, missing, _changes(measure, before, each), _moved(before, each)))
    if not any(point.value for point in points):
        raise ConfigError(f"no accepted run of suite {suite!r} has {measure}: {points[-1].missing}")
    return Trend(suite, measure, tuple(points))


def _measured(
    measure: Measure, accepted: Accepted, read: Callable[[Accepted], RunScores]
) -> tuple[int, Estimate | None, str]:
    try:
        scores = read(accepted)
        assert measure.k is not None
        values = scores.values(measure.metric, measure.k if measure.of.follows_k else 1)
        values = values[scores.members(measure.group)]
    except NotInRun as error:
        # The run is named beside it; without it, what many runs lack is one reason.
        return 0, None, error.reason
    except (ConfigError, InputError) as error:
        return 0, None, str(error)
    if not len(values):
        return 0, None, "no query is scored"
    members = np.ones((1, len(values)), np.bool_)
    ends = bootstrap_intervals(
        values[:, None], members, resamples=measure.resamples, level=measure.level, seed=measure.seed
    )
    return len(values), Estimate(float(values.mean()), float(ends.low[0, 0]), float(ends.high[0, 0])), ""


def _changes(measure: Measure, before: Mapping[str, str] | None, accepted: Accepted) -> tuple[Change, ...]:
    if before is None:
        return ()
    now, changes = accepted.run.data.params, []
    for key, name in measure.breaks.items():
        old, new = before.get(key, _UNKNOWN), now.get(key, _UNKNOWN)
        if old != new:
            recut = key == "snapshot" and before[_DOCUMENTS] == now[_DOCUMENTS]
            old, new = (short(old), short(new)) if key in _HASHES else (old, new)
            changes.append(Change(name, old, new, " (same documents)" if recut else ""))
    return tuple(changes)


def _moved(before: Mapping[str, str] | None, accepted: Accepted) -> bool | None:
    return None if before is None else bool(before[_DOCUMENTS] != accepted.run.data.params[_DOCUMENTS])


def short(digest: str) -> str:
    """As much of a hash as people tell it by."""
    return digest[:8]
