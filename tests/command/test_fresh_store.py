"""A store that does not exist yet, and several processes that want to make it at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from runner.configuration.settings import home

TWELVE = "k=1,2,3,4,5,6,7,8,9,10,11,12"


@pytest.fixture(scope="module")
def two_sweeps(fresh_desk: Callable[[], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two sweeps begun at the same moment, from two directories, on one store that neither has made."""
    desk = fresh_desk()
    absolute = [
        "-m",
        "dataset=pages",
        f"dataset.path={desk.folder}/manual",
        "dataset.name=manual",
        f"dataset.suite={desk.folder}/team.yaml",
        TWELVE,
        "hydra.launcher.n_jobs=1",
    ]
    directories = [tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("there")]
    started = [desk.start("runner", *absolute, cwd=directory) for directory in directories]
    return desk, [desk.finish(process) for process in started], directories


def test_two_simultaneous_sweeps_both_finish(two_sweeps: Any) -> None:
    desk, done, _ = two_sweeps
    assert [each.status for each in done] == [0, 0], [each.err for each in done]
    runs = desk.runs()
    assert len(runs) == 24
    assert {run.info.status for run in desk.runs(kind=None)} == {"FINISHED"}


def test_two_simultaneous_sweeps_keep_their_runs_apart(two_sweeps: Any) -> None:
    desk, done, _ = two_sweeps
    ks: dict[str, list[int]] = {}
    for run in desk.runs():
        ks.setdefault(run.data.tags["sweep"], []).append(int(run.data.params["k"]))
    assert [sorted(each) for each in ks.values()] == [list(range(1, 13))] * 2
    assert all(any(f"sweep {sweep}" in each.out for each in done) for sweep in ks)


def test_the_default_experiment_holds_no_run(two_sweeps: Any) -> None:
    desk, *_ = two_sweeps
    assert desk.runs("Default", None) == []
    assert {each.name for each in desk.client.search_experiments()} == {"Default", "manual"}


def test_nothing_appears_in_the_directories_the_commands_were_started_from(two_sweeps: Any) -> None:
    desk, _, directories = two_sweeps
    assert [list(directory.iterdir()) for directory in directories] == [[], []]
    assert (desk.store / "mlflow.db").is_file()


def test_without_runner_home_the_store_is_the_same_from_every_directory(desk: Any, tmp_path: Path) -> None:
    def store(directory: Path) -> str:
        done = desk.finish(desk.start("runner", "--cfg", "job", "--resolve", cwd=directory, RUNNER_HOME=""))
        assert done.status == 0, done.err
        return str(yaml.safe_load(done.out)["store"])

    assert store(desk.folder) == store(tmp_path) == str(home() / "mlruns")


@pytest.mark.parametrize("setting", ["store=runs", "tracking.artifacts=files"])
def test_a_relative_place_for_runs_is_refused(desk: Any, setting: str) -> None:
    done = desk.runner(setting)
    assert done.status == 2
    name, _, place = setting.partition("=")
    assert name in done.err
    assert str(desk.folder / place) in done.err
    assert not (desk.folder / place).exists()
