"""Bring every stage of a plan to completion: read the cache, compute what is missing in workers, store it.

Level by level: leaves first get their vectors and indexes, then all stages of a level are ranked side by
side; pairs are scored before the stages that read them. Results are stored as they arrive, so that a
sweep that is stopped loses no more than the tasks under way.
"""

import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from retrievers.base import Combining, Index, Indexing, Query, Rankings, Rescoring, Vectorial
from runner import work
from runner.cache import Cache, CacheMiss, pack_ranking, text_key, unpack_ranking
from runner.config import LatencySettings
from runner.facts import FactBook
from runner.index_store import IndexStore
from runner.measured import Measured
from runner.pairs import PairBatch, PairBook, batch_pairs
from runner.parallel import Done, Task, run_tasks
from runner.parts import Part, digest, space_of
from runner.plan import Plan, Stage
from runner.progress import Bars
from runner.vectors import VectorBook

T = TypeVar("T")
_TEXTS_A_TASK = 512
_QUERIES_A_TASK = 256
_RERANKED_A_TASK = 32


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


@dataclass
class Counts:
    """What was computed: rankings by stage name, embedded texts, scored pairs, built indexes."""

    rankings: Counter[str] = field(default_factory=Counter)
    embedded: int = 0
    pairs: int = 0
    indexes: int = 0


