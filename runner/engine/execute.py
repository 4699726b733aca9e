"""Bring every stage of a plan to completion: read the cache, compute what is missing in workers, store it.

Level by level: leaves first get their vectors and indexes, then all stages of a level are ranked side by
side; pairs are scored before the stages that read them. Results are stored as they arrive, so that a
sweep that is stopped loses no more than the tasks under way.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from retrievers.base import Combining, Indexing, Query, Rankings, Rescoring, Vectorial
from runner.engine import work
from runner.engine.cache import Cache, CacheMiss
from runner.engine.codec import pack_ranking, unpack_ranking
from runner.engine.components import digest
from runner.engine.failure import described, kind_of
from runner.engine.indexing import IndexBuilder
from runner.engine.latency import time_queries
from runner.engine.measurement_store import MeasurementStore
from runner.engine.measurements import Measured
from runner.engine.pair_scoring import PairScoring
from runner.engine.parallel import Task, Workers
from runner.engine.plan import Plan, Stage
from runner.engine.workers import Counts, WorkerPool, guarded
from runner.errors import RunnerError
from runner.rendering.progress import Bars

_QUERIES_A_TASK = 256


def look_up(plan: Plan, cache: Cache) -> None:
    """Fill every stage with the rankings the cache holds for it; nothing is computed."""
    for stage in plan.stages:
        if stage.identity is None:
            continue
        for key, value in cache.get(digest(stage.identity), stage.missing).items():
            depth, rows, scores = unpack_ranking(value)
            # A ranking that stopped short of its depth has everything, however deep the request.
            if depth >= stage.depth or len(rows) < depth:
                stage.held[key] = Rankings(np.array([0, len(rows)], np.int64), rows, scores).cut(stage.depth)
        stage.cached = len(stage.held)


class StageError(RunnerError):
    """A stage that a job needs could not be computed."""


class Executor:
    """Runs the stages of one plan. A stage that fails carries its error; the others go on."""

    def __init__(self, plan: Plan, cache: Cache, workers: Workers) -> None:
        self._plan = plan
        self._cache = cache
        self._workers = WorkerPool(workers, MeasurementStore(cache))
        self._index_builder = IndexBuilder(self._workers, cache)
        self._pairs = PairScoring(self._workers, cache)

    @property
    def counts(self) -> Counts:
        """What has been computed so far."""
        return self._workers.counts

    def run(self, checkpoint: Callable[[], object] = lambda: None) -> None:
        """Complete the stages level by level, and time those of a level when it is done, here and one by one.

        checkpoint: called after the first level's indexes; what it raises ends the work before most of it is done.
        The cache must have been looked up. Raises CacheMiss when the cache is all there may be.
        """
        if self._cache.mode == "only":
            _refuse_misses(self._plan, self._cache)
        levels: dict[int, list[Stage]] = defaultdict(list)
        for stage in self._plan.stages:
            levels[stage.level].append(stage)
        for _, stages in sorted(levels.items()):
            for stage in stages:
                failed = next((source for source in stage.sources.values() if source.error), None)
                stage.error = failed.error if failed else stage.error
            self._index_builder.prepare(_unfinished(stages))
            if _unfinished(stages):
                checkpoint()
            self._pairs.score(_unfinished(stages))
            self._rank(_unfinished(stages))
            self._time(stages)

    def measured(self, stage: Stage) -> Measured | None:
        """What was measured when this stage was computed, now or in an earlier sweep."""
        return self._workers.measurements.measured(stage)

    def candidates(self, stage: Stage, queries: Sequence[Query], depth: int) -> Rankings:
        """What a stage looked at: see `Stage.candidates`. Raises StageError where that fails."""
        unseen = [query for query in queries if stage.query_key(query) not in stage.candidates_of]
        if (
            isinstance(stage.component.object, Combining | Rescoring)
            and unseen
            and not self._workers.look(stage, unseen)
        ):
            raise StageError(stage.error)
        return stage.candidates(queries, depth)

    def _rank(self, stages: Sequence[Stage]) -> None:
        tasks = [task for stage in stages for task in guarded(stage, lambda stage: list(self._ranking_tasks(stage)))]
        with Bars((id(stage), stage.component.name, len(stage.missing)) for stage in stages) as bars:
            for task, done in self._workers.run(tasks):
                stage, keys = task.owner
                if self._workers.succeeded(stage, done):
                    self._keep_rankings(stage, keys, done.value)
                bars.advance(id(stage), task.units)

    def _time(self, stages: Sequence[Stage]) -> None:
        """Time what is complete, one stage after the other, and enter its facts."""
        measurements, tasks = self._workers.measurements, []
        for stage in stages:
            try:
                timing = measurements.to_time(stage, partial(self._index_builder.index_of, stage), stage.latency)
            except Exception as error:
                _warn_untimed(stage, described(error, kind_of(stage.component.object)))
                timing = None
            if timing is None:
                measurements.finish(stage)
            else:
                tasks.append(Task(stage, time_queries, (timing,), component=kind_of(stage.component.object)))
        for task, done in self._workers.run(tasks, one_by_one=True):
            if done.error is not None:
                # Its rankings are complete: they are not thrown away because it fails when asked once more.
                _warn_untimed(task.owner, done.error)
            measurements.finish(task.owner, done.value)

    def _ranking_tasks(self, stage: Stage) -> Iterator[Task]:
        function, arguments = self._ranking_work(stage)
        keys = stage.missing
        # Only the retriever itself knows what it does once a call, so it gets all its queries at once.
        size = len(keys) if function is work.rank else _QUERIES_A_TASK
        for start in range(0, len(keys), size):
            batch = keys[start : start + size]
            yield Task((stage, batch), function, arguments(batch), len(batch), kind_of(stage.component.object))

    def _ranking_work(self, stage: Stage) -> tuple[Callable[..., Any], Callable[[Sequence[bytes]], tuple[Any, ...]]]:
        """The worker's function for this kind of retriever, and what it is given for some of the queries."""
        name, retriever, depth, size = (
            stage.component.name,
            stage.component.object,
            stage.depth,
            len(stage.snapshot.passages),
        )

        def of(keys: Sequence[bytes]) -> list[Any]:
            return [stage.queries[key] for key in keys]

        if isinstance(retriever, Rescoring):

            def rescoring(keys: Sequence[bytes]) -> tuple[Any, ...]:
                sources = stage.source_rankings(of(keys))
                return name, retriever, sources, self._pairs.of(stage, of(keys)), of(keys), depth, size

            return work.rescore, rescoring
        if isinstance(retriever, Combining):
            return work.combine, lambda keys: (name, retriever, stage.source_rankings(of(keys)), of(keys), depth, size)
        if isinstance(retriever, Vectorial):
            index, vectors = self._index_builder.index_of(stage), self._index_builder.query_vectors
            return work.search_vectors, lambda keys: (
                name,
                retriever,
                index,
                vectors(stage, of(keys)),
                of(keys),
                depth,
                size,
            )
        if isinstance(retriever, Indexing):
            index = self._index_builder.index_of(stage)
            return work.search, lambda keys: (name, retriever, index, of(keys), depth, size)
        passages = stage.snapshot.passages_for_retrieval()
        return work.rank, lambda keys: (name, retriever, passages, of(keys), depth)

    def _keep_rankings(self, stage: Stage, keys: Sequence[bytes], rankings: Rankings) -> None:
        items = []
        for number, key in enumerate(keys):
            rows, scores = rankings.one(number)
            stage.held[key] = Rankings(np.array([0, len(rows)], np.int64), rows, scores)
            items.append((key, pack_ranking(stage.depth, rows, scores)))
        self.counts.rankings[stage.component.name] += len(keys)
        if stage.identity is not None:
            self._cache.put(digest(stage.identity), "rankings", stage.identity, items)


