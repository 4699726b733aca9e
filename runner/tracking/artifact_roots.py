"""Where the runs of a local store say that their files lie, kept true when the store's folder is moved or copied.

MLflow writes an absolute folder on every experiment and run. What lies inside the store's own folder is followed to
where that folder is now; what was put elsewhere on purpose stays.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

_TABLE = "CREATE TABLE IF NOT EXISTS runner_place (one INTEGER PRIMARY KEY CHECK (one = 1), folder TEXT NOT NULL)"
_ROWS = (
    ("experiments", "experiment_id", "artifact_location"),
    ("runs", "run_uuid", "artifact_uri"),
)
# What the files of runs have always been kept in, below the folder of their store.
FOLDER = "artifacts"


def follow_move(database: Path, home: Path | None = None) -> bool:
    """Rewrite the folders of a store that was moved or copied since it was last opened; return whether it was.

    database: an SQLite file that holds MLflow's tables. home: where the store lies, if this file is a copy of its
    database; else the file's own folder. Everything is changed in one transaction, or nothing.
    """
    home = (home or database.parent).absolute()
    with closing(sqlite3.connect(database, timeout=120, isolation_level=None)) as connection:
        before = _noted(connection)
        if before is not None and _same(before, home):
            return False
        connection.execute("BEGIN IMMEDIATE")
        before = _noted(connection)
        olds = _unnoted_homes(connection, home) if before is None else {before}
        for old in olds:
            _rewrite(connection, old, home)
        connection.execute(_TABLE)
        connection.execute("INSERT OR REPLACE INTO runner_place VALUES (1, ?)", (str(home),))
        connection.execute("COMMIT")
        return bool(olds)


def _noted(connection: sqlite3.Connection) -> Path | None:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'runner_place'").fetchone()
    row = connection.execute("SELECT folder FROM runner_place").fetchone() if known else None
    return Path(row[0]) if row else None


def _same(one: Path, other: Path) -> bool:
    """Whether two paths name one folder, as links and second mounts do."""
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False


def _unnoted_homes(connection: sqlite3.Connection, home: Path) -> set[Path]:
    """The earlier folders of a store that never noted its own: those whose runs' files are found here instead."""
    homes: set[Path] = set()
    for run, folder in _local(connection.execute("SELECT run_uuid, artifact_uri FROM runs")):
        # <home>/artifacts/<run>/artifacts
        tail = Path(FOLDER, run, "artifacts")
        if folder.parts[-3:] == tail.parts and (home / tail).is_dir():
            homes.add(folder.parents[2])
    return {old for old in homes if not _same(old, home)}


def _rewrite(connection: sqlite3.Connection, old: Path, home: Path) -> None:
    for table, key, column in _ROWS:
        rows = connection.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        moved = [
            ((home / folder.relative_to(old)).as_uri(), each)
            for each, folder in _local(rows)
            if folder.is_relative_to(old)
        ]
        connection.executemany(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", moved)


def _local(rows: Iterable[tuple[str, str | None]]) -> list[tuple[str, Path]]:
    """The rows whose place is a folder of a file system, with that folder."""
    found = []
    for key, place in rows:
        parsed = urlparse(place or "")
        if parsed.scheme == "file":
            found.append((key, Path(url2pathname(parsed.path))))
        elif place and place.startswith("/"):
            found.append((key, Path(place)))
    return found
