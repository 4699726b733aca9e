"""Random weights of queries: Poisson counts for the bootstrap, coins for the sign-flip test.

One matrix of weights serves all metrics and slices, since the weights of one query do not depend on another's
(Hanley and MacGibbon 2006, "Creating non-parametric bootstrap samples using Poisson frequencies"). The same seed gives
the same weights on every machine; more resamples only append columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import SFC64, BitGenerator, SeedSequence
from numpy.typing import NDArray

Weights = NDArray[np.floating[Any]]
# A random source, and the first and one past the last of the queries that it serves.
Stream = tuple[BitGenerator, int, int]

# Resamples and queries drawn at once. Both shape the random stream: another number means other intervals.
RESAMPLES_A_BLOCK = 128
QUERIES_A_BLOCK = 2048

# How many of 65,536 equally likely draws give 0, 1, 2 ...: 65,536 / (e x!) rounded, which happens to add up.
# Mean 1.00005 and variance 1.0002; the ratio sum(w v) / sum(w) does not see the difference from 1.
_POISSON_CELLS = (24109, 24109, 12055, 4018, 1005, 201, 33, 5, 1)
_POISSON_TABLE = np.repeat(np.arange(len(_POISSON_CELLS), dtype=np.float32), _POISSON_CELLS)


@dataclass(frozen=True)
class Draw:
    """A law of weights.

    block: draws the weights of n queries, [n, RESAMPLES_A_BLOCK]. largest_sum: what the weights of n queries
    never add up to more than, which decides how finely values can be held in an exact sum.
    """

    block: Callable[[BitGenerator, int], Weights]
    largest_sum: Callable[[int], float]
    dtype: type[np.floating[Any]]


def _poisson_block(source: BitGenerator, n: int) -> Weights:
    raw = source.random_raw(n * RESAMPLES_A_BLOCK // 4).astype("<u8", copy=False).view("<u2")
    return _POISSON_TABLE.take(raw).reshape(n, RESAMPLES_A_BLOCK)


def _poisson_sum(n: int) -> float:
    # Ten standard deviations over the mean (chance below 1e-18), or every weight at its largest.
    return min((len(_POISSON_CELLS) - 1.0) * n, n + 10 * sqrt(n) + 10)


def _coin_block(source: BitGenerator, n: int) -> Weights:
    raw = source.random_raw(n * RESAMPLES_A_BLOCK // 64).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(raw).reshape(n, RESAMPLES_A_BLOCK).astype(np.float64)


POISSON = Draw(_poisson_block, _poisson_sum, np.float32)
COINS = Draw(_coin_block, float, np.float64)


def sources(n: int, seed: int) -> list[Stream]:
    """A random source for each block of queries.

    Only the raw words of the bit generator are used: numpy promises those never change (NEP 19).
    """
    return [
        (SFC64(SeedSequence([seed, number])), start, min(start + QUERIES_A_BLOCK, n))
        for number, start in enumerate(range(0, n, QUERIES_A_BLOCK))
    ]
