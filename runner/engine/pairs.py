"""Scores of query-passage pairs: what is known of them, and what a reranker still has to score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Query, Rankings, Scores
from runner.engine.cache import Cache, pair_key, text_key
from runner.engine.parts import Part, space_of


@dataclass(frozen=True)
class PairBatch:
    """Texts and the pairs of their positions to score, int64 [pairs, 2]."""

    queries: Sequence[str]
    passages: Sequence[str]
    pairs: NDArray[np.int64]


class PairBook:
    """Pair scores of any number of rerankers, keyed by the two texts, whatever pool they came from."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, dict[bytes, float]] = defaultdict(dict)

    def missing(self, reranker: Part, wanted: Mapping[str, set[int]], texts: Sequence[str]) -> dict[str, list[int]]:
        """Which of the wanted rows each query text still lacks a score for; texts are those of the passages."""
        known = self._known[space_of(reranker)]
        row_keys = {row: text_key(texts[row]) for row in set().union(*wanted.values())} if wanted else {}
        keys: dict[bytes, tuple[str, int]] = {}
        for query, rows in wanted.items():
            query_key = text_key(query)
            keys |= {pair_key(query_key, row_keys[row]): (query, row) for row in sorted(rows)}
        if reranker.key is not None:
            stored = self._cache.get(space_of(reranker), [key for key in keys if key not in known])
            known.update({key: float(np.frombuffer(value, "<f8")[0]) for key, value in stored.items()})
        rest: dict[str, list[int]] = defaultdict(list)
        for key, (query, row) in keys.items():
            if key not in known:
                rest[query].append(row)
        return rest

    def keep(self, reranker: Part, batch: PairBatch, scores: Scores) -> None:
        """Take in the scores of a batch, float64 [pairs]."""
        query_keys = [text_key(text) for text in batch.queries]
        passage_keys = [text_key(text) for text in batch.passages]
        keys = [pair_key(query_keys[query], passage_keys[passage]) for query, passage in batch.pairs.tolist()]
        self._known[space_of(reranker)].update(zip(keys, scores.tolist(), strict=True))
        if reranker.identity is not None:
            items = ((key, np.float64(score).tobytes()) for key, score in zip(keys, scores, strict=True))
            self._cache.put(space_of(reranker), "pairs", reranker.identity, items)

    def of(self, reranker: Part, queries: Sequence[Query], candidates: Rankings, texts: Sequence[str]) -> Scores:
        """The score of every candidate, float64 aligned with the entries of candidates; all must be known."""
        known = self._known[space_of(reranker)]
        row_keys = {int(row): text_key(texts[row]) for row in np.unique(candidates.rows)}
        query_keys = [text_key(query.text) for query in queries]
        entries = zip(candidates.query_numbers().tolist(), candidates.rows.tolist(), strict=True)
        return np.array([known[pair_key(query_keys[query], row_keys[row])] for query, row in entries], np.float64)


def batch_pairs(missing: Mapping[str, Sequence[int]], texts: Sequence[str], size: int) -> list[PairBatch]:
    """Cut missing pairs into batches of so many queries, each with only the passages it needs."""
    queries = list(missing)
    batches = []
    for start in range(0, len(queries), size):
        part = queries[start : start + size]
        rows = sorted({row for query in part for row in missing[query]})
        position = {row: number for number, row in enumerate(rows)}
        pairs = [(number, position[row]) for number, query in enumerate(part) for row in missing[query]]
        batches.append(PairBatch(part, [texts[row] for row in rows], np.array(pairs, np.int64).reshape(-1, 2)))
    return batches
