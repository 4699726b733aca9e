"""How far a difference between two runs could move if what nobody has judged were relevant after all."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import product

import numpy as np

from runner.decisions.run_scores import RunScores
from runner.scoring.judgments import Floats, Judgments
from runner.scoring.metric import Metric
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.scoring.relevance import Relevance
from runner.stats.paired import TIE


@dataclass(frozen=True)
class DifferenceBounds:
    """Second minus first, in one metric at one k, under what one may suppose of the unjudged results.

    none: none of them is relevant, as scored. every: all that either run shows in its first k are. low and high: the
    least and the most that any judgment of them could make of it; None for a metric whose extremes may lie in between.
    """

    metric: str
    none: float
    every: float
    low: float | None
    high: float | None

    @property
    def could_turn(self) -> bool:
        """Whether the difference could have the other sign."""
        if self.low is None or self.high is None:
            return self.none * self.every < -TIE
        return (self.none > TIE and self.low < -TIE) or (self.none < -TIE and self.high > TIE)


@dataclass(frozen=True)
class UnjudgedResults:
    """first and second: the mean share of the first k that is unjudged. bounds: none where passages differ."""

    k: int
    first: float
    second: float
    bounds: tuple[DifferenceBounds, ...]

    def lines(self) -> list[str]:
        """What a reader should know: how much is unjudged, and what could come of each difference."""
        if not self.first and not self.second:
            return []
        head = f"unjudged in the first {self.k}: A {self.first:.0%}, B {self.second:.0%}; they count as not relevant"
        if not self.bounds:
            return [f"{head}; the two show passages of other snapshots, so what judging them would change is not known"]
        return [
            f"{head}. B - A as scored, if all of them were relevant, and at the extremes:",
            *map(_line, self.bounds),
        ]


def _line(bounds: DifferenceBounds) -> str:
    reach = "" if bounds.low is None else f", from {bounds.low:+.3f} to {bounds.high:+.3f}"
    turn = "; judging them could turn it round" if bounds.could_turn else ""
    return f"  {bounds.metric} {bounds.none:+.3f}, {bounds.every:+.3f} if all{reach}{turn}"


def unjudged_between(
    first: RunScores, second: RunScores, k: int, metrics: Sequence[str] = DEFAULT_NAMES
) -> UnjudgedResults:
    """Bound the differences of two runs on the same queries at k, in those of the metrics that look at the first k."""
    shares = [1 - float(scores.values("judged", k).mean()) if scores.query_ids else 0.0 for scores in (first, second)]
    params = first.run.params, second.run.params
    alike = params[0].get("unit") == "document" or params[0].get("snapshot") == params[1].get("snapshot")
    bounds = _bounds(first, second, k, _bounded(first, second, metrics)) if alike and first.query_ids else ()
    return UnjudgedResults(k, shares[0], shares[1], bounds)


def _bounded(first: RunScores, second: RunScores, metrics: Sequence[str]) -> list[Metric]:
    stored = first.logged.keys() | second.logged.keys()
    known = [parse_metric(name) for name in metrics if name not in stored]
    # Only what stands in the first k is supposed to be relevant.
    return [metric for metric in known if metric.follows_k and metric.quality]


def _bounds(first: RunScores, second: RunScores, k: int, metrics: Sequence[Metric]) -> tuple[DifferenceBounds, ...]:
    pairs = list(zip(_unknown(first, k), _unknown(second, k), strict=True))
    kinds = [[a - b for a, b in pairs], [a & b for a, b in pairs], [b - a for a, b in pairs]]
    corners: list[dict[Metric, Floats]] = []
    for chosen in product((False, True), repeat=len(kinds)):
        wanted = [kind for kind, relevant in zip(kinds, chosen, strict=True) if relevant]
        extra = [set[str]().union(*(kind[number] for kind in wanted)) for number in range(len(pairs))]
        found = [_suppose(scores, extra, k) for scores in (first, second)]
        corners.append({metric: metric.compute(found[1], k) - metric.compute(found[0], k) for metric in metrics})
    bounds = []
    for metric in metrics:
        # Queries are judged one by one, so the extremes of the mean are the means of theirs.
        table = np.stack([corner[metric] for corner in corners])
        low, high = float(table.min(axis=0).mean()), float(table.max(axis=0).mean())
        exact = metric.exact_bounds
        none, every = float(table[0].mean()), float(table[-1].mean())
        bounds.append(DifferenceBounds(str(metric), none, every, low if exact else None, high if exact else None))
    return tuple(bounds)


def _unknown(scores: RunScores, k: int) -> list[set[str]]:
    """The unjudged among the first k of every query."""
    known = scores.relevance.judged
    return [
        {unit for rank, unit in enumerate(units[:k]) if not known[number, rank]}
        for number, units in enumerate(scores.units)
    ]


def _suppose(scores: RunScores, extra: Sequence[Set[str]], k: int) -> Relevance:
    """What a run would have found if these units, too, were relevant with the lowest grade that counts."""
    relevance = scores.relevance
    least = relevance.judgments.min_grade
    found, answers, judged = [], [], []
    for number, units in enumerate(scores.units):
        added = [rank for rank, unit in enumerate(units[:k], 1) if unit in extra[number]]
        places = np.flatnonzero(relevance.gains[number] > 0)
        ranks = places + 1 if relevance.ranks is None else relevance.ranks[number, places]
        grades = relevance.gains[number, places]
        items = [*zip(ranks.tolist(), grades.tolist(), strict=True), *((rank, least) for rank in added)]
        # As they are stored: of spans found at one rank the higher grade stands first.
        items.sort(key=lambda item: (item[0], -item[1]))
        found.append(([rank for rank, _ in items], [grade for _, grade in items]))
        judged.append((np.flatnonzero(relevance.judged[number]) + 1).tolist())
        if relevance.answers is not None:
            counted = np.repeat(np.arange(relevance.answers.shape[1]), relevance.answers[number]) + 1
            answers.append([*counted.tolist(), *added])
    graded = [
        dict(enumerate([*ideal[ideal > 0].astype(int).tolist(), *[least] * len(more)]))
        for ideal, more in zip(relevance.judgments.ideal_gains, extra, strict=True)
    ]
    most = max((len(grades) for grades in graded), default=1)
    return Relevance.of_lists(
        Judgments.of(graded, max(most, 1), least),
        found,
        judged,
        [len(units) for units in scores.units],
        answers if relevance.answers is not None else None,
    )
