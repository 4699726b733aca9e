"""What is the same for all runs of a sweep stands in the store once, and each run can still be read by itself."""

from pathlib import Path

import pytest
from engine_world import bm25
from store_world import StoreWorld

from runner.reports import run_files
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


def test_a_long_list_of_documents_is_kept_with_the_snapshot_only(
    world: StoreWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short = world.run().rows[0].run_id
    monkeypatch.setattr(run_files, "_MOST_DOCUMENTS", 3)
    runs = [row.run_id for row in world.run(bm25(), bm25(k1=0.9), k=1).rows]
    assert [
        path.relative_to(world.store).parts[1] for path in world.store.glob("artifacts/*/artifacts/documents.tsv")
    ] == [short]
    tracker = Tracker(world.settings({}).tracking)
    lists = [StoredRun.fetch(tracker, run, tmp_path / run).documents_list() for run in (short, *runs)]
    assert [path is not None and path.read_text("utf-8").count("\n") for path in lists] == [8, 8, 8]
    assert world.repeat(runs[0], tmp_path / "work") == 0
    assert "identical: 5 rankings" in capsys.readouterr().out
