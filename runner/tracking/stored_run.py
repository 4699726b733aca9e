"""A past run as it was stored: its settings, suite, snapshot, files and rankings."""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from omegaconf import DictConfig

from runner.configuration.settings import Settings
from runner.engine.inputs import snapshot_store
from runner.engine.trust import Trust
from runner.errors import InputError, RunnerError
from runner.rendering.redaction import MASK, redacted
from runner.snapshots import Snapshot, SnapshotStore
from runner.suite_formats.own import read_own
from runner.suites import Suite
from runner.tracking.artifacts import CONFIG, DOCUMENTS, FILE_INDEX, FILES, PER_QUERY, SOURCE, SUITE
from runner.tracking.manifest import FILES_TAG, LOGGED, MANIFEST, check_files, check_logged, file_sum, refuse_links
from runner.tracking.mlflow_store import is_local, sqlite_path
from runner.tracking.stored_config import read_settings, read_source, refuse_untrusted, stored_file
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    import pyarrow as pa
    from mlflow.entities import Run


def find_run(tracker: Tracker, run_id: str) -> "Run":
    """Look a run up by its id, or by the beginning of it, 4 characters or more, that no other run's id has.

    Raises InputError if the store does not hold it, or holds several that begin so.
    """
    from mlflow.exceptions import MlflowException

    try:
        return tracker.client.get_run(run_id)
    except MlflowException as error:
        if error.error_code not in ("RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"):
            raise  # the store has another trouble than not to know the run
    found = runs_beginning(tracker, run_id)
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"{run.info.run_id} ({run.info.run_name})" for run in found[:MOST_ALIKE])
        more = ", ..." if len(found) > MOST_ALIKE else ""
        raise InputError(f"several runs begin with {run_id!r}: {listed}{more}; give more of the id")
    raise InputError(
        f"no run {run_id!r} in {redacted(tracker.settings.uri)}; the id is the last part of a run's address in the "
        "MLflow UI (a sweep's name is none), and another store is named with tracking.uri=..."
    )


def runs_beginning(tracker: Tracker, beginning: str) -> list["Run"]:
    """The runs whose ids begin so, one more than `MOST_ALIKE` at most; none for what is no beginning of an id."""
    experiments = [each.experiment_id for each in tracker.client.search_experiments()]
    if not experiments or not _BEGINNING.fullmatch(beginning):
        return []
    query = f"attributes.run_id LIKE '{beginning}%'"
    return list(tracker.client.search_runs(experiments, query, max_results=MOST_ALIKE + 1))


# What a repetition and a comparison read; of these some may be absent.
_READ = (CONFIG, SOURCE, PER_QUERY, SUITE, FILES, DOCUMENTS)
_OPTIONAL = (FILES, DOCUMENTS, MANIFEST)
_BEGINNING = re.compile("[0-9a-f]{4,31}")
MOST_ALIKE = 5
_SNAPSHOT_ID = re.compile("[0-9a-f]{8,64}")