class Executor:
    """Runs the stages of one plan. A stage that fails carries its error; the others go on."""

    def __init__(self, plan: Plan, cache: Cache, n_jobs: int, backend: str) -> None:
        self._plan = plan
        self._cache = cache
        self._n_jobs = n_jobs
        self._backend = backend
        self._index_store = IndexStore(cache.directory / "indexes")
        self._indexes: dict[int, Index] = {}
        self._vectors = VectorBook(cache)
        self._pairs = PairBook(cache)
        self._facts = FactBook(cache)
        self.counts = Counts()

    def run(self, latency: LatencySettings) -> None:
        """Complete the stages level by level, and time those of a level when it is done, here and one by one.

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
            self._prepare(_unfinished(stages))
            self._score_pairs(_unfinished(stages))
            self._rank(_unfinished(stages))
            for stage in stages:
                self._facts.finish(stage, partial(self._index_of, stage), latency)

    def measured(self, stage: Stage) -> Measured | None:
        """What was measured when this stage was computed, now or in an earlier sweep."""
        return self._facts.measured(stage)

    # -- rankings ------------------------------------------------------------------------------------------

    def _rank(self, stages: Sequence[Stage]) -> None:
        tasks = [task for stage in stages for task in _guarded(stage, lambda stage: list(self._ranking_tasks(stage)))]
        with Bars((id(stage), stage.part.name, len(stage.missing)) for stage in stages) as bars:
            for task, done in run_tasks(tasks, self._n_jobs, self._backend):
                stage, keys = task.owner
                if self._succeeded(stage, done):
                    self._keep_rankings(stage, keys, done.value)
                bars.advance(id(stage), task.units)

    def _ranking_tasks(self, stage: Stage) -> Iterator[Task]:
        function, arguments = self._ranking_work(stage)
        keys = stage.missing
        # Only the retriever itself knows what it does once a call, so it gets all its queries at once.
        size = len(keys) if function is work.rank else _QUERIES_A_TASK
        for start in range(0, len(keys), size):
            batch = keys[start : start + size]
            yield Task((stage, batch), function, arguments(batch), len(batch))

    def _ranking_work(self, stage: Stage) -> tuple[Callable[..., Any], Callable[[Sequence[bytes]], tuple[Any, ...]]]:
        """The worker's function for this kind of retriever, and what it is given for some of the queries."""
        name, retriever, depth = stage.part.name, stage.part.object, stage.depth
        passages = stage.snapshot.passages_for_retrieval()

        def of(keys: Sequence[bytes]) -> list[Any]:
            return [stage.queries[key] for key in keys]

        if isinstance(retriever, Rescoring):
            reranker = stage.part.of_object(retriever.reranker)

            def rescoring(keys: Sequence[bytes]) -> tuple[Any, ...]:
                sources = stage.source_rankings(of(keys))
                scores = self._pairs.of(reranker, of(keys), retriever.candidates(sources), passages.texts)
                return name, retriever, sources, scores, of(keys), depth

            return work.rescore, rescoring
        if isinstance(retriever, Combining):
            return work.combine, lambda keys: (name, retriever, stage.source_rankings(of(keys)), of(keys), depth)
        if isinstance(retriever, Vectorial):
            embedder = stage.part.of_object(retriever.embedder)
            index = self._indexes[id(stage)]
            return work.search_vectors, lambda keys: (
                name, retriever, index,
                self._vectors.of(embedder, "query", [query.text for query in of(keys)]), of(keys), depth,
            )  # fmt: skip
        if isinstance(retriever, Indexing):
            return work.search, lambda keys: (name, retriever, self._indexes[id(stage)], of(keys), depth)
        return work.rank, lambda keys: (name, retriever, passages, of(keys), depth)

    def _keep_rankings(self, stage: Stage, keys: Sequence[bytes], rankings: Rankings) -> None:
        items = []
        for number, key in enumerate(keys):
            rows, scores = rankings.one(number)
            stage.held[key] = Rankings(np.array([0, len(rows)], np.int64), rows, scores)
            items.append((key, pack_ranking(stage.depth, rows, scores)))
        self.counts.rankings[stage.part.name] += len(keys)
        if stage.identity is not None:
            self._cache.put(digest(stage.identity), "rankings", stage.identity, items)

    # -- indexes and vectors -------------------------------------------------------------------------------

    def _prepare(self, stages: Sequence[Stage]) -> None:
        """Have the index of every leaf at hand, computing in one go what several of them share."""
        leaves = [stage for stage in stages if _is_leaf(stage) and not self._open_index(stage)]
        # Indexes first: one long task started last would leave the other workers idle.
        tasks = [
            Task(stage, work.build_index, (stage.part.object, stage.snapshot.passages_for_retrieval()))
            for stage in leaves
            if not isinstance(stage.part.object, Vectorial)
        ]
        tasks += self._embedding_tasks([stage for stage in stages if isinstance(stage.part.object, Vectorial)])
        bars: dict[Any, tuple[str, int]] = {}
        for task in tasks:
            label, before = bars.get(_bar_key(task), (_bar_label(task), 0))
            bars[_bar_key(task)] = (label, before + task.units)
        seconds: dict[str, float] = defaultdict(float)
        with Bars((key, label, total) for key, (label, total) in bars.items()) as shown:
            for task, done in run_tasks(tasks, self._n_jobs, self._backend):
                if isinstance(task.owner, _Embedding):
                    self._keep_vectors(task.owner, done)
                    seconds[space_of(task.owner.embedder)] += done.seconds if task.owner.kind == "passage" else 0.0
                elif self._succeeded(task.owner, done):
                    self._keep_index(task.owner, done.value, done.seconds)
                shown.advance(_bar_key(task), task.units)
        for stage in leaves:
            if isinstance(stage.part.object, Vectorial) and not stage.error:
                embedder = stage.part.of_object(stage.part.object.embedder)
                vectors = self._vectors.of(embedder, "passage", stage.snapshot.passages_for_retrieval().texts)
                building = Task(stage, work.build_vectors, (stage.part.object, vectors))
                # Here and not in a worker: the vectors are here.
                for _, done in run_tasks([building], 1, self._backend):
                    if self._succeeded(stage, done):
                        self._keep_index(stage, done.value, seconds[space_of(embedder)] + done.seconds)

    def _embedding_tasks(self, stages: Sequence[Stage]) -> list[Task]:
        texts: dict[tuple[str, str], dict[bytes, str]] = defaultdict(dict)
        users: dict[str, list[Stage]] = defaultdict(list)
        embedders: dict[str, Part] = {}
        for stage in stages:
            embedder = stage.part.of_object(stage.part.object.embedder)
            space = space_of(embedder)
            embedders[space] = embedder
            users[space].append(stage)
            texts[space, "query"] |= {
                text_key(stage.queries[key].text): stage.queries[key].text for key in stage.missing
            }
            if id(stage) not in self._indexes:
                passages = stage.snapshot.passages_for_retrieval().texts
                texts[space, "passage"] |= {text_key(text): text for text in passages}
        tasks = []
        for (space, kind), by_key in texts.items():
            missing = self._vectors.missing(embedders[space], kind, by_key)
            for start in range(0, len(missing), _TEXTS_A_TASK):
                batch = missing[start : start + _TEXTS_A_TASK]
                owner = _Embedding(embedders[space], kind, batch, users[space])
                arguments = (embedders[space].object, [by_key[key] for key in batch], kind)
                tasks.append(Task(owner, work.embed, arguments, len(batch)))
        return tasks

    def _keep_vectors(self, embedding: "_Embedding", done: Done) -> None:
        usable = [self._succeeded(stage, done) for stage in embedding.users]
        if done.error is None and any(usable):
            self.counts.embedded += len(embedding.keys)
            self._vectors.keep(embedding.embedder, embedding.kind, embedding.keys, done.value)

    def _index_of(self, stage: Stage) -> Index | None:
        return self._indexes.get(id(stage)) if self._open_index(stage) else None

    def _open_index(self, stage: Stage) -> bool:
        if id(stage) not in self._indexes and stage.identity is not None and self._cache.reads:
            index = self._index_store.load(digest(stage.identity))
            if index is not None:
                self._indexes[id(stage)] = index
        return id(stage) in self._indexes

    def _keep_index(self, stage: Stage, index: Index, seconds: float) -> None:
        self.counts.indexes += 1
        self._indexes[id(stage)] = index
        self._facts.note_index(stage, index, seconds)
        if stage.identity is not None and self._cache.writes:
            self._index_store.save(digest(stage.identity), index)

    # -- pairs ---------------------------------------------------------------------------------------------

    def _score_pairs(self, stages: Sequence[Stage]) -> None:
        """Score each pair that any of these stages looks at once, whichever pools it is in."""
        wanted: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        users: dict[tuple[str, str], list[Stage]] = defaultdict(list)
        for stage in stages:
            for number, (query, rows) in enumerate(_guarded(stage, _candidates)):
                group = (space_of(_reranker(stage)), stage.snapshot.id)
                if number == 0:
                    users[group].append(stage)
                wanted[group][query.text].update(rows)
        tasks: list[Task] = []
        for group, by_query in wanted.items():
            texts = users[group][0].snapshot.passages_for_retrieval().texts
            reranker = _reranker(users[group][0])
            for batch in batch_pairs(self._pairs.missing(reranker, by_query, texts), texts, _RERANKED_A_TASK):
                arguments = (reranker.object, batch.queries, batch.passages, batch.pairs)
                tasks.append(Task((group, reranker, batch), work.score_pairs, arguments, len(batch.pairs)))
        totals: Counter[tuple[str, str]] = Counter()
        for task in tasks:
            totals[task.owner[0]] += task.units
        labels = {group: f"{_reranker(users[group][0]).name} pairs" for group in totals}
        with Bars((group, labels[group], total) for group, total in totals.items()) as bars:
            for task, done in run_tasks(tasks, self._n_jobs, self._backend):
                group, reranker, batch = task.owner
                self._keep_pairs(users[group], reranker, batch, done)
                bars.advance(group, task.units)

    def _keep_pairs(self, users: Sequence[Stage], reranker: Part, batch: PairBatch, done: Done) -> None:
        usable = [self._succeeded(stage, done) for stage in users]
        if done.error is None and any(usable):
            self.counts.pairs += len(batch.pairs)
            self._pairs.keep(reranker, batch, done.value)

    def _succeeded(self, stage: Stage, done: Done) -> bool:
        if done.error is not None and stage.error is None:
            stage.error, stage.trace = done.error, done.trace
        if stage.error is None:
            self._facts.note_work(stage, done)
        return stage.error is None


