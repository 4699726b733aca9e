"""What is measured while stages are computed, kept with their rankings and found again with them."""

import warnings
from collections import defaultdict
from typing import Any

from retrievers.base import Index
from runner.cache import Cache, text_key
from runner.config import LatencySettings
from runner.latency import measure_latency
from runner.measured import Measured, where_and_when
from runner.parallel import Done, peak_memory_bytes
from runner.parts import digest
from runner.plan import Stage

_SPACE = "facts"


class FactBook:
    """Measurements by stage: those of this sweep, else those stored when the stage was first computed."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._new: dict[int, dict[str, Any]] = defaultdict(dict)

    def note_work(self, stage: Stage, done: Done) -> None:
        """Take in what a task for this stage took."""
        facts = self._new[id(stage)]
        facts["peak_memory_bytes"] = max(facts.get("peak_memory_bytes", 0), done.peak_memory_bytes, peak_memory_bytes())

    def note_index(self, stage: Stage, index: Index, seconds: float) -> None:
        """Take in the index that was built for this stage."""
        self._new[id(stage)] |= {"index_build_seconds": seconds, "index_bytes": index.nbytes}

    def measured(self, stage: Stage) -> Measured | None:
        """What is known of a stage."""
        if id(stage) in self._new:
            return Measured.of(self._new[id(stage)])
        return self._stored(stage)

    def finish(self, stage: Stage, index: Index | None, settings: LatencySettings) -> None:
        """Time a stage that was computed now, and store its facts. Work for some new queries keeps the old ones."""
        if stage.error or id(stage) not in self._new:
            return
        if self._cache.mode == "on" and self._stored(stage) is not None:
            del self._new[id(stage)]
            return
        facts = self._new[id(stage)] | where_and_when()
        try:
            facts["latency_ms"] = measure_latency(stage, index, settings)
        except Exception as error:
            # Its rankings are complete: they are not thrown away because it fails when asked once more.
            warnings.warn(f"{stage.part.name} could not be timed: {error or type(error).__name__}", stacklevel=2)
            facts["latency_ms"] = {}
        self._new[id(stage)] = facts
        if stage.identity is not None:
            self._cache.put(_SPACE, "facts", {}, [(_key(stage), Measured.of(facts).dump())])

    def _stored(self, stage: Stage) -> Measured | None:
        if stage.identity is None:
            return None
        value = self._cache.get(_SPACE, [_key(stage)]).get(_key(stage))
        return Measured.parse(value) if value else None


def _key(stage: Stage) -> bytes:
    return text_key(digest(stage.identity))
