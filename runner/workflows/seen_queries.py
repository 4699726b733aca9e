"""The record of every question that was ever tuned on in a store: what is in it can be in no holdout any more.

Where the record is lost or damaged, it is made again from the suites that the runs of the store carry.
"""

import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock

from runner.errors import RunnerError
from runner.files.sqlite_files import is_damage, move_database
from runner.suites import Suite
from runner.suites.leak import HOLDOUT, ID, TEXT, Leak, merged
from runner.suites.question_key import question_keys
from runner.workflows.stored_suites import run_folders, stored_suites

FILE = "seen_queries.db"
_BATCH = 500
_FORMAT = 1
# Only what is new is added, so a suite that grows every week costs its new questions, not all of them each time.
_TABLES = (
    "CREATE TABLE IF NOT EXISTS revision (dataset TEXT, suite TEXT, revision TEXT, at TEXT NOT NULL,"
    " PRIMARY KEY (dataset, suite, revision)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS query (dataset TEXT, suite TEXT, id TEXT, key BLOB, at TEXT NOT NULL,"
    " PRIMARY KEY (dataset, suite, id, key)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS query_by_key ON query (key)",
    "CREATE INDEX IF NOT EXISTS query_by_id ON query (dataset, id)",
    f"PRAGMA user_version = {_FORMAT}",
)


