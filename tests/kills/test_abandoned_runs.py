"""Runs that a process left unfinished, and who may say that it is over with them."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from runner.configuration.settings import TrackingSettings
from runner.tracking.mlflow_store import is_gone, sqlite_uri, this_writer
from runner.tracking.tracker import SNAPSHOTS, Tracker

HOST = socket.gethostname()
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="when a process started is not told here")


def test_a_process_at_work_is_not_gone() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "from runner.tracking.mlflow_store import *; print(this_writer(), is_gone(this_writer()))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    writer, gone = told.stdout.split()
    assert gone == "False"
    assert is_gone(writer)
    assert not is_gone(this_writer())


def test_as_written_by_earlier_versions() -> None:
    assert not is_gone(f"{HOST}:{os.getpid()}")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_gone(f"{HOST}:{ended.pid}")


@needs_proc
def test_another_process_of_the_same_id_is_not_the_one_that_wrote() -> None:
    assert is_gone(f"{HOST}:{os.getpid()}:1")
    assert is_gone(f"{HOST}:1:{2**60}")


@needs_proc
def test_one_that_has_ended_is_gone_although_its_parent_does_not_look() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        writer = f"{HOST}:{process.pid}"
        assert not is_gone(writer)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(writer)
    finally:
        process.communicate()


@pytest.mark.parametrize(
    "writer", ["", HOST, f"{HOST}:", f"{HOST}:x", f"{HOST}:-1", f"{HOST}:{10**30}", "elsewhere:1:1"]
)
def test_what_cannot_be_known_is_left_alone(writer: str) -> None:
    assert not is_gone(writer)


@needs_proc
def test_the_next_sweep_ends_what_another_one_of_the_same_id_has_left_and_snapshots_too(tmp_path: Path) -> None:
    settings = TrackingSettings(uri=sqlite_uri(tmp_path / "mlflow.db"), experiment="e", artifacts=str(tmp_path / "a"))
    tracker = Tracker(settings)
    client, left = tracker.client, f"{HOST}:{os.getpid()}:1"
    beside = client.create_experiment(SNAPSHOTS)
    made = {
        name: client.create_run(where, tags={"process": process}, run_name=name).info.run_id
        for name, where, process in [
            ("left", tracker.experiment_id, left),
            ("snapshot", beside, left),
            ("mine", tracker.experiment_id, this_writer()),
            ("somebody's", tracker.experiment_id, "not a process"),
        ]
    }
    assert tracker.end_abandoned() == 2
    assert {name: client.get_run(id_).info.status for name, id_ in made.items()} == {
        "left": "KILLED",
        "snapshot": "KILLED",
        "mine": "RUNNING",
        "somebody's": "RUNNING",
    }
