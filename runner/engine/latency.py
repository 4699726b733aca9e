"""How long one query takes: each alone, on one thread, after a warm-up, where nothing else is being computed.

What is timed travels to a worker as a `Timing` and comes back as a `Timed`: code that ends its process while it is
timed ends no sweep.
"""

import gc
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrievers.base import Combining, Index, Indexing, Passages, Query, Rankings, Rescoring, Vectorial
from runner.configuration.settings import LatencySettings
from runner.engine.cache import text_key
from runner.engine.measurements import where_and_when
from runner.engine.one_thread import one_thread, threads_seen
from runner.engine.plan import Stage

# A repeat that takes more than so many times as long, or as short, says that something else was going on.
_AGREEMENT = 2.0
# Less than this is the clock's and the scheduler's, on any machine.
_UNSEEN_MS = 0.1
# So much more processor time than time on the clock is not one thread's, unless it is no more than what the threads
# that every process has (of a pool, of a queue) may take in passing.
_SEVERAL_THREADS, _IN_PASSING_S = 1.3, 0.005

Run = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """A retriever to time, and all that it needs for each query of the sample, by key of the query's text.

    sources: what its sources found, where it has any. texts: of every passage that these hold, for a reranker.
    passages: only for a retriever that has but the one method.
    """

    retriever: Any
    depth: int
    settings: LatencySettings
    sample: Mapping[str, Query]
    index: Index | None = None
    passages: Passages | None = None
    sources: Mapping[str, Mapping[str, Rankings]] = field(default_factory=dict)
    texts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Timed:
    """latency_ms: milliseconds by key. noisy: a repeat differed more than twofold, or several threads worked.

    threads: the most that any library would use, or that were seen at work. load: the machine's, of the last minute,
    as a share of its processors. where: machine, processor and time.
    """

    latency_ms: Mapping[str, float]
    noisy: bool
    threads: int
    load: float | None
    where: Mapping[str, str]


def latency_sample(stage: Stage, size: int) -> dict[str, Query]:
    """The queries to time, by the key of their text in hex: those with the lowest keys, the same for every stage."""
    by_text = {text_key(query.text).hex(): query for query in stage.queries.values()}
    return {key: by_text[key] for key in sorted(by_text)[:size]}


def timing_of(
    stage: Stage, index: Index | None, sample: Mapping[str, Query], settings: LatencySettings
) -> Timing | None:
    """What to send to be timed: this stage alone, its sources' work done. None for an index that is not at hand."""
    retriever = stage.component.object
    if not sample:
        return None
    passages = stage.snapshot.passages_for_retrieval()
    timing = Timing(retriever, stage.depth, settings, sample, index)
    if isinstance(retriever, Rescoring | Combining):
        sources = {key: stage.source_rankings([query]) for key, query in sample.items()}
        texts = {}
        if isinstance(retriever, Rescoring):
            rows = {row for found in sources.values() for each in found.values() for row in each.rows.tolist()}
            texts = {row: passages.texts[row] for row in rows}
        return Timing(retriever, stage.depth, settings, sample, sources=sources, texts=texts)
    if isinstance(retriever, Indexing | Vectorial):
        return timing if index is not None else None
    return Timing(retriever, stage.depth, settings, sample, passages=passages)


def time_queries(timing: Timing) -> Timed:
    """Time the sample twice, for `settings.seconds` at most.

    A query's time is the lower of two that agree, and the higher of two that do not: code that remembers its queries
    is no faster for that. Whatever the first queries have to load is loaded before the threads are limited, and is in
    no figure.
    """
    settings, runs = timing.settings, {key: _one_query(timing, key) for key in timing.sample}
    began = time.perf_counter()
    for run in list(runs.values())[: max(1, settings.warmup)]:
        run()
        if time.perf_counter() - began > settings.seconds / 2:
            break
    with one_thread():
        # A library may have made its threads again, or read its settings only now.
        next(iter(runs.values()))()
        load, start, worked = _load(), time.perf_counter(), time.process_time()
        # The repeat has to fit in, too.
        first = _pass(runs, (start + began + settings.seconds) / 2)
        second = _pass({key: runs[key] for key in first}, began + settings.seconds)
        worked, passed = time.process_time() - worked, time.perf_counter() - start
        several = worked > max(_SEVERAL_THREADS * passed, passed + _IN_PASSING_S)
        threads = max(threads_seen(), math.ceil(worked / passed) if several else 1)
    noisy = threads > 1 or not _agree(list(first.values()), list(second.values()))
    choose = max if noisy else min
    taken = {key: choose(value, second.get(key, value)) for key, value in first.items()}
    return Timed(taken, noisy, threads, load, where_and_when())


def _pass(runs: Mapping[str, Run], until: float) -> dict[str, float]:
    """Milliseconds of each run, of one at least."""
    taken: dict[str, float] = {}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for key, run in runs.items():
            start = time.perf_counter()
            run()
            taken[key] = (time.perf_counter() - start) * 1000
            if time.perf_counter() > until:
                break
    finally:
        if collecting:
            gc.enable()
    return taken


def _agree(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the figures that people read, the median and the 95th percentile, are within twofold of each other."""
    shared = min(len(first), len(second))
    once, again = (np.percentile(times[:shared], (50, 95)) for times in (first, second))
    less, more = np.minimum(once, again), np.maximum(once, again)
    return bool(np.all((more <= _AGREEMENT * less) | (more - less < _UNSEEN_MS)))


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None


def _one_query(timing: Timing, key: str) -> Run:
    """Return the work to time for a query, with what its sources found already laid out."""
    retriever, depth, index, query = timing.retriever, timing.depth, timing.index, timing.sample[key]
    if isinstance(retriever, Rescoring):
        sources, texts = timing.sources[key], timing.texts

        def rescoring() -> object:
            rows = retriever.candidates(sources).rows
            pairs = np.stack([np.zeros(len(rows), np.int64), np.arange(len(rows))], axis=1)
            scores = retriever.reranker.score([query.text], [texts[row] for row in rows.tolist()], pairs)
            return retriever.rescore(sources, scores, depth)

        return rescoring
    if isinstance(retriever, Combining):
        return lambda: retriever.combine(timing.sources[key], depth)
    if isinstance(retriever, Vectorial) and index is not None:
        return lambda: retriever.search_vectors(index, retriever.embedder.encode([query.text], kind="query"), depth)
    if isinstance(retriever, Indexing) and index is not None:
        return lambda: retriever.search(index, [query], depth)
    return lambda: retriever.retrieve(timing.passages, [query], depth)
