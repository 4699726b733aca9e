"""Read a store that cannot be written: from a copy of its database that lasts as long as the process."""

import atexit
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from runner.recording.artifact_roots import follow_move


def is_read_only(database: Path) -> bool:
    """Whether a database is there that this process cannot write to, or not where it lies."""
    return database.is_file() and not (os.access(database, os.W_OK) and os.access(database.parent, os.W_OK))


def readable_copy(database: Path) -> Path:
    """Copy a database into a scratch folder, its runs' files named where they lie now.

    MLflow and SQLite want to write beside a database even to read it. Raises sqlite3.Error if it cannot be read.
    """
    folder = tempfile.mkdtemp(prefix="runner-read-only-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = Path(folder) / database.name
    with (
        closing(sqlite3.connect(f"file:{quote(str(database))}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
    follow_move(copy, database.parent)
    return copy
