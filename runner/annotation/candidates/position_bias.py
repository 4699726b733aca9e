"""How much of a click log the place of a result explains: clicks by rank, and clicks against what rank alone gives."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PositionBias:
    """ranks: ascending, int64 [ranks], with impressions and clicks, int64 [ranks] each, over the whole log.

    expected: per event, the share of clicks at its rank, float64 [events].
    """

    ranks: NDArray[np.int64]
    impressions: NDArray[np.int64]
    clicks: NDArray[np.int64]
    expected: Floats

    @classmethod
    def of(cls, rank: NDArray[np.int64], clicked: NDArray[np.int64]) -> "PositionBias":
        """Count a log. rank: from 1, int64 [events]. clicked: 0 or 1, int64 [events]."""
        ranks, place, impressions = np.unique(rank, return_inverse=True, return_counts=True)
        clicks = np.bincount(place, weights=clicked, minlength=len(ranks)).astype(np.int64)
        return cls(ranks, impressions.astype(np.int64), clicks, (clicks / impressions)[place])

    @property
    def rates(self) -> Floats:
        """The share of clicks at each rank, float64 [ranks]."""
        return self.clicks / self.impressions


def poisson_interval(counts: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """The exact interval of a Poisson mean given a count, (low, high), arrays of its shape; 0 has a low of 0.

    Source: Garwood 1936. Clicks are at most one an impression, so their own interval is narrower: this one errs towards
    saying less.
    """
    from scipy.special import gammaincinv

    found = np.asarray(counts, np.float64)
    tail = (1 - level) / 2
    low = np.where(found > 0, gammaincinv(np.maximum(found, 1), tail), 0.0)
    return low, np.asarray(gammaincinv(found + 1, 1 - tail), np.float64)
