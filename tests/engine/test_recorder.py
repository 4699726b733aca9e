"""The process that writes to MLflow: what it is given arrives, and what goes wrong there is told here."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.configuration.settings import TrackingSettings
from runner.errors import ConfigError, RunnerError
from runner.tracking.mlflow_store import sqlite_uri
from runner.tracking.recorder import RecordedTracker, Recorder
from runner.tracking.tracker import RunRecord, Tracker


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.close()


@pytest.fixture
def settings(tmp_path: Path) -> TrackingSettings:
    return TrackingSettings(
        uri=sqlite_uri(tmp_path / "mlflow.db"), experiment="e", artifacts=str(tmp_path / "artifacts")
    )


def record(folder: Path | None = None, name: str = "bm25 k=1", **params: object) -> RunRecord:
    return RunRecord(name, {"k": 1, **params}, {"recall": 0.5}, {"kind": "run"}, files=folder)


def test_runs_are_written_with_their_files_in_the_order_they_were_asked_for(
    recorder: Recorder, settings: TrackingSettings, tmp_path: Path
) -> None:
    tracker = RecordedTracker(recorder, settings)
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "查詢.txt").write_text("額度", "utf-8")
    ids = [soon() for soon in [tracker.log_soon(record(folder, f"run {n}")) for n in range(3)]]
    runs = Tracker(settings).finished({"kind": "run"})
    assert {run.info.run_id: run.info.run_name for run in runs} == dict(
        zip(ids, ["run 0", "run 1", "run 2"], strict=True)
    )
    assert len(list((tmp_path / "artifacts").rglob("查詢.txt"))) == 3


def test_what_cannot_travel_fails_at_once_and_the_next_is_written(
    recorder: Recorder, settings: TrackingSettings
) -> None:
    tracker = RecordedTracker(recorder, settings)
    with pytest.raises(TypeError, match="pickle"):
        tracker.log_soon(record(lock=threading.Lock()))
    assert tracker.log_soon(record())()


def test_an_error_there_is_an_error_here(recorder: Recorder, settings: TrackingSettings, tmp_path: Path) -> None:
    tracker = RecordedTracker(recorder, settings)
    with pytest.raises(RunnerError, match="the files of 'bm25 k=1' are gone"):
        tracker.log_soon(record(tmp_path / "nowhere"))()
    closed = TrackingSettings(uri="http://127.0.0.1:9", experiment="e")
    with pytest.raises(ConfigError, match="cannot be opened"):
        RecordedTracker(recorder, closed).open_soon()()
    assert tracker.log_soon(record())()


def test_what_is_abandoned_is_not_written(recorder: Recorder, settings: TrackingSettings) -> None:
    tracker = RecordedTracker(recorder, settings)
    tracker.open_soon()()
    soon = [tracker.log_soon(record(name=f"run {n}")) for n in range(40)]
    tracker.abandon()
    written = []
    for each in soon:
        try:
            written.append(each())
        except RunnerError as error:
            assert "the sweep was stopped" in str(error)
    assert len(written) < 40
    assert {run.info.run_id for run in Tracker(settings).finished({"kind": "run"})} == set(written)


def test_its_death_is_told_and_waits_for_nothing(recorder: Recorder, settings: TrackingSettings) -> None:
    tracker = RecordedTracker(recorder, settings)
    tracker.open_soon()()
    assert recorder._process.pid is not None
    os.kill(recorder._process.pid, signal.SIGKILL)
    recorder._process.join()
    with pytest.raises(RunnerError, match=r"ended before its time \(exit code -9\)"):
        tracker.log_soon(record())()
