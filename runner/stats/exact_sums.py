"""Weighted sums of all slices and metrics over many resamples, exact, hence the same on every machine.

Floating-point sums depend on the order of adding, which BLAS changes with the processor and the number of
threads. So each value is held as a whole number of steps of 2^-bits, with as many bits as the mantissa allows
for the largest possible sum: then every partial sum is a whole number, nothing is ever rounded, and the order
does not matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from runner.stats.resampling import RESAMPLES_A_BLOCK, Draw, Stream, Weights, sources
from runner.stats.table import Floats, rows_of

# Rows of a result held at once: 2,048 x 10,000 x 8 bytes = 164 MB.
_MOST_ROWS = 2048


@dataclass(frozen=True)
class ExactSums:
    """What the resamples of some slices add up to.

    slices: which ones. sums: [slices, metrics, resamples], in steps. weights: [slices, resamples], the sum of the
    weights. Both are whole numbers, held in float32 where that is exact, else in float64. totals: float64
    [slices, metrics], the sum with every weight 1, in steps. steps: float64 [slices], how many steps make 1.
    """

    slices: slice
    sums: Weights
    weights: Weights
    totals: Floats
    steps: Floats


@dataclass(frozen=True)
class _Part:
    """The members of one slice in one block of queries; the last row of `held` is all ones."""

    slice_: int
    rows: NDArray[np.intp]
    held: Weights


def exact_sums(
    values: Floats, members: NDArray[np.bool_], draw: Draw, *, resamples: int, seed: int
) -> Iterator[ExactSums]:
    """Sum weight x value over the queries of each slice, for each metric and resample.

    values: float64 [queries, metrics] between -1 and 1. members: bool [slices, queries]. All slices and metrics
    share the weights of a resample. Comes in groups of slices, so that memory stays bounded.
    """
    at_once = max(1, _MOST_ROWS // (values.shape[1] + 1))
    for start in range(0, len(members), at_once):
        group = slice(start, min(start + at_once, len(members)))
        yield _sums_of(group, values, members[group], draw, resamples, seed)


def _sums_of(
    group: slice, values: Floats, members: NDArray[np.bool_], draw: Draw, resamples: int, seed: int
) -> ExactSums:
    from threadpoolctl import threadpool_limits

    n, metrics = values.shape
    streams = sources(n, seed)
    steps = np.array(
        [_steps(len(rows), members, streams, number, draw) for number, rows in enumerate(rows_of(members))]
    )
    parts = [_parts(values, members, steps, start, end, draw) for _, start, end in streams]
    totals = np.zeros((len(members), metrics))
    for part in (part for block in parts for part in block):
        totals[part.slice_] += part.held[:-1].sum(axis=1, dtype=np.float64)
    # One block of queries fits the narrower mantissa; several add up to more.
    sums = np.zeros((len(members), metrics + 1, resamples), draw.dtype if len(streams) == 1 else np.float64)
    largest = max((len(part.rows) for block in parts for part in block), default=0)
    drawn = np.empty((largest, RESAMPLES_A_BLOCK), draw.dtype)  # used again and again: fresh memory is slow
    # The products are small: more threads would only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        for first in range(0, resamples, RESAMPLES_A_BLOCK):
            out = sums[:, :, first : first + RESAMPLES_A_BLOCK]
            for (source, start, end), block in zip(streams, parts, strict=True):
                weights = draw.block(source, end - start)
                for part in block:
                    chosen = weights.take(part.rows, axis=0, out=drawn[: len(part.rows)], mode="clip")
                    out[part.slice_] += (part.held @ chosen)[:, : out.shape[2]]
    return ExactSums(group, sums[:, :-1], sums[:, -1], totals, steps)


def _steps(size: int, members: NDArray[np.bool_], streams: list[Stream], number: int, draw: Draw) -> float:
    """The largest power of two that keeps the sums of a block in its mantissa, and of the slice in 53 bits."""
    most = max((int(members[number, start:end].sum()) for _, start, end in streams), default=0)
    in_block = np.finfo(draw.dtype).nmant + 1 - ceil(log2(draw.largest_sum(most) + 1))
    in_total = 53 - ceil(log2(draw.largest_sum(size) + 1))
    return float(2.0 ** min(in_block, in_total))


def _parts(values: Floats, members: NDArray[np.bool_], steps: Floats, start: int, end: int, draw: Draw) -> list[_Part]:
    parts = []
    for number, rows in enumerate(rows_of(members[:, start:end])):
        if len(rows):
            held = np.ones((values.shape[1] + 1, len(rows)), draw.dtype)
            held[:-1] = np.rint(values[start + rows].T * steps[number])
            parts.append(_Part(number, rows, held))
    return parts
