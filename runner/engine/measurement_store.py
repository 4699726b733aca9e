"""What is measured while stages are computed, kept with their rankings and found again with them."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from retrievers.base import Index
from runner.configuration.settings import LatencySettings
from runner.engine.cache import Cache, text_key
from runner.engine.components import digest
from runner.engine.latency import Timed, Timing, latency_sample, timing_of
from runner.engine.measurements import Measured, where_and_when
from runner.engine.parallel import Done
from runner.engine.plan import Stage

_SPACE = "facts"


class MeasurementStore:
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

    def to_time(self, stage: Stage, index: Callable[[], Index | None], settings: LatencySettings) -> Timing | None:
        """What of the stage's sample is still to be timed; None for nothing, and for a stage that did not end.

        Measurements of an earlier sweep stand, but for noisy ones; a sweep that was stopped, or another suite, only
        leaves some to be made. index: gives the stage's index if there is one, asked only when it is needed.
        """
        if stage.error or stage.missing:
            return None
        known = self._known(stage)
        sample = latency_sample(stage, settings.sample)
        if known is not None and not (known.latency_noisy and self._cache.mode != "only"):
            sample = {key: query for key, query in sample.items() if key not in known.latency_ms}
        if not sample:
            return None
        at_hand = index()
        if at_hand is not None:
            # A sweep that built it and was stopped has not noted it.
            self._new[id(stage)].setdefault("index_bytes", at_hand.nbytes)
        return timing_of(stage, at_hand, sample, settings)

    def finish(self, stage: Stage, timed: Timed | None = None) -> None:
        """Store the stage's facts: what an earlier sweep measured, what this one did, and what was timed just now."""
        if stage.error or stage.missing:
            return
        new, known = self._new.pop(id(stage), {}), self._known(stage)
        if known is not None and timed is None:
            self._finished[id(stage)] = known
            return
        facts = {**(asdict(known) if known else {}), **({} if known and known.index_bytes else new)}
        facts |= timed.where if timed else where_and_when()
        if timed is not None:
            kept = known.latency_ms if known and not known.latency_noisy else {}
            before = known if kept else None
            facts |= {
                "latency_ms": {**kept, **timed.latency_ms},
                "latency_noisy": timed.noisy,
                "latency_threads": max(timed.threads, (before and before.latency_threads) or 1),
                "latency_load": timed.load,
            }
        self._finished[id(stage)] = Measured.of(facts)
        if stage.identity is not None:
            self._cache.put(_SPACE, "facts", {}, [(_key(stage), self._finished[id(stage)].dump())])

    def _known(self, stage: Stage) -> Measured | None:
        return self._stored(stage) if self._cache.mode != "refresh" else None

    def _stored(self, stage: Stage) -> Measured | None:
        if stage.identity is None:
            return None
        value = self._cache.get(_SPACE, [_key(stage)]).get(_key(stage))
        return Measured.parse(value) if value else None


def _key(stage: Stage) -> bytes:
    return text_key(digest(stage.identity))
