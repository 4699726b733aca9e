"""A chunker of somebody's own: whatever it does, its own jobs fail with one line, and the others end."""

import json
from typing import Any

import pytest
from engine_world import Node, World, bm25

from runner.cli.sweep_printer import SweepPrinter
from runner.engine.inputs import ConfiguredInputs
from runner.engine.plan import Plan, Request
from runner.engine.planning import make_plan
from runner.workflows.run_jobs import RunOptions, run_jobs

WHOLE = {"_target_": "runner.chunkers.WholeDocument"}


@pytest.fixture
def pages(tracked: World) -> World:
    """Pages and a suite on disk, and a store that can log."""
    folder = tracked.folder
    for id_, text in tracked.documents.items():
        (folder / "pages" / id_).parent.mkdir(parents=True, exist_ok=True)
        (folder / "pages" / id_).write_text(text, "utf-8")
    (folder / "suite.yaml").write_text("name: 手冊\nunit: document\n", "utf-8")
    rows = [{"query_id": id_, "text": text, "relevant": found} for id_, (text, found) in tracked.queries.items()]
    (folder / "suite.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tracked


def chopping(**params: Any) -> Node:
    return {"_target_": "misbehaving.Chopping", **params}


def requests(pages: World, *chunkers: Node, **changes: Any) -> list[Request]:
    corpus = {"_target_": "runner.documents.Pages", "path": str(pages.folder / "pages")}
    suite = {"_target_": "runner.suite_formats.OwnSuite", "path": str(pages.folder / "suite.yaml")}
    return [
        Request((f"chunker={number}",), pages.settings(bm25(), corpus=corpus, suite=suite, chunker=chunker, **changes))
        for number, chunker in enumerate(chunkers)
    ]


def planned(pages: World, *chunkers: Node, **changes: Any) -> Plan:
    return make_plan(requests(pages, *chunkers, **changes), ConfiguredInputs())


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("none", "returned a NoneType for 'en/billing.md'; expected a list of Chunk"),
        ("nothing", "returned no chunk for 'en/billing.md'"),
        ("tuples", "returned (0, 1) for 'en/billing.md'; expected a Chunk"),
        ("too long", "has the range 0-1000000, outside the"),
        ("twice", "passage id 'en/billing.md' is given twice"),
        ("float", "returned a Chunk of float, float, str, str for 'en/billing.md'"),
        ("untitled", "returned a Chunk of int, int, NoneType, str"),
    ],
)
def test_what_is_no_cut_fails_its_own_jobs(pages: World, what: str, said: str) -> None:
    plan = planned(pages, WHOLE, chopping(what=what), chopping(what=what))
    assert [job.overrides for job in plan.jobs] == [("chunker=0",)]
    assert [each.overrides for each in plan.refused] == [("chunker=1",), ("chunker=2",)]
    (error,) = {each.error for each in plan.refused}
    assert error.startswith("the chunker misbehaving.Chopping")
    assert said in error


def test_a_generator_cuts_as_well_as_a_list(pages: World) -> None:
    plan = planned(pages, chopping(), chopping(what="generator"))
    assert not plan.refused
    assert plan.jobs[0].stage.snapshot.passages == plan.jobs[1].stage.snapshot.passages


@pytest.mark.slow
def test_chunkers_that_raise_end_their_process_or_hang_leave_the_others_logged(
    pages: World, capfd: pytest.CaptureFixture[str]
) -> None:
    acts = ("key", "exit", "kill", "hang", "interrupt", "print")
    asked = requests(pages, WHOLE, *(chopping(act=act) for act in acts), time_limit=4.0)
    outcome = run_jobs(asked, RunOptions(2, sweep=True), ConfiguredInputs(), SweepPrinter())
    shown = capfd.readouterr()
    failed = [line.removeprefix("failed: chunker=") for line in shown.err.splitlines() if line.startswith("failed: ")]
    assert [line[:1] for line in failed] == ["1", "2", "3", "4", "5"]
    assert failed[0].endswith("): KeyError: 'title'")
    assert failed[1] == "2: misbehaving.Chopping: ended its process with status 0"
    assert failed[2] == "3: misbehaving.Chopping: its process was killed by SIGKILL (out of memory?)"
    assert "misbehaving.py:" in failed[3]
    assert "took longer than time_limit=4 seconds" in failed[3]
    assert failed[4].endswith("): KeyboardInterrupt")
    assert (outcome.status, len(outcome.rows), len(outcome.failures)) == (1, 2, 5)
    assert "PRINTED" not in shown.out


def test_where_no_chunker_cuts_the_failures_are_told_and_nothing_is_logged(
    pages: World, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_jobs(requests(pages, chopping(act="key")), RunOptions(), ConfiguredInputs(), SweepPrinter())
    assert (outcome.status, outcome.rows) == (1, ())
    assert capsys.readouterr().err.endswith("): KeyError: 'title'\n")


def test_a_dry_run_tells_of_them_too(pages: World, capsys: pytest.CaptureFixture[str]) -> None:
    asked = requests(pages, WHOLE, chopping(what="none"), dry_run=True)
    assert run_jobs(asked, RunOptions(), ConfiguredInputs(), SweepPrinter()).status == 1
    assert "failed: chunker=1: the chunker misbehaving.Chopping" in capsys.readouterr().err
