"""What is measured while stages are computed, kept with their rankings and found again with them."""

import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from retrievers.base import Index
from runner.config import LatencySettings
from runner.engine.cache import Cache, text_key
from runner.engine.latency import latency_sample, measure_latency
from runner.engine.measured import Measured, where_and_when
from runner.engine.parallel import Done
from runner.engine.parts import digest
from runner.engine.plan import Stage

_SPACE = "facts"


class FactBook:
    """Measurements by stage: those of this sweep, else those stored when the stage was first computed."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._new: dict[int, dict[str, Any]] = defaultdict(dict)
        self._finished: dict[int, Measured] = {}

    def note_work(self, stage: Stage, done: Done) -> None:
        """Take in what a task for this stage took, in the process that did it."""
        facts = self._new[id(stage)]
        facts["peak_memory_bytes"] = max(facts.get("peak_memory_bytes", 0), done.peak_memory_bytes)

    def note_index(self, stage: Stage, index: Index, seconds: float) -> None:
        """Take in the index that was built for this stage."""
        self._new[id(stage)] |= {"index_build_seconds": seconds, "index_bytes": index.nbytes}

    def measured(self, stage: Stage) -> Measured | None:
        """What is known of a stage."""
        return self._finished.get(id(stage)) or self._stored(stage)

    def finish(self, stage: Stage, index: Callable[[], Index | None], settings: LatencySettings) -> None:
        """Time what of the stage's sample has not been timed yet, and store its facts.

        Measurements of an earlier sweep stand; a sweep that was stopped, or another suite, only leaves some to be
        made. index: gives the stage's index if there is one, asked only when it is needed.
        """
        if stage.error or stage.missing:
            return
        new = self._new.pop(id(stage), {})
        known = self._stored(stage) if self._cache.mode != "refresh" else None
        timed = dict(known.latency_ms) if known else {}
        sample = {key: query for key, query in latency_sample(stage, settings.sample).items() if key not in timed}
        if known is not None and not sample:
            self._finished[id(stage)] = known
            return
        facts = {**(asdict(known) if known else {}), **({} if known and known.index_bytes else new), **where_and_when()}
        try:
            timed |= measure_latency(stage, index(), sample, settings)
        except Exception as error:
            # Its rankings are complete: they are not thrown away because it fails when asked once more.
            warnings.warn(f"{stage.part.name} could not be timed: {error or type(error).__name__}", stacklevel=2)
        facts["latency_ms"] = timed
        self._finished[id(stage)] = Measured.of(facts)
        if stage.identity is not None:
            self._cache.put(_SPACE, "facts", {}, [(_key(stage), self._finished[id(stage)].dump())])

    def _stored(self, stage: Stage) -> Measured | None:
        if stage.identity is None:
            return None
        value = self._cache.get(_SPACE, [_key(stage)]).get(_key(stage))
        return Measured.parse(value) if value else None


def _key(stage: Stage) -> bytes:
    return text_key(digest(stage.identity))
