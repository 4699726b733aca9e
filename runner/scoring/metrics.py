"""Retrieval metrics over integer arrays: one row a query, one column a rank.

Every function takes `Relevance` and returns float64 [queries]; those that look at the first k take k.
Definitions follow trec_eval where it has them: gain = grade, discount 1 / log2(rank + 1).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Rankings

# Raised whenever a definition below changes: scores of different versions are never compared.
METRICS_VERSION = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judgments:
    """The judged units of n queries, as sorted keys.

    keys: int64, `query * n_units + unit`, ascending. grades: int64, aligned. n_units: how many units the
    snapshot has. min_grade: the lowest grade that counts as relevant.
    """

    keys: NDArray[np.int64]
    grades: NDArray[np.int64]
    n_queries: int
    n_units: int
    min_grade: int = 1

    @classmethod
    def of(cls, graded: Sequence[Mapping[int, int]], n_units: int, min_grade: int = 1) -> "Judgments":
        """Read one mapping of unit number to grade a query."""
        counts = np.array([len(grades) for grades in graded], np.int64)
        queries = np.repeat(np.arange(len(graded)), counts)
        units = np.array([unit for grades in graded for unit in grades], np.int64)
        values = np.array([grade for grades in graded for grade in grades.values()], np.int64)
        keys = queries * n_units + units
        order = np.argsort(keys)
        return cls(keys[order], values[order], len(graded), n_units, min_grade)

    @cached_property
    def query_numbers(self) -> NDArray[np.int64]:
        """The query of each judgment."""
        return self.keys // max(self.n_units, 1)

    @cached_property
    def relevant_counts(self) -> NDArray[np.int64]:
        """|R| of each query, int64 [queries]."""
        relevant = self.query_numbers[self.grades >= self.min_grade]
        return np.bincount(relevant, minlength=self.n_queries)

    @cached_property
    def ideal_gains(self) -> Floats:
        """Positive grades of each query in descending order, zero padded, float64 [queries, most judged]."""
        gains = np.maximum(self.grades, 0)
        order = np.lexsort((-gains, self.query_numbers))
        queries = self.query_numbers[order]
        counts = np.bincount(queries, minlength=self.n_queries)
        starts = np.concatenate(([0], np.cumsum(counts)))[:-1]
        table = np.zeros((self.n_queries, int(counts.max()) if len(counts) else 0))
        table[queries, np.arange(len(queries)) - starts[queries]] = gains[order]
        return table


@dataclass(frozen=True)
class Relevance:
    """What was found at each rank: grades of the collapsed ranking, zero where unjudged or past its end.

    gains: int64 [queries, ranks]. judged: bool [queries, ranks]. length: int64 [queries].
    """

    judgments: Judgments
    units: NDArray[np.int64]
    gains: NDArray[np.int64]
    judged: NDArray[np.bool_]
    length: NDArray[np.int64]

    @classmethod
    def of(cls, rankings: Rankings, unit_of_row: NDArray[np.int64], judgments: Judgments) -> "Relevance":
        """Collapse each ranking to the judged unit (first occurrence kept) and look its grades up.

        rankings: aligned with the queries of `judgments`. unit_of_row: int64 [passages].
        """
        if len(rankings) != judgments.n_queries:
            raise ValueError(f"{len(rankings)} rankings for {judgments.n_queries} judged queries")
        queries = rankings.query_numbers()
        keys = queries * judgments.n_units + unit_of_row[rankings.rows]
        _, first = np.unique(keys, return_index=True)
        first.sort()  # back to rank order within each query
        queries, keys = queries[first], keys[first]
        length = np.bincount(queries, minlength=len(rankings))
        starts = np.concatenate(([0], np.cumsum(length)))[:-1]
        ranks = np.arange(len(keys)) - starts[queries]

        width = int(length.max()) if len(length) else 0
        units = np.full((len(rankings), width), -1, np.int64)
        gains = np.zeros((len(rankings), width), np.int64)
        judged = np.zeros((len(rankings), width), np.bool_)
        units[queries, ranks] = keys - queries * judgments.n_units
        if len(judgments.keys):
            place = np.minimum(np.searchsorted(judgments.keys, keys), len(judgments.keys) - 1)
            known = judgments.keys[place] == keys
            gains[queries, ranks] = np.where(known, judgments.grades[place], 0)
            judged[queries, ranks] = known
        return cls(judgments, units, gains, judged, length)

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        """Whether each rank holds a relevant unit, bool [queries, ranks]."""
        return self.judged & (self.gains >= self.judgments.min_grade)

    @cached_property
    def found(self) -> NDArray[np.int64]:
        """Relevant units in the first 0, 1, 2 ... ranks, int64 [queries, ranks + 1]."""
        counts = np.zeros((self.relevant.shape[0], self.relevant.shape[1] + 1), np.int64)
        np.cumsum(self.relevant, axis=1, out=counts[:, 1:])
        return counts

    @cached_property
    def first_rank(self) -> NDArray[np.int64]:
        """1-based rank of the first relevant unit, 0 if none, int64 [queries]."""
        if not self.relevant.shape[1]:
            return np.zeros(len(self.length), np.int64)
        return np.where(self.relevant.any(axis=1), self.relevant.argmax(axis=1) + 1, 0)

    def found_at(self, k: int) -> NDArray[np.int64]:
        """|R in the first k| of each query."""
        return self.found[:, min(k, self.found.shape[1] - 1)]

    @cached_property
    def _dcg(self) -> tuple[Floats, Floats]:
        """Cumulated discounted gain of the ranking and of the ideal, each with a leading zero column."""
        return _cumulated(np.maximum(self.gains, 0)), _cumulated(self.judgments.ideal_gains)


def _cumulated(gains: NDArray[np.float64] | NDArray[np.int64]) -> Floats:
    out = np.zeros((gains.shape[0], gains.shape[1] + 1))
    np.cumsum(gains / np.log2(np.arange(gains.shape[1]) + 2), axis=1, out=out[:, 1:])
    return out


def _over(numerator: NDArray[np.int64] | Floats, denominator: NDArray[np.int64] | Floats) -> Floats:
    """Divide, giving 0 where there is nothing relevant (such queries are never scored)."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)


