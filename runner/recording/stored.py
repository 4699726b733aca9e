"""A past run as it was stored: its settings, suite, snapshot, files and rankings."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from runner.config import Settings
from runner.errors import InputError, RunnerError
from runner.inputs import snapshot_store
from runner.recording.artifacts import CONFIG, FILE_INDEX, FILES, PER_QUERY, SOURCE, SUITE
from runner.recording.tracking import Tracker
from runner.snapshots import Snapshot, SnapshotStore
from runner.suite_formats.own import read_own
from runner.suites import Suite

if TYPE_CHECKING:
    import pyarrow as pa
    from mlflow.entities import Run


def find_run(tracker: Tracker, run_id: str) -> "Run":
    """Look a run up by its id. Raises InputError if the store does not hold it."""
    from mlflow.exceptions import MlflowException

    try:
        return tracker.client.get_run(run_id)
    except MlflowException:
        raise InputError(
            f"no run {run_id!r} in {tracker.settings.uri}; the id is the last part of a run's address in the "
            "MLflow UI (a sweep's name is none), and another store is named with tracking.uri=..."
        ) from None


@dataclass(frozen=True)
class StoredRun:
    """params, metrics and tags as MLflow holds them; folder: its downloaded artifacts."""

    id: str
    name: str
    experiment_id: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    folder: Path

    @classmethod
    def fetch(cls, tracker: Tracker, run_id: str, folder: Path) -> "StoredRun":
        """Download a run. Raises InputError for an unknown id and for a run that cannot be repeated."""
        from mlflow.exceptions import MlflowException

        run = find_run(tracker, run_id)
        if run.data.tags.get("kind") != "run":
            kind = run.data.tags.get("kind", "without a kind")
            raise InputError(f"run {run_id} is not a scored job ({kind}); name one of the runs of the sweep")
        if run.info.status != "FINISHED":
            raise InputError(f"run {run_id} did not finish ({run.info.status}); only a finished run can be repeated")
        folder.mkdir(parents=True, exist_ok=True)
        # MLflow draws a bar of its own for every file.
        os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
        try:
            tracker.client.download_artifacts(run_id, "", str(folder))
        except (MlflowException, OSError) as error:
            raise RunnerError(f"the files of run {run_id} cannot be read: {str(error).splitlines()[0]}") from None
        missing = [name for name in (CONFIG, SOURCE, PER_QUERY, SUITE) if not (folder / name).exists()]
        if missing:
            raise InputError(f"run {run_id} lacks {', '.join(missing)} among its files, so it cannot be repeated")
        return cls(
            run_id,
            str(run.info.run_name),
            run.info.experiment_id,
            run.data.params,
            run.data.metrics,
            run.data.tags,
            folder,
        )

    @cached_property
    def settings(self) -> Settings:
        """The resolved settings it ran with."""
        return Settings.of_plain(yaml.safe_load((self.folder / CONFIG).read_text("utf-8")))

    def settings_with_files(self) -> Settings:
        """The same settings, reading the user's files from the copies stored with the run."""
        return Settings.of_plain(self.with_stored_files(self.settings.model_dump(mode="json")))

    @cached_property
    def source(self) -> str:
        """Its configuration with the interpolations still in it, as YAML."""
        return (self.folder / SOURCE).read_text("utf-8")

    def suite(self) -> Suite:
        """The suite it was scored with. Raises InputError if it is not of the revision the run names."""
        suite = read_own(self.folder / SUITE)
        if suite.revision != self.params["suite_revision"]:
            raise InputError(
                f"the suite stored with run {self.id} has revision {suite.revision}, "
                f"the run was scored with {self.params['suite_revision']}; its files were changed"
            )
        return suite

    def snapshot(self, tracker: Tracker, store: str) -> Snapshot:
        """The snapshot it searched: from this machine's store, else from beside the runs.

        Raises InputError if it is nowhere, or damaged wherever it is.
        """
        id_ = self.params["snapshot"]
        damage: InputError | None = None
        for folder in dict.fromkeys((store, self.settings.store)):
            kept = snapshot_store(folder)
            if kept.exists(id_):
                try:
                    return kept.load(id_)
                except InputError as error:
                    damage = damage or error
        fetched = tracker.fetch_snapshot(id_, self.folder.parent)
        if fetched is None:
            raise damage or InputError(
                f"snapshot {id_} of run {self.id} is neither in {snapshot_store(store).root} nor beside the runs; "
                "restore that folder, or build it again from the same documents"
            )
        try:
            snapshot = SnapshotStore.load_from(fetched)
        except InputError as error:
            tracker.reject_snapshot(id_)
            raise InputError(
                f"snapshot {id_} is damaged beside the runs ({error.__cause__}); a sweep over the same documents keeps "
                "it there again"
            ) from None
        snapshot_store(store).save(snapshot)
        return snapshot

    def with_stored_files(self, values: dict[str, Any]) -> dict[str, Any]:
        """Point every parameter that named a user's file at the copy stored with the run."""
        index = self.folder / FILES / FILE_INDEX
        if not index.is_file():
            return values
        for path, name in json.loads(index.read_text("utf-8")).items():
            *keys, parameter = path.split(".")
            node: Any = values
            for key in keys:
                node = node[int(key)] if isinstance(node, list) and key.isdecimal() else _inside(node, key)
            if isinstance(node, dict) and parameter in node:
                node[parameter] = str(self.folder / FILES / name)
        return values

    def per_query(self) -> "pa.Table":
        """Its table of queries."""
        import pyarrow.parquet as pq

        return pq.read_table(self.folder / PER_QUERY)


def _inside(node: Any, key: str) -> Any:
    return node.get(key) if isinstance(node, dict) else None
