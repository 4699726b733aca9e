"""Read documents, cut them, and keep the result under its id and a name."""

import argparse
from collections.abc import Sequence

from runner.composition.requests import compose_request
from runner.configuration.settings import Settings
from runner.documents.passed import passed_words
from runner.engine.inputs import collection_of, corpus_path, read_snapshot, snapshot_store
from runner.snapshots import Snapshot, SnapshotStore

HELP = "read documents, cut them into passages and keep them under one id"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides, as for a run, and what the catalog is to say."""
    parser.epilog = (
        "Overrides: corpus=pages corpus.path=DIR, or dataset=beir dataset.path=DIR; chunker=heading chunker.size=900; "
        "store=DIR."
    )
    parser.add_argument("overrides", nargs="*", help="settings, like corpus.path=docs/ chunker=heading")
    parser.add_argument("--name", help="a name that stands for the id from now on, like 2026-11")
    parser.add_argument(
        "--collection", help="which documents these are a state of (default: the dataset, or DIR if that is elsewhere)"
    )


def run(parsed: argparse.Namespace) -> int:
    """Build and store; building the same content again stores nothing new."""
    settings = _compose(parsed.overrides)
    snapshot = read_snapshot(settings)
    collection = parsed.collection or collection_of(settings)
    store = snapshot_store(settings.store)
    there = store.exists(snapshot.id)
    if not settings.dry_run:
        store.save(snapshot, collection, parsed.name, corpus_path(settings), current=True)
    _print(snapshot, store, collection, "not stored (dry_run)" if settings.dry_run else "", there)
    return 0


def _compose(overrides: Sequence[str]) -> Settings:
    words = list(overrides)
    if not any(word.lstrip("+").startswith("dataset.suite=") for word in words):
        # No suite is read; a dataset that insists on one is content with any.
        words.append("++dataset.suite=none")
    return compose_request(words).settings


def _print(snapshot: Snapshot, store: SnapshotStore, collection: str, note: str, there: bool) -> None:
    names = ", ".join(store.catalog().names_of(snapshot.id))
    documents, passages = len(snapshot.documents), len(snapshot.passages)
    print(f"{snapshot.id}{f' ({names})' if names else ''}: {documents:,} documents, {passages:,} passages")
    print(f"collection: {collection or 'none'}")
    folder = store.root / snapshot.id
    print(note or (f"is there already: {folder}" if there else f"stored: {folder}"))
    empty = sum(1 for document in snapshot.documents if not document.text.strip())
    without = f" ({empty:,} without text)" if empty else ""
    print(f"read {documents:,}{without}, {passed_words(snapshot.passed)}")
