"""One snapshot: how it was made and what is in it, or one of its passages."""

from collections.abc import Sequence

from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.snapshot_commands.list_ import chunker_words, minute
from runner.engine.inputs import snapshot_store
from runner.errors import InputError
from runner.files.nearest import nearest_ids
from runner.snapshots import Passage, Snapshot, SnapshotStore


class Asked(StoredRuns):
    """What the command takes."""

    snapshot: str = words("ID", "a snapshot's id, the beginning of it, or its name")
    passage: str | None = words("PASSAGE", "a passage's or a document's id", None)
    passages: bool = setting("list every passage", False)


def run(asked: Asked) -> int:
    """Print what was asked for."""
    store = snapshot_store(asked.place().store)
    snapshot = store.load(asked.snapshot)
    if asked.passage is not None:
        _print_one(snapshot, asked.passage)
        return 0
    _print_head(snapshot, store)
    if asked.passages:
        print()
        _print_passages(snapshot, snapshot.passages)
    return 0


def _print_head(snapshot: Snapshot, store: SnapshotStore) -> None:
    settings = snapshot.settings
    normalization = " ".join(f"{key}={value}" for key, value in settings["normalization"].items())
    libraries = " ".join(f"{name}={number}" for name, number in settings["chunker"].get("libraries", {}).items())
    made = [each for each in store.history() if each.id == snapshot.id]
    values = {
        "id": snapshot.id,
        "name": ", ".join(store.catalog().names_of(snapshot.id)),
        **{f"made {minute(each.at)} UTC": " from ".join(filter(None, (each.collection, each.corpus))) for each in made},
        "documents": f"{len(snapshot.documents):,} (sha256 {snapshot.documents_sha256})",
        "skipped": ", ".join(map(str, snapshot.passed)),
        "passages": f"{len(snapshot.passages):,} (sha256 {snapshot.passages_sha256})",
        "characters": f"{sum(len(document.text) for document in snapshot.documents):,}",
        "fields": ", ".join(snapshot.fields) or "none",
        "chunker": f"{chunker_words(settings['chunker'])} version={settings['chunker'].get('version')} {libraries}",
        "normalization": normalization,
        "folder": str(store.root / snapshot.id),
    }
    width = max(map(len, values))
    for key, value in values.items():
        if value:
            print(f"{key:<{width}}  {value}".rstrip())


def _print_one(snapshot: Snapshot, id_: str) -> None:
    passage = next((each for each in snapshot.passages if each.id == id_), None)
    if passage is not None:
        print(f"{passage.id}\n{passage.title}\n{passage.document} [{passage.start}, {passage.end})\n")
        print(snapshot.text(passage))
        return
    inside = [each for each in snapshot.passages if each.document == id_]
    if inside:
        _print_passages(snapshot, inside)
        return
    known = sorted({*snapshot.units("passage"), *snapshot.units("document")})
    near = nearest_ids([id_], known).get(id_, [])
    hint = f"; nearest: {', '.join(map(repr, near))}" if near else "; list them with passages=true"
    raise InputError(f"snapshot {snapshot.id} holds no passage or document {id_!r}{hint}")


def _print_passages(snapshot: Snapshot, passages: Sequence[Passage]) -> None:
    for passage in sorted(passages, key=lambda each: (each.document, each.start, each.id)):
        beginning = " ".join(snapshot.text(passage)[:200].split())[:60]
        print(f"{passage.id}  {passage.end - passage.start} characters  {beginning}")


main = Command("snapshot show", Asked, run, example="2026-09 en/limits.md")

if __name__ == "__main__":
    main()
