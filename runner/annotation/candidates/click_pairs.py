"""Clicks by question and passage, and what a rank alone brings in clicks."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runner.annotation.candidates.click_log import ClickLog

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
    """The exact interval of a Poisson mean given a count, (low, high), each float64 [counts]; 0 has a low of 0.

    Source: Garwood 1936. Clicks are at most one an impression, so their own interval is narrower: this one errs towards
    saying less.
    """
    from scipy.special import gammaincinv

    found = np.asarray(counts, np.float64)
    tail = (1 - level) / 2
    low = np.where(found > 0, gammaincinv(np.maximum(found, 1), tail), 0.0)
    return low, np.asarray(gammaincinv(found + 1, 1 - tail), np.float64)


Integers = NDArray[np.int64]
# So many impressions, each by somebody else, make half of the evidence that there can be.
HALF_WEIGHT = 10


@dataclass(frozen=True)
class ClickPairs:
    """Every pair of a question and a passage that was shown; all arrays [pairs].

    question, passage: codes. impressions, clicks, viewers: counts; viewers are the distinct sessions that were shown
    it, an impression without a session counting as one. mean_rank. expected: the sum of the share of clicks at the
    rank of each impression. first, last: seconds since 1970, NaN where nothing says when.
    """

    question: Integers
    passage: Integers
    impressions: Integers
    clicks: Integers
    viewers: Integers
    mean_rank: Floats
    expected: Floats
    first: Floats
    last: Floats

    @classmethod
    def of(cls, log: ClickLog, bias: PositionBias, question_of: Integers) -> "ClickPairs":
        """Add a log up. question_of: the code of the question that each distinct text of the log is, int64 [texts]."""
        n_passages = len(log.values["passage_id"])
        question = question_of[log.columns["query"]]
        keys, pair, impressions = np.unique(
            question * n_passages + log.columns["passage_id"], return_inverse=True, return_counts=True
        )

        def total(values: Integers | Floats) -> Floats:
            return np.bincount(pair, weights=values, minlength=len(keys)).astype(np.float64)

        first, last = _times(log, pair, len(keys))
        return cls(
            keys // n_passages,
            keys % n_passages,
            impressions.astype(np.int64),
            total(log.columns["clicked"]).astype(np.int64),
            _viewers(log, pair, len(keys)),
            total(log.columns["rank"]) / impressions,
            total(bias.expected),
            first,
            last,
        )

    @cached_property
    def ratios(self) -> tuple[Floats, Floats, Floats]:
        """Clicks over expected clicks with its 95% interval: ratio, low, high; 0, 0 and infinity where none expected.

        Source: clicks over expected clicks, Zhang and Jones 2007. A ratio of 1 is what the ranks alone explain; what is
        ranked first because it is good is so held against it, which makes the ratio say less, not more.
        """
        low, high = poisson_interval(self.clicks)
        some = self.expected > 0
        divided = [
            np.divide(value, self.expected, out=np.full(len(self.expected), without), where=some)
            for value, without in ((self.clicks, 0.0), (low, 0.0), (high, np.inf))
        ]
        return divided[0], divided[1], divided[2]

    @cached_property
    def priorities(self) -> Floats:
        """low / (1 + low) * viewers / (viewers + 10), `low` being the lower end of the ratio's interval; in 0 to 1.

        So a click at the first rank weighs little, and so does one that few have had the occasion to make.
        """
        _, low, _ = self.ratios
        return low / (1 + low) * self.viewers / (self.viewers + HALF_WEIGHT)


def _viewers(log: ClickLog, pair: Integers, n_pairs: int) -> Integers:
    if "session" not in log.columns:
        return np.bincount(pair, minlength=n_pairs)
    session = log.columns["session"].copy()
    unknown = session < 0
    session[unknown] = len(log.values["session"]) + np.arange(unknown.sum())
    seen = np.unique(pair * (session.max() + 1) + session)
    return np.bincount(seen // (session.max() + 1), minlength=n_pairs)


def _times(log: ClickLog, pair: Integers, n_pairs: int) -> tuple[Floats, Floats]:
    first, last = np.full(n_pairs, np.inf), np.full(n_pairs, -np.inf)
    if log.at is not None:
        known = ~np.isnan(log.at)
        np.minimum.at(first, pair[known], log.at[known])
        np.maximum.at(last, pair[known], log.at[known])
    nowhere = np.isinf(first)
    return np.where(nowhere, np.nan, first), np.where(nowhere, np.nan, last)