def _warn_untimed(stage: Stage, error: str) -> None:
    warnings.warn(f"{stage.component.name} could not be timed: {error}", stacklevel=3)


def _unfinished(stages: Sequence[Stage]) -> list[Stage]:
    return [stage for stage in stages if stage.missing and not stage.error]


def _refuse_misses(plan: Plan, cache: Cache) -> None:
    """Raise CacheMiss for what would have to be computed, but for rankings that are only read from a local file."""
    never = [
        stage.component.name
        for stage in plan.stages
        if stage.missing and stage.identity is None and not _only_read(stage)
    ]
    if never:
        raise CacheMiss(f"cache=only, but results of {', '.join(never)} are never kept (cacheable = False)")
    lacking = [stage for stage in plan.stages if stage.missing and stage.identity is not None]
    lines = [f"{stage.component.name}: {len(stage.missing)} of {len(stage.queries)}" for stage in lacking]
    if lines:
        raise CacheMiss(f"cache=only, but {cache.path} lacks rankings ({'; '.join(lines)}); run once with cache=on")


def _only_read(stage: Stage) -> bool:
    """Whether a stage's rankings, or all that it is made of and keeps none of, come from files of the user's."""
    if stage.sources:
        return all(source.identity is not None or _only_read(source) for source in stage.sources.values())
    return bool(stage.component.declared.files())