def hit(found: Relevance, k: int) -> Floats:
    """1 if any of the first k is relevant, also called success."""
    return (found.found_at(k) > 0).astype(np.float64)


def recall(found: Relevance, k: int) -> Floats:
    """|R in first k| / |R|."""
    return _over(found.found_at(k), found.judgments.relevant_counts)


def precision(found: Relevance, k: int) -> Floats:
    """|R in first k| / k, also when fewer than k were returned."""
    return found.found_at(k) / k


def ndcg(found: Relevance, k: int) -> Floats:
    """DCG at k over the ideal DCG at k of all judged grades (Järvelin and Kekäläinen 2002, linear gain)."""
    actual, ideal = found._dcg
    return _over(actual[:, min(k, actual.shape[1] - 1)], ideal[:, min(k, ideal.shape[1] - 1)])


def reciprocal_rank(found: Relevance) -> Floats:
    """1 / rank of the first relevant over the whole depth, 0 if none."""
    return _over(np.ones(len(found.first_rank)), found.first_rank)


def average_precision(found: Relevance) -> Floats:
    """Mean over all of R of the precision at its rank; what was not found counts as 0."""
    ranks = np.arange(1, found.relevant.shape[1] + 1)
    return _over((found.relevant * found.found[:, 1:] / ranks).sum(axis=1), found.judgments.relevant_counts)


# Printed name of the per-query value -> its function. The means of rr and ap are called mrr and map.
AT_K: Mapping[str, Callable[[Relevance, int], Floats]] = {
    "hit": hit,
    "recall": recall,
    "precision": precision,
    "ndcg": ndcg,
}
OVER_DEPTH: Mapping[str, Callable[[Relevance], Floats]] = {"rr": reciprocal_rank, "ap": average_precision}
MEAN_NAMES: Mapping[str, str] = {"rr": "mrr", "ap": "map"}
# Every mean that is logged with an interval and that a rule or a comparison may name.
METRICS = (*AT_K, *MEAN_NAMES.values(), "pool_recall")
