"""Where each query's first relevant item stood at every stage of a retriever, from its sources to its ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Combining, Query, Rankings, Rescoring
from runner.engine.plan import Job, Stage
from runner.engine.scored import Scored, component_names
from runner.scoring.evaluate import JudgedSet

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


@dataclass(frozen=True)
class Look:
    """What a job's ranking was made from, or that ranking itself. name and depth: see `Step`."""

    name: str
    depth: int | None
    stage: Stage
    job: Job

    def rankings(self, queries: Sequence[Query]) -> Rankings:
        """What was found for these queries."""
        if self.depth is None:
            return self.stage.candidates(queries, self.job.settings.depth)
        return self.stage.rankings(queries, self.depth)


def looks(job: Job) -> list[Look]:
    """What there is to look at, in the order of the work: sources, pool, final ranking."""
    names = component_names(job.stage.component)
    found = [Look(_name(stage, job, names), depth, stage, job) for stage, depth in _sources(job.stage)]
    if isinstance(job.stage.component.object, Combining | Rescoring):
        found.append(Look(f"pool of {job.stage.component.name}", None, job.stage, job))
    return [*found, Look(job.stage.component.name, job.settings.depth, job.stage, job)]


class Tracer:
    """Traces several jobs; a stage that they share is looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int | None, int], _Ranks] = {}

    def trace(self, scored: Scored) -> list[Step]:
        """The steps of one job in the order of the work."""
        job = scored.job
        queries = job.queries[: len(job.judged.scored)]
        *before, last = looks(job)
        steps = [Step(look.name, look.depth, self._ranks(look, queries, job.judged)) for look in before]
        return [*steps, Step(last.name, last.depth, scored.evaluation.found.first_rank)]

    def _ranks(self, look: Look, queries: tuple[Query, ...], judged: JudgedSet) -> _Ranks:
        key = (id(look.stage), look.depth, id(judged))
        if key not in self._known:
            self._known[key] = _first_ranks(look.rankings(queries), judged)
        return self._known[key]


def _first_ranks(rankings: Rankings, judged: JudgedSet) -> _Ranks:
    return judged.relevance(rankings).first_rank


def _sources(root: Stage) -> list[tuple[Stage, int]]:
    """Every stage below the root with the depth it is read to, those that others build on first."""
    found: dict[int, tuple[Stage, int]] = {}

    def visit(stage: Stage) -> None:
        for name, source in stage.sources.items():
            depth = max(stage.component.object.source_depths[name], found.get(id(source), (source, 0))[1])
            found[id(source)] = (source, depth)
            visit(source)

    visit(root)
    return sorted(found.values(), key=lambda each: each[0].level)


def _name(stage: Stage, job: Job, names: Mapping[int, str]) -> str:
    """What this job calls the stage, which may have been built for another one."""
    same = (stage.component.sharing_key, stage.component.key)
    for component in job.stage.component.walk():
        if (component.sharing_key, component.key) == same:
            return names[id(component.object)]
    return stage.component.name
