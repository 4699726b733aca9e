"""A store whose making is cut short by a kill, at several of its many steps, and the next command that wants it."""

import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from runner.configuration.settings import TrackingSettings
from runner.tracking.mlflow_store import open_client, sqlite_uri
from runner.tracking.tracker import RunRecord, Tracker

WAIT = 120.0
# With the store's own way of making it, and with MLflow's, as `mlflow ui` has it.
OURS = "from runner.tracking.mlflow_store import open_client as open_at"
THEIRS = """
from mlflow import MlflowClient
def open_at(uri): MlflowClient(uri).search_experiments()
"""


def tables(database: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0)) as connection:
            return int(connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def kill_while_made(code: str, path: Path, seen: Path, steps: int) -> None:
    """Open the store at a path in a process of its own, and kill that when so many tables are seen in a file."""
    process = subprocess.Popen([sys.executable, "-c", f"{code}\nopen_at({sqlite_uri(path)!r})"])
    end = time.monotonic() + WAIT
    while tables(seen) < steps:
        assert process.poll() is None, "it was made before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.005)
    process.kill()
    process.wait()


def can_be_used(path: Path) -> bool:
    settings = TrackingSettings(uri=sqlite_uri(path), experiment="e", artifacts=str(path.parent / "artifacts"))
    Tracker(settings).log(RunRecord("bm25 k=1", {"k": 1}, {"recall": 0.5}, {"kind": "run"}))
    return len(Tracker(settings).finished({"kind": "run"})) == 1


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 30])
def test_a_kill_leaves_no_half_of_a_store(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "額度 100%" / "mlflow.db"
    kill_while_made(OURS, path, path.with_name(".mlflow.db.new"), steps)
    assert not path.exists()
    assert can_be_used(path)
    assert not list(path.parent.glob(".mlflow.db.new*"))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 30])
def test_a_half_made_store_without_a_run_is_made_anew(
    tmp_path: Path, steps: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mlflow.db"
    kill_while_made(THEIRS, path, path, steps)
    assert can_be_used(path)
    assert path.with_name("mlflow.db.half-made").is_file()
    assert "with no run in it" in capsys.readouterr().err


def test_a_store_that_holds_anything_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE experiments (experiment_id INTEGER)")
        connection.execute("INSERT INTO experiments VALUES (0)")
        connection.commit()
    with pytest.raises(Exception, match="cannot be opened"):
        open_client(sqlite_uri(path))
    assert not path.with_name("mlflow.db.half-made").exists()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM experiments").fetchone() == (1,)
