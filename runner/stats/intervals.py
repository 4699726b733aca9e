"""Intervals of means over queries: a Poisson bootstrap, backed by Wilson's interval where it sees too little."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runner.stats.exact_sums import ExactSums, exact_sums
from runner.stats.resampling import POISSON
from runner.stats.table import Floats, checked, means, rows_of

Method = Literal["percentile", "bca"]

# With fewer queries than this off the slice's most common score, the bootstrap knows too little of what it has not
# seen: then its interval is widened to hold Wilson's too. BCa sees more. See benchmarks/coverage.py.
FEW: Mapping[Method, int] = {"percentile": 6, "bca": 3}
DECIMALS = 9
LEAST_RESAMPLES = 100


@dataclass(frozen=True)
class Intervals:
    """Lower and upper bounds, float64 [slices, metrics] each; the whole range where a slice is empty."""

    low: Floats
    high: Floats


def wilson(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's score interval of a proportion, (low, high), arrays of the broadcast shape; n = 0 gives (0, 1).

    successes may be fractional, which makes the interval of a mean of values in [0, 1] too wide rather than too
    narrow: such a mean varies at most as a proportion does. Source: Wilson 1927, without continuity correction.
    Raises ValueError for a level outside (0, 1) and for successes outside [0, n].
    """
    from scipy.special import ndtri

    _check_level(level)
    found, of = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(n, np.float64))
    if not ((found >= 0) & (found <= of)).all():
        raise ValueError("a proportion needs 0 <= successes <= n; check the order of the arguments")
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    share = np.divide(found, of, out=np.full(of.shape, 0.5), where=of > 0)
    centre = of * share + z2 / 2
    half = np.sqrt(z2 * (of * share * (1 - share) + z2 / 4))
    low, high = (centre - half) / (of + z2), (centre + half) / (of + z2)
    return np.where(found > 0, np.maximum(low, 0.0), 0.0), np.where(found < of, np.minimum(high, 1.0), 1.0)


def bootstrap_intervals(
    values: Floats,
    members: NDArray[np.bool_],
    *,
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 13,
    method: Method = "percentile",
) -> Intervals:
    """Intervals of the mean score of each slice and metric.

    values: float64 [queries, metrics] in [0, 1]. members: bool [slices, queries]. level: two-sided.

    The bootstrap takes the quantiles of sum(w v) / sum(w) with Poisson(1) weights w. Given sum(w) it is the
    ordinary bootstrap of sum(w) draws, and 1 / sum(w) is on average about 1/n larger than 1/n: its variance is
    so about s^2 / n with s^2 over n - 1, where the ordinary bootstrap has the too small s^2 (n - 1) / n^2.
    Resamples in which a slice has no weight are left out of that slice. `bca` moves the quantiles for bias and
    skewness (Efron 1987; for a mean, the jackknife acceleration is sum(d^3) / 6 sum(d^2)^1.5).

    Where all or all but a few scores are the same, so also for n = 1, Wilson's interval with the mean as
    proportion widens it: it is never of zero width. It always holds the mean. Bounds have 9 decimals, and the
    same input gives the same ones on every machine.
    Raises ValueError for a value that is NaN or outside [0, 1] and for settings out of range.
    """
    values = checked(values, members, 0.0, 1.0)
    sizes = members.sum(axis=1)[:, None]
    centre = means(values, members)
    low, high = wilson(centre * sizes, np.broadcast_to(sizes, centre.shape), level)
    backing = Intervals(low, high)
    return backed_bootstrap(
        values, members, backing, FEW.get(method, 0), resamples=resamples, level=level, seed=seed, method=method
    )


