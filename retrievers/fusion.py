"""Several rankings of the same queries made into one, by rank or by score."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Rankings, RetrievalError, Scores
from retrievers.normalization import minmax, zscore

Normalization = Callable[[Scores, NDArray[np.int64], int], Scores]
NORMALIZATIONS: Mapping[str, Normalization] = {"minmax": minmax, "z": zscore}


@dataclass(frozen=True)
class ReciprocalRank:
    """Sums weight / (k + rank) over the rankings, ranks from 1; a ranking without the passage adds 0.

    Cormack, Clarke and Buettcher, "Reciprocal rank fusion", SIGIR 2009, with weights added. Scores count
    for their order only. weights: by ranking; unnamed ones, and all where None, have weight 1.

    Raises RetrievalError for a negative k or a weight that is negative or not finite.
    """

    k: float = 60
    weights: Mapping[str, float] | None = None

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 <= self.k < float("inf"):
            raise RetrievalError(f"rrf: k is {self.k}, expected a finite number of at least 0")
        object.__setattr__(self, "weights", checked_weights("rrf", self.weights))

    def fuse(self, rankings: Mapping[str, Rankings], n_queries: int, depth: int) -> Rankings:
        """Rank by the summed reciprocal ranks; a passage that only rankings of weight 0 hold stays, last."""
        parts: list[tuple[Rankings, Scores]] = []
        for name, ranking in rankings.items():
            starts = np.repeat(ranking.offsets[:-1], np.diff(ranking.offsets))
            ranks = np.arange(len(ranking.rows)) - starts + 1
            parts.append((ranking, np.asarray(_weight(self.weights, name) / (self.k + ranks), np.float64)))
        return _summed(parts, np.zeros(n_queries), n_queries, depth)


@dataclass(frozen=True)
class Weighted:
    """Sums weight x normalised score over the rankings; a ranking without the passage gives its lowest value.

    normalize: "minmax" (0 to 1) or "z", within each query over what the ranking holds for it. Scores that are
    all the same, or a single one, become 1 with minmax, where being held at all still counts over the 0 of
    the missing, and 0 with z, where they say nothing. A ranking that is empty for a query says nothing
    there. weights: by ranking; unnamed ones, and all where None, have
    weight 1. Raises RetrievalError for another normalisation, or a weight that is negative or not finite.
    """

    weights: Mapping[str, float] | None = None
    normalize: str = "minmax"

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.normalize not in NORMALIZATIONS:
            raise RetrievalError(
                f"weighted: normalize is {self.normalize!r}, expected one of {', '.join(NORMALIZATIONS)}"
            )
        object.__setattr__(self, "weights", checked_weights("weighted", self.weights))

    def fuse(self, rankings: Mapping[str, Rankings], n_queries: int, depth: int) -> Rankings:
        """Rank by the weighted sum of normalised scores."""
        parts = []
        floor = np.zeros(n_queries)
        for name, ranking in rankings.items():
            numbers = ranking.query_numbers()
            weighed = _weight(self.weights, name) * NORMALIZATIONS[self.normalize](ranking.scores, numbers, n_queries)
            lowest = np.zeros(n_queries)
            if self.normalize == "z":
                holds = np.diff(ranking.offsets) > 0
                # The last entry is the lowest, as rankings descend.
                lowest[holds] = weighed[ranking.offsets[1:][holds] - 1]
            floor += lowest
            # What a passage gains by being held, over the floor that it would have otherwise.
            parts.append((ranking, weighed - lowest[numbers]))
        return _summed(parts, floor, n_queries, depth)


def checked_weights(owner: str, weights: Mapping[str, float | None] | None) -> dict[str, float] | None:
    """Return the weights as plain numbers, without those that are None; None stays None.

    Raises RetrievalError for a weight that is negative or not finite.
    """
    if weights is None:
        return None
    kept = {str(name): float(weight) for name, weight in weights.items() if weight is not None}
    for name, weight in kept.items():
        if not 0 <= weight < float("inf"):
            raise RetrievalError(f"{owner}: the weight of {name} is {weight}, expected a finite number of at least 0")
    return kept


def _weight(weights: Mapping[str, float] | None, name: str) -> float:
    return 1.0 if weights is None else weights.get(name, 1.0)


def _summed(parts: list[tuple[Rankings, Scores]], floor: Scores, n_queries: int, depth: int) -> Rankings:
    numbers = np.concatenate([ranking.query_numbers() for ranking, _ in parts])
    rows = np.concatenate([ranking.rows for ranking, _ in parts])
    width = int(rows.max()) + 1 if len(rows) else 1
    keys, entry = np.unique(numbers * width + rows, return_inverse=True)
    # bincount adds in the order of the rankings, the same for every passage and every batch.
    gains = np.bincount(entry, np.concatenate([gain for _, gain in parts]), len(keys))
    owners = keys // width
    return Rankings.canonical(owners, keys % width, gains + floor[owners], n_queries=n_queries, depth=depth)
