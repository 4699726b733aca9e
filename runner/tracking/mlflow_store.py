"""Where MLflow keeps runs: SQLite files of this machine, or a server; and how people look at them."""

import logging
import os
import re
import shlex
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from filelock import FileLock

from runner.errors import ConfigError
from runner.files.scratch import stand_in_home
from runner.rendering.redaction import redacted
from runner.tracking.artifact_roots import FOLDER, follow_move
from runner.tracking.new_store import make_whole
from runner.tracking.patient_client import patient, request_limits

if TYPE_CHECKING:
    from mlflow import MlflowClient
import atexit
import shutil
import socket
import tempfile
from contextlib import closing

SQLITE = "sqlite:///"
# The same with the driver named, as `_mlflow_uri` writes it where it must.
_WITH_DRIVER = "sqlite+pysqlite:///"


def import_client() -> "type[MlflowClient]":
    """Import MLflow, which takes a second, without its chatter."""
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # What it would say with a traceback is raised as well, and said in one line.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
    # The store only ever gets what the runner logs: no phoning home in the middle of a sweep.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    # It asks for the home folder as it is imported.
    stand_in_home()
    from mlflow import MlflowClient

    return MlflowClient


def open_client(uri: str, patience: float = 60) -> "MlflowClient":
    """Connect to a store, making the tables of a new SQLite file under a lock.

    patience: how many seconds a call waits for a server that has stopped answering; one that does not answer at all is
    not waited for.

    Two processes that migrate one new file at the same moment would both die in it. A local store that was moved or
    copied is told where it is now; one that cannot be written is read from a copy, which cannot be written either.
    Raises ConfigError where there is no such store, or it cannot be opened.
    """
    client_class = import_client()
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        if not is_local(uri):
            # MLflow by itself would try for minutes without a word.
            with request_limits(1, 10):
                client = client_class(uri)
                client.search_experiments(max_results=1)
            return patient(client, uri, patience)
        path = sqlite_path(uri)
        if is_read_only(path):
            return client_class(_mlflow_uri(readable_copy(path), read_only=True))
        _refuse_emptied(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            make_whole(path, _make_tables)
            client = client_class(_mlflow_uri(path))
            client.search_experiments(max_results=1)
            follow_move(path)
        return client
    except (MlflowException, OSError, ImportError, SQLAlchemyError, sqlite3.Error) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0][:300]
        if not is_local(uri) and "Max retries" in reason:
            reason = "it does not answer; is the server running?"
        raise ConfigError(f"the MLflow store {redacted(uri)} cannot be opened: {redacted(reason)}") from error


def _make_tables(path: Path) -> None:
    """Make a store's tables, which takes MLflow some seconds."""
    client = import_client()(_mlflow_uri(path))
    client.search_experiments(max_results=1)
    # The file is about to get another name, which an open connection would not know.
    client._tracking_client.store._dispose_engine()


def _refuse_emptied(path: Path) -> None:
    """Raise ConfigError for a database of no bytes beside the files of runs that it held."""
    if not path.is_file() or path.stat().st_size:
        return
    runs = sum(1 for _ in path.parent.glob(f"{FOLDER}/*/artifacts"))
    if runs:
        raise ConfigError(
            f"the MLflow store {path} is empty, but the files of {runs} runs lie beside it in {path.parent / FOLDER}; "
            "restore it from a copy, or move it and that folder away to begin a new store"
        )


def raised_by_store(error: BaseException) -> bool:
    """Whether MLflow or its database is where an exception came from, whatever its type."""
    inner: TracebackType | None = error.__traceback__
    while inner is not None:
        if inner.tb_frame.f_globals.get("__name__", "").partition(".")[0] in ("mlflow", "sqlalchemy"):
            return True
        inner = inner.tb_next
    return False


def _mlflow_uri(path: Path, read_only: bool = False) -> str:
    """The URI of an SQLite file as MLflow takes it.

    MLflow makes the parent folder of what follows `sqlite:///` as it stands there, so nothing is encoded that need
    not be; where something must be, the driver is named, and then MLflow makes no folder.
    """
    if read_only:
        return f"{_WITH_DRIVER}file:{quote(str(path))}?mode=ro&uri=true"
    encoded = re.sub(r"%(?=[0-9A-Fa-f]{2})", "%25", str(path)).replace("?", "%3F")
    return f"{SQLITE if encoded == str(path) else _WITH_DRIVER}{encoded}"


def sqlite_path(uri: str) -> Path:
    """The file that an SQLite URI names; characters that mean something in a URI are percent-encoded there."""
    return Path(unquote(uri.removeprefix(SQLITE).removeprefix(_WITH_DRIVER)))


def sqlite_uri(path: str | Path) -> str:
    """The URI of an SQLite file, whatever its path holds."""
    return SQLITE + quote(str(path))


def is_local(uri: str) -> bool:
    """Whether the store is a file of this machine."""
    return uri.startswith((SQLITE, _WITH_DRIVER))


def ui_command(uri: str) -> str:
    """The command that shows the runs of a store in a browser."""
    if uri.startswith("http"):
        return f"open {redacted(uri)}"
    if is_local(uri):
        uri = _mlflow_uri(sqlite_path(uri))
    return f"mlflow ui --backend-store-uri {shlex.quote(uri)}"


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


def this_writer() -> str:
    """This process as `host:id:start`; without the last where the system does not tell when a process started."""
    return ":".join([socket.gethostname(), str(os.getpid()), *_started(os.getpid())])


def is_gone(writer: str) -> bool:
    """Whether a writer was a process of this machine and has ended; False for what cannot be known.

    Its id may be another's by now: after a restart, or in a container, where each start hands out the same few.
    """
    host, _, rest = writer.partition(":")
    process, _, start = rest.partition(":")
    if host != socket.gethostname() or not process.isascii() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    found = _started(int(process))
    return found == ["ended"] or bool(start and found and found != [start])


def _started(process: int) -> list[str]:
    """When a process started, in ticks since the machine did; `ended` if it has, unnoticed by its parent.

    /proc/[id]/stat of Linux: after the name in brackets the state, and as the twentieth word from there the start.
    """
    try:
        words = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []
    return ["ended"] if words[0] in ("Z", "X") else [words[19]]
