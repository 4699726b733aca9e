"""The stored snapshots, the newest last."""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.cli.arguments import StoredRuns, setting
from runner.cli.command import Command
from runner.engine.inputs import snapshot_store
from runner.files.strict_json import parse_json
from runner.snapshots import Catalog, Made, SnapshotStore

_HEADER = ("id", "name", "collection", "made (UTC)", "documents", "passages", "chunker")
_NUMBERS = (4, 5)


class Asked(StoredRuns):
    """What the command takes."""

    collection: str | None = setting("only those of this one", None, metavar="NAME")


def run(asked: Asked) -> int:
    """Print a table; nothing but the heads of the snapshots is read."""
    store = snapshot_store(asked.place().store)
    catalog = store.catalog()
    made = store.history(asked.collection)
    there = [each for each in made if store.exists(each.id)]
    rows = [_row(each, store, catalog) for each in _together(there)]
    if rows:
        print(_table(rows))
    else:
        of = f" of collection {asked.collection!r}" if asked.collection else ""
        print(f"no snapshot{of} in {store.root}; make one with python -m runner snapshot build")
    if deleted := len({each.id for each in made} - {each.id for each in there}):
        print(f"{deleted} more in the catalog, deleted since")
    for line in catalog.torn:
        print(f"note: {catalog.path}:{line} was left unfinished by a writer that was killed", file=sys.stderr)
    return 0


def chunker_words(chunker: dict[str, Any]) -> str:
    """A chunker's name and settings, as short as they can be told."""
    said = [f"{key}={value}" for key, value in chunker.items() if key not in ("name", "version", "libraries")]
    return " ".join([str(chunker.get("name", "?")).rpartition(".")[2].lower(), *said])


def minute(at: str) -> str:
    """A time as people read it."""
    return at[:16].replace("T", " ")


@dataclass(frozen=True)
class _Making:
    """A snapshot that one or more collections came to; again: those that had come to it before."""

    first: Made
    collections: tuple[str, ...]
    again: bool


def _together(makings: Sequence[Made]) -> list[_Making]:
    """One for all collections that came to a snapshot for the first time, one for the second time, ..."""
    found: dict[tuple[str, int], list[Made]] = defaultdict(list)
    times: Counter[tuple[str, str]] = Counter()
    for each in makings:
        times[each.id, each.collection] += 1
        found[each.id, times[each.id, each.collection]].append(each)
    return [_Making(those[0], tuple(each.collection for each in those), time > 1) for (_, time), those in found.items()]


def _row(making: _Making, store: SnapshotStore, catalog: Catalog) -> tuple[str, ...]:
    made = making.first
    head: dict[str, Any] = {}
    try:
        head = parse_json((store.root / made.id / "snapshot.json").read_bytes(), strict=False)
        counts = f"{head['documents']:,}", f"{head['passages']:,}", chunker_words(head["settings"]["chunker"])
    except (ValueError, KeyError, TypeError):
        counts = "?", "?", "its snapshot.json cannot be read"
    return (
        made.id,
        ", ".join(catalog.names_of(made.id)),
        ", ".join(filter(None, making.collections)),
        minute(made.at) + (" again" if making.again else ""),
        *counts,
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    from rich.cells import cell_len

    table = [_HEADER, *rows]
    widths = [max(cell_len(row[column]) for row in table) for column in range(len(_HEADER))]
    lines = []
    for row in table:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            pad = " " * (width - cell_len(cell))
            cells.append(pad + cell if column in _NUMBERS else cell + pad)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


main = Command("snapshot list", Asked, run, example="collection=demo")

if __name__ == "__main__":
    main()
