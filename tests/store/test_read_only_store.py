"""A store that cannot be written: what only reads works, what must write says so in one line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from engine_world import bm25, hybrid
from mounts import read_only
from store_world import StoreWorld

from runner.cli.compare import main as compare
from runner.cli.sweep_printer import SweepPrinter
from runner.errors import ConfigError, RunnerError
from runner.tracking.mlflow_store import sqlite_uri
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


@dataclass(frozen=True)
class Closed:
    """A world whose store cannot be written, the runs in it, and its files when it was closed."""

    world: StoreWorld
    runs: tuple[str, ...]
    files: frozenset[Path]


@pytest.fixture
def closed(world: StoreWorld) -> Iterator[Closed]:
    rows = world.run(bm25(), bm25(k1=0.9), k=3).rows
    for path in world.store.rglob("*.lock"):
        path.unlink()
    with read_only(world.store):
        yield Closed(world, tuple(row.run_id for row in rows), frozenset(world.store.rglob("*")))


def test_a_plan_is_shown(closed: Closed, capsys: pytest.CaptureFixture[str]) -> None:
    assert closed.world.run(bm25(), listener=SweepPrinter(), dry_run=True).status == 0
    assert "5 cached, 0 to compute" in capsys.readouterr().out
    assert frozenset(closed.world.store.rglob("*")) == closed.files


def test_cached_rankings_are_scored_and_logged_elsewhere(closed: Closed, tmp_path: Path) -> None:
    tracking = {
        "uri": sqlite_uri(tmp_path / "own/mlflow.db"),
        "artifacts": str(tmp_path / "own/files"),
        "experiment": "own",
    }
    outcome = closed.world.run(bm25(), cache="only", tracking=tracking)
    assert (outcome.status, len(outcome.rows)) == (0, 1)


def test_runs_are_read_and_compared(closed: Closed, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        compare([*closed.runs, *closed.world.place])
    said = capsys.readouterr()
    assert (stop.value.code, said.err) == (0, "")
    assert "the store is read-only; nothing is logged" in said.out
    assert frozenset(closed.world.store.rglob("*")) == closed.files


def test_a_store_that_was_moved_before_it_was_closed_is_read(world: StoreWorld, tmp_path: Path) -> None:
    from dataclasses import replace

    run = world.run().rows[0].run_id
    moved = replace(world, store=tmp_path / "moved/mlruns")
    moved.store.parent.mkdir()
    world.store.rename(moved.store)
    with read_only(moved.store):
        assert StoredRun.fetch(Tracker(moved.settings({}).tracking), run, tmp_path / "fetched").settings.k == 3


@pytest.mark.parametrize("what", ["a run", "a new ranking", "a repeated run", "an accepted run"])
def test_what_must_write_says_so_in_one_line(closed: Closed, tmp_path: Path, what: str) -> None:
    with pytest.raises((RunnerError, OSError)) as error:
        if what == "a run":
            closed.world.run(bm25())
        elif what == "a new ranking":
            closed.world.run(hybrid(bm25(), bm25(k1=0.8)))
        elif what == "a repeated run":
            closed.world.repeat(closed.runs[0], tmp_path / "work")
        else:
            Tracker(closed.world.settings({}).tracking).add(closed.runs[0], {}, {"accepted": "yes"})
    assert "\n" not in str(error.value)
    assert "read-only" in str(error.value).lower()
    assert frozenset(closed.world.store.rglob("*")) == closed.files


def test_the_command_itself_says_one_line(closed: Closed) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "runner",
            f"store={closed.world.store}",
            "dataset=pages",
            f"dataset.path={closed.world.pages}",
            f"dataset.suite={closed.world.suite}",
            "chunker=document",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_"))},
    )
    assert done.returncode, done.stdout
    assert [line.startswith("error: ") and "read-only" in line.lower() for line in done.stderr.splitlines()] == [True]


def test_an_emptied_database_beside_the_files_of_runs_is_not_replaced(world: StoreWorld) -> None:
    world.run()
    (world.store / "mlflow.db").write_bytes(b"")
    with pytest.raises(ConfigError, match="is empty, but the files of 1 runs lie beside it"):
        world.run(bm25(k1=0.9))
    assert (world.store / "mlflow.db").stat().st_size == 0
