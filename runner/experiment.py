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

from tqdm import tqdm

from runner.engine.announce import plan_lines
from runner.engine.cache import Cache
from runner.engine.execute import Executor, look_up
from runner.engine.plan import Inputs, Job, Plan, Request, make_plan
from runner.errors import RunnerError
from runner.inputs import ConfiguredInputs, snapshot_store
from runner.page.summary import draw_summary, log_summary
from runner.recording.artifacts import ArtifactWriter, import_libraries
from runner.recording.clean_holdout import refuse_leaks
from runner.recording.context import ContextMeter
from runner.recording.mlflow_store import charts_path, compare_path, is_local, run_path, ui_command
from runner.recording.names import key_part
from runner.recording.record import Scored, curves_of, inputs_of, metrics_of, params_of, part_names, stages_of, tags_of
from runner.recording.recorder import RecordedTracker, RecorderGone, standing_recorder
from runner.recording.report import Row, print_table
from runner.recording.seen_queries import SeenQueries
from runner.recording.tracking import Record, RunStore, Tracker
from runner.scoring.evaluate import evaluate
from runner.scoring.uncertainty import uncertainties_of
from runner.scratch import scratch_folder
from runner.suites import Suite

DONE, FAILED = 0, 1
_MOST_IDS = 40


@dataclass(frozen=True)
class Options:
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
class Outcome:
    """What came of it: logged (or, resumed, earlier) runs, scores of the new ones, and failures by job name."""

    status: int
    rows: Sequence[Row] = ()
    scored: Sequence[Scored] = ()
    failures: Sequence[tuple[Job, str]] = ()


def run_jobs(requests: Sequence[Request], options: Options, inputs: Inputs | None = None) -> Outcome:
    """Run jobs to their end. Settings that concern the whole (cache, store, tracking) come from the first.

    Raises RunnerError before anything is computed or logged if an input or a setting cannot be used.
    """
    shared = requests[0].settings
    plan = make_plan(requests, inputs or ConfiguredInputs())
    if not options.past:
        refuse_leaks(_suites_of(plan.jobs), shared.store)
    with Cache(Path(shared.store) / "cache", shared.cache) as cache:
        look_up(plan, cache)
        if not options.quiet:
            print("\n".join(plan_lines(plan, cache)), flush=True)
        if shared.dry_run:
            return Outcome(DONE)
        recorder = standing_recorder()
        tracker: RunStore = RecordedTracker(recorder, shared.tracking) if recorder else Tracker(shared.tracking)
        opened = tracker.open_soon()
        earlier = _earlier_rows(plan, tracker) if shared.resume else {}
        if earlier:
            print(f"resume: {len(earlier)} of {len(plan.jobs)} jobs are finished already and are not run again")
            needed = plan.without(set(earlier))
        else:
            needed = plan
        tags = {**options.tags, **_holdout_looks(needed, tracker)}
        executor = Executor(needed, cache, options.n_jobs, options.backend)
        if any(stage.missing for stage in needed.stages):
            # While workers compute, this process only waits: time to import what drawing and writing take.
            threading.Thread(target=import_libraries, daemon=True).start()
        executor.run(shared.latency, opened)
        return _score_and_log(plan, executor, tracker, opened, earlier, replace(options, tags=tags))


def _score_and_log(
    plan: Plan,
    executor: Executor,
    tracker: RunStore,
    opened: Callable[[], object],
    earlier: Mapping[str, Row],
    options: Options,
) -> Outcome:
    failures: list[tuple[Job, str]] = []
    sweep = f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}" if options.sweep else None
    rows = dict(earlier)
    status = DONE
    with scratch_folder("sweep-files") as folder:
        wanted = [job for job in plan.jobs if job.fingerprint not in earlier]
        scores = _with_intervals(_score_all(wanted, executor, failures))
        SeenQueries(plan.jobs[0].settings.store).add(_suites_of([each.job for each in scores]))
        try:
            asked = _ask_to_log(scores, failures, tracker, ArtifactWriter(folder), sweep, options)
            summary = folder / "summary"
            if sweep:
                try:
                    draw_summary([result for result, _, _ in asked], summary)
                except Exception as error:  # no figure is worth the runs that are being written
                    print(f"failed: the sweep's figures: {error}", file=sys.stderr)
                    status = FAILED
            # One error for a store that cannot be opened, not one for each run.
            opened()
            scored = _collect(asked, rows, failures)
            shown = [rows[job.fingerprint] for job in plan.jobs if job.fingerprint in rows]
            if sweep:
                try:
                    log_summary(tracker, sweep, scored, shown, failures, executor.counts, summary, options.tags)
                except Exception as error:  # the runs are written; that they can be read here counts more
                    print(f"failed: the sweep's summary run: {error}", file=sys.stderr)
                    status = FAILED
        except BaseException:
            # Stopped in the middle: no run may be written whose files go with this folder.
            tracker.abandon()
            raise
    if not options.quiet:
        _print_outcome(shown, bool(scored), failures, tracker, sweep)
    return Outcome(FAILED if failures else status, shown, scored, failures)


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


def _score_all(jobs: Sequence[Job], executor: Executor, failures: list[tuple[Job, str]]) -> list[Scored]:
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


Asked = tuple[Scored, Record, Callable[[], str]]


