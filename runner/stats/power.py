"""What difference a suite could show at all, and how many more judged queries would make it finer."""

from math import ceil, log2

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runner.stats.intervals import DECIMALS
from runner.stats.table import Floats, checked, rows_of


def minimum_detectable(spread: ArrayLike, n: ArrayLike, *, power: float = 0.8, alpha: float = 0.05) -> Floats:
    """The smallest true mean difference that a two-sided paired test at alpha finds with this power.

    spread: standard deviation of the paired differences, [slices, metrics]. n: queries, broadcast against it
    (give sizes[:, None]). Returns float64 of the broadcast shape, in units of the metric.

    (z_{1 - alpha/2} + z_power) x spread / sqrt(n), the normal approximation (Sakai 2018, "Laboratory Experiments
    in Information Retrieval"), never under one query, 1/n.
    m changes, all to one side, have p = 2^(1 - m): so at 0.05 nothing shows unless 6 queries change, and with fewer
    queries than that (or none) the minimum is infinite. Where no spread was seen, the formula would promise that
    anything shows; given is the share p of queries that must be lost whole, so that m of n are with this power:
    P(Binomial(n, p) >= m) = power.
    Raises ValueError for a spread that is negative or NaN, and for power or alpha outside (0, 1).
    """
    from scipy.special import betaincinv, ndtri

    if not (0 < power < 1 and 0 < alpha < 1):
        raise ValueError(f"found power {power} and alpha {alpha}, expected numbers between 0 and 1")
    wide, size = np.broadcast_arrays(np.asarray(spread, np.float64), np.asarray(n, np.float64))
    if not ((wide >= 0) & (size >= 0)).all():
        raise ValueError("a spread is 0 or more, and so is a number of queries; found another value or NaN")
    z = float(ndtri(1 - alpha / 2) + ndtri(power))
    changes = ceil(1 - log2(alpha))
    some = np.maximum(size, changes)
    seen = np.maximum(z * wide / np.sqrt(some), 1 / some)
    unseen = betaincinv(changes, some - changes + 1, power)
    return np.where(size < changes, np.inf, np.where(wide > 0, seen, unseen))


def spread_of_pairs(differences: Floats, members: NDArray[np.bool_]) -> Floats:
    """Standard deviation (over n - 1) of the differences of each slice and metric, float64 [slices, metrics].

    differences: float64 [queries, metrics] in [-1, 1]. 0 where n < 2: no spread was seen.
    """
    return _spread(checked(differences, members, -1.0, 1.0), members)


def spread_of_differences(values: Floats, members: NDArray[np.bool_], correlation: float = 0.5) -> Floats:
    """Spread that paired differences would have, guessed from one run alone, float64 [slices, metrics].

    values: float64 [queries, metrics] in [0, 1]. Assumes that another run spreads as much as this one and that
    their scores correlate this strongly over queries: sqrt(2 (1 - correlation)) x the standard deviation of the
    scores. Variants of one retriever correlate more than 0.5, so that the guess is then on the careful side; use
    `spread_of_pairs` as soon as there is a second run.
    Raises ValueError for a correlation outside [-1, 1).
    """
    if not -1 <= correlation < 1:
        raise ValueError(f"found correlation {correlation}, expected a number from -1 to under 1")
    return _spread(checked(values, members, 0.0, 1.0), members) * float(np.sqrt(2 * (1 - correlation)))


def _spread(values: Floats, members: NDArray[np.bool_]) -> Floats:
    out = np.zeros((len(members), values.shape[1]))
    for number, rows in enumerate(rows_of(members)):
        if len(rows) > 1:
            out[number] = values[rows].std(axis=0, ddof=1)
    return out.round(DECIMALS)


def queries_to_halve(n: ArrayLike) -> NDArray[np.int64]:
    """How many more judged queries, int64 of the shape of n, halve the smallest detectable difference: 3 n more."""
    return 3 * np.asarray(n, np.int64)


def smallest_step(n: ArrayLike) -> Floats:
    """How far one query can move the mean of n, float64 of the shape of n: 1/n; infinite for n = 0."""
    size = np.asarray(n, np.float64)
    step: Floats = np.divide(1.0, size, out=np.full(size.shape, np.inf), where=size > 0)
    return step
