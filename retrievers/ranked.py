"""Asks any retriever, of whichever kind and return form, and gives back `Rankings`."""

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from retrievers.base import (
    Combining,
    Index,
    Indexing,
    Passages,
    Query,
    Rankings,
    Rescoring,
    RetrievalError,
    Retriever,
    Vectorial,
)

T = TypeVar("T")
# What was made of passages, by the id of their object, as long as that lives; within, by who made it, kept too.
_made: dict[int, dict[int, tuple[object, Any]]] = {}
_lock = threading.Lock()


def ranked(retriever: Retriever, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
    """Return the retriever's rankings, cut at depth. An index is built once for the same passages, not once a call.

    Raises RetrievalError where it answers another number of queries, or names an unknown passage.
    """
    if isinstance(retriever, Combining | Rescoring):
        found: Any = from_sources(retriever, passages, queries, depth)
    elif isinstance(retriever, Vectorial):
        index = made_once(retriever, passages, lambda: _index_of_vectors(retriever, passages))
        vectors = retriever.embedder.encode([query.text for query in queries], kind="query")
        found = retriever.search_vectors(index, vectors, depth)
    elif isinstance(retriever, Indexing):
        index = made_once(retriever, passages, lambda: retriever.build(passages))
        found = retriever.search(index, queries, depth)
    else:
        found = retriever.retrieve(passages, queries, depth)
    if len(found) != len(queries):
        raise RetrievalError(
            f"{type(retriever).__name__}: found {len(found)} rankings for {len(queries)} queries, expected one each"
        )
    if isinstance(found, Rankings):
        return found.cut(depth)
    return Rankings.from_lists(found, passages, depth)


def made_once(owner: object, passages: Passages, make: Callable[[], T]) -> T:
    """Return what an owner makes of passages, made at the first call and kept until the passages go."""
    with _lock:
        if id(passages) not in _made:
            _made[id(passages)] = {}
            weakref.finalize(passages, _made.pop, id(passages), None)
        by_owner = _made[id(passages)]
        known = by_owner.get(id(owner))
    if known is None:
        known = by_owner[id(owner)] = owner, make()
    made: T = known[1]
    return made


def from_sources(
    retriever: Combining | Rescoring, passages: Passages, queries: Sequence[Query], depth: int
) -> Rankings:
    """Ask each source as deep as it is read, have the pool's pairs scored where there is a reranker, and rank."""
    depths = retriever.source_depths
    rankings = {name: ranked(source, passages, queries, depths[name]) for name, source in retriever.sources.items()}
    if isinstance(retriever, Combining):
        return retriever.combine(rankings, depth)
    candidates = retriever.candidates(rankings)
    rows, positions = np.unique(candidates.rows, return_inverse=True)
    pairs = np.stack((candidates.query_numbers(), positions.astype(np.int64)), axis=1)
    texts = [passages.texts[row] for row in rows]
    scores = retriever.reranker.score([query.text for query in queries], texts, pairs)
    return retriever.rescore(rankings, scores, depth)


def _index_of_vectors(retriever: Vectorial, passages: Passages) -> Index:
    return retriever.build_vectors(retriever.embedder.encode(passages.texts, kind="passage"))
