"""The README's sweep: twelve flat runs that belong together, and what a person sees of them."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import pytest

from runner.configuration.settings import data_directory

RETRIEVERS = ("bm25", "hybrid", "reranked")
KS = ("1", "3", "5", "10")
CORE = [json.loads(line) for line in (data_directory() / "demo/suites/core.jsonl").read_text("utf-8").splitlines()]
QUERIES = len(CORE)
SCORED = sum(row.get("answerable", True) for row in CORE)


def settings_of(run: Any) -> tuple[str, str]:
    return run.data.params["retriever"], run.data.params["k"]


def test_the_sweep_leaves_with_status_0_and_without_a_word_on_the_error_stream(demo: Any) -> None:
    assert (demo.cold.status, demo.warm.status, demo.single.status) == (0, 0, 0)
    assert "Traceback" not in demo.cold.err + demo.warm.err + demo.single.err


def test_every_combination_is_one_finished_run(demo: Any) -> None:
    assert {settings_of(run) for run in demo.first} == {(name, k) for name in RETRIEVERS for k in KS}
    assert {run.info.status for run in demo.desk.runs("demo", None)} == {"FINISHED"}
    assert len(demo.desk.runs("demo", None)) == 12 + 1 + 12 + 1 + 1


def test_the_runs_are_flat_and_share_the_tag_of_their_sweep(demo: Any) -> None:
    for runs, summary in zip((demo.first, demo.second), demo.summaries, strict=True):
        assert {run.data.tags["sweep"] for run in runs} == {summary.data.tags["sweep"]}
    assert len({summary.data.tags["sweep"] for summary in demo.summaries}) == 2
    assert all("mlflow.parentRunId" not in run.data.tags for run in (*demo.first, *demo.summaries))


def test_a_single_job_belongs_to_no_sweep(demo: Any) -> None:
    assert "sweep" not in demo.alone.data.tags


def test_the_announced_product_is_what_was_scored(demo: Any) -> None:
    product = f"plan: {SCORED} queries x 4 k x 3 retrievers x 1 snapshot = "
    announced = re.search(rf"{product}([\d,]+) scored", demo.cold.out)
    assert announced
    assert int(announced[1].replace(",", "")) == sum(int(run.data.metrics["n"]) for run in demo.first) == 12 * SCORED


def test_each_unique_stage_ranks_each_query_once(demo: Any) -> None:
    metrics = demo.summaries[0].data.metrics
    assert metrics["rankings_computed"] == 4 * QUERIES
    for stage in ("bm25", "semantic", "hybrid", "reranked"):
        assert metrics[f"rankings_computed/{stage}"] == QUERIES
    assert (metrics["jobs"], metrics["jobs_failed"]) == (12, 0)


def test_the_second_sweep_computes_nothing(demo: Any) -> None:
    assert "to compute: 0 rankings, 0 pairs to rerank" in demo.warm.out
    metrics = demo.summaries[1].data.metrics
    for computed in ("rankings_computed", "texts_embedded", "pairs_scored", "indexes_built"):
        assert metrics[computed] == 0, computed


def untimed(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is logged, but for latencies: on a busy machine a noisy one is measured again."""
    return {key: value for key, value in values.items() if not key.startswith("latency_")}


def test_a_cached_sweep_logs_the_very_same_metrics_and_the_latency_measured_at_first(demo: Any) -> None:
    first = {settings_of(run): run.data for run in demo.first}
    for run in demo.second:
        before = first[settings_of(run)]
        assert untimed(run.data.metrics) == untimed(before.metrics)
        # What was noisy is measured again.
        if not before.metrics["latency_noisy"]:
            assert run.data.metrics == before.metrics
            assert run.data.tags["measured_at"] == before.tags["measured_at"]


def test_the_order_of_the_overrides_does_not_change_what_a_job_is(demo: Any) -> None:
    first = {settings_of(run): run.data.tags["fingerprint"] for run in demo.first}
    assert {settings_of(run): run.data.tags["fingerprint"] for run in demo.second} == first
    assert len(set(first.values())) == 12


def test_running_again_makes_new_runs_and_leaves_the_old_ones_alone(demo: Any) -> None:
    assert not {run.info.run_id for run in demo.first} & {run.info.run_id for run in demo.second}
    assert demo.after == demo.before