def backed_bootstrap(
    values: Floats,
    members: NDArray[np.bool_],
    backing: Intervals,
    few_enough: int,
    *,
    resamples: int,
    level: float,
    seed: int,
    method: Method,
) -> Intervals:
    """Bootstrap quantiles; widened to hold `backing` where few values differ, and `backing` alone where none does.

    values: [queries, metrics]. members: bool [slices, queries]. The result: float64 [slices, metrics]. few_enough: it
    is few when fewer than this many queries are off the slice's most common value. Raises ValueError for a level or a
    method that is none, and for too few resamples.
    """
    if method not in FEW:
        raise ValueError(f"found method {method!r}, expected 'percentile' or 'bca'")
    _check_level(level)
    if resamples < LEAST_RESAMPLES:
        raise ValueError(f"found {resamples} resamples, expected at least {LEAST_RESAMPLES}; 10000 is usual")
    centre = means(values, members)
    few, none = _differing(values, members, few_enough)
    low, high = backing.low.copy(), backing.high.copy()
    for part in exact_sums(values, members, POISSON, resamples=resamples, seed=seed):
        for place, number in enumerate(range(part.slices.start, part.slices.stop)):
            rows = np.flatnonzero(members[number])
            if none[number].all():
                continue
            lower, upper = _quantiles(part, place, values[rows], centre[number], level, method)
            backed, keep = few[number], none[number]
            lower = np.minimum(np.where(backed, np.minimum(lower, low[number]), lower), centre[number])
            upper = np.maximum(np.where(backed, np.maximum(upper, high[number]), upper), centre[number])
            low[number] = np.where(keep, low[number], lower)
            high[number] = np.where(keep, high[number], upper)
    return Intervals(low.round(DECIMALS), high.round(DECIMALS))


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"found level {level}, expected a number between 0 and 1 such as 0.95")


def _differing(
    values: Floats, members: NDArray[np.bool_], few_enough: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether fewer than few_enough, and whether none, of the values differ from the slice's most common one.

    Both bool [slices, metrics].
    """
    few = np.ones((len(members), values.shape[1]), np.bool_)
    none = few.copy()
    for number, rows in enumerate(rows_of(members)):
        if not len(rows):
            continue
        column = np.sort(values[rows], axis=0)
        none[number] = column[0] == column[-1]
        # The most common value fills all places but few_enough - 1 if some value meets itself that many places on.
        apart = len(rows) - few_enough
        few[number] = (column[:few_enough] == column[apart:]).any(axis=0) if apart >= 0 else True
    return few, none


def _quantiles(
    part: ExactSums, place: int, values: Floats, centre: Floats, level: float, method: Method
) -> tuple[Floats, Floats]:
    """Both ends of the metrics of one slice; values: float64 [members, metrics]."""
    drawn = part.weights[place] > 0
    sums, weights = part.sums[place], part.weights[place]
    if not drawn.all():
        sums, weights = sums[:, drawn], weights[drawn]
    ratios = np.divide(sums, weights, dtype=np.float64)
    observed = part.totals[place] / len(values)
    tails = np.repeat([[(1 - level) / 2], [(1 + level) / 2]], len(centre), axis=1)
    if method == "bca":
        under = (ratios < observed[:, None]).mean(axis=1) + (ratios == observed[:, None]).mean(axis=1) / 2
        tails = _bca_tails(tails, under, _acceleration(values - centre))
    ratios.sort(axis=1)
    places = tails * (ratios.shape[1] - 1)
    left = np.floor(places).astype(np.int64)
    right = np.minimum(left + 1, ratios.shape[1] - 1)
    metrics = np.arange(len(centre))
    found = ratios[metrics, left] + (ratios[metrics, right] - ratios[metrics, left]) * (places - left)
    # Holding values in steps rounds them; what that took from the mean is given back.
    low, high = found / part.steps[place] + (centre - observed / part.steps[place])
    least, most = values.min(axis=0), values.max(axis=0)
    return np.clip(low, least, most), np.clip(high, least, most)


def _acceleration(off: Floats) -> Floats:
    squares = np.add.reduce(off**2, axis=0)
    skewed: Floats = np.divide(
        np.add.reduce(off**3, axis=0), 6 * squares**1.5, out=np.zeros_like(squares), where=squares > 0
    )
    return skewed


def _bca_tails(tails: Floats, under: Floats, acceleration: Floats) -> Floats:
    """Which quantiles to take instead: Efron 1987, with the share of resamples below the mean, ties halved."""
    from scipy.special import ndtr, ndtri

    bias = ndtri(np.clip(under, 1e-4, 1 - 1e-4))
    shifted = bias + ndtri(tails)
    adjusted: Floats = ndtr(bias + shifted / np.maximum(1 - acceleration * shifted, 1e-9))
    return adjusted
