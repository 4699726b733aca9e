"""The one path of every job, alone or in a sweep: plan, compute, score, log, report."""

import os
import sys
import threading
import traceback
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from runner.configuration.settings import Settings
from runner.engine.cache import Cache
from runner.engine.context_length import ContextMeter
from runner.engine.execute import Executor, StageError, look_up
from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.engine.parallel import Workers
from runner.engine.plan import Inputs, Job, Plan, Refused, Request, make_plan
from runner.errors import ConfigError, StoreGone
from runner.files.scratch import scratch_folder
from runner.rendering.progress import progress_bar
from runner.reports.failure_traces import failure_traces
from runner.reports.plan import plan_lines
from runner.reports.run_files import ArtifactWriter, import_libraries
from runner.reports.sweep_table import Row, print_table
from runner.scoring.evaluate import evaluate
from runner.scoring.uncertainty import uncertainties_of
from runner.suites import Suite
from runner.suites.by_position import refuse_by_position
from runner.tracking.experiments import Experiments
from runner.tracking.manifest import FILES_TAG
from runner.tracking.mlflow_store import charts_path, compare_path, is_local, run_path, ui_command
from runner.tracking.run_record import (
    Scored,
    curves_of,
    inputs_of,
    metrics_of,
    params_of,
    part_names,
    stages_of,
    tags_of,
)
from runner.tracking.seen_queries import SeenQueries
from runner.tracking.tracker import RunRecord, RunStore
from runner.workflows.clean_holdout import refuse_leaks
from runner.workflows.log_summary import draw_summary, log_summary

DONE, FAILED = 0, 1
_MOST_IDS = 40


@dataclass(frozen=True)
class RunOptions:
    """How a set of jobs is run, as opposed to what they are.

    n_jobs and backend are joblib's. sweep: whether they are a sweep, with a summary run of its own. tags go
    on every run. quiet: print neither plan nor table. past: a run of the past is repeated for its own sake, so its
    holdout need not be clean any more.
    """

    n_jobs: int = 1
    backend: str = "loky"
    sweep: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)
    quiet: bool = False
    past: bool = False


@dataclass(frozen=True)
class SweepOutcome:
    """What came of it: logged (or, resumed, earlier) runs, scores of the new ones, and failures by job name.

    jobs: the job of each row.
    """

    status: int
    rows: Sequence[Row] = ()
    jobs: Sequence[Job] = ()
    scored: Sequence[Scored] = ()
    failures: Sequence[tuple[Job | Refused, str]] = ()


def run_jobs(requests: Sequence[Request], options: RunOptions, inputs: Inputs | None = None) -> SweepOutcome:
    """Run jobs to their end, each by its own settings.

    Raises RunnerError before anything is computed or logged if an input or a setting cannot be used, and ConfigError
    where jobs want what there is only one of (cache mode, store, dry_run, time limit) in two ways.
    """
    shared = _shared(requests)
    plan = make_plan(requests, inputs or ConfiguredInputs())
    if not plan.jobs:
        refused = [(each, each.error) for each in plan.refused]
        _print_failures(refused)
        return SweepOutcome(FAILED, failures=refused)
    if inputs is None:
        for job in plan.jobs:
            refuse_by_position(job.judged.suite, job.stage.snapshot)
    if not options.past:
        refuse_leaks(_suites_of(plan.jobs), shared.store)
    with Cache(Path(shared.store) / "cache", shared.cache) as cache:
        look_up(plan, cache)
        if not options.quiet:
            print("\n".join(plan_lines(plan, cache)), flush=True)
        if shared.dry_run:
            _print_failures([(each, each.error) for each in plan.refused])
            return SweepOutcome(FAILED if plan.refused else DONE)
        experiments = Experiments(plan.jobs)
        opened = experiments.open_soon()
        earlier = _earlier_rows(plan, experiments)
        if earlier:
            print(f"resume: {len(earlier)} of {len(plan.jobs)} jobs are finished already and are not run again")
            needed = plan.without(earlier)
        else:
            needed = plan
        looks = experiments.holdout_looks(needed.jobs)
        executor = Executor(needed, cache, Workers(options.n_jobs, options.backend, shared.time_limit))
        if any(stage.missing for stage in needed.stages):
            # While workers compute, this process only waits: time to import what drawing and writing take.
            threading.Thread(target=import_libraries, daemon=True).start()
        executor.run(opened)
        return _score_and_log(plan, executor, experiments, opened, earlier, looks, options)


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


