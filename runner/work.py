"""What a worker process does: pure functions of their arguments, which travel by pickle.

Nothing here opens the cache or MLflow; what it returns, the planning process keeps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.base import (
    Embedder,
    Index,
    NonFiniteScore,
    Passages,
    Query,
    Rankings,
    Reranker,
    RetrievalError,
    Scores,
    Vectors,
)


def build_index(retriever: Any, passages: Passages) -> Index:
    """Index the passages with an `Indexing` retriever."""
    index: Index = retriever.build(passages)
    return index


def embed(embedder: Embedder, texts: Sequence[str], kind: str) -> Vectors:
    """Embed texts; kind is query or passage. Raises RetrievalError for a wrong shape or a non-finite value."""
    vectors = np.asarray(embedder.encode(texts, kind=kind), np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise RetrievalError(
            f"the embedder returned shape {vectors.shape} for {len(texts)} texts; expected one row a text"
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise RetrievalError(f"the embedder returned a non-finite vector for the {kind} {texts[bad[0]][:60]!r}")
    return vectors


def rank(name: str, retriever: Any, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
    """Rank with a retriever that has only the one method; read lists or Rankings."""
    result = retriever.retrieve(passages, queries, depth)
    if len(result) != len(queries):
        raise RetrievalError(
            f"{name} returned {len(result)} rankings for {len(queries)} queries; expected one a query, in order"
        )
    try:
        if isinstance(result, Rankings):
            return Rankings.canonical(
                result.query_numbers(), result.rows, result.scores, n_queries=len(queries), depth=depth
            )
        return Rankings.from_lists(result, passages, depth)
    except NonFiniteScore as error:
        raise _name_query(name, queries, error) from None


def search(name: str, retriever: Any, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
    """Search an index."""
    try:
        rankings: Rankings = retriever.search(index, queries, depth)
    except NonFiniteScore as error:
        raise _name_query(name, queries, error) from None
    return rankings


def search_vectors(
    name: str, retriever: Any, index: Index, vectors: Vectors, queries: Sequence[Query], depth: int
) -> Rankings:
    """Search an index of vectors; vectors are those of the queries."""
    try:
        rankings: Rankings = retriever.search_vectors(index, vectors, depth)
    except NonFiniteScore as error:
        raise _name_query(name, queries, error) from None
    return rankings


def combine(
    name: str, retriever: Any, sources: Mapping[str, Rankings], queries: Sequence[Query], depth: int
) -> Rankings:
    """Fuse the rankings of the sources."""
    try:
        rankings: Rankings = retriever.combine(sources, depth)
    except NonFiniteScore as error:
        raise _name_query(name, queries, error) from None
    return rankings


def score_pairs(
    reranker: Reranker, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]
) -> Scores:
    """Score pairs of positions in queries and passages. Raises RetrievalError for a wrong shape or a bad score."""
    scores = np.asarray(reranker.score(queries, passages, pairs), np.float64)
    if scores.shape != (len(pairs),):
        raise RetrievalError(
            f"the reranker returned shape {scores.shape} for {len(pairs)} pairs; expected one score a pair"
        )
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        query, passage = pairs[bad[0]]
        raise RetrievalError(
            f"the reranker scored {scores[bad[0]]} for the query {queries[query][:60]!r} "
            f"and the passage {passages[passage][:60]!r}; scores must be finite"
        )
    return scores


def rescore(
    name: str, retriever: Any, sources: Mapping[str, Rankings], pairs: Scores, queries: Sequence[Query], depth: int
) -> Rankings:
    """Rank the candidates of a reranked retriever by their pair scores."""
    try:
        rankings: Rankings = retriever.rescore(sources, pairs, depth)
    except NonFiniteScore as error:
        raise _name_query(name, queries, error) from None
    return rankings


def _name_query(name: str, queries: Sequence[Query], error: NonFiniteScore) -> RetrievalError:
    query = queries[error.query_number]
    return RetrievalError(
        f"{name} gave the score {error.score} to a passage for query {query.id!r} ({query.text[:60]!r}); "
        "scores must be finite numbers"
    )
