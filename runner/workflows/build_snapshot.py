"""Read documents, cut them, and keep the result under its id and a name."""

from collections.abc import Sequence
from typing import NamedTuple

from runner.composition.requests import compose_request
from runner.engine.inputs import collection_of, corpus_path, read_snapshot, snapshot_store
from runner.snapshots import Snapshot, SnapshotStore


class Built(NamedTuple):
    """A snapshot, the store that holds it, and the name of the documents it is a state of.

    there: whether the store held it before. kept: whether it does now, which a dry run leaves.
    """

    snapshot: Snapshot
    store: SnapshotStore
    collection: str
    there: bool
    kept: bool


def build_and_keep(overrides: Sequence[str], name: str | None = None, collection: str | None = None) -> Built:
    """Build and store; building the same content again stores nothing new. name: stands for the id from now on."""
    words = list(overrides)
    if not any(word.lstrip("+").startswith("dataset.suite=") for word in words):
        # No suite is read; a dataset that insists on one is content with any.
        words.append("++dataset.suite=none")
    settings = compose_request(words).settings
    snapshot, store = read_snapshot(settings), snapshot_store(settings.store)
    of, there = collection or collection_of(settings), store.exists(snapshot.id)
    if not settings.dry_run:
        store.save(snapshot, of, name, corpus_path(settings), current=True)
    return Built(snapshot, store, of, there, not settings.dry_run)