@dataclass(frozen=True)
class StoredRun:
    """params, metrics and tags as MLflow holds them; folder: its downloaded artifacts.

    home: the folder of the store that holds it, if that is on this machine.
    """

    id: str
    name: str
    experiment_id: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    folder: Path
    home: Path | None = None

    @classmethod
    def fetch(cls, tracker: Tracker, run_id: str, folder: Path) -> "StoredRun":
        """Download a run. Raises InputError for an unknown id and for a run that cannot be repeated."""
        run = find_run(tracker, run_id)
        if run.data.tags.get("kind") != "run":
            kind = run.data.tags.get("kind", "without a kind")
            raise InputError(f"run {run_id} is not a scored job ({kind}); name one of the runs of the sweep")
        if run.info.status != "FINISHED":
            raise InputError(f"run {run_id} did not finish ({run.info.status}); only a finished run can be repeated")
        return cls.of_run(tracker, run, folder)

    @classmethod
    def of_run(cls, tracker: Tracker, run: "Run", folder: Path, names: Sequence[str] = _READ) -> "StoredRun":
        """Download files of a finished run, all that it takes to repeat it unless `names` are given.

        Raises InputError where one is missing or is not what the run stored, RunnerError where the store cannot give
        it. A run from before files had checksums is read as it is, and that is said.
        """
        data, run_id = run.data, run.info.run_id
        whose = f"run {run_id}"
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_local_links(str(run.info.artifact_uri), names, whose)
        if FILES_TAG in data.tags:
            _download(tracker, run_id, (*names, LOGGED, MANIFEST), folder)
            check_files(folder, data.tags[FILES_TAG], (*names, LOGGED), whose)
            check_logged(folder / LOGGED, data.params, data.metrics, whose)
        else:
            _download(tracker, run_id, (*names, MANIFEST), folder)
            if (folder / MANIFEST).exists():
                raise InputError(f"{whose}: its tag {FILES_TAG} is missing; the database is damaged, restore it")
            _say_unchecked(whose)
        uri = tracker.settings.uri
        return cls(
            run_id,
            str(run.info.run_name),
            run.info.experiment_id,
            data.params,
            data.metrics,
            data.tags,
            folder,
            sqlite_path(uri).parent if is_local(uri) else None,
        )

    @property
    def whose(self) -> str:
        """How errors name it."""
        return f"run {self.id}"

    @cached_property
    def settings(self) -> Settings:
        """The resolved settings it ran with, to look at; what is built comes from `buildable`."""
        return read_settings(self.folder / CONFIG, self.whose)

    @cached_property
    def source(self) -> DictConfig:
        """Its configuration with the interpolations still in it that ask nothing of this machine."""
        return read_source(self.folder / SOURCE, self.settings.model_dump(mode="json"), self.whose)

    def buildable(self, trust: Trust, values: Mapping[str, Any] | None = None) -> Settings:
        """Its settings, or such as were made from them, ready to be built: from trusted parts and the run's own files.

        The one way from a stored configuration to objects. Raises InputError for a target that is not trusted, and
        for a file outside the run's folder.
        """
        stored = self.settings.model_dump(mode="json")
        for each in (stored, values or {}):
            trust.refuse_other(each, self.whose)
        placed = self._with_stored_files(stored if values is None else dict(values))
        refuse_untrusted(placed, trust, self.folder, self.whose)
        for root in ("retriever", "chunker"):
            for path in _masked(placed.get(root), root):
                raise InputError(
                    f"{self.whose}: {path} was stored without the secret in it; give it again: {path}=... (a gate "
                    "cannot, so accept a run whose component takes its secret from the environment)"
                )
        return Settings.of_plain(placed)

    def suite(self) -> Suite:
        """The suite it was scored with. Raises InputError if it is not of the revision the run names."""
        try:
            suite = read_own(self.folder / SUITE)
        except InputError as error:
            # Where it was downloaded to says nothing, and is gone by the time that it is read.
            raise InputError(str(error).replace(f"{self.folder}{os.sep}", f"{self.whose}: ")) from None
        if suite.revision != self.params["suite_revision"]:
            raise InputError(
                f"the suite stored with run {self.id} has revision {suite.revision}, "
                f"the run was scored with {self.params['suite_revision']}; its files were changed"
            )
        return suite

    def snapshot(self, tracker: Tracker, store: str) -> Snapshot:
        """The snapshot it searched: from this machine's store, else from beside the runs.

        The folder that the run's own settings name is not looked into: it is where somebody else had theirs. Raises
        InputError if it is nowhere, or damaged wherever it is.
        """
        id_ = self.params["snapshot"]
        if not _SNAPSHOT_ID.fullmatch(id_):
            raise InputError(f"{self.whose}: its snapshot is {id_!r}, expected an id of hex digits")
        damage: InputError | None = None
        kept = snapshot_store(store)
        if kept.exists(id_):
            try:
                return kept.load(id_)
            except InputError as error:
                damage = error
        fetched = tracker.fetch_snapshot(id_, self.folder.parent)
        if fetched is None:
            raise damage or InputError(
                f"snapshot {id_} of run {self.id} is neither in {kept.root} nor beside the runs; "
                "restore that folder, name another store with store=..., or build it again from the same documents"
            )
        try:
            snapshot = SnapshotStore.load_from(fetched)
            if snapshot.id != id_:
                raise InputError("wrong id") from RunnerError(f"it is snapshot {snapshot.id}")
        except InputError as error:
            tracker.reject_snapshot(id_)
            raise InputError(
                f"snapshot {id_} is damaged beside the runs ({error.__cause__}); a sweep over the same documents keeps "
                "it there again"
            ) from None
        kept.save(snapshot)
        return snapshot

    def documents_list(self) -> Path | None:
        """The file of `id<TAB>sha256` lines of its documents: its own, or its snapshot's; None if neither is here.

        Of many documents it is kept with the snapshot only, once for all runs.
        """
        own = self.folder / DOCUMENTS
        if own.is_file():
            return own
        id_ = self.params.get("snapshot", "")
        if self.home is None or not _SNAPSHOT_ID.fullmatch(id_):
            return None
        kept = snapshot_store(self.home).root / id_ / DOCUMENTS
        return kept if kept.is_file() and file_sum(kept) == self.params.get("documents_sha256") else None

    def _with_stored_files(self, values: dict[str, Any]) -> dict[str, Any]:
        """Point every parameter that named a user's file at the copy stored with the run."""
        index = self.folder / FILES / FILE_INDEX
        if not index.is_file():
            return values
        try:
            listed = json.loads(index.read_text("utf-8"))
            pairs = [(str(path), name) for path, name in listed.items()]
        except (ValueError, AttributeError):
            raise InputError(f"{self.whose}: {FILES}/{FILE_INDEX} cannot be read; restore it") from None
        for path, name in pairs:
            copy = stored_file(self.folder / FILES, name, self.whose)
            *keys, parameter = path.split(".")
            node: Any = values
            for key in keys:
                node = _inside(node, key)
            if isinstance(node, dict) and parameter in node:
                node[parameter] = str(copy)
        return values

    def per_query(self, needed: Sequence[str] = ()) -> "pa.Table":
        """Its table of queries. Raises InputError for a file that is none, or lacks a needed column."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table = pq.read_table(self.folder / PER_QUERY, page_checksum_verification=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"{self.whose}: {PER_QUERY} cannot be read ({reason}); restore it") from None
        lacking = [name for name in needed if name not in table.column_names]
        if lacking:
            raise InputError(f"{self.whose}: {PER_QUERY} has no column {', '.join(lacking)}; restore it")
        return table


def _masked(value: Any, path: str) -> Iterator[str]:
    """Where a secret was taken out of a configuration."""
    if isinstance(value, Mapping | list):
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _masked(inner, f"{path}.{key}")
    elif isinstance(value, str) and MASK in value:
        yield path


def _inside(node: Any, key: str) -> Any:
    if isinstance(node, list):
        return node[int(key)] if key.isdecimal() and int(key) < len(node) else None
    return node.get(key) if isinstance(node, dict) else None


def _download(tracker: Tracker, run_id: str, names: Sequence[str], folder: Path) -> None:
    from mlflow.exceptions import MlflowException

    # MLflow draws a bar of its own for every file.
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    try:
        there = {each.path for each in tracker.client.list_artifacts(run_id)}
        missing = [name for name in names if name not in there and name not in _OPTIONAL]
        if missing:
            raise InputError(f"run {run_id} lacks {', '.join(missing)} among its files, so it cannot be repeated")
        for name in names:
            if name in there:
                tracker.client.download_artifacts(run_id, name, str(folder))
    except (MlflowException, OSError) as error:
        raise RunnerError(f"the files of run {run_id} cannot be read: {str(error).splitlines()[0]}") from None


def _refuse_local_links(uri: str, names: Sequence[str], whose: str) -> None:
    """Where the files lie on this machine, a download copies what a link points to."""
    place = urlsplit(uri)
    if place.scheme in ("", "file"):
        refuse_links(Path(unquote(place.path)), names, whose)


_unchecked: list[str] = []


def _say_unchecked(whose: str) -> None:
    """Said of the first such run of a process: of a long row of them once is enough."""
    if not _unchecked:
        print(f"note: {whose} is from before files had checksums; they are read as they are", file=sys.stderr)
    _unchecked.append(whose)
