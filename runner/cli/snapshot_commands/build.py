"""Read documents, cut them, and keep the result under its id and a name."""

from collections.abc import Sequence

from runner.cli.arguments import Arguments, others, setting
from runner.cli.command import Command
from runner.composition.requests import compose_request
from runner.configuration.settings import Settings
from runner.documents.passed import passed_words
from runner.engine.inputs import collection_of, corpus_path, read_snapshot, snapshot_store
from runner.snapshots import Snapshot, SnapshotStore


class Asked(Arguments):
    """What the command takes."""

    overrides: tuple[str, ...] = others(
        "NAME=VALUE: as in a run: corpus=pages corpus.path=DIR, or dataset=beir dataset.path=DIR; chunker=heading "
        "chunker.size=900; store=DIR"
    )
    name: str | None = setting("a name that stands for the id from now on, like 2026-11", None, metavar="NAME")
    collection: str | None = setting(
        "which documents these are a state of; default: the dataset, or DIR if that is elsewhere", None, metavar="NAME"
    )


def run(asked: Asked) -> int:
    """Build and store; building the same content again stores nothing new."""
    settings = _compose(asked.overrides)
    snapshot = read_snapshot(settings)
    collection = asked.collection or collection_of(settings)
    store = snapshot_store(settings.store)
    there = store.exists(snapshot.id)
    if not settings.dry_run:
        store.save(snapshot, collection, asked.name, corpus_path(settings), current=True)
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


main = Command("snapshot build", Asked, run, example="dataset=pages dataset.path=docs/ name=2026-11")

if __name__ == "__main__":
    main()
