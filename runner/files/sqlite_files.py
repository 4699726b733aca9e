"""SQLite's files: a database with what stands beside it, and whether one that gives an error is damaged."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

# SQLite's own files beside a database.
_COMPANIONS = ("", "-journal", "-wal", "-shm")
# What is wrong with its folder, its disk, or somebody who holds it.
_AROUND = ("BUSY", "LOCKED", "READONLY", "CANTOPEN", "FULL", "IOERR", "PERM", "NOMEM", "AUTH", "INTERRUPT")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself cannot be used, so that another attempt would end the same way."""
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    return not name.startswith(_AROUND)


def remove_database(path: Path) -> None:
    """Take away a database, if there is one, with what stands beside it."""
    for ending in _COMPANIONS:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def move_database(path: Path, name: str) -> Path:
    """Give a database, with what stands beside it, another name in its folder, and return where it is now."""
    target = path.with_name(name)
    remove_database(target)
    for ending in _COMPANIONS:
        with suppress(FileNotFoundError):
            os.replace(path.with_name(path.name + ending), target.with_name(target.name + ending))
    return target
