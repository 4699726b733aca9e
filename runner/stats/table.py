"""The input of every statistic: per-query values and who is in which slice, checked once."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Sums of fractions can end a few units of the last place over 1.
_ROUNDING = 1e-9


def checked(values: Floats, members: NDArray[np.bool_], lowest: float, highest: float) -> Floats:
    """Values as float64 [queries, metrics]; members must be bool [slices, queries].

    Raises ValueError for shapes that do not fit and for a value that is NaN, infinite or out of bounds,
    naming the first such query and metric by position.
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 2 or members.ndim != 2 or members.shape[1] != len(values):
        raise ValueError(
            f"expected values [queries, metrics] and members [slices, queries], "
            f"found {values.shape} and {members.shape}"
        )
    if members.dtype != np.bool_:
        raise ValueError(f"members must be bool, found {members.dtype}; use Slices.members")
    wrong = ~((values >= lowest - _ROUNDING) & (values <= highest + _ROUNDING))
    if wrong.any():
        query, metric = (int(place) for place in np.argwhere(wrong)[0])
        raise ValueError(
            f"query {query}, metric {metric}: found {values[query, metric]}, expected a number from {lowest:g} to "
            f"{highest:g} ({int(wrong.sum())} such values); mend the metric, a missing value is no score"
        )
    return np.clip(values, lowest, highest)


def rows_of(members: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    """The positions of each slice's queries, intp [queries of the slice], ascending."""
    for member in members:
        yield np.flatnonzero(member)


def means(values: Floats, members: NDArray[np.bool_]) -> Floats:
    """Mean of each slice and metric, float64 [slices, metrics]; 0 for an empty slice, which callers leave out.

    Added up row by row, not by BLAS, so that the last digit is the same on every machine.
    """
    out = np.zeros((len(members), values.shape[1]))
    for number, rows in enumerate(rows_of(members)):
        if len(rows):
            out[number] = np.add.reduce(values[rows], axis=0) / len(rows)
    return out
