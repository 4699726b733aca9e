"""`python -m runner drill` as it is typed: exit status, table, files and the one run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from decide_office import Desk, Finished
from drill_library import Library, question

from runner.cli.drill import main
from runner.selftest.check import FAILED
from runner.suites import Suite
from runner.tracking.mlflow_store import open_client


def drill(desk: Desk, library: Library, store: Path, *arguments: str) -> Finished:
    folder = library.write_pages()
    return desk(
        main,
        "dataset=pages",
        f"dataset.path={folder}/pages",
        f"dataset.suite={folder}/suite/suite.yaml",
        f"store={store}",
        "k=3",
        *arguments,
    )


def runs(store: Path) -> list[Any]:
    client = open_client(f"sqlite:///{store}/mlflow.db")
    experiments = [each.experiment_id for each in client.search_experiments()]
    return list(client.search_runs(experiments))


def files(store: Path) -> set[str]:
    return {str(path.relative_to(store)) for path in store.rglob("*") if path.is_file()}


def test_a_drill_in_which_all_is_noticed_is_done(desk: Desk, library: Library, store: Path, tmp_path: Path) -> None:
    done = drill(desk, library, store, "--out", str(tmp_path / "out"))
    assert (done.status, done.err) == (0, "")
    assert "language.zh" in done.out
    assert "0 failed, 1 not applicable" in done.out
    values = json.loads((tmp_path / "out/drill.json").read_text("utf-8"))
    assert values["failed"] == 0
    assert values["noticed"] == len(values["exercises"]) - 1
    page = (tmp_path / "out/drill.md").read_text("utf-8")
    assert "language x topic.zh x limit" in page
    assert "`zh/" in page


def test_it_is_one_run_of_its_own_kind_and_nothing_else_is_written(desk: Desk, library: Library, store: Path) -> None:
    done = drill(desk, library, store)
    [run] = runs(store)
    assert run.info.run_id in done.out
    assert run.info.status == "FINISHED"
    assert run.data.tags["kind"] == "drill"
    suite = library.suite(library.settings({}))
    assert run.data.params["suite"] == "core"
    assert run.data.params["suite_revision"] == suite.revision
    assert {"snapshot", "retriever_hash", "seed", "k", "unit"} <= set(run.data.params)
    metrics = run.data.metrics
    assert (metrics["drill/failed"], metrics["drill/not_applicable"]) == (0, 1)
    assert (metrics["remove.before/language.zh"], metrics["remove.after/language.zh"]) == (1.0, pytest.approx(0.95))
    assert (metrics["update.before/topic.limit"], metrics["update.after/topic.limit"]) == (1.0, 1.0)
    assert metrics["shuffle.before"] == 1.0
    artifacts = f"artifacts/{run.info.run_id}/artifacts"
    assert files(store) - {"mlflow.db", "mlflow.db.lock"} == {f"{artifacts}/drill.md", f"{artifacts}/drill.json"}


def test_pages_and_questions_are_left_as_they_were(desk: Desk, library: Library, store: Path) -> None:
    library.write_pages()
    before = {path: path.read_bytes() for path in library.folder.rglob("*") if path.is_file()}
    drill(desk, library, store)
    assert {path: path.read_bytes() for path in library.folder.rglob("*") if path.is_file()} == before


def test_what_is_not_noticed_is_named_and_exits_with_1(
    desk: Desk, library: Library, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Suite, "check", lambda self, snapshot: None)
    done = drill(desk, library, store, "--slices", "language", "--out", str(tmp_path / "out"))
    assert done.status == 1
    assert "FAILED refuse language.en: removed: not refused" in done.out
    assert "2 failed" in done.out
    assert "the instrument did not notice everything" in done.out
    [run] = runs(store)
    assert run.data.metrics["drill/failed"] == 2
    assert run.data.tags["failed"] == "true"
    assert FAILED in (tmp_path / "out/drill.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slices", "colour"], "no slice of that field"),
        (["retriever=nobody"], "nobody"),
        (["k=1,3"], "k"),
        (["depth=2"], "deeper than the rankings"),
    ],
)
def test_bad_input_exits_with_2(desk: Desk, library: Library, store: Path, arguments: list[str], message: str) -> None:
    done = drill(desk, library, store, *arguments)
    assert done.status == 2
    assert done.err.startswith("error: ")
    assert message in done.err
    assert runs(store) == []


def test_a_suite_that_does_not_fit_is_bad_input(desk: Desk, library: Library, store: Path) -> None:
    library.asked = (question("q1", "quota alder", ["en/nobody.md#limit"], language="en", topic="limit"),)
    done = drill(desk, library, store)
    assert done.status == 2
    assert "en/nobody.md#limit" in done.err


def test_names_that_markdown_would_read_stand_as_they_are(
    desk: Desk, library: Library, store: Path, tmp_path: Path
) -> None:
    library.asked = tuple(
        replace(query, fields={"kind": "a|b <b> 移除的*選項*"}) for query in library.suite(library.settings({})).queries
    )
    library.slices = ("kind",)
    done = drill(desk, library, store, "--slices", "kind", "--out", str(tmp_path / "out"))
    assert done.status == 0
    assert "kind.a|b <b> 移除的*選項*" in done.out
    rows = [line for line in (tmp_path / "out/drill.md").read_text("utf-8").splitlines() if line.startswith("| kind")]
    assert rows[0].replace("\\|", "").count("|") == 9
    assert "<b>" not in rows[0]
    [run] = runs(store)
    assert any(key.startswith("remove.before/kind.a_x7c_b") for key in run.data.metrics)
