"""The store of immutable facts: vectors by text, rankings by query, pair scores by pair, in one SQLite file.

A space is one producer's facts (a retriever on a snapshot, an embedder, a reranker); its name is the hash
of its identity, and the identity is kept beside it so that a miss can be explained. A checksum covers whatever gives a
value its meaning: the space, the key and the value. Deleting the file loses time, never a result.
"""

import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from runner.engine.cache_file import LAST_USES, CacheFile, Damaged
from runner.errors import RunnerError

Mode = Literal["on", "refresh", "off", "only"]
T = TypeVar("T")
# SQLite's default limit of bound variables is far higher; short statements stay in its cache.
_BATCH = 500


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
        self._file = CacheFile(directory / "cache.db")

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self._file.path

    def __enter__(self) -> "Cache":
        return self

    def __exit__(self, *_: object) -> None:
        self._note_use()
        self._file.close()

    @property
    def reads(self) -> bool:
        """Whether stored facts are used."""
        return self.mode in ("on", "only")

    @property
    def writes(self) -> bool:
        """Whether new facts are stored."""
        return self.mode in ("on", "refresh")

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored values of those keys; damaged records are told of and count as missing."""
        if not self.reads or not keys:
            return {}
        found: dict[bytes, bytes] = {}
        damaged = 0
        seed = _checksum(space.encode())
        for key, value, checksum in self._undamaged(lambda: self._rows(space, keys)):
            if isinstance(key, bytes) and isinstance(value, bytes) and _checksum(key, value, seed=seed) == checksum:
                found[key] = value
            else:
                damaged += 1
        if damaged:
            print(
                f"note: {damaged} damaged record(s) in {self.path} are computed again; delete the file if this repeats",
                file=sys.stderr,
            )
        return found

    def put(self, space: str, kind: str, identity: Mapping[str, Any], items: Iterable[tuple[bytes, bytes]]) -> None:
        """Store values in one transaction."""
        if not self.writes:
            return
        seed = _checksum(space.encode())
        kept = list(items)

        def write() -> None:
            with self._file.transaction() as connection:
                number = self._number(space)
                if number is None:
                    described = json.dumps(identity, sort_keys=True, ensure_ascii=False)
                    connection.execute(
                        "INSERT OR REPLACE INTO space (name, kind, identity, checksum) VALUES (?, ?, ?, ?)",
                        (space, kind, described, _described(space, kind, described)),
                    )
                    number = self._number(space)
                connection.executemany(
                    "INSERT OR REPLACE INTO record (space, key, value, checksum) VALUES (?, ?, ?, ?)",
                    ((number, key, value, _checksum(key, value, seed=seed)) for key, value in kept),
                )

        try:
            self._undamaged(write)
        except BaseException:
            # What was entered is rolled back.
            self._spaces.clear()
            raise

    def identities(self, kind: str) -> list[dict[str, Any]]:
        """The identities of all spaces of a kind, newest first; damaged ones are left out."""
        if not self.reads or not self._file.is_there:
            return []
        wanted = "SELECT name, kind, identity, checksum FROM space WHERE kind = ? ORDER BY number DESC"
        rows = self._undamaged(lambda: self._file.rows(wanted, (kind,)))
        return [json.loads(identity) for name, of, identity, mark in rows if _described(name, of, identity) == mark]

    def _note_use(self) -> None:
        """Note the day on which the spaces were used, once a day, for whoever prunes what nobody uses any more."""
        if not (self.writes and self._file.is_writable and self._spaces):
            return
        day = datetime.now(UTC).date().isoformat()
        with suppress(Damaged, RunnerError):
            self._file.rows(LAST_USES)
            known = dict(self._file.rows("SELECT space, day FROM last_use"))
            used = [(number, day) for number in self._spaces.values() if known.get(number) != day]
            if used:
                with self._file.transaction() as connection:
                    connection.executemany("INSERT OR REPLACE INTO last_use (space, day) VALUES (?, ?)", used)

    def _undamaged(self, action: Callable[[], T]) -> T:
        """Do something with the file; if it is damaged, once more with a new one."""
        try:
            return action()
        except Damaged as damage:
            self._spaces.clear()
            self._file.put_aside(str(damage))
            try:
                return action()
            except Damaged as again:
                raise RunnerError(f"{self.path} cannot be used ({again}), nor can a new one") from None

    def _rows(self, space: str, keys: Sequence[bytes]) -> list[tuple[Any, ...]]:
        number = self._number(space)
        if number is None:
            return []
        rows = []
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            rows += self._file.rows(
                f"SELECT key, value, checksum FROM record WHERE space = ? AND key IN ({marks})", (number, *batch)
            )
        return rows

    def _number(self, space: str) -> int | None:
        if space not in self._spaces:
            if not self._file.is_there:
                return None
            wanted = "SELECT number, name, kind, identity, checksum FROM space WHERE name = ?"
            for number, *described, checksum in self._file.rows(wanted, (space,)):
                if described[0] == space and _described(*described) == checksum:
                    self._spaces[space] = int(number)
        return self._spaces.get(space)


def is_stored(space: str, key: Any, value: Any, checksum: Any) -> bool:
    """Whether a record is what was put under that key of that space."""
    whole = isinstance(key, bytes) and isinstance(value, bytes)
    return bool(whole and _checksum(key, value, seed=_checksum(space.encode())) == checksum)


def describes(name: Any, kind: Any, identity: Any, checksum: Any) -> bool:
    """Whether what says whose facts a space holds is what was stored."""
    return bool(_described(name, kind, identity) == checksum)


def _checksum(*parts: bytes, seed: int = 0) -> int:
    """The CRC-32 of parts one after the other: it notices every flip of up to three bits."""
    for part in parts:
        seed = zlib.crc32(part, seed)
    return seed


def _described(name: Any, kind: Any, identity: Any) -> int:
    """The checksum of what says whose facts a space holds."""
    return _checksum("\0".join(map(str, (name, kind, identity))).encode("utf-8", "surrogatepass"))
