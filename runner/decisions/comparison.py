"""Two or more runs on the same questions: what differs, how surely, for which queries, and through which settings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from runner.decisions.gating import refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.decisions.unjudged import UnjudgedResults, unjudged_between
from runner.errors import InputError
from runner.rendering.tabular import Tabular
from runner.scoring.evaluate import ALL
from runner.scoring.judgments import Floats
from runner.stats.paired import holm, paired_intervals, paired_test, wins_ties_losses
from runner.stats.power import minimum_detectable
from runner.tracking.run_record import IDS_ONLY

if TYPE_CHECKING:
    import pandas as pd

# Params that follow from others, or say nothing about the result.
# k is none: all runs are cut at one k here. Nor is what slices them: the first run's slices are compared.
_DERIVED = ("k", "metrics", "retriever_hash", "retriever", "snapshot.documents", "snapshot.passages", "dataset")
_SLICING = "slicing."


@dataclass(frozen=True)
class ComparisonOptions:
    """k: the cut all runs are compared at; None for the first run's own. level: of the intervals.

    metric: one that is compared also where no run was logged with it.
    """

    k: int | None = None
    level: float = 0.95
    resamples: int = 10_000
    seed: int = 13
    metric: str = "recall"


@dataclass(frozen=True)
class ComparisonRow:
    """One metric over one slice, in the first run and in another.

    group: slice name, empty for all queries. p: two-sided randomisation test; adjusted: Holm over every
    slice and run compared in that metric. detectable: smallest true difference found with 80% power.
    """

    metric: str
    group: str
    n: int
    first: float
    second: float
    low: float
    high: float
    p: float
    adjusted: float
    wins: int
    ties: int
    losses: int
    detectable: float

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first

    @property
    def below_one_query(self) -> bool:
        """Whether the difference is less than one query could make by itself."""
        return 0 < abs(self.difference) < 1 / self.n


@dataclass(frozen=True)
class Failure:
    """A query without a relevant item in the first k of at least one of two runs; ranks are 0 where none was found."""

    query_id: str
    text: str
    first_rank: int
    second_rank: int
    first_lost: str
    second_lost: str


@dataclass(frozen=True)
class Pair:
    """The first run against one other. changed: parameter -> its two values, only where they differ."""

    second: RunScores
    lines: tuple[ComparisonRow, ...]
    both_fail: tuple[Failure, ...]
    only_first_fails: tuple[Failure, ...]
    only_second_fails: tuple[Failure, ...]
    changed: Mapping[str, tuple[str, str]]
    notes: tuple[str, ...]
    unjudged: UnjudgedResults


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The first run against every other, at one k."""

    k: int
    options: ComparisonOptions
    first: RunScores
    pairs: tuple[Pair, ...]

    @property
    def title(self) -> str:
        """Which run is compared with which, and where they are cut."""
        return f"{self.first.run.name} against {', '.join(pair.second.run.name for pair in self.pairs)} at k={self.k}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a run compared, metric and slice: both means, their difference, its interval and its p-value."""
        import pandas as pd

        rows = [
            {"run": pair.second.run.id, **asdict(line), "difference": line.difference}
            for pair in self.pairs
            for line in pair.lines
        ]
        return pd.DataFrame(rows)

    def _shown(self) -> "pd.DataFrame":
        frame = self.table
        columns = ["metric", "n", "first", "second", "difference", "low", "high", "adjusted"]
        return frame[frame["group"] == ALL][[*(["run"] if len(self.pairs) > 1 else []), *columns]]


def compare(runs: Sequence[RunScores], options: ComparisonOptions | None = None) -> Comparison:
    """Compare the first run with every other, query by query.

    Raises InputError naming the field that differs where runs were not scored alike (suite revision, unit,
    smallest grade, metric version), and for fewer than two runs.
    """
    options = options or ComparisonOptions()
    if len(runs) < 2:
        raise InputError("name at least two runs to compare")
    if len({run.run.id for run in runs}) < len(runs):
        raise InputError("a run is named twice; comparing a run with itself says nothing")
    first, others = runs[0], runs[1:]
    for other in others:
        refuse_unlike(first, other)
    k = first.k if options.k is None else options.k
    shared = [name for name in first.slices.names if all(name in other.slices.names for other in others)]
    groups = [ALL, *shared]
    members = np.stack([first.members(group) for group in groups])
    metrics = _metrics(runs, k, options.metric)
    before = _values(first, metrics, k)
    measured = [_Measured.of(before, _values(other, metrics, k), members, options) for other in others]
    # One family a metric: the slices and runs it is tested on. A run is never tested against itself.
    families = [holm(np.concatenate([each.p[:, column] for each in measured])) for column in range(len(metrics))]
    adjusted = np.stack(families, axis=1).reshape(len(others), len(groups), len(metrics))
    return Comparison(
        k,
        options,
        first,
        tuple(
            _pair(first, other, k, metrics, groups, each, corrected)
            for other, each, corrected in zip(others, measured, adjusted, strict=True)
        ),
    )


