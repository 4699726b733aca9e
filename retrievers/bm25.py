"""BM25 over the terms of an analyzer, indexed by bm25s."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from retrievers.analyzer import Analyzer
from retrievers.base import Index, Passages, Query, Rankings, RetrievalError, Rows, Scores

METHODS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


@dataclass(frozen=True)
class BM25:
    """Ranks the passages that share a term with the query, by the sum of their BM25 term scores.

    method: one of METHODS, as bm25s defines them (Kamphuis et al., "Which BM25 do you mean?", ECIR 2020);
    delta counts in bm25l and bm25+ only. Only passages with a term of the query are candidates: a query
    with no known term ranks nothing, and a passage is never returned for its length alone. A term that
    the query repeats counts as often.

    Raises RetrievalError for a parameter outside its range.
    """

    analyzer: Analyzer
    k1: float = 1.5
    b: float = 0.75
    method: str = "lucene"
    delta: float = 0.5

    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("bm25s",)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise RetrievalError(f"bm25: method is {self.method!r}, expected one of {', '.join(METHODS)}")
        if not 0 <= self.b <= 1:
            raise RetrievalError(f"bm25: b is {self.b}, expected a number from 0 to 1")
        for name, value in (("k1", self.k1), ("delta", self.delta)):
            if not 0 <= value < float("inf"):
                raise RetrievalError(f"bm25: {name} is {value}, expected a finite number of at least 0")

    def build(self, passages: Passages) -> Index:
        """Index the passages: `data`, `indices`, `indptr` hold one column a term, in order of first use."""
        vocabulary: dict[str, int] = {}
        ids = [
            [vocabulary.setdefault(term, len(vocabulary)) for term in tokens]
            for tokens in self.analyzer.tokens_many(passages.texts)
        ]
        meta = {"passages": len(passages), "vocabulary": list(vocabulary)}
        if not vocabulary:
            nothing = np.zeros(0, np.float32)
            rows, starts = np.zeros(0, np.int32), np.zeros(1, np.int64)
            return Index({"data": nothing, "indices": rows, "indptr": starts, "absent": nothing}, meta)
        made = _library().BM25(k1=self.k1, b=self.b, method=self.method, delta=self.delta)
        made.index((ids, vocabulary), create_empty_token=False, show_progress=False)
        absent = made.nonoccurrence_array
        arrays = {name: np.asarray(made.scores[name]) for name in ("data", "indices", "indptr")}
        return Index({**arrays, "absent": np.zeros(0, np.float32) if absent is None else absent}, meta)

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
        """Rank for each query; a query's ranking depends neither on the others nor, but for its end, on depth."""
        if "terms" not in index.opened:
            index.opened["terms"] = {term: number for number, term in enumerate(index.meta["vocabulary"])}
        number_of = index.opened["terms"].get
        found: list[tuple[Rows, Scores]] = []
        for tokens in self.analyzer.tokens_many(query.text for query in queries):
            known = [number for number in map(number_of, tokens) if number is not None]
            found.append(_best(index, known, depth))
        return Rankings.canonical(
            np.repeat(np.arange(len(found)), [len(rows) for rows, _ in found]),
            np.concatenate([rows for rows, _ in found] or [np.zeros(0, np.int32)]),
            np.concatenate([scores for _, scores in found] or [np.zeros(0)]),
            n_queries=len(found),
            depth=depth,
        )

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Index and rank in one go."""
        return self.search(self.build(passages), queries, depth)


def _best(index: Index, terms: list[int], depth: int) -> tuple[Rows, Scores]:
    """Return `depth` rows (unordered; ties at the end by row) of the passages that hold a term, and their scores."""
    arrays = index.arrays
    spans = [slice(arrays["indptr"][term], arrays["indptr"][term + 1]) for term in terms]
    if not spans or depth < 1:
        return np.zeros(0, np.int32), np.zeros(0)
    postings = np.concatenate([arrays["indices"][span] for span in spans])
    # Summed in the order of the query's terms, in double precision, so that no other query matters.
    weights = np.concatenate([arrays["data"][span] for span in spans])
    totals: Scores = np.bincount(postings, weights, index.meta["passages"]).astype(np.float64, copy=False)
    held = np.zeros(len(totals), bool)
    held[postings] = True
    rows = np.flatnonzero(held)
    scores = totals[rows]
    if len(arrays["absent"]):
        scores = scores + float(np.sum(arrays["absent"][terms], dtype=np.float64))
    if len(rows) > depth:
        last = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        above = np.flatnonzero(scores > last)
        kept = np.concatenate((above, np.flatnonzero(scores == last)[: depth - len(above)]))
        rows, scores = rows[kept], scores[kept]
    return rows.astype(np.int32), scores


def _library() -> Any:
    import logging

    import bm25s

    # On import the library sets its logger to DEBUG, which would write a line an index into every run's log.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s
