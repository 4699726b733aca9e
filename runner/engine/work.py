"""What a worker process does: pure functions of their arguments, which travel by pickle.

Nothing here opens the cache or MLflow; what it returns, the planning process keeps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Embedder, Index, Passages, Query, Rankings, Reranker, RetrievalError, Scores, Vectors
from runner.engine.failure import kind_of
from runner.engine.output_checks import index_in, numbers_in, rankings_in

# Every component gets copies of its own: in one process it would otherwise change what others read.


def build_index(retriever: Any, passages: Passages) -> Index:
    """Index the passages with an `Indexing` retriever."""
    return index_in(retriever, kind_of(retriever), retriever.build(passages))


def embed(embedder: Embedder, texts: Sequence[str], kind: str) -> Vectors:
    """Embed texts, float32 [texts, dimensions]; kind is query or passage.

    Raises RetrievalError for a wrong shape or a non-finite value.
    """
    whose = f"the embedder {kind_of(embedder)}"
    found = numbers_in(whose, embedder.encode(list(texts), kind=kind), np.float32, "float32 [texts, dimensions]")
    if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
        raise RetrievalError(f"{whose} returned shape {found.shape} for {len(texts)} texts; expected one row a text")
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        raise RetrievalError(f"{whose} returned a non-finite vector for the {kind} {texts[bad[0]][:60]!r}")
    return found


def build_vectors(retriever: Any, vectors: Vectors) -> Index:
    """Index the passages' vectors with a `Vectorial` retriever."""
    return index_in(retriever, kind_of(retriever), retriever.build_vectors(vectors))


def rank(name: str, retriever: Any, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
    """Rank with a retriever that has only the one method; read lists or Rankings."""
    found = retriever.retrieve(passages, list(queries), depth)
    return rankings_in(name, found, queries, len(passages), depth, passages)


def search(name: str, retriever: Any, index: Index, queries: Sequence[Query], depth: int, size: int) -> Rankings:
    """Search an index of so many passages."""
    return rankings_in(name, retriever.search(index, list(queries), depth), queries, size, depth)


def search_vectors(
    name: str, retriever: Any, index: Index, vectors: Vectors, queries: Sequence[Query], depth: int, size: int
) -> Rankings:
    """Search an index of so many passages' vectors; vectors are those of the queries."""
    return rankings_in(name, retriever.search_vectors(index, vectors.copy(), depth), queries, size, depth)


def combine(
    name: str, retriever: Any, sources: Mapping[str, Rankings], queries: Sequence[Query], depth: int, size: int
) -> Rankings:
    """Fuse the rankings of the sources."""
    return rankings_in(name, retriever.combine(_copies(sources), depth), queries, size, depth)


def candidates(
    name: str, retriever: Any, sources: Mapping[str, Rankings], queries: Sequence[Query], size: int
) -> Rankings:
    """The pool that a retriever over other rankings looks at, in its own order."""
    found = retriever.candidates(_copies(sources))
    rankings_in(name, found, queries, size, size)
    candidates: Rankings = found
    return candidates


def score_pairs(
    reranker: Reranker, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]
) -> Scores:
    """Score pairs of positions in queries and passages, int64 [pairs, 2]: float64 [pairs].

    Raises RetrievalError for a wrong shape or a bad score.
    """
    whose = f"the reranker {kind_of(reranker)}"
    found = reranker.score(list(queries), list(passages), pairs.copy())
    scores = numbers_in(whose, found, np.float64, "float64 [pairs]")
    if scores.shape != (len(pairs),):
        raise RetrievalError(f"{whose} returned shape {scores.shape} for {len(pairs)} pairs; expected one score a pair")
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        query, passage = pairs[bad[0]]
        raise RetrievalError(
            f"{whose} scored {scores[bad[0]]} for the query {queries[query][:60]!r} "
            f"and the passage {passages[passage][:60]!r}; scores must be finite"
        )
    return scores


def rescore(
    name: str,
    retriever: Any,
    sources: Mapping[str, Rankings],
    pairs: Scores,
    queries: Sequence[Query],
    depth: int,
    size: int,
) -> Rankings:
    """Rank the candidates of a reranked retriever by their pair scores."""
    return rankings_in(name, retriever.rescore(_copies(sources), pairs.copy(), depth), queries, size, depth)


def _copies(sources: Mapping[str, Rankings]) -> dict[str, Rankings]:
    return {
        name: Rankings(found.offsets.copy(), found.rows.copy(), found.scores.copy()) for name, found in sources.items()
    }
