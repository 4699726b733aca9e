"""How long one query takes: each alone, on one thread, after a warm-up, in a process that does nothing else."""

import time
from collections.abc import Callable, Mapping

import numpy as np
from threadpoolctl import threadpool_limits

from retrievers.base import Combining, Index, Indexing, Query, Rescoring, Vectorial
from runner.config import LatencySettings
from runner.engine.cache import text_key
from runner.engine.plan import Stage


def latency_sample(stage: Stage, size: int) -> dict[str, Query]:
    """The queries to time, by the key of their text in hex: those with the lowest keys, the same for every stage."""
    by_text = {text_key(query.text).hex(): query for query in stage.queries.values()}
    return {key: by_text[key] for key in sorted(by_text)[:size]}


def measure_latency(
    stage: Stage, index: Index | None, sample: Mapping[str, Query], settings: LatencySettings
) -> dict[str, float]:
    """Milliseconds of this stage alone (its sources' work not counted), by the keys of the sample.

    Stops after `settings.seconds`, warm-up included. Empty for a stage whose index is not at hand.
    """
    if not sample or (index is None and isinstance(stage.part.object, Indexing | Vectorial)):
        return {}
    once = _one_query(stage, index)
    taken: dict[str, float] = {}
    with threadpool_limits(1):
        began = time.perf_counter()
        for query in list(sample.values())[: settings.warmup]:
            once(query)()
            if time.perf_counter() - began > settings.seconds / 2:
                break
        for key, query in sample.items():
            run = once(query)
            start = time.perf_counter()
            run()
            taken[key] = (time.perf_counter() - start) * 1000
            if time.perf_counter() - began > settings.seconds:
                break
    return taken


def _one_query(stage: Stage, index: Index | None) -> Callable[[Query], Callable[[], object]]:
    """Return, for a query, the work to time, with what its sources found already laid out."""
    retriever, depth = stage.part.object, stage.depth
    passages = stage.snapshot.passages_for_retrieval()
    if isinstance(retriever, Rescoring):

        def rescoring(query: Query) -> Callable[[], object]:
            sources = stage.source_rankings([query])

            def run() -> object:
                rows = retriever.candidates(sources).rows
                pairs = np.stack([np.zeros(len(rows), np.int64), np.arange(len(rows))], axis=1)
                scores = retriever.reranker.score([query.text], [passages.texts[row] for row in rows], pairs)
                return retriever.rescore(sources, scores, depth)

            return run

        return rescoring
    if isinstance(retriever, Combining):

        def combining(query: Query) -> Callable[[], object]:
            sources = stage.source_rankings([query])
            return lambda: retriever.combine(sources, depth)

        return combining
    if isinstance(retriever, Vectorial) and index is not None:
        return lambda query: (
            lambda: retriever.search_vectors(index, retriever.embedder.encode([query.text], kind="query"), depth)
        )
    if isinstance(retriever, Indexing) and index is not None:
        return lambda query: lambda: retriever.search(index, [query], depth)
    return lambda query: lambda: retriever.retrieve(passages, [query], depth)