@dataclass(frozen=True, eq=False)
class _Embedding:
    """Whose texts a task embeds, and the stages that wait for them."""

    embedder: Part
    kind: str
    keys: Sequence[bytes]
    users: Sequence[Stage]


def _bar_key(task: Task) -> Any:
    return space_of(task.owner.embedder) if isinstance(task.owner, _Embedding) else id(task.owner)


def _bar_label(task: Task) -> str:
    return (
        f"{task.owner.embedder.name} vectors" if isinstance(task.owner, _Embedding) else f"{task.owner.part.name} index"
    )


def _reranker(stage: Stage) -> Part:
    return stage.part.of_object(stage.part.object.reranker)


def _candidates(stage: Stage) -> list[tuple[Query, list[int]]]:
    """The passages whose pairs with each missing query a reranked stage looks at."""
    if not isinstance(stage.part.object, Rescoring):
        return []
    queries = [stage.queries[key] for key in stage.missing]
    candidates = stage.part.object.candidates(stage.source_rankings(queries))
    return [(query, candidates.one(number)[0].tolist()) for number, query in enumerate(queries)]


def _guarded(stage: Stage, action: Callable[[Stage], list[T]]) -> list[T]:
    """Do what asks a retriever, maybe the user's own, in this process; its failure is this stage's alone."""
    try:
        return action(stage)
    except Exception as error:
        stage.error, stage.trace = str(error) or type(error).__name__, traceback.format_exc()
        return []


def _is_leaf(stage: Stage) -> bool:
    retriever = stage.part.object
    return isinstance(retriever, Vectorial | Indexing) and not isinstance(retriever, Combining | Rescoring)


def _unfinished(stages: Sequence[Stage]) -> list[Stage]:
    return [stage for stage in stages if stage.missing and not stage.error]


def _refuse_misses(plan: Plan, cache: Cache) -> None:
    """Raise CacheMiss for what would have to be computed, but for rankings that are only read from a local file."""
    never = [
        stage.part.name for stage in plan.stages if stage.missing and stage.identity is None and not _only_read(stage)
    ]
    if never:
        raise CacheMiss(f"cache=only, but results of {', '.join(never)} are never kept (cacheable = False)")
    lacking = [stage for stage in plan.stages if stage.missing and stage.identity is not None]
    lines = [f"{stage.part.name}: {len(stage.missing)} of {len(stage.queries)}" for stage in lacking]
    if lines:
        raise CacheMiss(f"cache=only, but {cache.path} lacks rankings ({'; '.join(lines)}); run once with cache=on")


def _only_read(stage: Stage) -> bool:
    """Whether a stage's rankings, or all that it is made of and keeps none of, come from files of the user's."""
    if stage.sources:
        return all(source.identity is not None or _only_read(source) for source in stage.sources.values())
    return bool(getattr(stage.part.object, "files", dict)())
