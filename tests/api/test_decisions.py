"""Comparing, gating, choosing and repeating from Python, on runs of one logged sweep."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import runner

pytestmark = pytest.mark.slow
FLOOR = {"name": "地板", "rules": [{"name": "found", "metric": "recall", "min": 0.3, "min_queries": 1}]}


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[runner.SweepResult]:
    """A sweep over two retrievers, in a store that is not the usual one."""
    before = os.environ.get("RUNNER_HOME")
    store = tmp_path_factory.mktemp("存放")
    os.environ["RUNNER_HOME"] = str(tmp_path_factory.mktemp("home"))
    words = ("retriever=bm25", "retriever.k1=0.5,1.5", "k=1,5", "latency.sample=0", "intervals=null")
    yield runner.sweep(*words, f"store={store}", n_jobs=1)
    os.environ.pop("RUNNER_HOME")
    if before is not None:
        os.environ["RUNNER_HOME"] = before


def test_results_know_where_they_are_stored(logged: runner.SweepResult) -> None:
    found = runner.compare(logged[1], logged[3])
    assert (found.k, len(found.pairs)) == (5, 1)
    row = found.table.query("metric == 'recall' and group == ''").iloc[0]
    assert row["first"] == pytest.approx(logged[1].metrics["recall"])
    assert row["second"] == pytest.approx(logged[3].metrics["recall"])
    assert "<table" in found._repr_html_() and found.title in repr(found)


def test_ids_need_the_store_to_be_named(logged: runner.SweepResult) -> None:
    first, second = (str(run.run_id) for run in logged[:2])
    assert logged[0].place is not None
    store = logged[0].place.store
    assert runner.compare(first, second, store=store, k=1).k == 1
    with pytest.raises(runner.InputError, match="no run"):
        runner.compare(first, second)


def test_on_what_is_not_logged_nothing_can_be_put(logged: runner.SweepResult) -> None:
    loose = runner.RunResult("bm25 k=1", {}, {})
    logging = (
        lambda: runner.compare(logged[0], loose, log=True),
        lambda: runner.gate(loose),
        lambda: runner.rerun(loose),
    )
    for call in logging:
        with pytest.raises(runner.ConfigError, match="bm25 k=1 was not logged"):
            call()
    with pytest.raises(runner.ConfigError, match="the sweep was not logged"):
        runner.choose(runner.SweepResult((loose,)))
    with pytest.raises(runner.ConfigError, match="has no queries to compare"):
        runner.compare(logged[0], loose)
    with pytest.raises(runner.ConfigError, match="level must lie between 0 and 1"):
        runner.compare(logged[0], logged[1], level=1.5)


def test_a_gate_takes_values_a_file_or_a_name_and_says_why(logged: runner.SweepResult, tmp_path: Path) -> None:
    passed = runner.gate(logged[1], FLOOR, log=False)
    assert (passed.blocked, passed.policy.name) == (False, "地板")
    assert passed.table.loc[0, "outcome"] == "pass"
    (tmp_path / "strict.yaml").write_text("rules: [{name: all, metric: recall, min: 0.99}]\n")
    strict = runner.gate(logged[1], tmp_path / "strict.yaml", log=False)
    assert strict.blocked
    assert "strict" in strict.title and "blocked" in strict._repr_html_()
    with pytest.raises(runner.ConfigError, match="no gate policy 'relese'"):
        runner.gate(logged[1], "relese")


def test_a_verdict_is_on_the_run_if_it_is_logged(logged: runner.SweepResult) -> None:
    assert logged[3].run_id is not None and logged[3].place is not None
    assert "gate/found" not in runner.load_run(logged[3].run_id, store=logged[3].place.store).metrics
    runner.gate(logged[3], FLOOR)
    assert runner.load_run(logged[3].run_id, store=logged[3].place.store).metrics["gate/found"] == 1


def test_the_smallest_k_is_chosen_by_name_and_by_result(logged: runner.SweepResult) -> None:
    assert logged.name is not None and logged[0].place is not None
    by_result = runner.choose(logged, FLOOR)
    by_name = runner.choose(logged.name, FLOOR, store=logged[0].place.store)
    assert by_result.table.equals(by_name.table)
    assert by_result.cheapest is not None and by_result.cheapest.chosen is not None
    assert by_result.cheapest.chosen.k == 1
    assert by_result.table["chosen"].sum() == 2


def test_a_repetition_is_identical_or_says_what_differs(logged: runner.SweepResult) -> None:
    same = runner.rerun(logged[0])
    assert same.identical and same.run.run_id != logged[0].run_id
    assert same.source_id == logged[0].run_id
    other = runner.rerun(logged[0], "retriever.k1=1.4")
    assert not other.identical
    assert other.causes[0] == "asked for: retriever.k1=1.4"
    assert set(other.table["what"]) >= {"ranking", "cause"}


def test_snapshots_are_built_named_and_compared(logged: runner.SweepResult, tmp_path: Path) -> None:
    words = ("dataset=demo", f"store={tmp_path}")
    old = runner.build_snapshot(*words, "dataset.date=2026-03", name="三月")
    new = runner.build_snapshot(*words, "dataset.date=2026-09")
    found = runner.diff("三月", new.id[:8], store=str(tmp_path), suites=["core-2026-03"])
    assert found.document_counts == runner.diff(old, new).document_counts
    assert found.impacts[0][0].name == "core"
    with pytest.raises(runner.InputError):
        runner.diff("四月", new)
