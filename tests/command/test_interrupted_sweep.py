"""A sweep that is killed while it logs, and the one that is started after it."""

import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WAIT = 60.0


def running(database: Path) -> list[str]:
    """The ids of runs that the database says are running; none while it cannot be read."""
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=0)
        try:
            return [id_ for (id_,) in connection.execute("SELECT run_uuid FROM runs WHERE status = 'RUNNING'")]
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return []


@dataclass(frozen=True)
class Interrupted:
    """left: the run the killed sweep was writing. finished: its whole runs, as they were then."""

    desk: Any
    left: str
    finished: dict[str, Any]
    resumed: Any

    def state(self) -> dict[str, Any]:
        kept = [run for run in self.desk.runs() if run.info.run_id in self.finished]
        return {run.info.run_id: run.to_dictionary() for run in kept}


@pytest.fixture(scope="module")
def interrupted(fresh_desk: Callable[[], Any]) -> Interrupted:
    """Kill a sweep of ten jobs with its third run half-written, then start it again with resume=true and two more."""
    desk = fresh_desk()
    team = (
        "dataset=pages",
        "dataset.path=manual",
        "dataset.name=manual",
        "dataset.suite=team.yaml",
        "hydra.launcher.n_jobs=1",
    )
    process = desk.start("runner", "-m", *team, f"k={','.join(map(str, range(1, 11)))}")
    seen: set[str] = set()
    end = time.monotonic() + WAIT
    while True:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "no run was ever seen running"
        # Only a stopped process cannot finish its run between the look and the kill.
        process.send_signal(signal.SIGSTOP)
        now = running(desk.store / "mlflow.db")
        seen.update(now)
        if now and len(seen) >= 3:
            break
        process.send_signal(signal.SIGCONT)
        time.sleep(0.01)
    process.kill()
    process.communicate()
    finished = {run.info.run_id: run.to_dictionary() for run in desk.runs() if run.info.status == "FINISHED"}
    resumed = desk.team("-m", f"k={','.join(map(str, range(1, 13)))}", "resume=true")
    return Interrupted(desk, now[0], finished, resumed)


def test_the_next_start_ends_the_run_of_the_killed_one(interrupted: Interrupted) -> None:
    assert interrupted.desk.client.get_run(interrupted.left).info.status == "KILLED"
    assert {run.info.status for run in interrupted.desk.runs(kind=None)} == {"FINISHED", "KILLED"}


def test_finished_jobs_are_recognised_and_not_run_again(interrupted: Interrupted) -> None:
    assert 2 <= len(interrupted.finished) < 10
    assert f"resume: {len(interrupted.finished)} of 12 jobs are finished already" in interrupted.resumed.out
    fresh = [run for run in interrupted.desk.runs() if run.info.run_id not in interrupted.finished]
    assert [run.info.status for run in fresh].count("FINISHED") == 12 - len(interrupted.finished)


def test_every_job_ends_up_with_one_finished_run(interrupted: Interrupted) -> None:
    done = [run for run in interrupted.desk.runs() if run.info.status == "FINISHED"]
    assert sorted(int(run.data.params["k"]) for run in done) == list(range(1, 13))


def test_nothing_that_was_finished_is_written_over(interrupted: Interrupted) -> None:
    assert interrupted.state() == interrupted.finished


def test_the_table_of_the_resumed_sweep_shows_the_earlier_runs_too(interrupted: Interrupted) -> None:
    rows = [line.replace("*", "").split() for line in interrupted.resumed.out.splitlines()]
    assert sorted(int(row[1]) for row in rows if len(row) > 8 and row[0] == "bm25") == list(range(1, 13))


def test_resuming_a_sweep_that_is_done_runs_nothing(interrupted: Interrupted) -> None:
    before = len(interrupted.desk.runs())
    done = interrupted.desk.team("-m", "k=1,2", "resume=true")
    assert "resume: 2 of 2 jobs are finished already" in done.out
    assert len(interrupted.desk.runs()) == before
