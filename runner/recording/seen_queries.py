"""The record of every question that was ever tuned on in a store: what is in it can be in no holdout any more."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from runner.errors import RunnerError
from runner.suites import Suite
from runner.suites.leak import HOLDOUT, ID, TEXT, Leak, merged
from runner.suites.question_key import question_keys

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
        known = self._known(tuned)
        new = [pair for pair, is_known in zip(tuned, known, strict=True) if not is_known]
        if not new:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for suite, dataset in new:
                of = (dataset, suite.name)
                connection.execute("INSERT OR IGNORE INTO revision VALUES (?, ?, ?, ?)", (*of, suite.revision, now))
                connection.executemany(
                    "INSERT OR IGNORE INTO query VALUES (?, ?, ?, ?, ?)",
                    (
                        (*of, query.id, _hashed(key), now)
                        for query in suite.queries
                        for key in question_keys(suite, query) or ("",)
                    ),
                )
            connection.execute("COMMIT")

    def leaks(self, suite: Suite, dataset: str) -> tuple[Leak, ...]:
        """Every query of a holdout suite that was tuned on here: by its words in any dataset, by its id in this one."""
        if not self.path.exists():
            return ()
        ids = {query.id for query in suite.queries}
        of_key: dict[bytes, list[str]] = {}
        for query in suite.queries:
            for key in question_keys(suite, query):
                of_key.setdefault(_hashed(key), []).append(query.id)
        found = []
        with self._open() as connection:
            for hashed, where, name, id_, at in _rows(connection, "key", list(of_key)):
                found += [_leak(each, where, name, id_, TEXT, at) for each in of_key[hashed]]
            for _, where, name, id_, at in _rows(connection, "id", sorted(ids), "dataset = ? AND", dataset):
                found.append(_leak(id_, where, name, id_, ID, at))
        return merged(found)

    def _known(self, pairs: Sequence[tuple[Suite, str]]) -> list[bool]:
        if not self.path.exists():
            return [False] * len(pairs)
        wanted = "SELECT 1 FROM revision WHERE dataset = ? AND suite = ? AND revision = ?"
        with self._open() as connection:
            return [
                connection.execute(wanted, (dataset, suite.name, suite.revision)).fetchone() is not None
                for suite, dataset in pairs
            ]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Two sweeps at once wait for each other; what a process that dies had begun is rolled back.
            with closing(sqlite3.connect(self.path, timeout=120, isolation_level=None)) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version not in (0, _FORMAT):
                    raise RunnerError(f"{self.path} has format {version}, this program reads {_FORMAT}; update it")
                if version == 0:
                    connection.execute("BEGIN IMMEDIATE")
                    for statement in _TABLES:
                        connection.execute(statement)
                    connection.execute("COMMIT")
                yield connection
        except (sqlite3.OperationalError, OSError) as error:
            raise RunnerError(
                f"{self.path} cannot be read or written ({error}); see that its folder is writable and not full"
            ) from None
        except sqlite3.DatabaseError as error:
            raise RunnerError(
                f"{self.path}, the record of the questions that were tuned on, is damaged ({error}); restore it from a "
                "copy: without it a holdout cannot be shown to be one"
            ) from None


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
