"""The snapshot and the suite of a job, read once a sweep from what its configuration names."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from runner.chunkers import Chunker
from runner.configuration.identity import collection_name
from runner.configuration.settings import Settings
from runner.documents.document import Document, Normalization
from runner.engine.building import build
from runner.engine.components import Component, digest
from runner.engine.cut_store import CutStore, cut_key
from runner.engine.failure import is_own, kind_of
from runner.engine.parallel import Task, Workers, run_tasks
from runner.errors import Misbehaved
from runner.snapshots import Passage, Snapshot, SnapshotStore, cut_documents
from runner.suites import Suite


def snapshot_store(store: str | Path) -> SnapshotStore:
    """The snapshots kept below a store folder."""
    return SnapshotStore(Path(store) / "snapshots")


def read_snapshot(settings: Settings) -> Snapshot:
    """Read the documents that a configuration names and cut them, storing nothing."""
    return _cut(build(settings.corpus, "corpus"), build(settings.chunker, "chunker"), settings.time_limit)


def _cut(reader: Component, chunker: Component, time_limit: float | None) -> Snapshot:
    normalization = reader.declared.optional("normalization", Normalization) or Normalization()
    cut = None if is_own(chunker.object) else partial(_cut_elsewhere, time_limit=time_limit)
    return Snapshot.build(reader.object.read(), chunker.object, chunker.params, normalization, cut)


def _cut_elsewhere(documents: Sequence[Document], chunker: Chunker, time_limit: float | None) -> list[Passage]:
    """Have somebody's own chunker cut documents in a process where it can hurt nobody. Raises Misbehaved."""
    task = Task(None, cut_documents, (documents, chunker), component=kind_of(chunker))
    [(_, done)] = run_tasks([task], Workers(time_limit=time_limit))
    if done.error is not None:
        raise Misbehaved(done.error, done.trace)
    passages: list[Passage] = done.value
    return passages


def corpus_path(settings: Settings) -> str:
    """The absolute path of the documents, or "" for a reader that has none."""
    path = settings.corpus.get("path")
    return os.path.realpath(os.path.expanduser(path)) if isinstance(path, str) and path else ""


def collection_of(settings: Settings) -> str:
    """Which documents these are a state of: the dataset, or, for a corpus that lies elsewhere, its folder or file."""
    dataset, path = settings.dataset, corpus_path(settings)
    own = dataset.get("path") or (os.path.dirname(dataset["suites"]) if dataset.get("suites") else "")
    if not path or not own or Path(path).is_relative_to(os.path.realpath(os.path.expanduser(own))):
        return str(dataset.get("name", ""))
    return collection_name(path)


class ConfiguredInputs:
    """Reads documents and suites from where the configuration says, and keeps every snapshot it builds.

    Documents whose bytes were read and cut before are taken from the snapshot that came of them.
    """

    def __init__(self) -> None:
        self._snapshots: dict[str, Snapshot] = {}
        self._suites: dict[str, Suite] = {}
        self._uncut: dict[str, Misbehaved] = {}

    def snapshot(self, settings: Settings) -> Snapshot:
        """Read the documents, cut them, and store the result under its id."""
        key = digest([settings.corpus, settings.chunker, settings.store])
        if key in self._uncut:
            raise self._uncut[key]
        if key not in self._snapshots:
            try:
                self._snapshots[key] = _known_or_cut(settings)
            except Misbehaved as error:
                self._uncut[key] = error
                raise
        return self._snapshots[key]

    def suite(self, settings: Settings) -> Suite:
        """Read and validate the suite."""
        key = digest(settings.suite)
        if key not in self._suites:
            suite: Suite = build(settings.suite, "suite").object.read()
            self._suites[key] = suite
        return self._suites[key]


def _known_or_cut(settings: Settings) -> Snapshot:
    reader, chunker = build(settings.corpus, "corpus"), build(settings.chunker, "chunker")
    store, named = snapshot_store(settings.store), (collection_of(settings), corpus_path(settings))
    cuts = CutStore(Path(settings.store) / "cache/cuts", store)
    sources = reader.declared.sources()
    before = _states(sources or ())
    key = cut_key(reader, chunker, sources) if sources and before else None
    if key and settings.cache in ("on", "only") and (known := cuts.find(key)) is not None:
        if not settings.dry_run:
            store.note(known.id, named[0], corpus=named[1])
        return known
    snapshot = _cut(reader, chunker, settings.time_limit)
    if not settings.dry_run:
        store.save(snapshot, named[0], corpus=named[1])
        # What was written to meanwhile may not be what was read.
        if key and settings.cache in ("on", "refresh") and _states(sources or ()) == before:
            cuts.keep(key, snapshot)
    return snapshot


def _states(sources: Sequence[Path]) -> list[tuple[int, int, int]]:
    """What changes when a file is written to; nothing if one is not there, which reading explains."""
    try:
        return [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in map(os.stat, sources)]
    except OSError:
        return []


class GivenInputs:
    """A snapshot and a suite that are at hand, those of a stored run say, whatever the configuration names."""

    def __init__(self, snapshot: Snapshot, suite: Suite) -> None:
        self._snapshot = snapshot
        self._suite = suite

    def snapshot(self, settings: Settings) -> Snapshot:
        """The stored snapshot."""
        return self._snapshot

    def suite(self, settings: Settings) -> Suite:
        """The stored suite."""
        return self._suite
