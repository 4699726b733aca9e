"""The snapshot and the suite that a configuration names: read once a sweep, kept unless the run is dry."""

import json
from pathlib import Path
from typing import Any

import pytest
from engine_world import World, bm25

from runner.cli.sweep_printer import SweepPrinter
from runner.configuration.settings import Settings
from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.engine.plan import Request
from runner.engine.planning import make_plan
from runner.errors import InputError
from runner.workflows.run_jobs import RunOptions, run_jobs


@pytest.fixture
def configured(world: World, tmp_path: Path) -> World:
    """Pages and a suite on disk, in both languages."""
    for id_, text in world.documents.items():
        (tmp_path / "pages" / id_).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pages" / id_).write_text(f"# {id_}\n\n{text}\n", "utf-8")
    (tmp_path / "suite.yaml").write_text("name: 手冊\nunit: document\n", "utf-8")
    rows = [{"query_id": id_, "text": text, "relevant": found} for id_, (text, found) in world.queries.items()]
    (tmp_path / "suite.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return world


def settings(world: World, **changes: Any) -> Settings:
    folder = world.folder
    named: dict[str, Any] = {
        "corpus": {"_target_": "runner.documents.Pages", "path": str(folder / "pages")},
        "chunker": {"_target_": "runner.chunkers.WholeDocument"},
        "suite": {"_target_": "runner.suite_formats.OwnSuite", "path": str(folder / "suite.yaml")},
    }
    return world.settings(bm25(), **{**named, **changes})


def test_documents_and_suite_are_read_and_the_snapshot_is_kept(configured: World) -> None:
    inputs, asked = ConfiguredInputs(), settings(configured)
    snapshot = inputs.snapshot(asked)
    assert [document.id for document in snapshot.documents] == sorted(configured.documents)
    assert snapshot_store(configured.store).load(snapshot.id) == snapshot
    assert (inputs.suite(asked).name, len(inputs.suite(asked).queries)) == ("手冊", 5)


def test_a_sweep_reads_what_its_jobs_share_once(configured: World) -> None:
    inputs = ConfiguredInputs()
    one, two = settings(configured, k=1), settings(configured, k=3)
    assert inputs.snapshot(one) is inputs.snapshot(two)
    assert inputs.suite(one) is inputs.suite(two)


def test_another_chunker_makes_another_snapshot(configured: World) -> None:
    inputs = ConfiguredInputs()
    window = {"_target_": "runner.chunkers.Window", "size": 20, "overlap": 0}
    assert inputs.snapshot(settings(configured)).id != inputs.snapshot(settings(configured, chunker=window)).id
    assert len(snapshot_store(configured.store).ids()) == 2


def test_a_dry_run_keeps_no_snapshot_and_makes_no_store(configured: World, capsys: pytest.CaptureFixture[str]) -> None:
    request = Request(("k=3",), settings(configured, dry_run=True))
    assert run_jobs([request], RunOptions(), ConfiguredInputs(), SweepPrinter()).status == 0
    assert "bm25: 5 rankings to depth 10, 0 cached, 5 to compute" in capsys.readouterr().out
    assert not configured.store.exists()


def test_pages_that_are_not_there_stop_the_plan(configured: World) -> None:
    asked = settings(configured, corpus={"_target_": "runner.documents.Pages", "path": "/nowhere/頁面"})
    with pytest.raises(InputError, match="/nowhere/頁面: not found"):
        make_plan([Request((), asked)], ConfiguredInputs())
