"""A store that is moved, renamed or copied: its runs and their files are where it is."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from store_world import StoreWorld

from runner.tracking.artifact_roots import follow_move
from runner.tracking.mlflow_store import open_client, ui_command
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker

NAMES = [
    "my project",
    "王小明",
    "50%",
    "my%20project",
    "a+b",
    "it's",
    "a#b",
    "really?",
    'say "x"',
    "🙂",
    "dot.",
    "a;b&c=d",
    "[x]",
    "$HOME",
    "back\\slash",
]


def move(world: StoreWorld, target: Path) -> StoreWorld:
    target.mkdir(parents=True)
    shutil.move(world.store, target / "mlruns")
    return replace(world, store=target / "mlruns")


def artifact_roots(store: Path) -> set[str]:
    """Every place that the database names, experiments' and runs' alike."""
    wanted = "SELECT artifact_location FROM experiments WHERE name = 'world' UNION SELECT artifact_uri FROM runs"
    with closing(sqlite3.connect(store / "mlflow.db")) as connection:
        return {place for (place,) in connection.execute(wanted)}


def forget_place(store: Path) -> None:
    """Make a store what it was before stores noted where they lie."""
    with closing(sqlite3.connect(store / "mlflow.db")) as connection:
        connection.execute("DROP TABLE runner_place")
        connection.commit()


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "made before places were noted"])
def test_runs_of_a_moved_store_are_repeated_and_new_ones_lie_inside_it(
    world: StoreWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str], noted: bool
) -> None:
    first = world.run().rows[0].run_id
    old = world.store
    if not noted:
        forget_place(old)
    moved = move(world, tmp_path / "renamed")
    assert moved.repeat(first, tmp_path / "work") == 0
    assert "identical: 5 rankings" in capsys.readouterr().out
    assert not old.exists()
    assert len(list((moved.store / "artifacts").iterdir())) == 2
    assert all(place.startswith((moved.store / "artifacts").as_uri()) for place in artifact_roots(moved.store))


def test_a_copy_and_its_original_keep_their_files_apart(world: StoreWorld, tmp_path: Path) -> None:
    first = world.run().rows[0].run_id
    copied = replace(world, store=tmp_path / "copy/mlruns")
    shutil.copytree(world.store, copied.store)
    second = copied.run(k=1).rows[0].run_id
    assert (copied.store / "artifacts" / second).is_dir()
    assert [each.name for each in (world.store / "artifacts").iterdir()] == [first]
    shutil.rmtree(copied.store / "artifacts" / first)
    StoredRun.fetch(Tracker(world.settings({}).tracking), first, tmp_path / "fetched")


def test_a_store_reached_by_a_link_has_not_moved(world: StoreWorld, tmp_path: Path) -> None:
    world.run()
    before = artifact_roots(world.store)
    (tmp_path / "link").symlink_to(world.store)
    replace(world, store=tmp_path / "link").run(k=1)
    assert before < artifact_roots(world.store)
    assert all(str(tmp_path / "home") in place for place in artifact_roots(world.store))


def test_files_that_were_put_elsewhere_stay_there(world: StoreWorld, tmp_path: Path) -> None:
    tracking = world.settings({}).tracking
    elsewhere = {**tracking.model_dump(), "artifacts": str(tmp_path / "big/artifacts")}
    run = world.run(tracking=elsewhere).rows[0].run_id
    moved = move(world, tmp_path / "renamed")
    follow_move(moved.store / "mlflow.db")
    assert all(str(tmp_path / "big/artifacts") in place for place in artifact_roots(moved.store))
    StoredRun.fetch(Tracker(moved.settings({}).tracking), run, tmp_path / "fetched")


def test_a_run_logged_while_the_store_is_opened_by_another_path_keeps_its_files(
    world: StoreWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = Tracker(world.settings({}).tracking)
    create = tracker.client.create_run

    def and_another_opens_it(*arguments: object, **named: object) -> object:
        # What a container does that has the store under another name.
        with closing(sqlite3.connect(world.store / "mlflow.db")) as connection:
            connection.execute("UPDATE experiments SET artifact_location = 'file:///mounted/artifacts'")
            connection.execute("UPDATE runner_place SET folder = '/mounted'")
            connection.commit()
        return create(*arguments, **named)

    monkeypatch.setattr(type(tracker.client), "create_run", lambda _, *a, **n: and_another_opens_it(*a, **n))
    run = world.run().rows[0].run_id
    assert (world.store / "artifacts" / run / "artifacts/config.yaml").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_a_store_may_lie_in_a_folder_of_any_name(
    new_world: Callable[[Path], StoreWorld], tmp_path: Path, name: str
) -> None:
    (tmp_path / "under").mkdir()
    world = new_world(tmp_path / "under" / name / "mlruns")
    run = world.run().rows[0].run_id
    assert [each.name for each in (tmp_path / "under").iterdir()] == [name]
    assert [each.name for each in (world.store / "artifacts").iterdir()] == [run]
    fetched = StoredRun.fetch(Tracker(world.settings({}).tracking), run, tmp_path / "fetched")
    assert fetched.settings.store == str(world.store)


@pytest.mark.parametrize("name", ["my project", "王小明", "50%", "my%20project", "really?"])
def test_the_printed_uri_names_the_store_to_mlflow_itself(
    new_world: Callable[[Path], StoreWorld], tmp_path: Path, name: str
) -> None:
    import shlex

    from mlflow import MlflowClient

    (tmp_path / "under").mkdir()
    world = new_world(tmp_path / "under" / name / "mlruns")
    world.run()
    *_, uri = shlex.split(ui_command(world.uri))
    assert {each.name for each in MlflowClient(uri).search_experiments()} == {"Default", "world"}
    assert open_client(uri).get_experiment_by_name("world") is not None
    assert [each.name for each in (tmp_path / "under").iterdir()] == [name]
