"""A handful of kills and interrupts at moments that are seen to have come, and the same sweep started again."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kill_world import (
    FIRST,
    GROUP_TERMINATED,
    INTERRUPTED,
    KILLED,
    WORKER_KILLED,
    WRITER_KILLED,
    Blow,
    Ground,
    Values,
    sweep_processes,
    undisturbed,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are counted in /proc"),
]


def store_is_being_made(ground: Ground) -> bool:
    return ground.database.with_name(".mlflow.db.new").exists()


def an_index_is_stored(ground: Ground) -> bool:
    return any((ground.home / "mlruns/cache/indexes").glob("[!.]*/index.json"))


def workers_stand(ground: Ground) -> bool:
    return any("popen_loky_posix" in line for line in sweep_processes(ground.home).values())


def a_run_is_written(ground: Ground) -> bool:
    return ground.database.exists() and "RUNNING" in ground.statuses()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Values]:
    values, _ = undisturbed(Ground(tmp_path_factory.mktemp("undisturbed")))
    return {name: each for name, each in values.items() if name.endswith((" k=1", " k=3"))}


@pytest.mark.parametrize(
    ("blow", "moment"),
    [
        (KILLED, store_is_being_made),
        (KILLED, an_index_is_stored),
        (KILLED, a_run_is_written),
        (INTERRUPTED, workers_stand),
        (INTERRUPTED, a_run_is_written),
        (GROUP_TERMINATED, a_run_is_written),
        (WORKER_KILLED, workers_stand),
        (WRITER_KILLED, a_run_is_written),
    ],
    ids=lambda value: value.name if isinstance(value, Blow) else value.__name__,
)
def test_a_blow_costs_no_run(
    tmp_path: Path, expected: dict[str, Values], blow: Blow, moment: Callable[[Ground], bool]
) -> None:
    ground = Ground(tmp_path)
    assert ground.struck(FIRST, blow, lambda: moment(ground))
    ground.resume(FIRST)
    assert ground.statuses() <= {"FINISHED", "KILLED", "FAILED"}
    assert ground.values() == expected
