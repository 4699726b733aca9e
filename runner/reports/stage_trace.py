"""Where each query's first relevant item stood at every stage of a retriever, from its sources to its ranking."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Combining, Query, Rankings, Rescoring
from runner.engine.plan import Stage
from runner.scoring.evaluate import JudgedSet
from runner.tracking.run_record import Scored, part_names

_Ranks = NDArray[np.int64]


@dataclass(frozen=True)
class Step:
    """name: what people call the stage. depth: how far it was read, None for a pool, which is read whole.

    ranks: of the first relevant unit, 0 where there is none, int64 [scored queries].
    """

    name: str
    depth: int | None
    ranks: _Ranks

    def told(self, number: int) -> str:
        """What became of one query here."""
        rank = int(self.ranks[number])
        if rank:
            return f"rank {rank}"
        return "not in it" if self.depth is None else f"not in the first {self.depth}"


class Tracer:
    """Traces several jobs; a stage that they share is looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], _Ranks] = {}

    def trace(self, scored: Scored) -> list[Step]:
        """The steps of one job in the order of the work: sources, pool, final ranking."""
        job = scored.job
        queries = job.queries[: len(job.judged.scored)]
        names = part_names(job.stage.part)
        steps = [
            Step(_name(stage, scored, names), depth, self._ranks(stage, depth, queries, job.judged))
            for stage, depth in _sources(job.stage)
        ]
        if isinstance(job.stage.part.object, Combining | Rescoring):
            candidates = job.stage.candidates(queries, job.settings.depth)
            steps.append(Step(f"pool of {job.stage.part.name}", None, _first_ranks(candidates, job.judged)))
        steps.append(Step(job.stage.part.name, job.settings.depth, scored.evaluation.found.first_rank))
        return steps

    def _ranks(self, stage: Stage, depth: int, queries: tuple[Query, ...], judged: JudgedSet) -> _Ranks:
        key = (id(stage), depth, id(judged))
        if key not in self._known:
            self._known[key] = _first_ranks(stage.rankings(queries, depth), judged)
        return self._known[key]


def _first_ranks(rankings: Rankings, judged: JudgedSet) -> _Ranks:
    return judged.relevance(rankings).first_rank


def _sources(root: Stage) -> list[tuple[Stage, int]]:
    """Every stage below the root with the depth it is read to, those that others build on first."""
    found: dict[int, tuple[Stage, int]] = {}

    def visit(stage: Stage) -> None:
        for name, source in stage.sources.items():
            depth = max(stage.part.object.source_depths[name], found.get(id(source), (source, 0))[1])
            found[id(source)] = (source, depth)
            visit(source)

    visit(root)
    return sorted(found.values(), key=lambda each: each[0].level)


def _name(stage: Stage, scored: Scored, names: Mapping[int, str]) -> str:
    """What this job calls the stage, which may have been built for another one."""
    same = (stage.part.sharing_key, stage.part.key)
    for part in scored.job.stage.part.walk():
        if (part.sharing_key, part.key) == same:
            return names[id(part.object)]
    return stage.part.name
