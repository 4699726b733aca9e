"""The store of immutable facts: vectors by text, rankings by query, pair scores by pair, in one SQLite file.

A space is one producer's facts (a retriever on a snapshot, an embedder, a reranker); its name is the hash
of its identity, and the identity is kept beside it so that a miss can be explained. Deleting the file
loses time, never a result.
"""

import hashlib
import json
import sqlite3
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from runner.errors import RunnerError

Mode = Literal["on", "refresh", "off", "only"]
# SQLite's default limit of bound variables is far higher; short statements stay in its cache.
_BATCH = 500
_FORMAT = 1


class CacheMiss(RunnerError):
    """`cache=only` was asked for and a result is not in the cache."""


def text_key(text: str) -> bytes:
    """The key of a text: the first 16 bytes of its sha256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def pair_key(query: bytes, passage: bytes) -> bytes:
    """The key of a query-passage pair, from the keys of its texts."""
    return hashlib.sha256(query + passage).digest()[:16]


class Cache:
    """Facts by (space, key). Only the process that plans a sweep opens it, so there is one writer.

    mode: `on` reads and writes, `refresh` writes without reading, `off` does neither, `only` reads and the
    caller fails on what is missing.
    """

    def __init__(self, directory: Path, mode: Mode = "on") -> None:
        self.directory = directory
        self.mode = mode
        self._spaces: dict[str, int] = {}
        self._connection: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self.directory / "cache.db"

    def __enter__(self) -> "Cache":
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def reads(self) -> bool:
        """Whether stored facts are used."""
        return self.mode in ("on", "only")

    @property
    def writes(self) -> bool:
        """Whether new facts are stored."""
        return self.mode in ("on", "refresh")

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored values of those keys; damaged records are warned of and count as missing."""
        if not self.reads or not keys:
            return {}
        number = self._number(space)
        if number is None:
            return {}
        found: dict[bytes, bytes] = {}
        damaged = 0
        for key, value, checksum in self._rows(number, keys):
            if zlib.crc32(value, zlib.crc32(key)) == checksum:
                found[key] = value
            else:
                damaged += 1
        if damaged:
            warnings.warn(
                f"{damaged} damaged record(s) in {self.path} are computed again; delete the file if this repeats",
                stacklevel=2,
            )
        return found

    def put(self, space: str, kind: str, identity: Mapping[str, Any], items: Iterable[tuple[bytes, bytes]]) -> None:
        """Store values in one transaction."""
        if not self.writes:
            return
        with self._explained(), self._transaction() as connection:
            number = self._number(space)
            if number is None:
                connection.execute(
                    "INSERT OR IGNORE INTO space (name, kind, identity) VALUES (?, ?, ?)",
                    (space, kind, json.dumps(identity, sort_keys=True, ensure_ascii=False)),
                )
                number = self._number(space)
            connection.executemany(
                "INSERT OR REPLACE INTO record (space, key, value, checksum) VALUES (?, ?, ?, ?)",
                ((number, key, value, zlib.crc32(value, zlib.crc32(key))) for key, value in items),
            )

    def identities(self, kind: str) -> list[dict[str, Any]]:
        """The identities of all spaces of a kind, newest first."""
        if not self.reads or not self.path.exists():
            return []
        with self._explained():
            rows = self._open().execute("SELECT identity FROM space WHERE kind = ? ORDER BY number DESC", (kind,))
            return [json.loads(identity) for (identity,) in rows]

    def _rows(self, number: int, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes, int]]:
        with self._explained():
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                yield from self._open().execute(
                    f"SELECT key, value, checksum FROM record WHERE space = ? AND key IN ({marks})", (number, *batch)
                )

    def _number(self, space: str) -> int | None:
        if space not in self._spaces:
            if self._connection is None and not self.path.exists():
                return None
            with self._explained():
                row = self._open().execute("SELECT number FROM space WHERE name = ?", (space,)).fetchone()
            if row is None:
                return None
            self._spaces[space] = int(row[0])
        return self._spaces[space]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            self._spaces.clear()
            # A full disk has ended the transaction already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what a person can do about what SQLite and the file system report."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            raise RunnerError(
                f"{self.path} cannot be read or written ({error}); see that its folder is writable, its disk not "
                "full, and no other process holds it"
            ) from None
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            raise RunnerError(f"{self.path} is not a usable cache ({error}); delete it and run again") from None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        # Autocommit: transactions are explicit. A second sweep waits for the first one's writes.
        connection = sqlite3.connect(self.path, timeout=120, isolation_level=None)
        try:
            # SQLite does not wait where two processes turn one new file to WAL: one would die of the lock.
            with FileLock(f"{self.path}.lock"):
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version == 0:
                    _make_tables(connection)
                elif version != _FORMAT:
                    raise RunnerError(f"{self.path} has format {version}, this program reads {_FORMAT}; delete it")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS space (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,"
        " kind TEXT NOT NULL, identity TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE IF NOT EXISTS record (space INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,"
        " checksum INTEGER NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID"
    )
    connection.execute(f"PRAGMA user_version = {_FORMAT}")
