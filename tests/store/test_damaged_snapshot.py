"""A snapshot whose stored files were damaged: written anew by a sweep that has it, kept nowhere, read by nobody."""

from pathlib import Path

import pytest
from damage import damages, put
from store_world import StoreWorld

from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.errors import InputError
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker

FILES = ["snapshot.json", "documents.jsonl", "passages.jsonl", "documents.tsv"]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_written_anew_by_the_next_sweep(
    world: StoreWorld, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    settings = world.settings({})
    snapshot = ConfiguredInputs().snapshot(settings)
    store = snapshot_store(world.store)
    path = store.root / snapshot.id / name
    content = path.read_bytes()
    for how, damaged in damages(path, 24):
        put(path, damaged)
        ConfiguredInputs().snapshot(settings)
        assert store.load(snapshot.id) == snapshot, how
        assert len(capsys.readouterr().err.splitlines()) in ((0, 1) if name == "snapshot.json" else (1,)), how
    assert path.read_bytes() == content
    assert store.ids() == (snapshot.id,)


def test_a_damaged_snapshot_is_not_kept_beside_the_runs(world: StoreWorld) -> None:
    settings = world.settings({})
    id_ = ConfiguredInputs().snapshot(settings).id
    folder = snapshot_store(world.store).root / id_
    path = folder / "documents.jsonl"
    sound = path.read_bytes()
    path.write_bytes(sound[:-9] + bytes([sound[-9] ^ 1]) + sound[-8:])
    tracker = Tracker(settings.tracking)
    with pytest.raises(InputError, match=r"documents\.jsonl has changed since it was stored"):
        tracker.keep_snapshot(id_, folder)
    path.write_bytes(sound)
    tracker.keep_snapshot(id_, folder)
    fetched = tracker.fetch_snapshot(id_, world.store)
    assert fetched is not None
    assert (fetched / "documents.jsonl").read_bytes() == sound


def test_one_that_was_damaged_beside_the_runs_is_kept_again(world: StoreWorld, tmp_path: Path) -> None:
    run = world.run().rows[0].run_id
    settings = world.settings({})
    tracker = Tracker(settings.tracking)
    root = snapshot_store(world.store).root
    (id_,) = (each.name for each in root.iterdir() if each.is_dir())
    tracker.keep_snapshot(id_, root / id_)
    (kept,) = (world.store / "artifacts").glob("*/artifacts/snapshot/documents.jsonl")
    kept.write_bytes(kept.read_bytes()[:-9])
    stored = StoredRun.fetch(tracker, run, tmp_path / "fetched")
    with pytest.raises(InputError, match=f"snapshot {id_} is damaged beside the runs"):
        StoredRun.snapshot(_elsewhere(stored, tmp_path), tracker, str(tmp_path / "empty"))
    tracker.keep_snapshot(id_, root / id_)
    assert StoredRun.snapshot(_elsewhere(stored, tmp_path), tracker, str(tmp_path / "empty")).id == id_


def test_a_run_is_repeated_from_beside_the_runs_where_this_machines_snapshot_is_damaged(
    world: StoreWorld, tmp_path: Path
) -> None:
    run = world.run().rows[0].run_id
    tracker = Tracker(world.settings({}).tracking)
    root = snapshot_store(world.store).root
    (id_,) = (each.name for each in root.iterdir() if each.is_dir())
    tracker.keep_snapshot(id_, root / id_)
    path = root / id_ / "passages.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    assert world.repeat(run, tmp_path / "work") == 0
    assert snapshot_store(world.store).load(id_).id == id_


def _elsewhere(stored: StoredRun, tmp_path: Path) -> StoredRun:
    """The run as another machine sees it, which has not the store that it was made with."""
    config = stored.folder / "config.yaml"
    lines = [
        f"store: {tmp_path}/nowhere" if line.startswith("store:") else line for line in config.read_text().splitlines()
    ]
    config.write_text("\n".join(lines) + "\n")
    stored.__dict__.pop("settings", None)
    return stored
