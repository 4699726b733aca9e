"""Scores of one ranking brought to a common scale, query by query."""

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Scores

# Relative to the largest score: closer than this and scores differ by rounding alone.
_CONSTANT = 1e-12


def minmax(scores: Scores, query_numbers: NDArray[np.int64], n_queries: int) -> Scores:
    """Return (score - lowest) / (highest - lowest) within each query, float64 [entries].

    A lone score, and scores that are all the same, become 1: each was found, and none stands out.
    """
    lowest, highest = _extremes(scores, query_numbers, n_queries)
    spread = highest - lowest
    flat = _flat(spread, lowest, highest)
    scaled = (scores - lowest[query_numbers]) / np.where(flat, 1.0, spread)[query_numbers]
    return np.where(flat[query_numbers], 1.0, scaled)


def zscore(scores: Scores, query_numbers: NDArray[np.int64], n_queries: int) -> Scores:
    """Return (score - mean) / population standard deviation within each query, float64 [entries].

    A lone score, and scores that are all the same, become 0.
    """
    lowest, highest = _extremes(scores, query_numbers, n_queries)
    flat = _flat(highest - lowest, lowest, highest)
    # bincount adds entry after entry, so that no other query can change the last bit of a sum.
    counts = np.maximum(np.bincount(query_numbers, minlength=n_queries), 1)
    means = np.bincount(query_numbers, scores, n_queries) / counts
    centred = scores - means[query_numbers]
    deviations = np.sqrt(np.bincount(query_numbers, centred * centred, n_queries) / counts)
    flat |= deviations == 0
    return np.where(flat[query_numbers], 0.0, centred / np.where(flat, 1.0, deviations)[query_numbers])


def _extremes(scores: Scores, query_numbers: NDArray[np.int64], n_queries: int) -> tuple[Scores, Scores]:
    lowest, highest = np.full(n_queries, np.inf), np.full(n_queries, -np.inf)
    np.minimum.at(lowest, query_numbers, scores)
    np.maximum.at(highest, query_numbers, scores)
    found = lowest <= highest
    return np.where(found, lowest, 0.0), np.where(found, highest, 0.0)


def _flat(spread: Scores, lowest: Scores, highest: Scores) -> NDArray[np.bool_]:
    return spread <= _CONSTANT * np.maximum(np.abs(lowest), np.abs(highest))
