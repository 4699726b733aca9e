"""How far a difference between two runs could move if what nobody has judged were relevant after all."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from runner.deciding.scores import RunScores
from runner.scoring.metrics import AT_K
from runner.scoring.relevance import Judgments, Relevance

METRICS = ("hit", "recall", "precision", "ndcg")


@dataclass(frozen=True)
class Bounds:
    """Second minus first, in one metric at one k, under what one may suppose of the unjudged results.

    none: none of them is relevant, as scored. every: all that either run shows in its first k are. low: only those
    that the first run alone shows. high: only those that the second run alone shows.
    """

    metric: str
    none: float
    every: float
    low: float
    high: float

    @property
    def could_turn(self) -> bool:
        """Whether the difference could have the other sign."""
        return self.low < 0 < self.none or self.none < 0 < self.high


@dataclass(frozen=True)
class Unjudged:
    """first and second: the mean share of the first k that is unjudged in each run."""

    k: int
    first: float
    second: float
    bounds: tuple[Bounds, ...]

    def lines(self) -> list[str]:
        """What a reader should know: how much is unjudged, and what could come of each difference."""
        if not self.first and not self.second:
            return []
        head = (
            f"unjudged in the first {self.k}: A {self.first:.0%}, B {self.second:.0%}; they count as not relevant. "
            "B - A if all of them were relevant, and if only those were that one of the two shows alone:"
        )
        return [
            head,
            *(
                f"  {each.metric} {each.none:+.3f} as scored, {each.every:+.3f} if all, from {each.low:+.3f} (A's) "
                f"to {each.high:+.3f} (B's)" + ("; judging them could turn it round" if each.could_turn else "")
                for each in self.bounds
            ),
        ]


def unjudged_between(first: RunScores, second: RunScores, k: int) -> Unjudged:
    """Bound the differences of two runs on the same queries at k."""
    ours, theirs = _unknown(first, k), _unknown(second, k)
    pairs = list(zip(ours, theirs, strict=True))
    supposed = {
        "none": [set[str]() for _ in pairs],
        "every": [a | b for a, b in pairs],
        "low": [a - b for a, b in pairs],
        "high": [b - a for a, b in pairs],
    }
    found = {
        name: (_suppose(first, extra, k), _suppose(second, extra, k)) for name, extra in supposed.items()
    }  # fmt: skip
    bounds = []
    for metric in METRICS:
        values = {
            name: float((AT_K[metric](after, k) - AT_K[metric](before, k)).mean()) if pairs else 0.0
            for name, (before, after) in found.items()
        }
        bounds.append(Bounds(metric, **values))
    shares = [1 - float(scores.values("judged", k).mean()) if pairs else 0.0 for scores in (first, second)]
    return Unjudged(k, shares[0], shares[1], tuple(bounds))


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
        items = sorted([*zip(ranks.tolist(), grades.tolist(), strict=True), *((rank, least) for rank in added)])
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
