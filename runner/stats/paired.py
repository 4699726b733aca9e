"""Two runs on the same queries: the interval of their difference, a randomisation test, who won, Holm."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runner.stats.exact_sums import exact_sums
from runner.stats.intervals import Intervals, Method, backed_bootstrap, wilson
from runner.stats.resampling import COINS
from runner.stats.table import Floats, checked, means, rows_of

# Differences closer than this are ties: scores are fractions of small numbers, sums of them differ by rounding.
TIE = 1e-12
# With fewer changed queries than this the bootstrap is backed, as no fewer can have p < 0.05 either.
FEW_CHANGES = 6
_MOST_SIGNS = 1 << 22


def paired_intervals(
    differences: Floats,
    members: NDArray[np.bool_],
    *,
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 13,
    method: Method = "percentile",
) -> Intervals:
    """Intervals of the mean difference of each slice and metric, by the bootstrap over queries.

    differences: float64 [queries, metrics] in [-1, 1], one run's scores minus the other's. members: bool
    [slices, queries].

    Where all or all but a few differences are the same (an A/A comparison has none that is not 0), the bootstrap
    cannot see changes that these queries happened not to show. There the interval is widened by the score
    intervals of the mean gain G and the mean loss L, which bound the chance of unseen changes, as Newcombe 1998
    (method 10) combines them: low = G - L - sqrt((G - G_low)^2 + (L_high - L)^2), high likewise. For n unchanged
    queries that is +- z^2 / (n + z^2): +-0.037 at 100 queries, and it holds 0.
    Raises ValueError for a value that is NaN or outside [-1, 1] and for settings out of range.
    """
    differences = _without_noise(checked(differences, members, -1.0, 1.0))
    sizes = np.broadcast_to(members.sum(axis=1)[:, None], (len(members), differences.shape[1]))
    gain, loss = (means(np.maximum(part, 0), members) for part in (differences, -differences))
    gain_low, gain_high = wilson(gain * sizes, sizes, level)
    loss_low, loss_high = wilson(loss * sizes, sizes, level)
    low = gain - loss - np.hypot(gain - gain_low, loss_high - loss)
    high = gain - loss + np.hypot(gain_high - gain, loss - loss_low)
    empty = sizes == 0
    backing = Intervals(np.where(empty, -1.0, np.maximum(low, -1)), np.where(empty, 1.0, np.minimum(high, 1)))
    return backed_bootstrap(
        differences, members, backing, FEW_CHANGES, resamples=resamples, level=level, seed=seed, method=method
    )


def _without_noise(differences: Floats) -> Floats:
    return np.where(np.abs(differences) < TIE, 0.0, differences)


def wins_ties_losses(differences: Floats, members: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Queries of each slice and metric with a difference over, at and under 0, int64 [slices, metrics, 3]."""
    differences = _without_noise(checked(differences, members, -1.0, 1.0))
    out = np.zeros((len(members), differences.shape[1], 3), np.int64)
    for number, rows in enumerate(rows_of(members)):
        signs = np.sign(differences[rows])
        for place, sign in enumerate((1, 0, -1)):
            out[number, :, place] = (signs == sign).sum(axis=0)
    return out


def paired_test(
    differences: Floats,
    members: NDArray[np.bool_],
    *,
    resamples: int = 10_000,
    seed: int = 13,
    exact_up_to: int = 16,
) -> Floats:
    """Two-sided p of each slice and metric: could the signs of the differences be chance?

    differences: float64 [queries, metrics] in [-1, 1]. Returns float64 [slices, metrics] in (0, 1].

    The randomisation (sign-flip) test of the mean: if the runs are exchangeable, each difference is as likely
    with the other sign (Fisher 1935; Smucker, Allan and Carterette 2007 for retrieval). With at most
    `exact_up_to` differences that are not 0 (at most 22) all sign patterns are counted; else `resamples` random
    ones, and p = (1 + as extreme) / (1 + resamples) (Phipson and Smyth 2010), never 0. No difference: p = 1.
    Raises ValueError for a value that is NaN or outside [-1, 1] and for settings out of range.
    """
    differences = _without_noise(checked(differences, members, -1.0, 1.0))
    if not 0 <= exact_up_to <= 22 or resamples < 1:
        raise ValueError(f"found exact_up_to {exact_up_to} and {resamples} resamples, expected 0 to 22 and at least 1")
    out = np.ones((len(members), differences.shape[1]))
    changed = np.array([np.count_nonzero(differences[rows], axis=0) for rows in rows_of(members)], np.int64).reshape(
        out.shape
    )
    for cells, found in _small_cells(differences, members, changed, exact_up_to):
        out[cells[:, 0], cells[:, 1]] = _exact_p(found)
    many = changed > exact_up_to
    wanted = np.flatnonzero(many.any(axis=1))
    for part in exact_sums(differences, members[wanted], COINS, resamples=resamples, seed=seed):
        for place, number in enumerate(wanted[part.slices]):
            # Heads keep the sign and tails turn it: the flipped sum is twice that of the heads minus the whole.
            flipped = np.abs(2 * part.sums[place] - part.totals[place][:, None])
            # Each difference is held to half a step, so sums that are equal can be this many steps apart.
            limit = np.abs(part.totals[place]) - 1 - changed[number]
            extreme = (flipped >= limit[:, None]).sum(axis=1)
            out[number] = np.where(many[number], (1 + extreme) / (1 + resamples), out[number])
    return out


def _small_cells(
    differences: Floats, members: NDArray[np.bool_], changed: NDArray[np.int64], exact_up_to: int
) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Cells (slice, metric) with the same small number of changed queries, and these changes [cells, changes]."""
    for size in range(1, exact_up_to + 1):
        cells = np.argwhere(changed == size)
        at_once = max(1, min(_MOST_SIGNS >> size, _MOST_SIGNS // max(len(differences), 1)))
        for start in range(0, len(cells), at_once):
            some = cells[start : start + at_once]
            columns = differences[:, some[:, 1]].T * members[some[:, 0]]
            yield some, columns[columns != 0].reshape(len(some), size)


def _exact_p(changes: Floats) -> Floats:
    """Share of all sign patterns whose sum is as far from 0 as the one found, float64 [cells]."""
    sums = changes[:, :1]  # the first sign stays: the other half of the patterns mirrors this one
    for place in range(1, changes.shape[1]):
        change = changes[:, place, None]
        sums = np.concatenate((sums + change, sums - change), axis=1)
    # The first pattern is the one found, all signs as they are.
    share: Floats = (np.abs(sums) >= np.abs(sums[:, :1]) - TIE).mean(axis=1)
    return share


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjusted p of all comparisons given, in their shape (Holm 1979).

    Give it only real comparisons, not a run with itself. Empty in, empty out.
    Raises ValueError for a p that is NaN or outside [0, 1].
    """
    given = np.asarray(p, np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("Holm's correction needs numbers from 0 to 1; leave out what was not compared")
    flat = given.ravel()
    order = np.argsort(flat, kind="stable")
    stepped = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1)) if len(flat) else flat
    out = np.empty_like(flat)
    out[order] = np.minimum(stepped, 1)
    return out.reshape(given.shape)
