"""Asks any retriever, of whichever return form, and gives back `Rankings`."""

from collections.abc import Sequence

from retrievers.base import Passages, Query, Rankings, RetrievalError, Retriever


def ranked(retriever: Retriever, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
    """Return the retriever's rankings, cut at depth.

    Raises RetrievalError where it answers another number of queries, or names an unknown passage.
    """
    found = retriever.retrieve(passages, queries, depth)
    if len(found) != len(queries):
        raise RetrievalError(
            f"{type(retriever).__name__}: found {len(found)} rankings for {len(queries)} queries, expected one each"
        )
    if isinstance(found, Rankings):
        return found.cut(depth)
    return Rankings.from_lists(found, passages, depth)