def _metrics(runs: Sequence[RunScores], k: int, asked: str) -> list[str]:
    """What any of the runs was logged with, as far as all of them can be measured by it, and what is asked for."""
    names = dict.fromkeys(name for run in runs for name in run.metrics)
    unmeasured = {name for run in runs for name in names if not run.measures(name, k)}
    return [name for name in names if name not in unmeasured or name == asked] + [asked] * (asked not in names)


def _values(scores: RunScores, metrics: Sequence[str], k: int) -> Floats:
    return np.stack([scores.values(metric, k) for metric in metrics], axis=1)


@dataclass(frozen=True)
class _Measured:
    """Everything of one pair of runs, [slices, metrics]; wtl has wins, ties and losses as its last axis."""

    n: NDArray[np.int64]
    first: Floats
    second: Floats
    low: Floats
    high: Floats
    p: Floats
    wtl: NDArray[np.int64]
    detectable: Floats

    @classmethod
    def of(cls, before: Floats, after: Floats, members: NDArray[np.bool_], options: ComparisonOptions) -> "_Measured":
        differences = after - before
        n = members.sum(axis=1)
        weights = members / n[:, None]
        ends = paired_intervals(
            differences, members, resamples=options.resamples, level=options.level, seed=options.seed
        )
        moved = (members.astype(np.float64) @ np.abs(differences)) > 0
        centred = weights @ differences**2 - (weights @ differences) ** 2
        spread = np.sqrt(np.maximum(centred, 0) * (n / np.maximum(n - 1, 1))[:, None])
        return cls(
            n,
            weights @ before,
            weights @ after,
            # Where not one query changed there is nothing to be unsure of.
            np.where(moved, ends.low, 0.0),
            np.where(moved, ends.high, 0.0),
            paired_test(differences, members, resamples=options.resamples, seed=options.seed),
            wins_ties_losses(differences, members),
            minimum_detectable(spread, n[:, None]),
        )


def _pair(
    first: RunScores,
    second: RunScores,
    k: int,
    metrics: Sequence[str],
    groups: Sequence[str],
    each: _Measured,
    adjusted: Floats,
) -> Pair:
    lines = tuple(
        ComparisonRow(
            metric=metric,
            group=group,
            n=int(each.n[row]),
            first=float(each.first[row, column]),
            second=float(each.second[row, column]),
            low=float(each.low[row, column]),
            high=float(each.high[row, column]),
            p=float(each.p[row, column]),
            adjusted=float(adjusted[row, column]),
            wins=int(each.wtl[row, column, 0]),
            ties=int(each.wtl[row, column, 1]),
            losses=int(each.wtl[row, column, 2]),
            detectable=float(each.detectable[row, column]),
        )
        for row, group in enumerate(groups)
        for column, metric in enumerate(metrics)
    )
    fails = [scores.values("hit", k) == 0 for scores in (first, second)]
    return Pair(
        second,
        lines,
        _failures(first, second, fails[0] & fails[1], k),
        _failures(first, second, fails[0] & ~fails[1], k),
        _failures(first, second, ~fails[0] & fails[1], k),
        changed_params(first.run.params, second.run.params),
        tuple(_notes(first, second, k)),
        unjudged_between(first, second, k, metrics),
    )


def _failures(first: RunScores, second: RunScores, wanted: NDArray[np.bool_], k: int) -> tuple[Failure, ...]:
    found = []
    for number in np.flatnonzero(wanted).tolist():
        ranks = int(first.first_ranks[number]), int(second.first_ranks[number])
        lost = [
            "" if 0 < rank <= k else scores.lost(number) for rank, scores in zip(ranks, (first, second), strict=True)
        ]
        found.append(Failure(first.query_ids[number], first.texts[number], *ranks, *lost))
    return tuple(found)


def changed_params(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Parameters that differ between two runs, with both values; a missing one shows as `-`."""
    return {
        key: (before.get(key, "-"), after.get(key, "-"))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key) and key not in _DERIVED and not key.startswith(_SLICING)
    }


def _notes(first: RunScores, second: RunScores, k: int) -> list[str]:
    notes = []
    for scores in (first, second):
        if scores.k != k:
            notes.append(f"{scores.run.name} was logged at k={scores.k}; its rankings are cut at k={k} here")
    snapshots = first.run.params["snapshot"], second.run.params["snapshot"]
    documents = first.run.params.get("documents_sha256"), second.run.params.get("documents_sha256")
    if snapshots[0] != snapshots[1] and not (documents[0] == documents[1] == IDS_ONLY):
        notes.append(
            f"the snapshots differ ({snapshots[0]} and {snapshots[1]}); every judged {first.run.params['unit']} "
            "exists in both"
        )
    if first.run.params["suite_role"] == "holdout":
        notes.append("this is a holdout suite: every look makes it less of one")
    if len(first.query_ids) < 30:
        notes.append(f"with {len(first.query_ids)} queries one query moves a mean by {1 / len(first.query_ids):.3f}")
    return notes
