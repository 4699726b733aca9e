"""The scores of a stored run, query by query, at any k its rankings reach: nothing else is needed to judge it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.errors import ConfigError, InputError
from runner.files.nearest import did_you_mean
from runner.scoring.evaluate import LOST_IN_POOL, LOST_IN_RANKING
from runner.scoring.judgments import Floats, Judgments
from runner.scoring.metric import METRICS_VERSION
from runner.scoring.metric_names import POOL_RECALL, is_path, parse_metric
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Slices
from runner.tracking.artifacts import PER_QUERY
from runner.tracking.names import metric_key
from runner.tracking.run_record import metrics_of_params
from runner.tracking.stored_run import StoredRun

_MOST_SLICES = 20
# Every version has stored these; the others came later.
_EVER = ("query_id", "text", "answerable", "ranked")
_NEEDED = ("found_ranks", "found_grades", "judged_ranks", "judged_grades", "source", "settled", "pool_recall", "slices")


class NotInRun(ConfigError):
    """A run lacks what was asked of it. reason: the message but for the name of the run."""

    def __init__(self, what: str, run_id: str, more: str) -> None:
        super().__init__(f"{what} of run {run_id}{more}")
        self.reason = f"{what}{more}"


@dataclass(frozen=True)
class RunScores:
    """One stored run, its scored queries sorted by id.

    sources: the least trusted one of each query and its judgments. settled: bool [queries], whether nobody disagrees.
    units: by query, the passages in order as far as stored, or the documents where these are judged. logged: at the
    run's own k, the values of each of its metrics that came with neither the program nor an installed package.
    """

    run: StoredRun
    query_ids: tuple[str, ...]
    texts: tuple[str, ...]
    sources: tuple[str, ...]
    settled: NDArray[np.bool_]
    units: Sequence[Sequence[str]]
    relevance: Relevance
    slices: Slices
    logged: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, run: StoredRun) -> "RunScores":
        """Read a run's table of queries. Raises InputError for one that was made before this was stored."""
        table = run.per_query(_EVER)
        missing = [name for name in _NEEDED if name not in table.column_names]
        if missing:
            raise InputError(
                f"run {run.id} was logged by an earlier version, without {', '.join(missing)}; "
                f"repeat it with python -m runner rerun {run.id} and use the new run"
            )
        rows = [row for row in table.to_pylist() if row["answerable"]]
        rows.sort(key=lambda row: row["query_id"])
        scores = cls(
            run,
            tuple(row["query_id"] for row in rows),
            tuple(row["text"] for row in rows),
            tuple(row["source"] for row in rows),
            np.array([row["settled"] for row in rows], np.bool_),
            [_units(row) for row in rows],
            replace(
                _relevance(rows, int(run.params["min_grade"])),
                pool_recall=np.array([row[POOL_RECALL] for row in rows], np.float64),
            ),
            _slices(rows),
            {
                name: np.array([row[name] for row in rows], np.float64)
                for name in metrics_of_params(run.params)
                if name in table.column_names and not _is_known(name)
            },
        )
        scores._hold_against_logged()
        return scores

    def _hold_against_logged(self) -> None:
        """Raise InputError where the table gives another mean than the run logged: one of the two was changed."""
        if self.run.params.get("metrics_version") != str(METRICS_VERSION):
            return
        for metric in self.metrics:
            logged = self.run.metrics.get(metric_key(metric))
            if logged is not None and self.query_ids:
                mean = float(self.values(metric, self.k).mean())
                if not math.isclose(mean, logged, rel_tol=1e-9, abs_tol=1e-9):
                    raise InputError(
                        f"run {self.run.id}: {PER_QUERY} gives {metric} {mean:.6g} at k={self.k}, but {logged:.6g} was "
                        "logged; one of the two is damaged or was changed, so no verdict can rest on them"
                    )

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics the run was logged with."""
        known = filter(_is_known, metrics_of_params(self.run.params))
        return (*known, *self.logged, POOL_RECALL)

    @property
    def id(self) -> str:
        """The run's id."""
        return self.run.id

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The slices that the run has, `field.value`."""
        return self.slices.names

    @property
    def depth(self) -> int:
        """How far the rankings go, so the largest k there is."""
        return int(self.run.params["depth"])

    @property
    def k(self) -> int:
        """The k the run was logged at."""
        return int(self.run.params["k"])

    def measures(self, metric: str, k: int) -> bool:
        """Whether `values` has this metric at k, without importing what only a stored run names."""
        if metric in self.logged and k == self.k:
            return True
        return _is_known(metric) and (parse_metric(metric).cutoff or 1) <= self.depth

    def values(self, metric: str, k: int) -> Floats:
        """A metric of every query at k, float64 [queries]. Raises ConfigError for an unknown metric or k.

        Of `logged`, what was measured at this k is read; at another k the metric's own code is needed.
        """
        if not 1 <= k <= self.depth:
            raise NotInRun(f"k={k} is outside the rankings", self.run.id, f", which go to depth {self.depth}")
        if metric in self.logged and k == self.k:
            return self.logged[metric]
        asked = parse_metric(metric)
        if asked.cutoff and asked.cutoff > self.depth:
            raise NotInRun(f"{asked} looks deeper than the rankings", self.run.id, f", which go to depth {self.depth}")
        return asked.compute(self.relevance, k)

    def members(self, group: str) -> NDArray[np.bool_]:
        """Which queries a slice holds, all for "", bool [queries]. Raises ConfigError naming the known slices."""
        if not group:
            return np.ones(len(self.query_ids), np.bool_)
        if group not in self.slices.names:
            close = did_you_mean(group, self.slices.names)
            field = group.partition(".")[0]
            near = [name for name in self.slices.names if name.partition(".")[0] == field] or self.slices.names
            known = close if "mean" in close else f"; known: {', '.join(near[:_MOST_SLICES]) or 'none'}"
            raise NotInRun(f"unknown slice {group!r}", self.run.id, known)
        members: NDArray[np.bool_] = self.slices.members[self.slices.names.index(group)]
        return members

    @cached_property
    def first_ranks(self) -> NDArray[np.int64]:
        """Rank of the first relevant, 0 if none, int64 [queries]."""
        return self.relevance.first_rank

    def lost(self, number: int) -> str:
        """Where a failing query lost its relevant items: the pool or the ranking."""
        return LOST_IN_RANKING if self.values(POOL_RECALL, self.k)[number] > 0 else LOST_IN_POOL


def _is_known(metric: str) -> bool:
    """Whether a stored name is of a metric that is here; nothing that only a stored run names is imported."""
    if is_path(metric):
        return False
    try:
        parse_metric(metric)
    except ConfigError:
        return False
    return True


def _relevance(rows: Sequence[dict[str, Any]], min_grade: int) -> Relevance:
    # What was judged and gains nothing is stored by its number alone.
    judged = [dict(enumerate([*row["judged_grades"], *[0] * row.get("judged_zero", 0)])) for row in rows]
    most = max((len(grades) for grades in judged), default=0)
    spans = bool(rows) and "answer_ranks" in rows[0]
    return Relevance.of_lists(
        Judgments.of(judged, max(most, 1), min_grade, bool(rows) and "judged_zero" in rows[0]),
        [(row["found_ranks"], row["found_grades"]) for row in rows],
        [row["judged_ranks"] for row in rows],
        [len(_units(row)) for row in rows],
        [row["answer_ranks"] for row in rows] if spans else None,
    )


def _units(row: dict[str, Any]) -> Sequence[str]:
    """What stands at each rank: documents where they are judged, else passages."""
    units: Sequence[str] = row.get("ranked_units") or row["ranked"]
    return units


def _slices(rows: Sequence[dict[str, Any]]) -> Slices:
    names = sorted({name for row in rows for name in row["slices"]})
    number = {name: position for position, name in enumerate(names)}
    members = np.zeros((len(names), len(rows)), np.bool_)
    for position, row in enumerate(rows):
        members[[number[name] for name in row["slices"]], position] = True
    return Slices(tuple(names), members)