def _ask_to_log(
    scores: Sequence[Scored],
    failures: list[tuple[Job, str]],
    tracker: RunStore,
    writer: ArtifactWriter,
    sweep: str | None,
    options: Options,
) -> list[Asked]:
    """Have the results logged, each with its record and the function that waits for its run id."""
    asked: list[Asked] = []
    for result in tqdm(scores, desc="log", disable=None):
        try:
            _keep_snapshot(result.job, tracker)
            record = _record(result, sweep, options.tags, writer)
            asked.append((result, record, tracker.log_soon(record)))
        except RecorderGone:
            raise
        except Exception as error:
            failures.append(_failure(result.job, error))
    return asked


def _collect(asked: Sequence[Asked], rows: dict[str, Row], failures: list[tuple[Job, str]]) -> list[Scored]:
    """Enter the rows of the runs as they are written, and return their results."""
    written = []
    for result, record, run_id in asked:
        job = result.job
        try:
            rows[job.fingerprint] = _row(run_id(), record.name, job.variant, record.params, record.metrics)
            written.append(result)
        except RecorderGone:
            raise
        except Exception as error:
            failures.append(_failure(job, error))
    return written


class StageError(RunnerError):
    """A stage that a job needs could not be computed."""


def _failure(job: Job, error: Exception) -> tuple[Job, str]:
    if not isinstance(error, StageError):
        job.stage.trace = "".join(traceback.format_exception(error))
    return job, str(error) or type(error).__name__


def _score(job: Job, executor: Executor, meter: ContextMeter) -> Scored:
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    pool, ks = job.stage.pool(job.queries, job.settings.depth), job.settings.curve_within_depth()
    evaluation = evaluate(job.judged, rankings, pool, job.settings.k, ks)
    names = part_names(job.stage.part)
    measured = {}
    for stage in stages_of(job.stage):
        # The stage may have been built for another job; the name is this job's.
        same = (stage.part.sharing_key, stage.part.key)
        inner = next(part for part in job.stage.part.walk() if (part.sharing_key, part.key) == same)
        found = executor.measured(stage)
        if found is not None:
            measured[names[id(inner.object)]] = found
    return Scored(job, evaluation, measured, meter.measure(job, rankings, pool, ks))


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


def _record(scored: Scored, sweep: str | None, tags: Mapping[str, str], writer: ArtifactWriter) -> Record:
    job = scored.job
    return Record(
        job.name, params_of(job), metrics_of(scored), {**tags_of(scored, sweep), **tags},
        curves_of(scored.evaluation, scored.context), inputs_of(job), writer.write(scored),
    )  # fmt: skip


def _row(run_id: str, name: str, variant: str, params: Mapping[str, Any], metrics: Mapping[str, float]) -> Row:
    return Row(
        run_id, name, str(params["retriever"]), int(params["k"]), str(params.get("pool", "")),
        str(params["suite"]), str(params["snapshot"]), variant, metrics, str(params["documents_sha256"]),
    )  # fmt: skip


def _earlier_rows(plan: Plan, tracker: RunStore) -> dict[str, Row]:
    rows = {}
    for job in plan.jobs:
        found = tracker.finished({"fingerprint": job.fingerprint, "kind": "run"})
        if found:
            run = found[0]
            name, variant = str(run.info.run_name), run.data.tags.get("variant", "")
            rows[job.fingerprint] = _row(run.info.run_id, name, variant, run.data.params, run.data.metrics)
    return rows


def _holdout_looks(plan: Plan, tracker: RunStore) -> dict[str, str]:
    """Count and announce the looks at a holdout suite: each one makes it less of one."""
    tags = {}
    for suite in {job.judged.suite.name: job.judged.suite for job in plan.jobs}.values():
        if suite.role == "holdout":
            earlier = tracker.finished({"suite": suite.name, "suite_role": "holdout", "kind": "run"}, anywhere=True)
            look = 1 + len({run.data.tags.get("sweep", run.info.run_id) for run in earlier})
            print(f"holdout: this is look {look} at suite {suite.name!r}; it is recorded")
            tags[f"holdout_look.{key_part(suite.name)}"] = str(look)
    return tags


def _keep_snapshot(job: Job, tracker: RunStore) -> None:
    """A store on a server may be read where this machine's snapshots are not: put them there too, once."""
    if not is_local(tracker.settings.uri):
        id_ = job.stage.snapshot.id
        tracker.keep_snapshot(id_, snapshot_store(job.settings.store).root / id_)


def _print_outcome(
    rows: Sequence[Row], fresh: bool, failures: Sequence[tuple[Job, str]], tracker: RunStore, sweep: str | None
) -> None:
    if rows:
        print_table(rows)
        for row in rows[:_MOST_IDS]:
            print(f"run {row.run_id}  {row.name}" if sweep else f"run {row.run_id}")
        if len(rows) > _MOST_IDS:
            print(f"... and {len(rows) - _MOST_IDS} more in the summary run's runs.json")
        experiment = tracker.experiment_id
        if sweep:
            runs = "1 run" if len(rows) == 1 else f"{len(rows)} runs"
            print(f"sweep {sweep}: {runs} in the experiment {tracker.settings.experiment!r}")
        print(f"look at the runs:   {ui_command(tracker.settings.uri)}")
        if sweep and fresh:
            print(f"charts along k:     {charts_path(experiment, sweep)}")
        if len(rows) > 1:
            print(f"compare these runs: {compare_path(experiment, [row.run_id for row in rows])}")
        else:
            print(f"this run:           {run_path(experiment, rows[0].run_id)}")
    for job, error in failures:
        for overrides in [job.overrides, *job.also]:
            print(f"failed: {' '.join(overrides) or job.name}: {error}", file=sys.stderr)
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            print(job.stage.trace, file=sys.stderr)
