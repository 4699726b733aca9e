"""How far raters agree beyond chance: Cohen's kappa for two, Krippendorff's alpha for any number."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Scale = Literal["nominal", "ordinal"]


def raw_agreement(ratings: NDArray[np.float64]) -> float | None:
    """The share of equal grades among all pairs of raters on the same item, or None where no item has two.

    ratings: [raters, items], NaN where a rater said nothing.
    """
    counts = _counts(ratings)
    said = counts.sum(axis=1)
    both = float((said * (said - 1)).sum())
    return float((counts * (counts - 1)).sum()) / both if both else None


def cohens_kappa(first: NDArray[np.float64], second: NDArray[np.float64], *, linear: bool = False) -> float | None:
    """Agreement of two raters beyond chance: 1 - observed disagreement / expected disagreement.

    first and second: grades [items], NaN where nothing was said; items that one of them left out do not count.
    linear: a disagreement weighs the distance of the two grades, else 1. None where it is undefined: no common item, or
    both gave one and the same grade to every one. Source: Cohen (1960) and, weighted, Cohen (1968).
    """
    common = ~(np.isnan(first) | np.isnan(second))
    if not common.any():
        return None
    grades, codes = np.unique(np.concatenate([first[common], second[common]]), return_inverse=True)
    ours, theirs = np.split(codes, 2)
    size = len(grades)
    table = np.bincount(ours * size + theirs, minlength=size * size).reshape(size, size) / common.sum()
    weights = np.abs(grades[:, None] - grades) if linear else 1.0 - np.eye(size)
    expected = float((weights * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    return 1 - float((weights * table).sum()) / expected if expected else None


def krippendorffs_alpha(ratings: NDArray[np.float64], scale: Scale) -> float | None:
    """Agreement of any number of raters beyond chance, with missing values: 1 - observed / expected disagreement.

    ratings: [raters, items], NaN where a rater said nothing; items with fewer than two grades do not count. None where
    it is undefined: no such item, or one and the same grade everywhere. Source: Krippendorff, Computing Krippendorff's
    Alpha-Reliability (2011), sections C and D.
    """
    counts = _counts(ratings)
    said = counts.sum(axis=1, keepdims=True)
    counts = counts[said[:, 0] > 1]
    shares = counts / (said[said > 1] - 1)[:, None]
    # Coincidences: how often grade c met grade k within an item.
    met = counts.T @ shares - np.diag(shares.sum(axis=0))
    totals = met.sum(axis=1)
    apart = _distances(totals, scale)
    expected = float((apart * np.outer(totals, totals)).sum())
    return 1 - (totals.sum() - 1) * float((apart * met).sum()) / expected if expected else None


def _counts(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each item got each of the grades that occur, ascending: [items, grades]."""
    said = ~np.isnan(ratings)
    grades, codes = np.unique(ratings[said], return_inverse=True)
    items = ratings.shape[1]
    cells = np.nonzero(said)[1] * len(grades) + codes
    counts = np.bincount(cells, minlength=items * len(grades)).reshape(items, len(grades))
    return counts.astype(np.float64)


def _distances(totals: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    size = len(totals)
    if scale == "nominal":
        return 1.0 - np.eye(size)
    # How many grades were given between two of them, half of each end counted.
    middle = np.cumsum(totals) - totals / 2
    distances: NDArray[np.float64] = (middle[:, None] - middle) ** 2
    return distances
