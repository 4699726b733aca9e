"""Log scored jobs to MLflow, each as a run of its own, and a sweep as one more run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.engine.inputs import snapshot_store
from runner.engine.plan import Job, Plan
from runner.engine.rank_and_score import Failed, Results, failed
from runner.engine.scored import Scored
from runner.errors import StoreGone
from runner.files.scratch import scratch_folder
from runner.rendering.progress import progress_bar
from runner.reports.failure_traces import failure_traces
from runner.reports.run_files import ArtifactWriter
from runner.reports.sweep_table import Row
from runner.tracking.experiments import Experiments
from runner.tracking.manifest import FILES_TAG
from runner.tracking.mlflow_store import is_local
from runner.tracking.run_record import curves_of, inputs_of, metrics_of, metrics_of_params, params_of, tags_of
from runner.tracking.tracker import RunRecord, RunStore
from runner.workflows.log_summary import draw_summary, log_summary

_Asked = tuple[Scored, RunRecord, Callable[[], str]]


@dataclass(frozen=True)
class Logged:
    """The runs that stand in MLflow, by job key, and the results that they were written from.

    failures: every job that came to nothing, whether it could not be scored or not be logged. whole: whether a sweep's
    own run was written as well.
    """

    rows: Mapping[str, Row]
    scored: tuple[Scored, ...]
    failures: tuple[Failed, ...]
    whole: bool = True


@dataclass(frozen=True)
class RunLog:
    """Where results are logged. sweep: its name, None for a single job. tags: those of every run, by URI of the store.

    warn: is told what could not be written beside the runs.
    """

    experiments: Experiments
    sweep: str | None
    tags: Mapping[str, Mapping[str, str]]
    warn: Callable[[str], None]

    def write(
        self, jobs: Sequence[Job], results: Results, earlier: Mapping[str, Row], opened: Callable[[], object]
    ) -> Logged:
        """Log what was scored. jobs: all of the plan; earlier: by key, those of them that were logged before.

        opened: waits for the stores, and raises what opening them raises. Where this is stopped no run is written whose
        files would be gone.
        """
        rows, failures = dict(earlier), list(results.failures)
        with scratch_folder("sweep-files") as folder:
            try:
                asked = self._ask(results.scored, failures, ArtifactWriter(folder))
                folders = [(store, folder / f"summary-{number}") for number, store in enumerate(self.experiments)]
                drawn = not self.sweep or self._draw(asked, folders)
                # One error for a store that cannot be opened, not one for each run.
                opened()
                scored = _collect(asked, rows, failures)
                summed = not self.sweep or self._sum_up(jobs, results, scored, rows, failures, folders)
            except BaseException:
                # Stopped in the middle: no run may be written whose files go with this folder.
                self.experiments.abandon()
                raise
        return Logged(rows, tuple(scored), tuple(failures), drawn and summed)

    def _ask(self, scores: Sequence[Scored], failures: list[Failed], writer: ArtifactWriter) -> list[_Asked]:
        """Have the results logged, each with its record and the function that waits for its run id."""
        asked: list[_Asked] = []
        for result in progress_bar(scores, desc="log"):
            try:
                store = self.experiments.of(result.job)
                _keep_snapshot(result.job, store)
                record = _record(result, self.sweep, self.tags.get(store.settings.uri, {}), writer)
                asked.append((result, record, store.log_soon(record)))
            except StoreGone:
                raise
            except Exception as error:
                failures.append(failed(result.job, error))
        return asked

    def _draw(self, asked: Sequence[_Asked], folders: Sequence[tuple[RunStore, Path]]) -> bool:
        try:
            for store, folder in folders:
                draw_summary([each for each, _, _ in asked if self.experiments.of(each.job) is store], folder)
        except Exception as error:  # no figure is worth the runs that are being written
            self.warn(f"failed: the sweep's figures: {error}")
            return False
        return True

    def _sum_up(
        self,
        jobs: Sequence[Job],
        results: Results,
        scored: Sequence[Scored],
        rows: Mapping[str, Row],
        failures: Sequence[Failed],
        folders: Sequence[tuple[RunStore, Path]],
    ) -> bool:
        assert self.sweep is not None
        try:
            for store, folder in folders:
                here = [job for job in jobs if self.experiments.of(job) is store]
                log_summary(
                    store,
                    self.sweep,
                    [each for each in scored if self.experiments.of(each.job) is store],
                    [rows[job.key] for job in here if job.key in rows],
                    [failure for failure in failures if failure.job.settings.tracking == store.settings],
                    results.counts,
                    folder,
                    self.tags.get(store.settings.uri, {}),
                )
        except Exception as error:  # the runs are written; that they can be read here counts more
            self.warn(f"failed: the sweep's summary run: {error}")
            return False
        return True


def earlier_rows(plan: Plan, experiments: Experiments) -> dict[str, Row]:
    """By key, the finished runs of jobs that are to be resumed, each looked for where it would be logged."""
    rows = {}
    for job in plan.jobs:
        if not job.settings.resume:
            continue
        found = experiments.of(job).finished({"fingerprint": job.fingerprint, "kind": "run"})
        if found:
            run = found[0]
            name, variant = str(run.info.run_name), run.data.tags.get("variant", "")
            rows[job.key] = row_of(run.info.run_id, name, variant, run.data.params, run.data.metrics)
    return rows


def unlogged_row(scored: Scored) -> Row:
    """The row of a job that is logged nowhere, with the figures that it would be logged with."""
    return row_of("", scored.job.name, scored.job.variant, params_of(scored.job), metrics_of(scored))


def row_of(run_id: str, name: str, variant: str, params: Mapping[str, Any], metrics: Mapping[str, float]) -> Row:
    """A run as tables show it, from what is logged of it."""
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
        metrics_of_params(params),
    )


def _collect(asked: Sequence[_Asked], rows: dict[str, Row], failures: list[Failed]) -> list[Scored]:
    """Enter the rows of the runs as they are written, and return their results."""
    written = []
    for result, record, run_id in asked:
        job = result.job
        try:
            rows[job.key] = row_of(run_id(), record.name, job.variant, record.params, record.metrics)
            written.append(result)
        except StoreGone:
            raise
        except Exception as error:
            failures.append(failed(job, error))
    return written


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


def _keep_snapshot(job: Job, tracker: RunStore) -> None:
    """A store on a server may be read where this machine's snapshots are not: put them there too, once."""
    if not is_local(tracker.settings.uri):
        id_ = job.stage.snapshot.id
        tracker.keep_snapshot(id_, snapshot_store(job.settings.store).root / id_)
