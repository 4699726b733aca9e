"""What the report page says of slices: scores as a heat map, and the difference that each slice could show at all."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.engine.scored import Scored
from runner.scoring.evaluate import ALL
from runner.scoring.metric import Metric
from runner.scoring.metric_names import DEFAULT_NAMES, POOL_RECALL
from runner.stats.power import minimum_detectable, queries_to_halve, spread_of_differences

# Below this n the page says how far one query moves the mean.
SMALL = 30
SHADES = 10
# Those of the usual metrics whose power is told.
_POWER_OF = ("hit", "recall", "mrr", "ndcg", "map")


@dataclass(frozen=True)
class Cell:
    """A mean as it is printed, and its shade from 0 to SHADES; text "-" and shade -1 where the slice is empty."""

    text: str
    shade: int


@dataclass(frozen=True)
class HeatRow:
    """One slice: its value, n, the step of one query where n is small, and a cell a variant."""

    value: str
    n: str
    step: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class PowerRow:
    """One slice: the smallest detectable difference a metric, and the further queries that would halve it."""

    name: str
    n: int
    detectable: tuple[str, ...]
    more: int


def heat_map(columns: Sequence[Scored]) -> dict[str, list[HeatRow]]:
    """Mean recall by slice, grouped by field, one column a job; the first group holds all queries."""
    groups: dict[str, list[HeatRow]] = {"all": [_heat_row(columns, ALL, "all queries")]}
    by_field: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(name for each in columns for name in each.evaluation.means if name != ALL):
        by_field[name.partition(".")[0]].append(name)
    for field, names in by_field.items():
        groups[field] = [_heat_row(columns, name, name.partition(".")[2]) for name in names]
    return groups


def _heat_row(columns: Sequence[Scored], group: str, value: str) -> HeatRow:
    means = [each.evaluation.means.get(group, {}) for each in columns]
    sizes = sorted({int(row["n"]) for row in means if row.get("n")})
    # A derived slice may hold other queries on another snapshot.
    n = "-".join(map(str, dict.fromkeys((sizes[0], sizes[-1])))) if sizes else "0"
    step = f"{1 / sizes[0]:.3f}" if sizes and sizes[0] < SMALL else ""
    return HeatRow(value, n, step, tuple(_cell(row) for row in means))


def _cell(means: Mapping[str, float]) -> Cell:
    if "recall" not in means:
        return Cell("-", -1)
    return Cell(f"{means['recall']:.3f}", round(means["recall"] * SHADES))


def power_table(scored: Scored) -> list[PowerRow]:
    """The smallest paired difference that each slice and metric could show, judged by one job's spread."""
    evaluation = scored.evaluation
    slices = evaluation.judged.slices
    shown = power_metrics(scored)
    values = np.stack([evaluation.values[metric.of_query] for metric in shown], axis=1).clip(0.0, 1.0)
    members = np.vstack([np.ones((1, len(values)), np.bool_), slices.members])
    sizes = members.sum(axis=1)
    found = minimum_detectable(spread_of_differences(values, members), sizes[:, None])
    more = queries_to_halve(sizes)
    return [
        PowerRow(name or "all queries", int(n), tuple(_detectable(value) for value in row), int(further))
        for name, n, row, further in zip((ALL, *slices.names), sizes, found, more, strict=True)
        if n
    ]


def power_metrics(scored: Scored) -> list[Metric]:
    """The metrics of that table: the usual ones and, after them, those that the job chose."""
    by_name = {str(metric): metric for metric in scored.evaluation.metrics if metric.quality}
    own = [name for name in by_name if name not in (*DEFAULT_NAMES, POOL_RECALL)]
    return [by_name[name] for name in (*_POWER_OF, *own) if name in by_name]


def _detectable(value: float) -> str:
    return f"{value:.3f}" if value <= 1 else "none"
