"""Whether what SQLite reports is wrong with a file or with what is around it."""

import sqlite3

# Its folder, its disk, somebody who holds it.
_AROUND = ("BUSY", "LOCKED", "READONLY", "CANTOPEN", "FULL", "IOERR", "PERM", "NOMEM", "AUTH", "INTERRUPT")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself cannot be used, so that another attempt would end the same way."""
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    return not name.startswith(_AROUND)
