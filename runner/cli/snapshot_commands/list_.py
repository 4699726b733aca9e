"""The stored snapshots, the newest last."""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.cli.snapshot_commands.place import split_words
from runner.errors import ConfigError
from runner.files.strict_json import parse_json
from runner.snapshots import Catalog, Made, SnapshotStore

HELP = "list the stored snapshots, the newest last"
_HEADER = ("id", "name", "collection", "made (UTC)", "documents", "passages", "chunker")
_NUMBERS = (4, 5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which collection, and where."""
    parser.add_argument("place", nargs="*", metavar="store=DIR", help="where the snapshots are")
    parser.add_argument("--collection", help="only those of this one")


def run(parsed: argparse.Namespace) -> int:
    """Print a table; nothing but the heads of the snapshots is read."""
    words, store = split_words(parsed.place)
    if words:
        raise ConfigError(f"unknown word {words[0]!r}; this command takes store=DIR and --collection NAME")
    catalog = store.catalog()
    made = store.history(parsed.collection)
    there = [each for each in made if store.exists(each.id)]
    rows = [_row(each, store, catalog) for each in _together(there)]
    if rows:
        print(_table(rows))
    else:
        of = f" of collection {parsed.collection!r}" if parsed.collection else ""
        print(f"no snapshot{of} in {store.root}; make one with python -m runner.snapshot build")
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
