"""What a worker process does: pure functions of their arguments, which travel by pickle.

Nothing here opens the cache or MLflow; what it returns, the planning process keeps.
"""

from collections.abc import Callable, Mapping, Sequence
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


def build_vectors(retriever: Any, vectors: Vectors) -> Index:
    """Index the passages' vectors with a `Vectorial` retriever."""
    index: Index = retriever.build_vectors(vectors)
    return index


def rank(name: str, retriever: Any, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
    """Rank with a retriever that has only the one method; read lists or Rankings."""

    def ask() -> Rankings:
        result = retriever.retrieve(passages, queries, depth)
        if len(result) != len(queries):
            raise _wrong_count(name, len(result), queries)
        if isinstance(result, Rankings):
            return Rankings.canonical(
                result.query_numbers(), result.rows, result.scores, n_queries=len(queries), depth=depth
            )
        return Rankings.from_lists(result, passages, depth)

    return _checked(name, queries, ask)


def search(name: str, retriever: Any, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
    """Search an index."""
    return _checked(name, queries, lambda: retriever.search(index, queries, depth))


def search_vectors(
    name: str, retriever: Any, index: Index, vectors: Vectors, queries: Sequence[Query], depth: int
) -> Rankings:
    """Search an index of vectors; vectors are those of the queries."""
    return _checked(name, queries, lambda: retriever.search_vectors(index, vectors, depth))


def combine(
    name: str, retriever: Any, sources: Mapping[str, Rankings], queries: Sequence[Query], depth: int
) -> Rankings:
    """Fuse the rankings of the sources."""
    return _checked(name, queries, lambda: retriever.combine(sources, depth))


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
    return _checked(name, queries, lambda: retriever.rescore(sources, pairs, depth))


def _checked(name: str, queries: Sequence[Query], ask: Callable[[], Rankings]) -> Rankings:
    """Return what is asked for, if it is one ranking a query with finite scores; else name retriever and query."""
    try:
        rankings = ask()
    except NonFiniteScore as error:
        raise _bad_score(name, queries[error.query_number], error.score) from None
    if len(rankings) != len(queries):
        raise _wrong_count(name, len(rankings), queries)
    bad = np.flatnonzero(~np.isfinite(rankings.scores))
    if len(bad):
        raise _bad_score(name, queries[rankings.query_numbers()[bad[0]]], rankings.scores[bad[0]])
    return rankings


def _wrong_count(name: str, found: int, queries: Sequence[Query]) -> RetrievalError:
    return RetrievalError(
        f"{name} returned {found} rankings for {len(queries)} queries; expected one a query, in order"
    )


def _bad_score(name: str, query: Query, score: float) -> RetrievalError:
    return RetrievalError(
        f"{name} gave the score {score} to a passage for query {query.id!r} ({query.text[:60]!r}); "
        "scores must be finite numbers"
    )