def differing(name: str, overrides: Sequence[str], value: Any, others: Sequence[str], other: Any) -> str:
    """Why two jobs cannot be in one sweep: a setting of which a sweep has only one."""
    one, another = (
        " ".join(each for each in mine if each not in theirs)
        for mine, theirs in ((overrides, others), (others, overrides))
    )
    return (
        f"one sweep has one {name}, but {one or 'one job'} wants {_as_typed(value)} and {another or 'another'} wants "
        f"{_as_typed(other)}; set {name}=... for all, or run two sweeps"
    )


def _as_typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _score_and_log(
    plan: Plan,
    executor: Executor,
    experiments: Experiments,
    opened: Callable[[], object],
    earlier: Mapping[str, Row],
    looks: Mapping[str, Mapping[str, str]],
    options: RunOptions,
) -> SweepOutcome:
    failures: list[tuple[Job | Refused, str]] = [(each, each.error) for each in plan.refused]
    sweep = f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}" if options.sweep else None
    rows = dict(earlier)
    status = DONE
    with scratch_folder("sweep-files") as folder:
        wanted = [job for job in plan.jobs if job.key not in earlier]
        scores = _with_intervals(_score_all(wanted, executor, failures))
        SeenQueries(plan.jobs[0].settings.store).add(_suites_of([each.job for each in scores]))
        try:
            tags = {uri: {**options.tags, **counted} for uri, counted in looks.items()}
            asked = _ask_to_log(scores, failures, experiments, ArtifactWriter(folder), sweep, tags, options)
            parts = _by_experiment(experiments, folder)
            if sweep:
                try:
                    for store, summary in parts:
                        draw_summary([each for each, _, _ in asked if experiments.of(each.job) is store], summary)
                except Exception as error:  # no figure is worth the runs that are being written
                    print(f"failed: the sweep's figures: {error}", file=sys.stderr)
                    status = FAILED
            # One error for a store that cannot be opened, not one for each run.
            opened()
            scored = _collect(asked, rows, failures)
            done = [job for job in plan.jobs if job.key in rows]
            if sweep:
                try:
                    for store, summary in parts:
                        here = [job for job in plan.jobs if experiments.of(job) is store]
                        log_summary(
                            store,
                            sweep,
                            [each for each in scored if experiments.of(each.job) is store],
                            [rows[job.key] for job in here if job.key in rows],
                            [failure for failure in failures if failure[0].settings.tracking == store.settings],
                            executor.counts,
                            summary,
                            tags.get(store.settings.uri, options.tags),
                        )
                except Exception as error:  # the runs are written; that they can be read here counts more
                    print(f"failed: the sweep's summary run: {error}", file=sys.stderr)
                    status = FAILED
        except BaseException:
            # Stopped in the middle: no run may be written whose files go with this folder.
            experiments.abandon()
            raise
    if not options.quiet:
        _print_outcome(done, rows, bool(scored), failures, experiments, sweep)
    return SweepOutcome(FAILED if failures else status, [rows[job.key] for job in done], done, scored, failures)


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


def _score_all(jobs: Sequence[Job], executor: Executor, failures: list[tuple[Job | Refused, str]]) -> list[Scored]:
    """Score the jobs whose stages stand; one job's trouble, a user's class say, is not the others'."""
    meter = ContextMeter()
    scores = []
    for job in jobs:
        try:
            if job.stage.error:
                raise StageError(job.stage.error)
            scores.append(_score(job, executor, meter))
        except Exception as error:
            failures.append(_failure(job, error))
    return scores


Asked = tuple[Scored, RunRecord, Callable[[], str]]


def _ask_to_log(
    scores: Sequence[Scored],
    failures: list[tuple[Job | Refused, str]],
    experiments: Experiments,
    writer: ArtifactWriter,
    sweep: str | None,
    tags: Mapping[str, Mapping[str, str]],
    options: RunOptions,
) -> list[Asked]:
    """Have the results logged, each with its record and the function that waits for its run id."""
    asked: list[Asked] = []
    for result in progress_bar(scores, desc="log"):
        try:
            store = experiments.of(result.job)
            _keep_snapshot(result.job, store)
            record = _record(result, sweep, tags.get(store.settings.uri, options.tags), writer)
            asked.append((result, record, store.log_soon(record)))
        except StoreGone:
            raise
        except Exception as error:
            failures.append(_failure(result.job, error))
    return asked


def _collect(asked: Sequence[Asked], rows: dict[str, Row], failures: list[tuple[Job | Refused, str]]) -> list[Scored]:
    """Enter the rows of the runs as they are written, and return their results."""
    written = []
    for result, record, run_id in asked:
        job = result.job
        try:
            rows[job.key] = _row(run_id(), record.name, job.variant, record.params, record.metrics)
            written.append(result)
        except StoreGone:
            raise
        except Exception as error:
            failures.append(_failure(job, error))
    return written


