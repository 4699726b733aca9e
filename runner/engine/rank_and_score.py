"""From a plan to scores, and nothing else: nothing is printed, logged or asked of the world outside the cache."""

import traceback
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from runner.engine.cache import Cache
from runner.engine.context_length import ContextMeter
from runner.engine.execute import Executor, StageError
from runner.engine.parallel import Workers
from runner.engine.plan import Job, Plan, Refused
from runner.engine.scored import Scored, component_names, stages_of
from runner.engine.workers import Counts
from runner.scoring.evaluate import evaluate
from runner.scoring.uncertainty import uncertainties_of


class Failed(NamedTuple):
    """A job that came to nothing, and why, in one line."""

    job: Job | Refused
    error: str

    @property
    def trace(self) -> str:
        """Where it failed, for whoever mends it; "" where that is not known."""
        return self.job.stage.trace if isinstance(self.job, Job) else self.job.trace


@dataclass(frozen=True)
class Results:
    """What came of a plan: the scores of its jobs, in their order, and the jobs that failed.

    counts: what had to be computed for it.
    """

    scored: tuple[Scored, ...]
    failures: tuple[Failed, ...] = ()
    counts: Counts = field(default_factory=Counts)


def rank(plan: Plan, cache: Cache, workers: Workers, checkpoint: Callable[[], object] = lambda: None) -> Executor:
    """Complete every stage of a plan that was looked up in the cache; see `Executor.run` for `checkpoint`.

    A stage that fails carries its error. Raises CacheMiss where the cache is all there may be.
    """
    executor = Executor(plan, cache, workers)
    executor.run(checkpoint)
    return executor


def rank_and_score(
    plan: Plan, cache: Cache, workers: Workers, checkpoint: Callable[[], object] = lambda: None
) -> Results:
    """Rank what a plan lacks and score its jobs; one job's trouble, a user's class say, is not the others'.

    The plan must have been looked up in the cache. Raises as `rank` does.
    """
    executor = rank(plan, cache, workers, checkpoint)
    failures = [Failed(each, each.error) for each in plan.refused]
    meter = ContextMeter()
    scores = []
    for job in plan.jobs:
        try:
            if job.stage.error:
                raise StageError(job.stage.error)
            scores.append(_score(job, executor, meter))
        except Exception as error:
            failures.append(failed(job, error))
    return Results(tuple(_with_intervals(scores)), tuple(failures), executor.counts)


def failed(job: Job, error: Exception) -> Failed:
    """A job with what went wrong when it was scored or logged."""
    if not isinstance(error, StageError):
        job.stage.trace = "".join(traceback.format_exception(error))
    return Failed(job, str(error) or type(error).__name__)


def _score(job: Job, executor: Executor, meter: ContextMeter) -> Scored:
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    candidates, ks = executor.candidates(job.stage, job.queries, job.settings.depth), job.settings.curve_within_depth()
    evaluation = evaluate(job.judged, rankings, candidates, job.settings.k, ks, job.settings.metrics)
    names = component_names(job.stage.component)
    measured = {}
    for stage in stages_of(job.stage):
        # The stage may have been built for another job; the name is this job's.
        same = (stage.component.sharing_key, stage.component.key)
        inner = next(
            component for component in job.stage.component.walk() if (component.sharing_key, component.key) == same
        )
        found = executor.measured(stage)
        if found is not None:
            measured[names[id(inner.object)]] = found
    return Scored(job, evaluation, measured, meter.measure(job, rankings, candidates, ks))


def _with_intervals(scores: Sequence[Scored]) -> list[Scored]:
    """The same results with the intervals that their settings ask for, in one pass a judged set."""
    alike: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for number, each in enumerate(scores):
        wanted = each.job.settings.intervals
        if wanted is not None:
            alike[id(each.job.judged), each.job.settings.seed, wanted.model_dump_json()].append(number)
    results = list(scores)
    for numbers in alike.values():
        settings = scores[numbers[0]].job.settings
        assert settings.intervals is not None
        found = uncertainties_of([scores[number].evaluation for number in numbers], settings.intervals, settings.seed)
        for number, uncertainty in zip(numbers, found, strict=True):
            results[number] = replace(scores[number], uncertainty=uncertainty)
    return results
