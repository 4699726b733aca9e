"""The one path of every job, alone or in a sweep: plan, compute, score, log, report."""

import os
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from retrievers.base import Combining, Rankings, Rescoring
from runner.announce import plan_lines
from runner.artifacts import ArtifactWriter
from runner.cache import Cache
from runner.context import ContextMeter
from runner.evaluate import evaluate
from runner.execute import Executor, look_up
from runner.inputs import ConfiguredInputs, snapshot_store
from runner.names import key_part
from runner.plan import Inputs, Job, Plan, Request, make_plan
from runner.record import Scored, curves_of, inputs_of, metrics_of, params_of, part_names, stages_of, tags_of
from runner.report import Row, print_table
from runner.summary import log_summary
from runner.tracking import Record, Tracker

DONE, FAILED = 0, 1


@dataclass(frozen=True)
class Options:
    """How a set of jobs is run, as opposed to what they are.

    n_jobs and backend are joblib's. sweep: whether they are a sweep, with a summary run of its own. tags go
    on every run. quiet: print neither plan nor table.
    """

    n_jobs: int = 1
    backend: str = "loky"
    sweep: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)
    quiet: bool = False


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
    with Cache(Path(shared.store) / "cache", shared.cache) as cache:
        look_up(plan, cache)
        if not options.quiet:
            print("\n".join(plan_lines(plan, cache)), flush=True)
        if shared.dry_run:
            return Outcome(DONE)
        tracker = Tracker(shared.tracking)
        tracker.end_abandoned()
        earlier = _earlier_rows(plan, tracker) if shared.resume else {}
        if earlier:
            print(f"resume: {len(earlier)} of {len(plan.jobs)} jobs are finished already and are not run again")
            plan = plan.without(set(earlier))
        tags = {**options.tags, **_holdout_looks(plan, tracker)}
        executor = Executor(plan, cache, options.n_jobs, options.backend)
        executor.run(shared.latency)
        return _score_and_log(plan, executor, tracker, earlier, replace(options, tags=tags))


def _score_and_log(
    plan: Plan, executor: Executor, tracker: Tracker, earlier: Mapping[str, Row], options: Options
) -> Outcome:
    failures = [(job, job.stage.error) for job in plan.jobs if job.stage.error]
    good = [job for job in plan.jobs if not job.stage.error]
    _keep_snapshots(good, tracker)
    sweep = f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}" if options.sweep else None
    scored: list[Scored] = []
    rows = list(earlier.values())
    with tempfile.TemporaryDirectory(prefix="runner-") as folder:
        writer = ArtifactWriter(Path(folder))
        meter = ContextMeter()
        for job in tqdm(good, desc="score and log", disable=None):
            result = _score(job, executor, meter)
            record = _record(result, sweep, options.tags, writer)
            rows.append(_row(tracker.log(record), record.name, record.params, record.metrics))
            scored.append(result)
        order = {job.name: number for number, job in enumerate(plan.jobs)}
        rows.sort(key=lambda row: order.get(row.name, -1))
        if sweep:
            log_summary(tracker, sweep, scored, rows, failures, executor.counts, Path(folder) / "summary")
    if not options.quiet:
        _print_outcome(rows, failures, tracker, sweep)
    return Outcome(FAILED if failures else DONE, rows, scored, failures)


def _score(job: Job, executor: Executor, meter: ContextMeter) -> Scored:
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    pool, ks = _pool(job, rankings), job.settings.curve_within_depth()
    evaluation = evaluate(job.judged, rankings, pool, job.settings.k, ks)
    names = part_names(job.stage.part)
    measured = {}
    for stage in stages_of(job.stage):
        # The stage may have been built for another job; the name is this job's.
        inner = next(part for part in job.stage.part.walk() if part.key == stage.part.key or part is stage.part)
        found = executor.measured(stage)
        if found is not None:
            measured[names[id(inner.object)]] = found
    return Scored(job, evaluation, measured, meter.measure(job, rankings, pool, ks))


def _pool(job: Job, rankings: Rankings) -> Rankings:
    """What the last stage looked at; a one-stage retriever looked at everything, so its own ranking."""
    retriever = job.stage.part.object
    if isinstance(retriever, Combining | Rescoring):
        return retriever.candidates(job.stage.source_rankings(job.queries))
    return rankings


def _record(scored: Scored, sweep: str | None, tags: Mapping[str, str], writer: ArtifactWriter) -> Record:
    job = scored.job
    return Record(
        job.name, params_of(job), metrics_of(scored), {**tags_of(scored, sweep), **tags},
        curves_of(scored.evaluation, scored.context), inputs_of(job), writer.write(scored),
    )  # fmt: skip


def _row(run_id: str, name: str, params: Mapping[str, Any], metrics: Mapping[str, float]) -> Row:
    return Row(
        run_id, name, str(params["retriever"]), int(params["k"]), str(params.get("pool", "")),
        str(params["suite"]), str(params["snapshot"]), metrics,
    )  # fmt: skip


def _earlier_rows(plan: Plan, tracker: Tracker) -> dict[str, Row]:
    rows = {}
    for job in plan.jobs:
        found = tracker.finished({"fingerprint": job.fingerprint, "kind": "run"})
        if found:
            run = found[0]
            rows[job.fingerprint] = _row(run.info.run_id, str(run.info.run_name), run.data.params, run.data.metrics)
    return rows


def _holdout_looks(plan: Plan, tracker: Tracker) -> dict[str, str]:
    """Count and announce the looks at a holdout suite: each one makes it less of one."""
    tags = {}
    for suite in {job.judged.suite.name: job.judged.suite for job in plan.jobs}.values():
        if suite.role == "holdout":
            earlier = tracker.finished({"suite": suite.name, "suite_role": "holdout", "kind": "run"})
            look = 1 + len({run.data.tags.get("sweep", run.info.run_id) for run in earlier})
            print(f"holdout: this is look {look} at suite {suite.name!r}; it is recorded")
            tags[f"holdout_look.{key_part(suite.name)}"] = str(look)
    return tags


def _keep_snapshots(jobs: Sequence[Job], tracker: Tracker) -> None:
    """A store on a server may be read where this machine's snapshots are not: put them there too, once."""
    if tracker.is_local:
        return
    for store, id_ in {(job.settings.store, job.stage.snapshot.id) for job in jobs}:
        tracker.keep_snapshot(id_, snapshot_store(store).root / id_)


def _print_outcome(
    rows: Sequence[Row], failures: Sequence[tuple[Job, str | None]], tracker: Tracker, sweep: str | None
) -> None:
    if rows:
        print_table(rows)
        if sweep:
            print(f"sweep {sweep}: {len(rows)} runs in the experiment {tracker.settings.experiment!r}")
        else:
            print("\n".join(f"run {row.run_id}" for row in rows))
        print(f"look at the runs:   {tracker.ui_command()}")
        if sweep:
            print(f"charts along k:     {tracker.charts_path(sweep)}")
        if len(rows) > 1:
            print(f"compare these runs: {tracker.compare_path([row.run_id for row in rows])}")
    for job, error in failures:
        for overrides in [job.overrides, *job.also]:
            print(f"failed: {' '.join(overrides) or job.name}: {error}", file=sys.stderr)
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            print(job.stage.trace, file=sys.stderr)
