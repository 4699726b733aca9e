"""The SQLite file of a cache: made under a lock, put aside where it is damaged, only read where it cannot be written.

A cache is never worth a stop: what cannot be used is moved to another name beside it, said in one line, and made anew.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from filelock import FileLock

from runner.errors import RunnerError
from runner.files.sqlite_files import is_damage, move_database

FORMAT = 2
# The ending of the files that say who has a cache open.
IN_USE = ".in-use"
# A vector of 256 numbers, its key and its checksum: 15 of them fill a page of this size. In smaller pages more of each
# is left over, and in a table without row ids anything longer than a quarter of a page takes a page of its own.
_PAGE = 16384
# When each space was used last. Caches from before it was noted get it when they are opened the next time.
LAST_USES = "CREATE TABLE IF NOT EXISTS last_use (space INTEGER PRIMARY KEY, day TEXT NOT NULL)"
_TABLES = (
    "CREATE TABLE space (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, kind TEXT NOT NULL,"
    " identity TEXT NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE record (space INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX record_by_key ON record (space, key)",
    LAST_USES,
    f"PRAGMA user_version = {FORMAT}",
)


class Damaged(Exception):
    """What the file holds cannot be used."""


class CacheFile:
    """One connection to the file, opened when it is first needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._given_up = False
        self._mark: FileLock | None = None

    @property
    def is_there(self) -> bool:
        """Whether there is anything to read."""
        return not self._given_up and (self._connection is not None or self.path.exists())

    @property
    def is_writable(self) -> bool:
        """Whether it is open, and for writing."""
        return self._connection is not None and not self._read_only

    @property
    def _read_only(self) -> bool:
        return self.path.exists() and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self._mark is not None:
            self._mark.release()
            Path(self._mark.lock_file).unlink(missing_ok=True)
            self._mark = None

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query. Raises Damaged, and RunnerError for what is wrong outside the file."""
        with self._explained():
            return self._open().execute(statement, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing. Raises Damaged, and RunnerError for what is wrong outside the file."""
        with self._explained():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk has ended the transaction already.
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise

    def put_aside(self, reason: str) -> None:
        """Move the file to another name and say so; where it cannot be moved, it is not read any more."""
        self.close()
        if self._read_only:
            self._given_up = True
            print(f"note: {self.path} cannot be used ({reason}) nor put aside; it is not read", file=sys.stderr)
            return
        with self._explained(), FileLock(f"{self.path}.lock"):
            # Another sweep may have put the same file aside already, and begun a new one.
            if self.path.exists() and self._opened in (None, _inode(self.path)):
                self._move(f"{self.path.stem}.damaged{self.path.suffix}", reason)
        self._opened = None

    def _move(self, name: str, reason: str) -> None:
        move_database(self.path, name)
        print(
            f"note: {self.path} cannot be used ({reason}); it is put aside as {name}, which you may delete, and what "
            "it held is computed again",
            file=sys.stderr,
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                raise Damaged(str(error).splitlines()[0]) from None
            raise self._cannot(error) from None
        except UnicodeDecodeError as error:
            raise Damaged(str(error)) from None
        except OSError as error:
            raise self._cannot(error) from None

    def _cannot(self, error: Exception) -> RunnerError:
        return RunnerError(
            f"{self.path} cannot be read or written ({error}); see that its folder is writable, its disk not "
            "full, and no other process holds it"
        )

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect_read_only() if self._read_only else self._connect()
        return self._connection

    def _connect_read_only(self) -> sqlite3.Connection:
        # Without `immutable` SQLite would make files beside it, even to read.
        connection = sqlite3.connect(f"file:{quote(str(self.path))}?immutable=1", uri=True, isolation_level=None)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != FORMAT:
            connection.close()
            raise Damaged(f"it has format {version}, this program reads {FORMAT}")
        return connection

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite does not wait where two processes turn one new file to WAL: one would die of the lock.
        with FileLock(f"{self.path}.lock"):
            connection = self._connect_locked()
            self._say_in_use()
            version = self._version(connection)
            if version not in (0, FORMAT):
                connection.close()
                self._move(
                    f"{self.path.stem}.format-{version}{self.path.suffix}",
                    f"it has format {version}, this program reads {FORMAT}",
                )
                connection = self._connect_locked()
                version = self._version(connection)
            self._opened = _inode(self.path)
            try:
                if version == 0:
                    _make_tables(connection)
                connection.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                connection.close()
                raise
        return connection

    def _say_in_use(self) -> None:
        """Hold a file of one's own as long as the cache is open, so that nobody prunes it meanwhile."""
        if self._mark is None:
            # The lock of a process that was killed is free again.
            self._mark = FileLock(f"{self.path}.{os.getpid()}-{id(self)}{IN_USE}", thread_local=False)
            self._mark.acquire()

    def _connect_locked(self) -> sqlite3.Connection:
        # Autocommit: transactions are explicit. A second sweep waits for the first one's writes.
        return sqlite3.connect(self.path, timeout=120, isolation_level=None)

    def _version(self, connection: sqlite3.Connection) -> int:
        try:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
        except BaseException:
            self._opened = _inode(self.path)
            connection.close()
            raise


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("COMMIT")


def _inode(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino
