"""How far raters agree, over all pairs and by slice, and on which pairs they do not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.exchange.ratings import Ratings

ALL = "all"


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of two raters, or of all, on one group of pairs. n: pairs that at least two of them judged.

    A value is None where it is undefined: nothing in common, or one and the same grade throughout. kappa and
    weighted_kappa: of two raters. alpha, nominal and ordinal: of all.
    """

    group: str
    raters: tuple[str, ...]
    n: int
    raw: float | None
    kappa: float | None = None
    weighted_kappa: float | None = None
    alpha: float | None = None
    ordinal_alpha: float | None = None


@dataclass(frozen=True)
class Disagreement:
    """A pair that raters graded differently. grades: rater -> grade. notes: rater -> note, where there is one."""

    row: PairRow
    grades: Mapping[str, int]
    notes: Mapping[str, str]


@dataclass(frozen=True)
class Agreement:
    """lines: all pairs first, every two raters, then by slice. disagreements: the widest apart first."""

    ratings: Ratings
    lines: tuple[AgreementRow, ...]
    disagreements: tuple[Disagreement, ...]
    graded: bool


def agree(ratings: Ratings, groups: Mapping[str, Sequence[str]] | None = None) -> Agreement:
    """Measure agreement. groups: slice -> query ids; a slice in which no pair was judged twice is left out."""
    grades = ratings.grades[:, ratings.common]
    queries = [pair[0] for pair, common in zip(ratings.pairs, ratings.common, strict=True) if common]
    two = len(ratings.raters) == 2
    lines = [_line(ALL, ratings.raters, grades)]
    if not two:
        for first, second in combinations(range(len(ratings.raters)), 2):
            line = _line(ALL, (ratings.raters[first], ratings.raters[second]), grades[[first, second]])
            if line.n:
                lines.append(line)
    numbers = {query: number for number, query in enumerate(dict.fromkeys(queries))}
    of_pair = np.array([numbers[query] for query in queries])
    for group, members in (groups or {}).items():
        inside = np.zeros(len(numbers), np.bool_)
        inside[[numbers[query] for query in members if query in numbers]] = True
        if inside.any():
            lines.append(_line(group, ratings.raters, grades[:, inside[of_pair]]))
    graded = len(np.unique(grades[~np.isnan(grades)])) > 2
    return Agreement(ratings, tuple(lines), _disagreements(ratings), graded)


def _line(group: str, raters: tuple[str, ...], grades: NDArray[np.float64]) -> AgreementRow:
    n = int(((~np.isnan(grades)).sum(axis=0) > 1).sum())
    raw = raw_agreement(grades)
    alphas = krippendorffs_alpha(grades, "nominal"), krippendorffs_alpha(grades, "ordinal")
    if len(raters) != 2:
        return AgreementRow(group, raters, n, raw, None, None, *alphas)
    kappas = cohens_kappa(*grades), cohens_kappa(*grades, linear=True)
    return AgreementRow(group, raters, n, raw, *kappas, *alphas)


def _disagreements(ratings: Ratings) -> tuple[Disagreement, ...]:
    common = np.flatnonzero(ratings.common)
    spread = np.nanmax(ratings.grades[:, common], axis=0) - np.nanmin(ratings.grades[:, common], axis=0)
    found = []
    for number in common[np.argsort(-spread, kind="stable")][: np.count_nonzero(spread)]:
        rated = np.flatnonzero(~np.isnan(ratings.grades[:, number]))
        found.append(
            Disagreement(
                ratings.rows[ratings.pairs[number]],
                {ratings.raters[rater]: int(ratings.grades[rater, number]) for rater in rated},
                {
                    ratings.raters[rater]: note
                    for rater in rated
                    if (note := ratings.notes.get((int(rater), int(number))))
                },
            )
        )
    return tuple(found)


Scale = Literal["nominal", "ordinal"]


def raw_agreement(ratings: NDArray[np.float64]) -> float | None:
    """The share of equal grades among all pairs of raters on the same item, or None where no item has two.

    ratings: [raters, items], NaN where a rater said nothing.
    """
    counts = _counts(ratings)
    rated = counts.sum(axis=1)
    both = float((rated * (rated - 1)).sum())
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
    rated = counts.sum(axis=1, keepdims=True)
    counts = counts[rated[:, 0] > 1]
    shares = counts / (rated[rated > 1] - 1)[:, None]
    # Coincidences: how often grade c met grade k within an item.
    met = counts.T @ shares - np.diag(shares.sum(axis=0))
    totals = met.sum(axis=1)
    apart = _distances(totals, scale)
    expected = float((apart * np.outer(totals, totals)).sum())
    return 1 - (totals.sum() - 1) * float((apart * met).sum()) / expected if expected else None


def _counts(ratings: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each item got each of the grades that occur, ascending: [items, grades]."""
    rated = ~np.isnan(ratings)
    grades, codes = np.unique(ratings[rated], return_inverse=True)
    items = ratings.shape[1]
    cells = np.nonzero(rated)[1] * len(grades) + codes
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