class SeenQueries:
    """One SQLite file of a store, to which is only ever added.

    It holds ids and hashes of words, no text. A suite is known by its name, its revision and the dataset it was scored
    in: an id means something within a dataset, words mean the same everywhere.
    """

    def __init__(self, store: str | Path) -> None:
        self.path = Path(store) / FILE

    def add(self, scored: Iterable[tuple[Suite, str]]) -> None:
        """Enter the questions of (suite, dataset) pairs in one transaction; known ones, and holdouts, are passed over.

        Raises RunnerError if the file cannot be written.
        """
        tuned = [(suite, dataset) for suite, dataset in scored if suite.role != HOLDOUT]
        if not tuned:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open() as connection:
            new = [pair for pair in tuned if not _is_known(connection, *pair)]
            if new:
                connection.execute("BEGIN IMMEDIATE")
                for suite, dataset in new:
                    _enter(connection, suite, dataset, now)
                connection.execute("COMMIT")

    def leaks(self, suite: Suite, dataset: str) -> tuple[Leak, ...]:
        """Every query of a holdout suite that was tuned on here: by its words in any dataset, by its id in this one."""
        if not self.path.exists() and not run_folders(self.path.parent):
            return ()
        ids = {query.id for query in suite.queries}
        of_key: dict[bytes, list[str]] = {}
        for query in suite.queries:
            for key in question_keys(suite, query):
                of_key.setdefault(_hashed(key), []).append(query.id)
        found = []
        with self._open(thoroughly=True) as connection:
            for hashed, where, name, id_, at in _rows(connection, "key", list(of_key)):
                found += [_leak(each, where, name, id_, TEXT, at) for each in of_key[hashed]]
            for _, where, name, id_, at in _rows(connection, "id", sorted(ids), "dataset = ? AND", dataset):
                found.append(_leak(id_, where, name, id_, ID, at))
        return merged(found)

    @contextmanager
    def _open(self, thoroughly: bool = False) -> Iterator[sqlite3.Connection]:
        """Connect to the record, whole. thoroughly: every row is looked at, as a verdict wants it."""
        with closing(self._whole(thoroughly)) as connection:
            try:
                yield connection
            except sqlite3.Error as error:
                raise self._damaged(error) if is_damage(error) else self._cannot(error) from None

    def _whole(self, thoroughly: bool) -> sqlite3.Connection:
        try:
            folder = self.path.parent
            if folder.exists() and not os.access(self.path if self.path.exists() else folder, os.W_OK):
                return self._read_only(thoroughly)
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock"):
                connection = self._connect(str(self.path))
                try:
                    return self._made(connection, thoroughly)
                except (sqlite3.Error, UnicodeDecodeError) as error:
                    connection.close()
                    if isinstance(error, sqlite3.Error) and not is_damage(error):
                        raise
                    return self._again(error)
                except BaseException:
                    connection.close()
                    raise
        except sqlite3.Error as error:
            raise self._damaged(error) if is_damage(error) else self._cannot(error) from None
        except OSError as error:
            raise self._cannot(error) from None

    @staticmethod
    def _connect(place: str, uri: bool = False) -> sqlite3.Connection:
        # Two sweeps at once wait for each other; what a process that dies had begun is rolled back.
        connection = sqlite3.connect(place, timeout=120, isolation_level=None, uri=uri)
        # Letters that a flipped bit made are no letters; what they belong to is found out elsewhere.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        return connection

    def _made(self, connection: sqlite3.Connection, thoroughly: bool) -> sqlite3.Connection:
        """The record behind a connection, made first if it is new. Raises sqlite3.Error if it is damaged."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._fill(connection, ())
        elif version != _FORMAT:
            raise RunnerError(f"{self.path} has format {version}, this program reads {_FORMAT}; update it")
        elif thoroughly:
            # Every column that decides stands in an index, too, so a changed bit is a row that an index lacks.
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(found)
        return connection

    def _fill(self, connection: sqlite3.Connection, rows: Iterable[tuple[object, ...]]) -> None:
        """Make the tables, and enter what the runs of the store can tell and these rows of an earlier record."""
        connection.execute("BEGIN IMMEDIATE")
        for statement in _TABLES:
            connection.execute(statement)
        for each in stored_suites(self.path.parent):
            if each.suite.role != HOLDOUT:
                _enter(connection, each.suite, each.dataset, each.at)
        connection.executemany("INSERT OR IGNORE INTO query VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        runs = len(run_folders(self.path.parent))
        if runs:
            print(
                f"note: {self.path}, the record of the questions that were tuned on, was lost or damaged and is made "
                f"again from the {runs} runs here; what was scored in runs that are not here any more may lack in it",
                file=sys.stderr,
            )

    def _again(self, error: Exception) -> sqlite3.Connection:
        """A new record in the place of a damaged one, which is put aside. Raises RunnerError if no run can tell."""
        if not run_folders(self.path.parent):
            raise self._damaged(error)
        aside = move_database(self.path, f"{self.path.stem}.damaged{self.path.suffix}")
        connection = self._connect(str(self.path))
        self._fill(connection, _readable(aside))
        return connection

    def _read_only(self, thoroughly: bool) -> sqlite3.Connection:
        if self.path.exists() and self.path.stat().st_size:
            return self._made(self._connect(f"file:{quote(str(self.path))}?immutable=1", uri=True), thoroughly)
        return self._made(self._connect(":memory:"), thoroughly)

    def _damaged(self, error: Exception) -> RunnerError:
        return RunnerError(
            f"{self.path}, the record of the questions that were tuned on, is damaged ({error}); restore it from a "
            "copy: without it a holdout cannot be shown to be one"
        )

    def _cannot(self, error: Exception) -> RunnerError:
        return RunnerError(
            f"{self.path} cannot be read or written ({error}); see that its folder is writable and not full"
        )


def _is_known(connection: sqlite3.Connection, suite: Suite, dataset: str) -> bool:
    wanted = "SELECT 1 FROM revision WHERE dataset = ? AND suite = ? AND revision = ?"
    return connection.execute(wanted, (dataset, suite.name, suite.revision)).fetchone() is not None


def _enter(connection: sqlite3.Connection, suite: Suite, dataset: str, at: str) -> None:
    of = (dataset, suite.name)
    connection.execute("INSERT OR IGNORE INTO revision VALUES (?, ?, ?, ?)", (*of, suite.revision, at))
    connection.executemany(
        "INSERT OR IGNORE INTO query VALUES (?, ?, ?, ?, ?)",
        ((*of, query.id, _hashed(key), at) for query in suite.queries for key in question_keys(suite, query) or ("",)),
    )


def _readable(path: Path) -> list[tuple[object, ...]]:
    """The questions of a damaged record, as far as they can be read."""
    rows: list[tuple[object, ...]] = []
    try:
        with closing(sqlite3.connect(path)) as connection:
            for row in connection.execute("SELECT dataset, suite, id, key, at FROM query"):
                if all(isinstance(each, str) for each in (*row[:3], row[4])) and isinstance(row[3], bytes):
                    rows.append(row)
    except (sqlite3.Error, UnicodeDecodeError):
        pass
    return rows


def _rows(
    connection: sqlite3.Connection, column: str, values: Sequence[str | bytes], also: str = "", *bound: str
) -> Iterator[tuple[bytes, str, str, str, str]]:
    """(key, dataset, suite, id, at) of the questions whose column has one of those values."""
    for start in range(0, len(values), _BATCH):
        batch = values[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        wanted = f"SELECT key, dataset, suite, id, at FROM query WHERE {also} {column} IN ({marks}) ORDER BY at"
        yield from connection.execute(wanted, (*bound, *batch))


def _leak(query_id: str, dataset: str, suite: str, other_id: str, matched: str, at: str) -> Leak:
    where = f"dataset {dataset!r}, scored here since {at[:10]}" if dataset else f"scored here since {at[:10]}"
    return Leak(query_id, suite, other_id, (matched,), where, recorded=True)


def _hashed(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] if text else b""
