"""Read documents, cut them, and keep the result under its id and a name."""

from runner.cli.arguments import Arguments, others, setting
from runner.cli.command import Command
from runner.documents.passed import passed_words
from runner.workflows.build_snapshot import Built, build_and_keep


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
    _print(build_and_keep(asked.overrides, asked.name, asked.collection))
    return 0


def _print(built: Built) -> None:
    snapshot, store = built.snapshot, built.store
    names = ", ".join(store.catalog().names_of(snapshot.id))
    documents, passages = len(snapshot.documents), len(snapshot.passages)
    print(f"{snapshot.id}{f' ({names})' if names else ''}: {documents:,} documents, {passages:,} passages")
    print(f"collection: {built.collection or 'none'}")
    folder = store.root / snapshot.id
    done = f"is there already: {folder}" if built.there else f"stored: {folder}"
    print(done if built.kept else "not stored (dry_run)")
    empty = sum(1 for document in snapshot.documents if not document.text.strip())
    without = f" ({empty:,} without text)" if empty else ""
    print(f"read {documents:,}{without}, {passed_words(snapshot.passed)}")


main = Command("snapshot build", Asked, run, example="dataset=pages dataset.path=docs/ name=2026-11")

if __name__ == "__main__":
    main()
