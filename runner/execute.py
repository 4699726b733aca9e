"""Bring every stage of a plan to completion: read the cache, compute what is missing in workers, store it."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tqdm import tqdm

from retrievers.base import Combining, Index, Indexing, Query, Rankings, Rescoring, Scores, Vectorial, Vectors
from runner import work
from runner.cache import Cache, CacheMiss, pack_ranking, pack_vector, pair_key, text_key, unpack_ranking, unpack_vectors
from runner.index_store import IndexStore
from runner.latency import measure_latency
from runner.measured import Measured, where_and_when
from runner.parallel import Done, Task, peak_memory_bytes, run_tasks
from runner.parts import Part, digest
from runner.plan import Plan, Stage
from runner.config import LatencySettings

_TEXTS_A_TASK = 512
_QUERIES_A_TASK = 256
_RESCORED_A_TASK = 32


def look_up(plan: Plan, cache: Cache) -> None:
    """Fill every stage with the rankings the cache holds for it; nothing is computed."""
    for stage in plan.stages:
        if stage.identity is None:
            continue
        wanted = stage.missing
        for key, value in cache.get(digest(stage.identity), wanted).items():
            depth, rows, scores = unpack_ranking(value)
            # A ranking that stopped short of its depth has everything, however deep the request.
            if depth >= stage.depth or len(rows) < depth:
                stage.held[key] = Rankings(np.array([0, len(rows)], np.int64), rows, scores).cut(stage.depth)
        stage.cached = len(stage.held)


@dataclass
class Counts:
    """What a sweep computed: rankings by stage name, embedded texts, scored pairs and built indexes."""

    rankings: Counter[str] = field(default_factory=Counter)
    embedded: int = 0
    pairs: int = 0
    indexes: int = 0


class Executor:
    """Runs the stages of one plan level by level. Stages that fail carry their error; the others go on."""

    def __init__(self, plan: Plan, cache: Cache, n_jobs: int, backend: str, latency: LatencySettings) -> None:
        self.plan = plan
        self.cache = cache
        self.indexes = IndexStore(cache.directory / "indexes")
        self.n_jobs = n_jobs
        self.backend = backend
        self.latency = latency
        self.counts = Counts()
        self._opened: dict[int, Index] = {}
        self._vectors: dict[str, dict[bytes, Vectors]] = defaultdict(dict)
        self._pairs: dict[str, dict[bytes, float]] = defaultdict(dict)
        self._facts: dict[int, dict[str, Any]] = defaultdict(dict)

    def run(self) -> None:
        """Complete every stage, then time the new ones. Raises CacheMiss when the cache is all there may be."""
        look_up(self.plan, self.cache)
        if self.cache.mode == "only":
            self._refuse_misses()
        levels: dict[int, list[Stage]] = defaultdict(list)
        for stage in self.plan.stages:
            levels[stage.level].append(stage)
        for _, stages in sorted(levels.items()):
            self._settle_sources(stages)
            self._compute([stage for stage in stages if stage.missing and not stage.error])
        self._time_new_stages()

    def measured(self, stage: Stage) -> Measured | None:
        """What was measured when this stage was computed, now or in an earlier sweep."""
        if self._facts.get(id(stage)):
            return Measured.of(self._facts[id(stage)])
        if stage.identity is None:
            return None
        key = text_key(digest(stage.identity))
        value = self.cache.get("facts", [key]).get(key)
        return Measured.parse(value) if value else None

    # -- levels ------------------------------------------------------------------------------------------

    def _refuse_misses(self) -> None:
        lines = [f"{stage.part.name}: {len(stage.missing)} of {len(stage.queries)}" for stage in self.plan.stages if stage.missing]
        if lines:
            raise CacheMiss(f"cache=only, but rankings are not in {self.cache.path}: {'; '.join(lines)}; run once with cache=on")

    def _settle_sources(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            failed = next((source for source in stage.sources.values() if source.error), None)
            if failed is not None:
                stage.error = failed.error

    def _compute(self, stages: Sequence[Stage]) -> None:
        if not stages:
            return
        by_kind: dict[str, list[Stage]] = defaultdict(list)
        for stage in stages:
            by_kind[_kind(stage)].append(stage)
        self._prepare(by_kind["vectors"], by_kind["index"])
        with _Bars((stage.part.name, stage, len(stage.missing)) for stage in stages if not stage.error) as bars:
            self._score_pairs([stage for stage in by_kind["rescore"] if not stage.error])
            tasks = [task for stage in stages if not stage.error for task in self._ranking_tasks(stage)]
            for task, done in run_tasks(tasks, self.n_jobs, self.backend):
                stage, keys = task.owner
                if self._failed(stage, done):
                    continue
                self._keep_rankings(stage, keys, done.value)
                self._note(stage, done)
                bars.advance(stage, task.units)

    def _ranking_tasks(self, stage: Stage) -> Iterator[Task]:
        name, retriever, depth = stage.part.name, stage.part.object, stage.depth
        keys = stage.missing
        kind = _kind(stage)
        passages = stage.snapshot.passages_for_retrieval() if kind == "plain" else None
        size = len(keys) if kind == "plain" else max(_QUERIES_A_TASK, math.ceil(len(keys) / 64))
        for batch in _batches(keys, size):
            queries = [stage.queries[key] for key in batch]
            if kind == "plain":
                yield Task((stage, batch), work.rank, (name, retriever, passages, queries, depth), len(batch))
            elif kind == "index":
                arguments: tuple[Any, ...] = (name, retriever, self._opened[id(stage)], queries, depth)
                yield Task((stage, batch), work.search, arguments, len(batch))
            elif kind == "vectors":
                embedder = stage.part.of_object(retriever.embedder)
                vectors = self._vectors_of(embedder, "query", [query.text for query in queries])
                arguments = (name, retriever, self._opened[id(stage)], vectors, queries, depth)
                yield Task((stage, batch), work.search_vectors, arguments, len(batch))
            elif kind == "combine":
                arguments = (name, retriever, stage.source_rankings(queries), queries, depth)
                yield Task((stage, batch), work.combine, arguments, len(batch))
            else:
                sources = stage.source_rankings(queries)
                arguments = (name, retriever, sources, self._pair_scores_of(stage, queries, sources), queries, depth)
                yield Task((stage, batch), work.rescore, arguments, len(batch))

    def _keep_rankings(self, stage: Stage, keys: Sequence[bytes], rankings: Rankings) -> None:
        items = []
        for number, key in enumerate(keys):
            rows, scores = rankings.one(number)
            stage.held[key] = Rankings(np.array([0, len(rows)], np.int64), rows, scores)
            items.append((key, pack_ranking(stage.depth, rows, scores)))
        self.counts.rankings[stage.part.name] += len(keys)
        if stage.identity is not None:
            self.cache.put(digest(stage.identity), "rankings", stage.identity, items)

    # -- indexes and vectors -------------------------------------------------------------------------------

    def _prepare(self, vectorial: Sequence[Stage], indexing: Sequence[Stage]) -> None:
        """Have the index of every leaf at hand, computing in one go what several of them share."""
        wanted: dict[tuple[str, str], dict[bytes, str]] = defaultdict(dict)
        embedders: dict[str, Part] = {}
        users: dict[str, list[Stage]] = defaultdict(list)
        for stage in vectorial:
            embedder = stage.part.of_object(stage.part.object.embedder)
            space = _space(embedder)
            embedders[space] = embedder
            users[space].append(stage)
            queries = {text_key(stage.queries[key].text): stage.queries[key].text for key in stage.missing}
            wanted[space, "query"] |= queries
            if not self._open_index(stage):
                wanted[space, "passage"] |= {text_key(text): text for text in stage.snapshot.passages_for_retrieval().texts}
        tasks: list[Task] = []
        for (space, kind), texts in wanted.items():
            known = self._known_vectors(embedders[space], kind, list(texts))
            rest = [key for key in texts if key not in known]
            self.counts.embedded += len(rest)
            for batch in _batches(rest, _TEXTS_A_TASK):
                arguments = (embedders[space].object, [texts[key] for key in batch], kind)
                tasks.append(Task(("embed", space, kind, batch), work.embed, arguments, len(batch)))
        for stage in indexing:
            if not self._open_index(stage):
                arguments = (stage.part.object, stage.snapshot.passages_for_retrieval())
                tasks.append(Task(("index", stage), work.build_index, arguments))
        labels = [(f"{task.owner[1].part.name} index", task.owner, 1) for task in tasks if task.owner[0] == "index"]
        totals: dict[str, int] = defaultdict(int)
        for task in tasks:
            if task.owner[0] == "embed":
                totals[task.owner[1]] += task.units
        labels += [(f"{embedders[space].name} vectors", space, total) for space, total in totals.items()]
        seconds: dict[str, float] = defaultdict(float)
        with _Bars(labels) as bars:
            # Indexes first: one long task started last would leave the other workers idle.
            for task, done in run_tasks(sorted(tasks, key=lambda task: task.owner[0] == "embed"), self.n_jobs, self.backend):
                if task.owner[0] == "index":
                    stage = task.owner[1]
                    if not self._failed(stage, done):
                        self._keep_index(stage, done.value, done.seconds)
                        self._note(stage, done)
                    bars.advance(task.owner, 1)
                    continue
                _, space, kind, batch = task.owner
                for stage in users[space]:
                    if not self._failed(stage, done):
                        self._note(stage, done)
                if done.error is None:
                    self._keep_vectors(embedders[space], kind, batch, done.value)
                    seconds[space] += done.seconds if kind == "passage" else 0.0
                bars.advance(space, task.units)
        for stage in vectorial:
            if stage.error or id(stage) in self._opened:
                continue
            embedder = stage.part.of_object(stage.part.object.embedder)
            vectors = self._vectors_of(embedder, "passage", stage.snapshot.passages_for_retrieval().texts)
            self._keep_index(stage, stage.part.object.build_vectors(vectors), seconds[_space(embedder)])

    def _open_index(self, stage: Stage) -> bool:
        if id(stage) not in self._opened and stage.identity is not None and self.cache.reads:
            index = self.indexes.load(digest(stage.identity))
            if index is not None:
                self._opened[id(stage)] = index
        return id(stage) in self._opened

    def _keep_index(self, stage: Stage, index: Index, seconds: float) -> None:
        self.counts.indexes += 1
        self._opened[id(stage)] = index
        self._facts[id(stage)] |= {"index_build_seconds": seconds, "index_bytes": index.nbytes}
        if stage.identity is not None and self.cache.writes:
            self.indexes.save(digest(stage.identity), index)

    def _known_vectors(self, embedder: Part, kind: str, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        known = self._vectors[f"{_space(embedder)}-{kind}"]
        if embedder.key is not None:
            unread = [key for key in keys if key not in known]
            found = self.cache.get(f"{_space(embedder)}-{kind}", unread)
            known.update(zip(found, unpack_vectors(list(found.values())), strict=True))
        return known

    def _vectors_of(self, embedder: Part, kind: str, texts: Sequence[str]) -> Vectors:
        known = self._vectors[f"{_space(embedder)}-{kind}"]
        if not texts:
            return np.zeros((0, 0), np.float32)
        return np.stack([known[text_key(text)] for text in texts])

    def _keep_vectors(self, embedder: Part, kind: str, keys: Sequence[bytes], vectors: Vectors) -> None:
        space = f"{_space(embedder)}-{kind}"
        self._vectors[space].update(zip(keys, vectors, strict=True))
        if embedder.identity is not None:
            items = ((key, pack_vector(vector)) for key, vector in zip(keys, vectors, strict=True))
            self.cache.put(space, "vectors", embedder.identity, items)

    # -- pairs ---------------------------------------------------------------------------------------------

    def _score_pairs(self, stages: Sequence[Stage]) -> None:
        """Score each pair that any of these stages looks at, once, whichever pool it comes from."""
        wanted: dict[tuple[str, str], dict[bytes, set[int]]] = defaultdict(lambda: defaultdict(set))
        owners: dict[tuple[str, str], list[Stage]] = defaultdict(list)
        for stage in stages:
            space = _space(stage.part.of_object(stage.part.object.reranker))
            owners[space, stage.snapshot.id].append(stage)
            queries = [stage.queries[key] for key in stage.missing]
            candidates = stage.part.object.candidates(stage.source_rankings(queries))
            for number, query in enumerate(queries):
                wanted[space, stage.snapshot.id][stage.query_key(query)].update(candidates.one(number)[0].tolist())
        tasks: list[Task] = []
        for (space, snapshot_id), by_query in wanted.items():
            users = owners[space, snapshot_id]
            reranker = users[0].part.of_object(users[0].part.object.reranker)
            texts = users[0].snapshot.passages_for_retrieval().texts
            queries_by_key = {key: query for stage in users for key, query in stage.queries.items()}
            missing = self._missing_pairs(reranker, queries_by_key, by_query, texts)
            for batch in _batches(list(missing), _RESCORED_A_TASK):
                passages = sorted({row for key in batch for row in missing[key]})
                position = {row: number for number, row in enumerate(passages)}
                pairs = np.array(
                    [(number, position[row]) for number, key in enumerate(batch) for row in missing[key]], np.int64
                ).reshape(-1, 2)
                query_texts = [queries_by_key[key].text for key in batch]
                passage_texts = [texts[row] for row in passages]
                arguments = (reranker.object, query_texts, passage_texts, pairs)
                tasks.append(Task((reranker, users, query_texts, passage_texts, pairs), work.score_pairs, arguments, len(pairs)))
        totals: dict[int, int] = defaultdict(int)
        names: dict[int, str] = {}
        for task in tasks:
            totals[id(task.owner[0])] += task.units
            names[id(task.owner[0])] = f"{task.owner[0].name} pairs"
        with _Bars((names[key], key, total) for key, total in totals.items()) as bars:
            for task, done in run_tasks(tasks, self.n_jobs, self.backend):
                reranker, users, query_texts, passage_texts, pairs = task.owner
                failed = [self._failed(stage, done) for stage in users]
                if not any(failed):
                    self._keep_pairs(reranker, query_texts, passage_texts, pairs, done.value)
                    for stage in users:
                        self._note(stage, done)
                bars.advance(id(reranker), task.units)

    def _missing_pairs(
        self, reranker: Part, queries: dict[bytes, Query], wanted: dict[bytes, set[int]], texts: Sequence[str]
    ) -> dict[bytes, list[int]]:
        known = self._pairs[_space(reranker)]
        keys: dict[bytes, tuple[bytes, int]] = {}
        row_keys: dict[int, bytes] = {}
        for query_key, rows in wanted.items():
            text = text_key(queries[query_key].text)
            for row in sorted(rows):
                if row not in row_keys:
                    row_keys[row] = text_key(texts[row])
                keys[pair_key(text, row_keys[row])] = (query_key, row)
        if reranker.key is not None:
            stored = self.cache.get(_space(reranker), [key for key in keys if key not in known])
            known.update({key: float(np.frombuffer(value, "<f8")[0]) for key, value in stored.items()})
        missing: dict[bytes, list[int]] = defaultdict(list)
        for key, (query_key, row) in keys.items():
            if key not in known:
                missing[query_key].append(row)
        return missing

    def _keep_pairs(
        self, reranker: Part, queries: Sequence[str], passages: Sequence[str], pairs: Any, scores: Scores
    ) -> None:
        query_keys = [text_key(text) for text in queries]
        passage_keys = [text_key(text) for text in passages]
        keys = [pair_key(query_keys[query], passage_keys[passage]) for query, passage in pairs.tolist()]
        self.counts.pairs += len(keys)
        self._pairs[_space(reranker)].update(zip(keys, scores.tolist(), strict=True))
        if reranker.identity is not None:
            items = ((key, np.float64(score).tobytes()) for key, score in zip(keys, scores, strict=True))
            self.cache.put(_space(reranker), "pairs", reranker.identity, items)

    def _pair_scores_of(self, stage: Stage, queries: Sequence[Query], sources: dict[str, Rankings]) -> Scores:
        candidates = stage.part.object.candidates(sources)
        known = self._pairs[_space(stage.part.of_object(stage.part.object.reranker))]
        texts = stage.snapshot.passages_for_retrieval().texts
        row_keys = {int(row): text_key(texts[row]) for row in np.unique(candidates.rows)}
        scores = np.empty(len(candidates.rows))
        for number, query in enumerate(queries):
            text = text_key(query.text)
            part = slice(candidates.offsets[number], candidates.offsets[number + 1])
            scores[part] = [known[pair_key(text, row_keys[row])] for row in candidates.rows[part].tolist()]
        return scores

    # -- facts ---------------------------------------------------------------------------------------------

    def _failed(self, stage: Stage, done: Done) -> bool:
        if done.error is not None and stage.error is None:
            stage.error = done.error
        return stage.error is not None

    def _note(self, stage: Stage, done: Done) -> None:
        facts = self._facts[id(stage)]
        facts["peak_memory_bytes"] = max(facts.get("peak_memory_bytes", 0), done.peak_memory_bytes, peak_memory_bytes())

    def _time_new_stages(self) -> None:
        """Time the stages that were computed now, in this process, alone and on one thread."""
        for stage in self.plan.stages:
            if stage.error or id(stage) not in self._facts:
                continue
            earlier = self._earlier(stage)
            if earlier is not None and earlier.latency_ms:
                # A few new queries on a known stage: its measurements stand.
                self._facts[id(stage)] = {}
                continue
            facts = self._facts[id(stage)] | where_and_when()
            facts["latency_ms"] = measure_latency(stage, self._opened.get(id(stage)), self.latency)
            self._facts[id(stage)] = facts
            if stage.identity is not None:
                key = text_key(digest(stage.identity))
                self.cache.put("facts", "facts", {}, [(key, Measured.of(facts).dump())])

    def _earlier(self, stage: Stage) -> Measured | None:
        if stage.identity is None or not self.cache.reads:
            return None
        key = text_key(digest(stage.identity))
        value = self.cache.get("facts", [key]).get(key)
        return Measured.parse(value) if value else None


class _Bars:
    """One tqdm bar a piece of work, shown together; silent where there is no terminal."""

    def __init__(self, labels: Iterable[tuple[str, Any, int]]) -> None:
        self._bars: dict[Any, Any] = {
            _hashable(key): tqdm(total=total, desc=label, position=position, disable=None, leave=True)
            for position, (label, key, total) in enumerate(labels)
        }

    def __enter__(self) -> "_Bars":
        return self

    def __exit__(self, *_: object) -> None:
        for bar in self._bars.values():
            bar.close()

    def advance(self, key: Any, units: int) -> None:
        self._bars[_hashable(key)].update(units)


def _hashable(key: Any) -> Any:
    return key if isinstance(key, str | int | bytes) else id(key)


def _kind(stage: Stage) -> str:
    retriever = stage.part.object
    kinds: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("rescore", lambda: isinstance(retriever, Rescoring)),
        ("combine", lambda: isinstance(retriever, Combining)),
        ("vectors", lambda: isinstance(retriever, Vectorial)),
        ("index", lambda: isinstance(retriever, Indexing)),
    )
    return next((kind for kind, fits in kinds if fits()), "plain")


def _space(part: Part) -> str:
    """The cache space of an embedder or a reranker; a part that is not kept gets one for this process only."""
    return part.key or f"unkept-{id(part.object)}"


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
