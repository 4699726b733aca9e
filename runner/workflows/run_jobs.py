"""The one path of every job, alone or in a sweep: plan, rank and score, and log if that is wanted."""

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from runner.configuration.settings import Settings
from runner.engine.cache import Cache
from runner.engine.execute import look_up
from runner.engine.inputs import ConfiguredInputs
from runner.engine.parallel import Workers
from runner.engine.plan import Inputs, Job, Plan, Request
from runner.engine.planning import differing, make_plan
from runner.engine.rank_and_score import Failed, Results, rank_and_score
from runner.engine.scored import Scored
from runner.errors import ConfigError
from runner.reports.run_files import import_libraries
from runner.reports.sweep_table import Row
from runner.suites import Suite
from runner.suites.by_position import refuse_by_position
from runner.tracking.experiments import Experiments
from runner.tracking.recorder import Recorder
from runner.workflows.clean_holdout import refuse_leaks
from runner.workflows.log_runs import RunLog, earlier_rows, unlogged_row
from runner.workflows.seen_queries import SeenQueries


@dataclass(frozen=True)
class RunOptions:
    """How a set of jobs is run, as opposed to what they are.

    n_jobs and backend are joblib's. sweep: whether they are a sweep, with a summary run of its own. tags go on every
    run. past: a run of the past is repeated for its own sake, so its holdout need not be clean any more. log: whether
    runs are logged; without it MLflow is neither asked nor imported. recorder: who writes runs, this process itself if
    nobody stands by.
    """

    n_jobs: int = 1
    backend: str = "loky"
    sweep: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)
    past: bool = False
    log: bool = True
    recorder: Recorder | None = None


@dataclass(frozen=True)
class ExperimentRuns:
    """An experiment of MLflow, and those runs of a sweep that are in it."""

    name: str
    id: str
    uri: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class SweepOutcome:
    """What came of it: logged (or, resumed, earlier) runs, scores of the new ones, and the jobs that failed.

    jobs: the job of each row. sweep: its name, if it has one. experiments: where the runs are looked at. whole: whether
    everything beside the runs was written.
    """

    rows: Sequence[Row] = ()
    jobs: Sequence[Job] = ()
    scored: Sequence[Scored] = ()
    failures: Sequence[Failed] = ()
    sweep: str | None = None
    experiments: Sequence[ExperimentRuns] = ()
    whole: bool = True

    @property
    def status(self) -> int:
        """The exit status that says it: 0, or 1 where a job failed."""
        return 1 if self.failures or not self.whole else 0


@dataclass(frozen=True)
class Listener:
    """Is told of a sweep as it goes; a command's prints. This one passes on only what a person ought to know."""

    say: Callable[[str], None] = lambda line: None

    def planned(self, plan: Plan, cache: Cache) -> None:
        """A plan was made and looked up in the cache."""

    def note(self, line: str) -> None:
        """Something that is as it should be, and that a person ought to know."""
        self.say(line)

    def warn(self, line: str) -> None:
        """Something beside the runs could not be done."""
        self.say(line)

    def finished(self, outcome: SweepOutcome) -> None:
        """It is over."""


def run_jobs(
    requests: Sequence[Request],
    options: RunOptions,
    inputs: Inputs | None = None,
    listener: Listener | None = None,
) -> SweepOutcome:
    """Run jobs to their end, each by its own settings.

    Raises RunnerError before anything is computed or logged if an input or a setting cannot be used, and ConfigError
    where jobs want what there is only one of (cache mode, store, dry_run, time limit) in two ways.
    """
    listener = listener or Listener()
    outcome = _run(requests, options, inputs, listener)
    listener.finished(outcome)
    return outcome


