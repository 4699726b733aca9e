"""Which texts of two sets have wording in common: found by runs of three words, never by comparing all with all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.changes.tokens import numbers

# A run of words that more texts have than this says nothing about which of them belongs to which.
_MOST_TEXTS = 30
# Of all that share something with a text, those that share most; one that is nearest to another is kept as well.
_MOST_NEAR = 10
_RUN = 3
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)

Codes = NDArray[np.uint64]


def runs_of(encoded: str) -> Codes:
    """A number for every distinct run of three words, sorted; a shorter text is one run."""
    words = numbers(encoded)
    if len(words) < _RUN:
        words = np.concatenate((words, np.zeros(_RUN - len(words), np.uint64)))
    windows = np.lib.stride_tricks.sliding_window_view(words, _RUN)
    mixed = windows[:, 0] * _MULTIPLIERS[0]
    for column in (1, 2):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MULTIPLIERS[column] + windows[:, column]
    return np.unique(mixed)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Positions of old and new texts that share runs."""

    old: NDArray[np.int64]
    new: NDArray[np.int64]


def near_pairs(old: Sequence[Codes], new: Sequence[Codes], old_block: Sequence[int], new_block: Sequence[int]) -> Pairs:
    """The pairs that share a run which is rare among all texts, or rare within the block that both belong to.

    Blocks are numbers, such as those of documents; a negative one is none.
    """
    found = []
    for blocked in (False, True):
        left = _incidence(old, old_block if blocked else None)
        right = _incidence(new, new_block if blocked else None)
        found.append(_shared(left, right))
    both = np.unique(np.concatenate(found), axis=0)
    return Pairs(both[:, 0], both[:, 1])


def _incidence(texts: Sequence[Codes], block: Sequence[int] | None) -> tuple[Codes, NDArray[np.int64]]:
    rows = np.repeat(np.arange(len(texts)), [len(codes) for codes in texts])
    codes = np.concatenate(texts) if len(texts) else np.zeros(0, np.uint64)
    if block is not None:
        blocks = np.asarray(block, np.int64)[rows]
        rows, codes = rows[blocks >= 0], codes[blocks >= 0]
        codes = codes ^ (blocks[blocks >= 0].astype(np.uint64) * _MULTIPLIERS[1])
    return codes, rows


def _shared(left: tuple[Codes, NDArray[np.int64]], right: tuple[Codes, NDArray[np.int64]]) -> NDArray[np.int64]:
    from scipy.sparse import csr_array

    known, columns = np.unique(np.concatenate((left[0], right[0])), return_inverse=True)
    halves = columns[: len(left[0])], columns[len(left[0]) :]
    counts = [np.bincount(half, minlength=len(known)) for half in halves]
    telling = (counts[0] > 0) & (counts[1] > 0) & (np.maximum(*counts) <= _MOST_TEXTS)
    sides = []
    for half, (_, rows) in zip(halves, (left, right), strict=True):
        kept = telling[half]
        size = (int(rows.max()) + 1 if len(rows) else 0, len(known))
        sides.append(csr_array((np.ones(kept.sum(), np.int32), (rows[kept], half[kept])), shape=size))
    product = (sides[0] @ sides[1].T).tocoo()
    old, new = (np.asarray(each, np.int64) for each in product.coords)
    near = _nearest(old, new, product.data) | _nearest(new, old, product.data)
    return np.stack((old[near], new[near]), axis=1)


def _nearest(side: NDArray[np.int64], other: NDArray[np.int64], shared: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which pairs are among the nearest few of their text on one side."""
    order = np.lexsort((other, -shared, side))
    ordered = side[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    near = np.zeros(len(order), bool)
    near[order] = rank < _MOST_NEAR
    return near
