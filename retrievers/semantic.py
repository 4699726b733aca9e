"""Exact search by inner product over an embedder's vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Embedder, Index, NonFiniteScore, Passages, Query, Rankings, RetrievalError, Vectors

_MARGIN = 32
_TOLERANCE = 1e-5
_CHUNK_BYTES = 64_000_000
_BLOCK_BYTES = 4_000_000


@dataclass(frozen=True)
class Semantic:
    """Ranks passages by the inner product of their vector with the query's, over the whole corpus.

    faiss finds candidates in single precision; their scores are then computed again in double precision,
    so that batch size and threads cannot change a ranking. A query with the zero vector (an empty text)
    ranks nothing, and a passage with the zero vector is never returned.
    """

    embedder: Embedder

    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("faiss-cpu",)

    def build_vectors(self, passage_vectors: Vectors) -> Index:
        """Index float32 [passages, dimensions]. Raises RetrievalError for a value that is not finite."""
        vectors = _checked(passage_vectors, "passage")
        rows = np.flatnonzero(vectors.any(axis=1)).astype(np.int32)
        longest = float(np.sqrt(np.einsum("ij,ij->i", vectors, vectors).max(initial=0.0)))
        kept = vectors if len(rows) == len(vectors) else vectors[rows]
        return Index({"vectors": kept, "rows": rows}, {"longest": longest})

    def search_vectors(self, index: Index, query_vectors: Vectors, depth: int) -> Rankings:
        """Rank for each row of float32 [queries, dimensions].

        Raises NonFiniteScore for a value that is not finite, RetrievalError for other dimensions than the index has.
        """
        queries = _checked(query_vectors, "query")
        vectors, rows = index.arrays["vectors"], index.arrays["rows"]
        asked = np.flatnonzero(queries.any(axis=1))
        if not len(vectors) or not len(asked) or depth < 1:
            return Rankings(np.zeros(len(queries) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))
        if queries.shape[1] != vectors.shape[1]:
            raise RetrievalError(
                f"semantic: query vectors have {queries.shape[1]} dimensions, passage vectors {vectors.shape[1]}"
            )
        numbers: list[NDArray[np.int64]] = []
        found: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float64]] = []
        for number, candidates in _candidates(vectors, queries, asked, depth, index.meta["longest"]):
            numbers.append(np.repeat(number, candidates.shape[1]))
            found.append(candidates.ravel())
            scores.append(_exact(vectors, queries[number], candidates).ravel())
        return Rankings.canonical(
            np.concatenate(numbers),
            rows[np.concatenate(found)],
            np.concatenate(scores),
            n_queries=len(queries),
            depth=depth,
        )

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Embed, index and rank in one go."""
        index = self.build_vectors(self.embedder.encode(passages.texts, kind="passage"))
        vectors = self.embedder.encode([query.text for query in queries], kind="query")
        return self.search_vectors(index, vectors, depth)


def _candidates(
    vectors: Vectors, queries: Vectors, asked: NDArray[np.int64], depth: int, longest: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield query numbers [n] and the positions [n, width] that must hold each one's best `depth` vectors."""
    import faiss

    # Single precision errs by less than this, so a vector below the last candidate cannot be among the best.
    slack = _TOLERANCE * longest * np.linalg.norm(queries, axis=1)
    width = min(depth + _MARGIN, len(vectors))
    while len(asked):
        step = max(1, _CHUNK_BYTES // (12 * width))
        unsure: list[NDArray[np.int64]] = []
        for start in range(0, len(asked), step):
            numbers = asked[start : start + step]
            scores, positions = faiss.knn(queries[numbers], vectors, width, metric=faiss.METRIC_INNER_PRODUCT)
            sure = np.ones(len(numbers), bool)
            if width < len(vectors):
                sure = scores[:, depth - 1] - scores[:, -1] > slack[numbers]
                unsure.append(numbers[~sure])
            yield numbers[sure], positions[sure]
        asked = np.concatenate(unsure) if unsure else asked[:0]
        width = min(2 * width, len(vectors))


def _exact(vectors: Vectors, queries: Vectors, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the inner products, float64 like `positions` [queries, width], each computed by itself."""
    owners = np.repeat(np.arange(len(queries)), positions.shape[1])
    flat = positions.ravel()
    scores = np.empty(len(flat))
    step = max(1, _BLOCK_BYTES // (16 * vectors.shape[1]))
    for start in range(0, len(flat), step):
        part = slice(start, start + step)
        products = vectors[flat[part]].astype(np.float64) * queries[owners[part]]
        scores[part] = products.sum(axis=1)
    return scores.reshape(positions.shape)


def _checked(vectors: Vectors, kind: str) -> Vectors:
    checked = np.ascontiguousarray(vectors, np.float32)
    if checked.ndim != 2:
        raise RetrievalError(f"semantic: {kind} vectors have shape {checked.shape}, expected [count, dimensions]")
    bad = np.flatnonzero(~np.isfinite(checked).all(axis=1))
    if len(bad) and kind == "query":
        raise NonFiniteScore(int(bad[0]), float("nan"))
    if len(bad):
        raise RetrievalError(
            f"semantic: {len(bad)} of {len(checked)} {kind} vectors hold NaN or infinity, "
            f"the first at position {bad[0] + 1}; mend the embedder"
        )
    return checked
