"""Late interaction over static token vectors: each query token meets its nearest passage token."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Scores, Vectors
from retrievers.embedders.static import StaticVectors, TokenIds
from retrievers.embedders.wordllama import WordLlama

# Whole numbers up to this, in double precision: products and their sums stay below 2**53, thus exact in
# any order, so that neither the batch nor the BLAS can change a score. It costs about 3e-8 of a cosine.
_SCALE = float(2**24)
_TOKENS_AT_ONCE = 512
_ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class LateInteraction:
    """Scores a pair by the mean, over the query's tokens, of the best cosine to any token of the passage.

    The MaxSim of Khattab and Zaharia, "ColBERT", SIGIR 2020, over vectors that know no context: weaker
    than BM25 by itself, and of use in a mix. A repeated query token counts as often. A pair in which
    either text has no token scores 0. Texts are used whole, however long.
    """

    embedding: WordLlama

    version: ClassVar[int] = 1

    @property
    def model_id(self) -> str:
        """The name of the vectors."""
        return f"late-interaction/{self.embedding.model_id}"

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        """Return float64 [pairs], from -1 to 1; pairs is int64 [pairs, 2] of positions in the two lists."""
        scores = np.zeros(len(pairs))
        if not len(pairs):
            return scores
        static = self.embedding.static()
        order = np.argsort(pairs[:, 0], kind="stable")
        asked, starts = np.unique(pairs[order, 0], return_index=True)
        used, columns = np.unique(pairs[order, 1], return_inverse=True)
        query_tokens = static.tokens([queries[number] for number in asked])
        passage_tokens = static.distinct_tokens([passages[number] for number in used])
        ends = np.append(starts[1:], len(order))
        for group in _groups(query_tokens):
            spans = [slice(starts[number], ends[number]) for number in group]
            near = _Nearness(
                _whole(static),
                np.unique(np.concatenate([query_tokens[number] for number in group])),
                np.unique(np.concatenate([passage_tokens[column] for span in spans for column in set(columns[span])])),
            )
            for number, span in zip(group, spans, strict=True):
                scores[order[span]] = near.scores(query_tokens[number], [passage_tokens[c] for c in columns[span]])
        return scores


class _Nearness:
    """Every cosine between some queries' tokens and some passages' tokens, as exact whole numbers."""

    def __init__(self, whole: Vectors, rows: TokenIds, columns: TokenIds) -> None:
        self._products = whole[rows].astype(np.float64) @ whole[columns].astype(np.float64).T
        self._row_of = _places(rows, len(whole))
        self._column_of = _places(columns, len(whole))

    def scores(self, query: TokenIds, passages: list[TokenIds]) -> Scores:
        """Return the score of one query's tokens with each passage's distinct tokens."""
        scores = np.zeros(len(passages))
        filled = np.flatnonzero([len(tokens) for tokens in passages])
        if not len(query) or not len(filled):
            return scores
        columns = self._column_of[np.concatenate([passages[number] for number in filled])]
        begins = np.cumsum([0, *(len(passages[number]) for number in filled[:-1])])
        tokens, counts = np.unique(query, return_counts=True)
        totals = np.zeros(len(filled), np.int64)
        for start in range(0, len(tokens), _TOKENS_AT_ONCE):
            part = slice(start, start + _TOKENS_AT_ONCE)
            found = self._products[self._row_of[tokens[part]]].take(columns, axis=1)
            best = np.maximum.reduceat(found, begins, axis=1).astype(np.int64)
            totals += (counts[part, None] * best).sum(axis=0)
        scores[filled] = totals / (len(query) * _SCALE * _SCALE)
        return scores


def _groups(query_tokens: list[TokenIds]) -> Iterator[range]:
    """Yield ranges of queries with some hundred tokens together, so that one product serves many queries."""
    start = held = 0
    for number, tokens in enumerate(query_tokens):
        if number > start and held + len(tokens) > _TOKENS_AT_ONCE:
            yield range(start, number)
            start, held = number, 0
        held += len(tokens)
    yield range(start, len(query_tokens))


def _places(tokens: TokenIds, size: int) -> NDArray[np.int64]:
    places = np.zeros(size, np.int64)
    places[tokens] = np.arange(len(tokens))
    return places


@lru_cache(maxsize=2)
def _whole(static: StaticVectors) -> Vectors:
    """Return the unit vectors times _SCALE in whole numbers, which float32 holds exactly up to 2**24."""
    whole = np.empty(static.table.shape, np.float32)
    for start in range(0, len(whole), _ROWS_AT_ONCE):
        rows = static.table[start : start + _ROWS_AT_ONCE].astype(np.float64)
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        whole[start : start + _ROWS_AT_ONCE] = np.rint(rows / np.where(lengths == 0, 1.0, lengths) * _SCALE)
    return whole
