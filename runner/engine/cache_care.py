"""What lies in a cache and how large it is, whether it is what was stored, and how it is made smaller.

Nothing here is ever needed for a result: what is pruned is computed again when it is asked for.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from runner.engine.cache import describes, is_stored
from runner.engine.cache_file import FORMAT, IN_USE, LAST_USES
from runner.engine.index_store import IndexStore
from runner.errors import ConfigError, RunnerError

_FOLDERS = {"indexes": "index", "cuts": "documents, cut"}
_BATCH = 5000


@dataclass(frozen=True)
class Portion:
    """One part of a cache that is kept or pruned as a whole: the facts of one producer, or one index.

    kind: rankings, vectors, pairs, facts, index, or documents that were cut. name: whose they are. count: records; 1
    for an index. bytes: of the values, or of the files. used: the day of its last use, None where that was never noted.
    space: its number in the SQLite file. folder: that of an index.
    """

    kind: str
    name: str
    count: int
    bytes: int
    used: date | None
    space: int | None = None
    folder: Path | None = None


def portions(directory: Path) -> list[Portion]:
    """Every part of a cache, the largest first. Raises RunnerError for a file that cannot be read."""
    found: list[Portion] = []
    owners: dict[str, str] = {}
    file = directory / "cache.db"
    if file.is_file():
        with _reading(file) as store:
            dated = store.execute("SELECT 1 FROM sqlite_master WHERE name = 'last_use'").fetchone()
            used_on = dict(store.execute("SELECT space, day FROM last_use")) if dated else {}
            for number, name, identity, kind, count, size in store.execute(
                "SELECT number, name, identity, kind, count(key), coalesce(sum(length(value) + length(key)), 0) "
                "FROM space LEFT JOIN record ON record.space = space.number GROUP BY number"
            ):
                day = date.fromisoformat(used_on[number]) if number in used_on else None
                owners[name] = _whose(identity)
                found.append(Portion(str(kind), owners[name], int(count), int(size), day, space=int(number)))
    for folder, kind in _FOLDERS.items():
        for path in _folders(directory / folder):
            size = sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
            used = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
            found.append(Portion(kind, owners.get(path.name, path.name), 1, size, used, folder=path))
    return sorted(found, key=lambda each: -each.bytes)


def _whose(identity: str) -> str:
    """The class whose facts a space holds."""
    with suppress(ValueError, AttributeError, TypeError):
        found = json.loads(identity)
        for node in (found, *found.values()):
            if isinstance(node, dict) and "target" in node:
                return str(node["target"]).rpartition(".")[2]
    return ""


def damages(directory: Path) -> Iterator[str]:
    """One line for each thing that is not what was stored; everything is read."""
    for folder in _FOLDERS:
        for path in _folders(directory / folder):
            try:
                IndexStore(path.parent).checked(path.name)
            except (OSError, ValueError, KeyError, TypeError) as error:
                yield f"{path}: {error}"
    file = directory / "cache.db"
    if not file.is_file():
        return
    try:
        with _reading(file) as store:
            names: dict[int, str] = {}
            for number, name, kind, identity, checksum in store.execute(
                "SELECT number, name, kind, identity, checksum FROM space"
            ):
                if describes(name, kind, identity, checksum):
                    names[number] = name
                else:
                    yield f"{file}: what says whose facts space {number} ({name!s:.12}) holds is not what was stored"
            last = 0
            while rows := store.execute(
                "SELECT rowid, space, key, value, checksum FROM record WHERE rowid > ? ORDER BY rowid LIMIT ?",
                (last, _BATCH),
            ).fetchall():
                last = rows[-1][0]
                for row, number, key, value, checksum in rows:
                    if number in names and not is_stored(names[number], key, value, checksum):
                        yield f"{file}: record {row} of space {names[number]:.12} is not what was stored"
            for (said,) in store.execute("PRAGMA quick_check(5)"):
                if said != "ok":
                    yield f"{file}: {said}"
    except RunnerError as error:
        yield str(error)


def chosen_to_go(every: list[Portion], keep: int | None, older: int | None) -> list[Portion]:
    """What to prune: what was not used for so many days, then the longest unused until no more than `keep` bytes stay.

    What was used on a day that nobody noted counts as longest unused, but is of no age.
    """
    ages = sorted(every, key=lambda each: (each.used or date.min, -each.bytes))
    border = datetime.now(UTC).date() - timedelta(days=older) if older is not None else None
    going = [each for each in ages if border is not None and each.used is not None and each.used < border]
    left = sum(each.bytes for each in every) - sum(each.bytes for each in going)
    for each in ages:
        if keep is not None and left > keep and each not in going:
            going.append(each)
            left -= each.bytes
    return going


def prune(directory: Path, going: list[Portion]) -> None:
    """Remove those parts, and give their place on the disk back.

    Raises ConfigError while a sweep has the cache open, and RunnerError where it cannot be written.
    """
    file = directory / "cache.db"
    try:
        with FileLock(f"{file}.lock"):
            _refuse_used(file)
            for each in going:
                if each.folder is not None:
                    shutil.rmtree(each.folder)
            spaces = [(each.space,) for each in going if each.space is not None]
            if spaces:
                with closing(sqlite3.connect(file, timeout=120, isolation_level=None)) as store:
                    store.execute(LAST_USES)
                    store.execute("BEGIN IMMEDIATE")
                    for table, column in (("record", "space"), ("last_use", "space"), ("space", "number")):
                        store.executemany(f"DELETE FROM {table} WHERE {column} = ?", spaces)
                    store.execute("COMMIT")
                    store.execute("VACUUM")
                    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (OSError, sqlite3.Error) as error:
        raise RunnerError(
            f"{directory} cannot be pruned ({error}); see that it is writable and its disk not full"
        ) from None


def _refuse_used(file: Path) -> None:
    for mark in sorted(file.parent.glob(f"{file.name}.*{IN_USE}")):
        lock = FileLock(mark)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise ConfigError(f"a sweep has {file} open; prune when it is done") from None
        lock.release()
        # Of a process that was killed.
        mark.unlink(missing_ok=True)


def _folders(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.is_dir()) if directory.is_dir() else []


@contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, whoever else writes. Raises RunnerError for what is no cache of this program."""
    try:
        with closing(_opened(file)) as store:
            version = store.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise RunnerError(f"{file}: has format {version}, this program reads {FORMAT}")
            yield store
    except sqlite3.Error as error:
        raise RunnerError(f"{file}: {error}") from None


def _opened(file: Path) -> sqlite3.Connection:
    # Even to read, SQLite makes files beside it, unless it is told that nobody writes.
    mode = "mode=ro" if os.access(file.parent, os.W_OK) else "immutable=1"
    store = sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, timeout=30)
    store.text_factory = lambda text: text.decode("utf-8", "replace")
    return store
