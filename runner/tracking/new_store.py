"""A new SQLite store of MLflow: made beside its place and put there whole, so that no kill leaves half of one."""

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from runner.files.sqlite_files import move_database, remove_database

# What holds a row before MLflow has made all of its tables.
_MADE_FIRST = {"alembic_version", "workspaces"}


def make_whole(path: Path, make: Callable[[Path], None]) -> None:
    """Have a store stand at a path, if none does; the caller holds its lock.

    make: opens the store at a path, with all its tables, and lets go of it. One that was left half-made, with nothing
    in it yet, is set aside under the name `<name>.half-made`.
    """
    if path.is_file() and path.stat().st_size:
        if not _half_made(path):
            return
        aside = move_database(path, f"{path.name}.half-made")
        print(f"{path} was left half-made, with no run in it; it is now {aside.name}, and made anew", file=sys.stderr)
    beside = path.with_name(f".{path.name}.new")
    remove_database(beside)
    make(beside)
    os.replace(beside, path)


def _half_made(path: Path) -> bool:
    """Whether a database has tables of MLflow's, or none, but no row: MLflow's last step enters an experiment.

    To look is also to undo a transaction that was cut short. One that cannot be read is left to those who report it.
    """
    try:
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if found and not found & {"experiments", "alembic_version"}:
                return False
            return not any(
                connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone() for name in found - _MADE_FIRST
            )
    except sqlite3.Error:
        return False
