"""The vectors and the indexes that must stand before the stages of a plan can be searched."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from retrievers.base import Combining, Index, Indexing, Query, Rescoring, RetrievalError, Vectorial, Vectors
from runner.engine import work
from runner.engine.cache import Cache, text_key
from runner.engine.codec import pack_vector, unpack_vectors
from runner.engine.components import Component, digest, space_of
from runner.engine.failure import kind_of
from runner.engine.index_store import IndexStore
from runner.engine.parallel import Done, Task
from runner.engine.plan import Stage
from runner.engine.workers import WorkerPool
from runner.rendering.progress import Bars


class VectorStore:
    """Vectors of any number of embedders, for passages and queries apart, keyed by text."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, dict[bytes, Vectors]] = defaultdict(dict)

    def missing(self, embedder: Component, kind: str, texts: Mapping[bytes, str]) -> list[bytes]:
        """Keys of the texts that have to be embedded."""
        space = _space(embedder, kind)
        known = self._known[space]
        if embedder.key is not None:
            found = self._cache.get(space, [key for key in texts if key not in known])
            known.update(zip(found, unpack_vectors(list(found.values())), strict=True))
        return [key for key in texts if key not in known]

    def keep(self, embedder: Component, kind: str, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Take in new vectors, float32 [keys, dimensions]. Raises RetrievalError where earlier ones had others."""
        space = _space(embedder, kind)
        for other in (_space(embedder, each) for each in ("passage", "query")):
            for before in islice(self._known[other].values(), 1):
                if before.shape != vectors.shape[1:]:
                    raise RetrievalError(
                        f"the embedder {embedder.target} returned vectors of {vectors.shape[1]} dimensions, "
                        f"and of {len(before)} before; expected the same for every text"
                    )
        self._known[space].update(zip(keys, vectors, strict=True))
        if embedder.identity is not None:
            items = ((key, pack_vector(vector)) for key, vector in zip(keys, vectors, strict=True))
            self._cache.put(space, "vectors", embedder.identity, items)

    def of(self, embedder: Component, kind: str, texts: Sequence[str]) -> Vectors:
        """The vectors of these texts, float32 [texts, dimensions]; all must be known."""
        known = self._known[_space(embedder, kind)]
        if not texts:
            return np.zeros((0, 0), np.float32)
        return np.stack([known[text_key(text)] for text in texts])


def _space(embedder: Component, kind: str) -> str:
    return f"{space_of(embedder)}-{kind}"


_TEXTS_A_TASK = 512


class IndexBuilder:
    """Embeds texts and builds indexes, each once whichever stages share it, and keeps them."""

    def __init__(self, workers: WorkerPool, cache: Cache) -> None:
        self._workers = workers
        self._cache = cache
        self._index_store = IndexStore(cache.directory / "indexes")
        self._indexes: dict[int, Index] = {}
        self._vectors = VectorStore(cache)

    def prepare(self, stages: Sequence[Stage]) -> None:
        """Have the index of every leaf at hand, computing in one go what several of them share."""
        leaves = [stage for stage in stages if _is_leaf(stage) and not self._open_index(stage)]
        # Indexes first: one long task started last would leave the other workers idle.
        tasks = [_building(stage) for stage in leaves if not isinstance(stage.component.object, Vectorial)]
        tasks += self._embedding_tasks([stage for stage in stages if isinstance(stage.component.object, Vectorial)])
        bars: dict[Any, tuple[str, int]] = {}
        for task in tasks:
            label, before = bars.get(_bar_key(task), (_bar_label(task), 0))
            bars[_bar_key(task)] = (label, before + task.units)
        seconds: dict[str, float] = defaultdict(float)
        with Bars((key, label, total) for key, (label, total) in bars.items()) as shown:
            for task, done in self._workers.run(tasks):
                if isinstance(task.owner, _Embedding):
                    self._keep_vectors(task.owner, done)
                    seconds[space_of(task.owner.embedder)] += done.seconds if task.owner.kind == "passage" else 0.0
                elif self._workers.succeeded(task.owner, done):
                    self._keep_index(task.owner, done.value, done.seconds)
                shown.advance(_bar_key(task), task.units)
        for stage in leaves:
            if isinstance(stage.component.object, Vectorial) and not stage.error:
                embedder = stage.component.of_object(stage.component.object.embedder)
                vectors = self._vectors.of(embedder, "passage", stage.snapshot.passages_for_retrieval().texts)
                retriever = stage.component.object
                building = Task(stage, work.build_vectors, (retriever, vectors), component=kind_of(retriever))
                # In a worker only where it has to be: the vectors are here.
                done = self._workers.run_near(building, retriever)
                if self._workers.succeeded(stage, done):
                    self._keep_index(stage, done.value, seconds[space_of(embedder)] + done.seconds)

    def _embedding_tasks(self, stages: Sequence[Stage]) -> list[Task]:
        texts: dict[tuple[str, str], dict[bytes, str]] = defaultdict(dict)
        users: dict[str, list[Stage]] = defaultdict(list)
        embedders: dict[str, Component] = {}
        for stage in stages:
            embedder = stage.component.of_object(stage.component.object.embedder)
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
                component = kind_of(embedders[space].object)
                tasks.append(Task(owner, work.embed, arguments, len(batch), component))
        return tasks

    def _keep_vectors(self, embedding: "_Embedding", done: Done) -> None:
        usable = [self._workers.succeeded(stage, done) for stage in embedding.users]
        if done.error is None and any(usable):
            self._workers.counts.embedded += len(embedding.keys)
            try:
                self._vectors.keep(embedding.embedder, embedding.kind, embedding.keys, done.value)
            except RetrievalError as error:
                for stage in embedding.users:
                    stage.error = stage.error or str(error)

    def query_vectors(self, stage: Stage, queries: Sequence[Query]) -> Vectors:
        """The vectors of these queries, float32 [queries, dimensions]; prepare must have run."""
        embedder = stage.component.of_object(stage.component.object.embedder)
        return self._vectors.of(embedder, "query", [query.text for query in queries])

    def index_of(self, stage: Stage) -> Index | None:
        """The index of a leaf, from this sweep or from disk; None if there is none."""
        return self._indexes.get(id(stage)) if self._open_index(stage) else None

    def _open_index(self, stage: Stage) -> bool:
        if id(stage) not in self._indexes and stage.identity is not None and self._cache.reads:
            index = self._index_store.load(digest(stage.identity))
            if index is not None:
                self._indexes[id(stage)] = index
        return id(stage) in self._indexes

    def _keep_index(self, stage: Stage, index: Index, seconds: float) -> None:
        self._workers.counts.indexes += 1
        for array in index.arrays.values():
            # As it is when it comes from disk.
            array.flags.writeable = False
        self._indexes[id(stage)] = index
        self._workers.measurements.note_index(stage, index, seconds)
        if stage.identity is not None and self._cache.writes:
            self._index_store.save(digest(stage.identity), index)


@dataclass(frozen=True, eq=False)
class _Embedding:
    """Whose texts a task embeds, and the stages that wait for them."""

    embedder: Component
    kind: str
    keys: Sequence[bytes]
    users: Sequence[Stage]


def _building(stage: Stage) -> Task:
    retriever, passages = stage.component.object, stage.snapshot.passages_for_retrieval()
    return Task(stage, work.build_index, (retriever, passages), component=kind_of(retriever))


def _bar_key(task: Task) -> Any:
    return space_of(task.owner.embedder) if isinstance(task.owner, _Embedding) else id(task.owner)


def _bar_label(task: Task) -> str:
    return (
        f"{task.owner.embedder.name} vectors"
        if isinstance(task.owner, _Embedding)
        else f"{task.owner.component.name} index"
    )


def _is_leaf(stage: Stage) -> bool:
    retriever = stage.component.object
    return isinstance(retriever, Vectorial | Indexing) and not isinstance(retriever, Combining | Rescoring)
