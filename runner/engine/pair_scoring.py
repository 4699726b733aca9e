"""Pair scores of a plan: every pair that any reranked stage of a level looks at, scored once."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Query, Rankings, Rescoring, Scores
from runner.engine import work
from runner.engine.cache import Cache, pair_key, text_key
from runner.engine.components import Component, space_of
from runner.engine.failure import kind_of
from runner.engine.parallel import Done, Task
from runner.engine.plan import Stage
from runner.engine.workers import WorkerPool
from runner.rendering.progress import Bars

_RERANKED_A_TASK = 32


@dataclass(frozen=True)
class PairBatch:
    """Texts and the pairs of their positions to score, int64 [pairs, 2]."""

    queries: Sequence[str]
    passages: Sequence[str]
    pairs: NDArray[np.int64]


class PairScoreStore:
    """Pair scores of any number of rerankers, keyed by the two texts, whatever pool they came from."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, dict[bytes, float]] = defaultdict(dict)

    def missing(
        self, reranker: Component, wanted: Mapping[str, set[int]], texts: Sequence[str]
    ) -> dict[str, list[int]]:
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

    def keep(self, reranker: Component, batch: PairBatch, scores: Scores) -> None:
        """Take in the scores of a batch, float64 [pairs]."""
        query_keys = [text_key(text) for text in batch.queries]
        passage_keys = [text_key(text) for text in batch.passages]
        keys = [pair_key(query_keys[query], passage_keys[passage]) for query, passage in batch.pairs.tolist()]
        self._known[space_of(reranker)].update(zip(keys, scores.tolist(), strict=True))
        if reranker.identity is not None:
            items = ((key, np.float64(score).tobytes()) for key, score in zip(keys, scores, strict=True))
            self._cache.put(space_of(reranker), "pairs", reranker.identity, items)

    def of(self, reranker: Component, queries: Sequence[Query], candidates: Rankings, texts: Sequence[str]) -> Scores:
        """The score of every candidate, float64 [entries of candidates], in their order; all must be known."""
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


class PairScoring:
    """Scores pairs and hands them out; pools of different size share theirs."""

    def __init__(self, workers: WorkerPool, cache: Cache) -> None:
        self._workers = workers
        self._pairs = PairScoreStore(cache)

    def of(self, stage: Stage, queries: Sequence[Query]) -> Scores:
        """The score of each candidate of these queries, float64 [entries of the stage's candidates], in their order."""
        candidates = stage.candidates(queries, stage.depth)
        return self._pairs.of(_reranker(stage), queries, candidates, stage.snapshot.passages_for_retrieval().texts)

    def score(self, stages: Sequence[Stage]) -> None:
        """Score each pair that any of these stages looks at once, whichever pools it is in."""
        wanted: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        users: dict[tuple[str, str], list[Stage]] = defaultdict(list)
        for stage in stages:
            missing = [stage.queries[key] for key in stage.missing]
            if isinstance(stage.component.object, Rescoring) and self._workers.look(stage, missing):
                group = (space_of(_reranker(stage)), stage.snapshot.id)
                users[group].append(stage)
                for query in missing:
                    wanted[group][query.text].update(stage.candidates_of[stage.query_key(query)].rows.tolist())
        tasks: list[Task] = []
        for group, by_query in wanted.items():
            texts = users[group][0].snapshot.passages_for_retrieval().texts
            reranker = _reranker(users[group][0])
            for batch in batch_pairs(self._pairs.missing(reranker, by_query, texts), texts, _RERANKED_A_TASK):
                arguments = (reranker.object, batch.queries, batch.passages, batch.pairs)
                component = kind_of(reranker.object)
                tasks.append(Task((group, reranker, batch), work.score_pairs, arguments, len(batch.pairs), component))
        totals: Counter[tuple[str, str]] = Counter()
        for task in tasks:
            totals[task.owner[0]] += task.units
        labels = {group: f"{_reranker(users[group][0]).name} pairs" for group in totals}
        with Bars((group, labels[group], total) for group, total in totals.items()) as bars:
            for task, done in self._workers.run(tasks):
                group, reranker, batch = task.owner
                self._keep_pairs(users[group], reranker, batch, done)
                bars.advance(group, task.units)

    def _keep_pairs(self, users: Sequence[Stage], reranker: Component, batch: PairBatch, done: Done) -> None:
        usable = [self._workers.succeeded(stage, done) for stage in users]
        if done.error is None and any(usable):
            self._workers.counts.pairs += len(batch.pairs)
            self._pairs.keep(reranker, batch, done.value)


def _reranker(stage: Stage) -> Component:
    return stage.component.of_object(stage.component.object.reranker)