@pytest.mark.parametrize("part", ["metrics", "params"])
def test_a_single_job_logs_what_the_sweeps_job_logs(demo: Any, part: str) -> None:
    twin = next(run for run in demo.first if settings_of(run) == ("hybrid", "5"))
    single = demo.alone
    assert untimed(getattr(single.data, part)) == untimed(getattr(twin.data, part))
    assert single.data.tags["fingerprint"] == twin.data.tags["fingerprint"]


def test_a_single_job_carries_the_same_files(demo: Any) -> None:
    def names(run: Any) -> set[str]:
        folder = demo.desk.files(run)
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    twin = next(run for run in demo.first if settings_of(run) == ("hybrid", "5"))
    assert names(demo.alone) == names(twin)


@pytest.mark.parametrize(("output", "sweep"), [("cold", "first"), ("warm", "second")])
def test_the_compare_page_is_of_exactly_these_twelve_runs(demo: Any, output: str, sweep: str) -> None:
    found = re.search(r"/#/compare-runs\?runs=(\S+)&experiments=(\S+)", getattr(demo, output).out)
    assert found
    runs = getattr(demo, sweep)
    assert sorted(json.loads(unquote(found[1]))) == sorted(run.info.run_id for run in runs)
    assert json.loads(unquote(found[2])) == [runs[0].info.experiment_id]


def test_the_command_that_opens_the_ui_names_this_store(demo: Any) -> None:
    assert f"mlflow ui --backend-store-uri sqlite:///{demo.desk.store}/mlflow.db" in demo.cold.out


def test_the_table_has_a_row_a_run_with_what_was_logged(demo: Any) -> None:
    rows = [line.replace("*", "").split() for line in demo.cold.out.splitlines()]
    # retriever, pool, k, then the scores with their counts
    shown = {(row[0], row[2]): row[3:] for row in rows if row and row[0] in RETRIEVERS and row[2] in KS}
    assert set(shown) == {settings_of(run) for run in demo.first}
    for run in demo.first:
        for name in ("hit", "recall", "mrr", "ndcg", "pool_recall"):
            assert f"{run.data.metrics[name]:.3f}" in shown[settings_of(run)], (run.info.run_name, name)


def test_the_best_of_a_column_is_marked_among_the_runs_of_the_same_k(demo: Any) -> None:
    runs = [run for run in demo.first if settings_of(run)[1] == "10"]
    at_ten = {settings_of(run)[0]: run.data.metrics["ndcg"] for run in runs}
    best = max(at_ten, key=lambda name: at_ten[name])
    (row,) = [line for line in demo.cold.out.splitlines() if re.match(rf"\s*{best}\s+\S+\s+10\s", line)]
    assert f"{at_ten[best]:.3f}*" in row


def test_the_worst_slice_of_each_retriever_is_named(demo: Any) -> None:
    for name in RETRIEVERS:
        assert re.search(rf"^worst slice of {name} k=10.*recall \d\.\d+ \(n=\d+; all \d\.\d+\)$", demo.cold.out, re.M)


def test_the_failing_queries_are_counted_by_cause(demo: Any) -> None:
    for run in demo.first:
        metrics = run.data.metrics
        lost = metrics["failing_lost_in_pool"], metrics["failing_lost_in_ranking"]
        assert metrics["failing"] == sum(lost) == SCORED - metrics["hit_queries"]
        name, k = settings_of(run)
        assert re.search(rf"^\s*{name}\s+\S+\s+{k}\s.*\s{lost[0]:.0f}\s+{lost[1]:.0f}\s*$", demo.cold.out, re.M)


def test_the_sweeps_own_run_has_the_table_and_a_plot_a_slice(demo: Any) -> None:
    folder = demo.desk.files(demo.summaries[0])
    table = (folder / "table.md").read_text("utf-8")
    assert sum(line.startswith(("| bm25", "| hybrid", "| reranked")) for line in table.splitlines()) == 12
    plots = {path.name for path in (folder / "plots").iterdir()}
    slices = ("change_type", "language", "question_type", "query_style", "template")
    assert plots >= {"recall_at_k.png", *(f"recall_at_k.{name}.png" for name in slices)}
    assert all(path.read_bytes()[:4] == b"\x89PNG" for path in (folder / "plots").iterdir())


def test_the_default_experiment_stays_empty(demo: Any) -> None:
    assert demo.desk.runs("Default", None) == []
