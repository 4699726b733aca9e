"""The snapshot and the suite of a job, read once a sweep from what its configuration names."""

from pathlib import Path

from runner.config import Settings
from runner.documents.document import Normalization
from runner.engine.parts import build, digest
from runner.snapshots import Snapshot, SnapshotStore
from runner.suites import Suite


def snapshot_store(store: str | Path) -> SnapshotStore:
    """The snapshots kept below a store folder."""
    return SnapshotStore(Path(store) / "snapshots")


class ConfiguredInputs:
    """Reads documents and suites from where the configuration says, and keeps every snapshot it builds."""

    def __init__(self) -> None:
        self._snapshots: dict[str, Snapshot] = {}
        self._suites: dict[str, Suite] = {}

    def snapshot(self, settings: Settings) -> Snapshot:
        """Read the documents, cut them, and store the result under its id."""
        key = digest([settings.corpus, settings.chunker, settings.store])
        if key not in self._snapshots:
            reader = build(settings.corpus, "corpus").object
            chunker = build(settings.chunker, "chunker")
            normalization = getattr(reader, "normalization", None) or Normalization()
            snapshot = Snapshot.build(reader.read(), chunker.object, chunker.params, normalization)
            if not settings.dry_run:
                snapshot_store(settings.store).save(snapshot)
            self._snapshots[key] = snapshot
        return self._snapshots[key]

    def suite(self, settings: Settings) -> Suite:
        """Read and validate the suite."""
        key = digest(settings.suite)
        if key not in self._suites:
            suite: Suite = build(settings.suite, "suite").object.read()
            self._suites[key] = suite
        return self._suites[key]