def _run(requests: Sequence[Request], options: RunOptions, inputs: Inputs | None, listener: Listener) -> SweepOutcome:
    shared = _shared(requests)
    plan = make_plan(requests, inputs or ConfiguredInputs())
    refused = tuple(Failed(each, each.error) for each in plan.refused)
    if not plan.jobs:
        return SweepOutcome(failures=refused)
    if inputs is None:
        for job in plan.jobs:
            refuse_by_position(job.judged.suite, job.stage.snapshot)
    if not options.log:
        _refuse_unrecorded(plan.jobs)
    if not options.past:
        refuse_leaks(_suites_of(plan.jobs), shared.store)
    workers = Workers(options.n_jobs, options.backend, shared.time_limit)
    with Cache(Path(shared.store) / "cache", shared.cache) as cache:
        look_up(plan, cache)
        listener.planned(plan, cache)
        if shared.dry_run:
            return SweepOutcome(failures=refused)
        if options.log:
            return _logged(plan, cache, workers, options, listener)
        results = rank_and_score(plan, cache, workers)
    _remember(plan, results)
    rows = [unlogged_row(each) for each in results.scored]
    return SweepOutcome(rows, [each.job for each in results.scored], results.scored, results.failures)


def _logged(plan: Plan, cache: Cache, workers: Workers, options: RunOptions, listener: Listener) -> SweepOutcome:
    experiments = Experiments(plan.jobs, options.recorder)
    opened = experiments.open_soon()
    earlier = earlier_rows(plan, experiments)
    if earlier:
        listener.note(f"resume: {len(earlier)} of {len(plan.jobs)} jobs are finished already and are not run again")
    needed = plan.without(earlier) if earlier else plan
    looks = experiments.holdout_looks(needed.jobs, listener.note)
    if any(stage.missing for stage in needed.stages):
        # While workers compute, this process only waits: time to import what drawing and writing take.
        threading.Thread(target=import_libraries, daemon=True).start()
    results = rank_and_score(needed, cache, workers, opened)
    _remember(plan, results)
    sweep = f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}" if options.sweep else None
    tags = {store.settings.uri: {**options.tags, **looks.get(store.settings.uri, {})} for store in experiments}
    logged = RunLog(experiments, sweep, tags, listener.warn).write(plan.jobs, results, earlier, opened)
    done = [job for job in plan.jobs if job.key in logged.rows]
    where = []
    for store in experiments:
        here = tuple(logged.rows[job.key] for job in done if experiments.of(job) is store)
        if here:
            where.append(ExperimentRuns(store.settings.experiment, store.experiment_id, store.settings.uri, here))
    return SweepOutcome(
        [logged.rows[job.key] for job in done], done, logged.scored, logged.failures, sweep, where, logged.whole
    )


# Of these there is one for all jobs of a sweep; everything else is each job's own.
_ONE_FOR_ALL = ("cache", "store", "dry_run", "time_limit")


def _shared(requests: Sequence[Request]) -> Settings:
    first = requests[0]
    for each in requests:
        if not each.settings.tracking.experiment.strip():
            raise ConfigError(
                "tracking.experiment: expected a name, which is the dataset's unless it is given, "
                f"found {each.settings.tracking.experiment!r}; set dataset.name=... or tracking.experiment=..."
            )
    for other in requests[1:]:
        for name in _ONE_FOR_ALL:
            values = [getattr(each.settings, name) for each in (first, other)]
            if values[0] != values[1]:
                raise ConfigError(differing(name, first.overrides, values[0], other.overrides, values[1]))
    return first.settings


def _refuse_unrecorded(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if job.judged.suite.role == "holdout":
            raise ConfigError(
                f"suite {job.judged.suite.name!r} has the role holdout, and a look at one is recorded: log the run"
            )


def _remember(plan: Plan, results: Results) -> None:
    """Enter the questions that were scored as seen: no holdout may ask them any more."""
    SeenQueries(plan.jobs[0].settings.store).add(_suites_of([each.job for each in results.scored]))


def _suites_of(jobs: Sequence[Job]) -> list[tuple[Suite, str]]:
    """The distinct suites of jobs, as they are asked, each with the dataset within which its ids mean something."""
    distinct: dict[tuple[str, str, str, str], Suite] = {}
    for job in jobs:
        suite, dataset = job.judged.suite, str(job.settings.dataset.get("name", ""))
        mode = job.settings.history or suite.history_mode
        distinct[suite.name, suite.revision, mode, dataset] = suite
    return [
        (suite if suite.history_mode == mode else replace(suite, history_mode=mode), dataset)
        for (_, _, mode, dataset), suite in distinct.items()
    ]
