"""A disk that fills up: one line a cause, no run that seems to be going on, and work again once there is room."""

import os
from pathlib import Path

import pytest
from engine_world import bm25
from mounts import grow, small_disk
from store_world import StoreWorld

from runner.errors import RunnerError
from runner.tracking.tracker import Tracker


def statuses(world: StoreWorld) -> list[str]:
    client = Tracker(world.settings({}).tracking).client
    found = client.get_experiment_by_name("world")
    assert found is not None
    return sorted(run.info.status for run in client.search_runs([found.experiment_id]))


def fill(folder: Path, leave: int) -> None:
    """Take all room but so many bytes."""
    with (folder / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
    os.truncate(folder / "filler", (folder / "filler").stat().st_size - leave)


@pytest.mark.parametrize("leave", [0, 60_000, 150_000, 400_000])
def test_a_full_disk_is_told_of_in_one_line_and_nothing_is_lost(
    tmp_path: Path, empty_mlflow: Path, leave: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with small_disk(tmp_path / "disk", 12) as disk:
        (disk / "mlruns").mkdir()
        (disk / "mlruns/mlflow.db").write_bytes(empty_mlflow.read_bytes())
        world = StoreWorld.lay_out(tmp_path, disk / "mlruns")
        first = world.scores(bm25())
        fill(disk, leave)
        told = []
        try:
            outcome = world.run(bm25(k1=0.9), bm25(k1=1.1), bm25())
            told = [error for _, error in outcome.failures]
            assert told or outcome.status == 0
        except (RunnerError, OSError) as error:
            told = [str(error)]
        assert all("\n" not in line for line in told), told
        assert "Traceback" not in capfd.readouterr().err
        grow(disk, 24)
        (disk / "filler").unlink()
        assert world.scores(bm25()) == first
        assert not world.run(bm25(k1=0.9), bm25(k1=1.1)).failures
        assert "RUNNING" not in statuses(world)
