"""Rankings and vectors as the bytes that the cache holds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Vectors


def pack_ranking(depth: int, rows: NDArray[np.int32], scores: NDArray[np.float64]) -> bytes:
    """One query's ranking as bytes; depth is how far it was asked to go, so that a short one is known complete."""
    return np.int32(depth).tobytes() + rows.astype("<i4").tobytes() + scores.astype("<f8").tobytes()


def unpack_ranking(value: bytes) -> tuple[int, NDArray[np.int32], NDArray[np.float64]]:
    """The depth, the rows, int32 [results], and the scores, float64 [results], of `pack_ranking`."""
    count = (len(value) - 4) // 12
    depth = int(np.frombuffer(value, "<i4", 1)[0])
    return depth, np.frombuffer(value, "<i4", count, 4), np.frombuffer(value, "<f8", count, 4 + 4 * count)


def pack_vector(vector: Vectors) -> bytes:
    """One vector as bytes."""
    return vector.astype("<f4").tobytes()


def unpack_vectors(values: Sequence[bytes]) -> Vectors:
    """Vectors of equal length as float32 [values, dimensions]."""
    if not values:
        return np.zeros((0, 0), np.float32)
    return np.frombuffer(b"".join(values), "<f4").reshape(len(values), -1).astype(np.float32, copy=False)
