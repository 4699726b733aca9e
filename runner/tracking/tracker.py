"""The MLflow store of runs: prepared by one process, written by run id, never by an active run.

MLflow itself is imported late: a worker, a dry run and a configuration error do not need it.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from filelock import FileLock

from runner.configuration.settings import TrackingSettings
from runner.errors import ConfigError, InputError, RunnerError
from runner.rendering.redaction import redacted, without_secrets
from runner.snapshots import SnapshotStore
from runner.tracking.artifact_roots import follow_move
from runner.tracking.mlflow_store import is_gone, is_local, is_read_only, open_client, sqlite_path, this_writer
from runner.tracking.patient_client import patient
from runner.tracking.query_trace import QueryTrace, log_traces

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.tracing.client import TracingClient

# MLflow cuts longer values off without a word.
LONGEST_VALUE = 6000
# The experiment that holds what runs on a server need to be repeated elsewhere.
SNAPSHOTS = "snapshots"
# Makes the UI open on the table of runs instead of on pages about traces and prompts.
EXPERIMENT_KIND = "custom_model_development"
_METRICS_A_BATCH = 1000
_OTHERS_A_BATCH = 100


@dataclass(frozen=True)
class DatasetInput:
    """One dataset that a run used, for MLflow's own dataset columns."""

    name: str
    digest: str
    source: str
    context: str


@dataclass(frozen=True)
class RunRecord:
    """Everything that one run says. curves: by metric key, (step, value) pairs. files: a folder to upload.

    traces: of single queries, which belong to the run. views: tags of the experiment, from which its pages are made.
    """

    name: str
    params: Mapping[str, Any]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    curves: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    inputs: Sequence[DatasetInput] = ()
    files: Path | None = None
    traces: Sequence[QueryTrace] = ()
    views: Mapping[str, str] = field(default_factory=dict)


class RunStore(Protocol):
    """What a sweep needs of its experiment; `Tracker` writes by itself, `RecordedTracker` through a recorder."""

    settings: TrackingSettings

    @property
    def experiment_id(self) -> str: ...

    def open_soon(self) -> Callable[[], int]: ...

    def abandon(self) -> None: ...

    def finished(self, tags: Mapping[str, str], anywhere: bool = False) -> list["Run"]: ...

    def count(self, tags: Mapping[str, str], most: int) -> int: ...

    def keep_snapshot(self, id_: str, folder: Path) -> None: ...

    def log_soon(self, record: RunRecord) -> Callable[[], str]: ...


