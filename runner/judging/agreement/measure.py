"""How far raters agree, over all pairs and by slice, and on which pairs they do not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from runner.judging.agreement.reliability import cohens_kappa, krippendorffs_alpha, raw_agreement
from runner.judging.exchange.pair_row import PairRow
from runner.judging.exchange.ratings import Ratings

ALL = "all"


@dataclass(frozen=True)
class Line:
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
    lines: tuple[Line, ...]
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


def _line(group: str, raters: tuple[str, ...], grades: NDArray[np.float64]) -> Line:
    n = int(((~np.isnan(grades)).sum(axis=0) > 1).sum())
    raw = raw_agreement(grades)
    alphas = krippendorffs_alpha(grades, "nominal"), krippendorffs_alpha(grades, "ordinal")
    if len(raters) != 2:
        return Line(group, raters, n, raw, None, None, *alphas)
    kappas = cohens_kappa(*grades), cohens_kappa(*grades, linear=True)
    return Line(group, raters, n, raw, *kappas, *alphas)


def _disagreements(ratings: Ratings) -> tuple[Disagreement, ...]:
    common = np.flatnonzero(ratings.common)
    spread = np.nanmax(ratings.grades[:, common], axis=0) - np.nanmin(ratings.grades[:, common], axis=0)
    found = []
    for number in common[np.argsort(-spread, kind="stable")][: np.count_nonzero(spread)]:
        said = np.flatnonzero(~np.isnan(ratings.grades[:, number]))
        found.append(
            Disagreement(
                ratings.rows[ratings.pairs[number]],
                {ratings.raters[rater]: int(ratings.grades[rater, number]) for rater in said},
                {
                    ratings.raters[rater]: note
                    for rater in said
                    if (note := ratings.notes.get((int(rater), int(number))))
                },
            )
        )
    return tuple(found)