def _failure(job: Job, error: Exception) -> tuple[Job, str]:
    if not isinstance(error, StageError):
        job.stage.trace = "".join(traceback.format_exception(error))
    return job, str(error) or type(error).__name__


def _score(job: Job, executor: Executor, meter: ContextMeter) -> Scored:
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    candidates, ks = executor.candidates(job.stage, job.queries, job.settings.depth), job.settings.curve_within_depth()
    evaluation = evaluate(job.judged, rankings, candidates, job.settings.k, ks)
    names = part_names(job.stage.part)
    measured = {}
    for stage in stages_of(job.stage):
        # The stage may have been built for another job; the name is this job's.
        same = (stage.part.sharing_key, stage.part.key)
        inner = next(part for part in job.stage.part.walk() if (part.sharing_key, part.key) == same)
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


def _record(scored: Scored, sweep: str | None, tags: Mapping[str, str], writer: ArtifactWriter) -> RunRecord:
    job = scored.job
    files, checksum = writer.write(scored)
    return RunRecord(
        job.name,
        params_of(job),
        metrics_of(scored),
        {**tags_of(scored, sweep), **tags, FILES_TAG: checksum},
        curves_of(scored.evaluation, scored.context),
        inputs_of(job),
        files,
        failure_traces(scored, job.settings.trace),
    )


def _row(run_id: str, name: str, variant: str, params: Mapping[str, Any], metrics: Mapping[str, float]) -> Row:
    return Row(
        run_id,
        name,
        str(params["retriever"]),
        int(params["k"]),
        str(params.get("pool", "")),
        str(params["suite"]),
        str(params["snapshot"]),
        variant,
        metrics,
        str(params["documents_sha256"]),
        "/".join(str(params[key]) for key in ("suite_revision", "unit", "min_grade")),
    )


def _earlier_rows(plan: Plan, experiments: Experiments) -> dict[str, Row]:
    """By key, the finished runs of jobs that are to be resumed, each looked for where it would be logged."""
    rows = {}
    for job in plan.jobs:
        if not job.settings.resume:
            continue
        found = experiments.of(job).finished({"fingerprint": job.fingerprint, "kind": "run"})
        if found:
            run = found[0]
            name, variant = str(run.info.run_name), run.data.tags.get("variant", "")
            rows[job.key] = _row(run.info.run_id, name, variant, run.data.params, run.data.metrics)
    return rows


def _keep_snapshot(job: Job, tracker: RunStore) -> None:
    """A store on a server may be read where this machine's snapshots are not: put them there too, once."""
    if not is_local(tracker.settings.uri):
        id_ = job.stage.snapshot.id
        tracker.keep_snapshot(id_, snapshot_store(job.settings.store).root / id_)


def _print_outcome(
    jobs: Sequence[Job],
    found: Mapping[str, Row],
    fresh: bool,
    failures: Sequence[tuple[Job | Refused, str]],
    experiments: Experiments,
    sweep: str | None,
) -> None:
    rows = [found[job.key] for job in jobs]
    if rows:
        print_table(rows)
        for row in rows[:_MOST_IDS]:
            print(f"run {row.run_id}  {row.name}" if sweep else f"run {row.run_id}")
        if len(rows) > _MOST_IDS:
            print(f"... and {len(rows) - _MOST_IDS} more in the summary run's runs.json")
        for store in experiments:
            here = [found[job.key] for job in jobs if experiments.of(job) is store]
            if here:
                _print_where(here, fresh, store, sweep)
    _print_failures(failures)


def _print_failures(failures: Sequence[tuple[Job | Refused, str]]) -> None:
    for job, error in failures:
        for overrides in [job.overrides, *(job.also if isinstance(job, Job) else ())]:
            print(f"failed: {' '.join(overrides) or job.name}: {error}", file=sys.stderr)
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            print(job.stage.trace if isinstance(job, Job) else job.trace, file=sys.stderr)


def _print_where(rows: Sequence[Row], fresh: bool, store: RunStore, sweep: str | None) -> None:
    """Where the runs of one experiment are looked at."""
    experiment = store.experiment_id
    if sweep:
        runs = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
        print(f"sweep {sweep}: {runs} in the experiment {store.settings.experiment!r}")
    print(f"look at the runs:   {ui_command(store.settings.uri)}")
    if sweep and fresh:
        print(f"charts along k:     {charts_path(experiment, sweep)}")
    if len(rows) > 1:
        print(f"compare these runs: {compare_path(experiment, [row.run_id for row in rows])}")
    else:
        print(f"this run:           {run_path(experiment, rows[0].run_id)}")


def _by_experiment(experiments: Experiments, folder: Path) -> list[tuple[RunStore, Path]]:
    """The experiments, each with a folder for the files of its summary."""
    return [(store, folder / f"summary-{number}") for number, store in enumerate(experiments)]