class Tracker:
    """Writes and reads the runs of one experiment."""

    def __init__(self, settings: TrackingSettings) -> None:
        self.settings = settings
        self._client: MlflowClient | None = None
        self._broken: ConfigError | None = None
        self._experiment_id: str | None = None

    @property
    def client(self) -> "MlflowClient":
        """The MLflow client, with the store's tables made first."""
        if self._broken is not None:
            # Asked once more for each run, a store that does not answer would be waited for each time.
            raise self._broken
        if self._client is None:
            try:
                self._client = open_client(self.settings.uri, self.settings.patience)
            except ConfigError as error:
                self._broken = error
                raise
        return self._client

    @property
    def read_only(self) -> bool:
        """Whether the store is a file that cannot be written."""
        return is_local(self.settings.uri) and is_read_only(sqlite_path(self.settings.uri))

    def refuse_read_only(self) -> None:
        """Raise ConfigError if nothing can be logged in this store."""
        if self.read_only:
            raise ConfigError(
                f"the MLflow store {sqlite_path(self.settings.uri)} is read-only, so no run can be logged in it; make "
                "its folder writable, or name another store with tracking.uri=..."
            )

    @property
    def experiment_id(self) -> str:
        """The experiment's id; made if absent, also when two processes try at once."""
        if self._experiment_id is None:
            self._experiment_id = self._find_or_make(self.settings.experiment)
        return self._experiment_id

    def _find_or_make(self, name: str) -> str:
        from mlflow.exceptions import MlflowException

        for _ in range(5):
            found = self.client.get_experiment_by_name(name)
            if found is not None:
                if found.lifecycle_stage == "deleted":
                    raise ConfigError(
                        f"the MLflow experiment {name!r} was deleted; restore it or set tracking.experiment"
                    )
                return str(found.experiment_id)
            self.refuse_read_only()
            try:
                # A server keeps the files itself; a folder of this machine would be none of its own.
                folder = self.settings.artifacts if is_local(self.settings.uri) else None
                location = Path(folder).as_uri() if folder else None
                return str(self.client.create_experiment(name, location, {"mlflow.experimentKind": EXPERIMENT_KIND}))
            except MlflowException as error:
                if error.error_code != "RESOURCE_ALREADY_EXISTS":
                    raise RunnerError(f"cannot create the MLflow experiment {name!r}: {error.message}") from None
        raise RunnerError(f"cannot find or create the MLflow experiment {name!r} in {self.settings.uri}")

    def log_soon(self, record: RunRecord) -> Callable[[], str]:
        """Write one run, at the latest when the returned function is called, which returns its id.

        Here it is written at once; a recorder writes it meanwhile.
        """
        run_id = self.log(record)
        return lambda: run_id

    def log(self, record: RunRecord) -> str:
        """Write one run and return its id; if anything fails the run is FAILED, never left RUNNING.

        Raises RunnerError where its files are gone or the store cannot take it.
        """
        if record.files is not None and not record.files.is_dir():
            raise RunnerError(f"the files of {record.name!r} are gone ({record.files}); nothing was logged")
        with self._run(record) as run_id:
            self._log_values(run_id, record)
            self._log_inputs(run_id, record.inputs)
            if record.files is not None:
                self.client.log_artifacts(run_id, str(record.files))
            if record.traces:
                log_traces(self._tracing(), self.experiment_id, run_id, record.traces)
            for key, value in record.views.items():
                self.client.set_experiment_tag(self.experiment_id, key, value)
        return run_id

    def _tracing(self) -> "TracingClient":
        from mlflow.tracing.client import TracingClient

        client = TracingClient(self.client.tracking_uri)
        return client if is_local(self.settings.uri) else patient(client, self.settings.uri, self.settings.patience)

    @contextmanager
    def _run(self, record: RunRecord) -> Iterator[str]:
        _refuse_unloggable(record)
        self.refuse_read_only()
        tags = {**without_secrets(dict(record.tags)), "process": this_writer()}
        with self._briefly():
            made = self.client.create_run(self.experiment_id, tags=tags, run_name=redacted(record.name))
            run_id = made.info.run_id
            try:
                if is_local(self.settings.uri):
                    # Somebody who reaches the store by another path may just have opened it.
                    follow_move(sqlite_path(self.settings.uri))
                yield run_id
            except BaseException:
                # On a full disk that cannot be written either; then the next sweep ends the run.
                with suppress(Exception):
                    self.client.set_terminated(run_id, "FAILED")
                raise
            self.client.set_terminated(run_id, "FINISHED")

    @contextmanager
    def _briefly(self) -> Iterator[None]:
        """Say in one line what a store of this machine could not do; MLflow adds statements and values."""
        from mlflow.exceptions import MlflowException

        try:
            yield
        except (MlflowException, sqlite3.Error) as error:
            if not is_local(self.settings.uri):
                raise
            reason = (str(error) or type(error).__name__).splitlines()[0][:300]
            raise RunnerError(
                f"a run could not be written to {sqlite_path(self.settings.uri)} ({reason}); what was computed is in "
                "the cache, so run again when it can be"
            ) from error

    def _log_values(self, run_id: str, record: RunRecord) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        metrics = [Metric(key, value, now, 0) for key, value in record.metrics.items()]
        metrics += [Metric(key, value, now, step) for key, curve in record.curves.items() for step, value in curve]
        params = [Param(key, printed(without_secrets(value, key))) for key, value in record.params.items()]
        while metrics or params:
            self.client.log_batch(run_id, metrics=metrics[:_METRICS_A_BATCH], params=params[:_OTHERS_A_BATCH])
            metrics, params = metrics[_METRICS_A_BATCH:], params[_OTHERS_A_BATCH:]

    def _log_inputs(self, run_id: str, inputs: Sequence[DatasetInput]) -> None:
        from mlflow.entities import Dataset, InputTag
        from mlflow.entities import DatasetInput as Logged

        if not inputs:
            return
        datasets = [
            Logged(
                Dataset(each.name, each.digest, "local", json.dumps({"uri": each.source})),
                [InputTag("mlflow.data.context", each.context)],
            )
            for each in inputs
        ]
        # Two processes that name one new dataset at the same moment would both insert its row.
        with self._one_at_a_time():
            self.client.log_inputs(run_id, datasets)

    def _one_at_a_time(self) -> AbstractContextManager[Any]:
        return FileLock(f"{sqlite_path(self.settings.uri)}.lock") if is_local(self.settings.uri) else nullcontext()

    def finished(self, tags: Mapping[str, str], anywhere: bool = False) -> list["Run"]:
        """Finished runs that carry all those tags, newest first; of the experiment, or of any in the store."""
        return self._search(tags, 1000, anywhere)

    def _search(self, tags: Mapping[str, str], most: int, anywhere: bool = False) -> list["Run"]:
        clauses = [f"tags.`{key}` = '{_quotable(value)}'" for key, value in tags.items()]
        query = " and ".join([*clauses, "attributes.status = 'FINISHED'"])
        if anywhere:
            where = [experiment.experiment_id for experiment in self.client.search_experiments()]
        else:
            where = [self.experiment_id]
        return list(self.client.search_runs(where, query, max_results=most))

    def count(self, tags: Mapping[str, str], most: int) -> int:
        """How many finished runs of the experiment carry all those tags, counted up to `most`."""
        return len(self._search(tags, most))

    def for_experiment(self, experiment_id: str) -> "Tracker":
        """The same store, seen from another experiment."""
        other = Tracker(self.settings)
        other._client, other._experiment_id = self.client, experiment_id
        return other

    def add(self, run_id: str, metrics: Mapping[str, float], tags: Mapping[str, str]) -> None:
        """Put further metrics and tags on a run."""
        from mlflow.entities import Metric, RunTag

        self.refuse_read_only()
        now = int(time.time() * 1000)
        self.client.log_batch(
            run_id,
            metrics=[Metric(key, value, now, 0) for key, value in metrics.items()],
            tags=[RunTag(key, redacted(value)) for key, value in tags.items()],
        )

    def open_soon(self) -> Callable[[], int]:
        """Open the store and `end_abandoned`, at the latest when the returned function is called.

        Here it is done when it is called; a recorder does it meanwhile.
        """
        return self.end_abandoned

    def abandon(self) -> None:
        """Give up what `log_soon` has not begun to write; here nothing ever waits."""

    def end_abandoned(self) -> int:
        """Mark runs as KILLED that a process of this machine left RUNNING when it died; return how many."""
        self.refuse_read_only()
        snapshots = self.client.get_experiment_by_name(SNAPSHOTS)
        where = [self.experiment_id, *([str(snapshots.experiment_id)] if snapshots else [])]
        ended = 0
        for run in self.client.search_runs(where, "attributes.status = 'RUNNING'", max_results=1000):
            if is_gone(run.data.tags.get("process", "")):
                self.client.set_terminated(run.info.run_id, "KILLED")
                ended += 1
        return ended

    def keep_snapshot(self, id_: str, folder: Path) -> None:
        """Put a snapshot's files beside the runs, in an experiment of their own; once for each id.

        Raises InputError, and keeps nothing, for files that are not those of this snapshot: every rerun elsewhere
        would fail.
        """
        experiment = self._find_or_make(SNAPSHOTS)
        if self._snapshot_run(experiment, id_) is None:
            found = SnapshotStore.load_from(folder).id
            if found != id_:
                raise InputError(f"{folder}: holds snapshot {found}, not {id_}; it is not kept beside the runs")
            record = RunRecord(f"snapshot {id_}", {}, {}, {"kind": "snapshot", "snapshot": id_})
            with self.for_experiment(experiment)._run(record) as run_id:
                self.client.log_artifacts(run_id, str(folder), "snapshot")

    def fetch_snapshot(self, id_: str, directory: Path) -> Path | None:
        """Download a snapshot that was kept beside the runs; None if it was not."""
        experiment = self.client.get_experiment_by_name(SNAPSHOTS)
        run = experiment and self._snapshot_run(str(experiment.experiment_id), id_)
        if not run:
            return None
        return Path(self.client.download_artifacts(run.info.run_id, "snapshot", str(directory)))

    def reject_snapshot(self, id_: str) -> None:
        """Have a snapshot that is damaged beside the runs kept again by the next sweep that has it."""
        experiment = self.client.get_experiment_by_name(SNAPSHOTS)
        run = experiment and self._snapshot_run(str(experiment.experiment_id), id_)
        if run and not self.read_only:
            self.client.set_terminated(run.info.run_id, "FAILED")

    def _snapshot_run(self, experiment: str, id_: str) -> "Run | None":
        query = f"tags.snapshot = '{id_}' and tags.kind = 'snapshot' and attributes.status = 'FINISHED'"
        found = list(self.client.search_runs([experiment], query, max_results=1))
        return found[0] if found else None


def _refuse_unloggable(record: RunRecord) -> None:
    for key, value in record.metrics.items():
        if not abs(value) < float("inf"):  # also true of NaN
            raise RunnerError(f"the metric {key!r} of {record.name!r} is {value}; only finite numbers are logged")


def printed(value: Any) -> str:
    """A parameter as MLflow holds it; what it would cut off is replaced by its hash."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST_VALUE:
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()} (full value in config.yaml)"


def _quotable(value: str) -> str:
    """MLflow's filter has no escape for a quote; no tag that is searched for may hold one."""
    if "'" in value:
        raise RunnerError(f"{value!r} holds a quote, which MLflow cannot search for; rename it")
    return value
