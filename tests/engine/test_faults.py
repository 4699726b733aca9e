"""One bad job costs itself: it is named with its reason, and every other job ends as if it had been alone."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from engine_world import TIMED, Node, World, bm25, double, hybrid, reranked, semantic, toy_model

from runner.cli.sweep_printer import SweepPrinter
from runner.engine import latency
from runner.engine.parallel import Task, Workers, run_tasks
from runner.engine.planning import make_plan
from runner.workflows.run_jobs import RunOptions, run_jobs

KILLED = "engine_doubles.Killing: its process was killed by SIGKILL (out of memory?)"
EXITED = "engine_doubles.Killing: ended its process with status 3"


def only_error(world: World, node: Node, **options: Any) -> str:
    """Run the node between two good jobs, hold these to be right, and return its error."""
    ran = world.sweep(bm25(), node, bm25(k1=2.0), **options)
    assert [bool(error) for error in ran.errors] == [False, True, False]
    alone = world.elsewhere("alone")
    assert ran.rankings(0) == alone.sweep(bm25()).rankings()
    assert ran.rankings(2) == alone.sweep(bm25(k1=2.0)).rankings()
    return str(ran.errors[1])


# -- retrievers that fail ----------------------------------------------------------------------------------


def test_a_retriever_that_raises_fails_alone_with_its_message(world: World) -> None:
    assert only_error(world, double("Raising", message="模型伺服器無回應")).endswith("RuntimeError: 模型伺服器無回應")


def test_an_error_without_a_message_is_named_by_its_kind(world: World) -> None:
    assert only_error(world, double("Wordless")).endswith("): KeyError")


def test_the_trace_of_a_failure_is_kept(world: World) -> None:
    ran = world.sweep(double("Raising"))
    assert "RuntimeError: the model server is away" in ran.stage("raising").trace


@pytest.mark.parametrize(("value", "shown"), [(float("nan"), "nan"), (float("inf"), "inf"), (float("-inf"), "-inf")])
def test_a_score_that_is_no_number_names_the_retriever_and_the_query(world: World, value: float, shown: str) -> None:
    assert only_error(world, double("Scoring", query="q3", value=value)) == (
        f"scoring gave the score {shown} to a passage for query 'q3' ('退款要幾天'); scores must be finite numbers"
    )


@pytest.mark.parametrize("as_rankings", [False, True])
@pytest.mark.parametrize("more", [-1, 2, -5])
def test_too_few_or_too_many_rankings_are_counted(world: World, more: int, as_rankings: bool) -> None:
    assert only_error(world, double("Short", more=more, as_rankings=as_rankings)) == (
        f"short returned {5 + more} rankings for 5 queries; expected one a query, in order"
    )


def test_too_few_rankings_from_an_index_are_counted_too(world: World) -> None:
    assert only_error(world, double("ShortSearch")) == (
        "shortsearch returned 4 rankings for 5 queries; expected one a query, in order"
    )


def test_a_passage_that_is_not_there_is_named(world: World) -> None:
    assert "names passage 'nobody.md', which the snapshot does not hold" in only_error(world, double("Stranger"))


def test_an_embedder_that_gives_no_numbers_names_the_text(world: World) -> None:
    error = only_error(world, semantic(double("NotANumber")))
    assert "the embedder engine_doubles.NotANumber returned a non-finite vector for the" in error


def test_an_index_of_vectors_that_cannot_be_built_fails_alone(world: World, tmp_path: Path) -> None:
    assert only_error(world, double("UnbuiltIndex", embedder=double("Letters"))).endswith(
        "MemoryError: no room for the vectors"
    )


def test_a_reranker_of_too_few_scores_is_counted(world: World) -> None:
    error = only_error(world, reranked(double("Counting"), double("OneScore")))
    assert error == "the reranker engine_doubles.OneScore returned shape (1,) for 40 pairs; expected one score a pair"


def test_a_reranker_of_infinite_scores_names_query_and_passage(world: World) -> None:
    error = only_error(world, reranked(double("Counting"), double("Infinite")))
    assert "the reranker engine_doubles.Infinite scored inf for the query 'how many days until a refund'" in error
    assert "and the passage 'en/billing.md" in error


def test_what_is_built_on_a_failed_stage_fails_with_its_reason(world: World) -> None:
    node = reranked(hybrid(bm25(), double("Raising")), double("Overlap"))
    assert only_error(world, node).endswith("RuntimeError: the model server is away")


def test_a_failed_stage_stores_nothing_and_is_tried_again(world: World, tmp_path: Path) -> None:
    world.sweep(bm25(), double("Scoring", query="q3", value=float("nan")))
    connection = sqlite3.connect(world.store / "cache/cache.db")
    identities = [identity for (identity,) in connection.execute("SELECT identity FROM space WHERE kind = 'rankings'")]
    connection.close()
    assert len(identities) == 1
    assert "retrievers.bm25.BM25" in identities[0]
    assert world.sweep(double("Scoring", query="q3", value=1.0)).errors == [None]


def test_a_retriever_that_fails_only_while_it_is_timed_keeps_its_rankings(world: World, tmp_path: Path) -> None:
    node = double("OnceOnly", log=str(tmp_path / "log"))
    with pytest.warns(UserWarning, match=r"onceonly could not be timed: .*too many requests"):
        ran = world.sweep(node, bm25(), latency=TIMED)
    assert ran.errors == [None, None]
    facts = ran.executor.measured(ran.stage("onceonly"))
    assert facts is not None
    assert facts.latency_ms == {}
    assert len(ran.executor.measured(ran.stage("bm25")).latency_ms) == 3  # type: ignore[union-attr]


# -- workers that die --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "told"), [("signal", KILLED), ("exit", EXITED)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_worker_fails_its_own_job_alone(world: World, how: str, told: str, n_jobs: int) -> None:
    assert only_error(world, double("Killing", how=how), n_jobs=n_jobs, backend="loky") == told


def test_two_that_kill_their_workers_are_both_named_and_the_rest_is_done(world: World) -> None:
    good = [bm25(k1=1 + number / 10) for number in range(6)]
    nodes = [double("Killing"), *good[:3], double("Killing", how="exit"), *good[3:], double("Raising")]
    ran = world.sweep(*nodes, n_jobs=2)
    assert ran.errors[:-1] == [KILLED, None, None, None, EXITED, None, None, None]
    assert str(ran.errors[-1]).endswith("the model server is away")
    assert dict(ran.counts.rankings) == {"bm25": 30}


def test_what_cannot_travel_to_a_worker_fails_alone(world: World) -> None:
    assert "pickle" in only_error(world, double("Unpicklable"), n_jobs=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_index_that_can_neither_travel_nor_be_kept_fails_alone(world: World, n_jobs: int) -> None:
    assert only_error(world, double("StuckIndex"), n_jobs=n_jobs) == (
        "engine_doubles.StuckIndex built an Index whose meta holds more than JSON values "
        "(Object of type lock is not JSON serializable)"
    )


def double_of(number: int) -> int:
    if number == 3:
        raise ValueError("三")
    return 2 * number


@pytest.mark.parametrize(
    ("n_jobs", "backend"), [(1, "sequential"), (1, "loky"), (2, "threading"), (2, "loky"), (-1, "threading")]
)
def test_every_task_comes_back_once_with_its_owner(n_jobs: int, backend: str) -> None:
    function = abs if backend == "loky" else double_of
    tasks = [Task(f"owner {number}", function, (number,), number) for number in range(8)]
    done = {task.owner: (result.value, result.error) for task, result in run_tasks(tasks, Workers(n_jobs, backend))}
    expected = {f"owner {number}": (function(number) if number != 3 else None, None) for number in range(8)}
    if function is abs:
        expected["owner 3"] = (3, None)
    else:
        value, error = done.pop("owner 3")
        assert value is None
        assert str(error).endswith("ValueError: 三")
        del expected["owner 3"]
    assert done == expected


def test_no_task_needs_no_worker() -> None:
    assert list(run_tasks([], Workers(2, "no such backend"))) == []


# -- a whole sweep -----------------------------------------------------------------------------------------


def runs(world: World) -> list[Any]:
    from runner.tracking.tracker import Tracker

    tracker = Tracker(world.settings(bm25()).tracking)
    return list(tracker.client.search_runs([tracker.experiment_id]))


def test_two_bad_of_twelve_leave_ten_finished_and_are_listed_by_their_overrides(
    tracked: World, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = [bm25(k1=1 + number / 10) for number in range(10)]
    nodes[3:3] = [double("Raising"), double("Scoring", query="q2", value=float("nan"))]
    outcome = run_jobs(tracked.requests(*nodes), RunOptions(sweep=True), tracked, SweepPrinter())
    assert outcome.status == 1
    assert (len(outcome.rows), len(outcome.failures)) == (10, 2)
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("failed:")]
    assert errors[0].startswith("failed: number=3: engine_doubles.Raising (")
    assert errors[0].endswith("): RuntimeError: the model server is away")
    assert errors[1:] == [
        "failed: number=4: scoring gave the score nan to a passage for query 'q2' ('rotate tokens'); "
        "scores must be finite numbers",
    ]
    logged = runs(tracked)
    assert {run.info.status for run in logged} == {"FINISHED"}
    assert sorted(run.data.tags["kind"] for run in logged) == ["run"] * 10 + ["sweep"]
    (summary,) = [run for run in logged if run.data.tags["kind"] == "sweep"]
    assert (summary.data.metrics["jobs"], summary.data.metrics["jobs_failed"]) == (12, 2)
    assert "the model server is away" in summary.data.tags["mlflow.note.content"]


def test_a_killed_worker_leaves_no_run_behind_and_the_others_finished(
    tracked: World, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_jobs(
        tracked.requests(bm25(), double("Killing"), hybrid(bm25(), double("Counting"))),
        RunOptions(2, sweep=True),
        tracked,
        SweepPrinter(),
    )
    assert outcome.status == 1
    assert f"failed: number=1: {KILLED}" in capsys.readouterr().err
    logged = runs(tracked)
    assert len(logged) == 3
    assert {run.info.status for run in logged} == {"FINISHED"}


def test_where_every_job_fails_the_sweep_says_so_and_logs_no_score(
    tracked: World, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run_jobs(
        tracked.requests(double("Raising"), double("Short")), RunOptions(sweep=True), tracked, SweepPrinter()
    )
    assert (outcome.status, outcome.rows) == (1, [])
    (summary,) = runs(tracked)
    assert summary.data.tags["kind"] == "sweep"
    assert "no run finished" in summary.data.tags["mlflow.note.content"]


def test_a_query_for_which_nothing_is_found_scores_0_and_is_counted(tracked: World) -> None:
    """Everything but q5 has its page among all eight; q5 has no ranking, and 4 of 5 is what is left."""
    tracked.queries = {id_: (text, ["en/billing.md"]) for id_, (text, _) in tracked.queries.items()}
    node = double("Counting", nothing_for="q5")
    (row,) = run_jobs(tracked.requests(node), RunOptions(), tracked, SweepPrinter()).rows
    assert {name: row.metrics[name] for name in ("n", "hit", "recall", "mrr", "queries_nothing_returned")} == {
        "n": 5,
        "hit": 0.8,
        "recall": 0.8,
        "mrr": 0.8,
        "queries_nothing_returned": 1,
    }
    assert (row.metrics["failing"], row.metrics["failing_lost_in_pool"]) == (1, 1)


def test_merged_requests_that_fail_are_each_listed(tracked: World, capsys: pytest.CaptureFixture[str]) -> None:
    requests = [*tracked.requests(double("Raising")), *tracked.requests(bm25(), double("Raising"))]
    assert len(make_plan(requests, tracked).jobs) == 2
    assert run_jobs(requests, RunOptions(), tracked, SweepPrinter()).status == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("failed:")]
    assert [error.partition(": engine_doubles")[0] for error in errors] == ["failed: number=0", "failed: number=1"]
    assert all(error.endswith("the model server is away") for error in errors)


def test_a_warm_sweep_logs_the_latency_and_the_scores_of_the_cold_one(
    tracked: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine is noisy, and what is noisy is measured again.
    monkeypatch.setattr(latency, "_AGREEMENT", float("inf"))
    node = hybrid(bm25(), semantic(toy_model(tmp_path / "model")))
    here = RunOptions(backend="sequential")
    outcomes = [run_jobs(tracked.requests(node, latency=TIMED), here, tracked, SweepPrinter()) for _ in range(2)]
    cold, warm = (outcome.rows[0] for outcome in outcomes)
    assert cold.run_id != warm.run_id
    assert cold.metrics == warm.metrics
    assert cold.metrics["latency_p50_ms"] > 0
    tags = {run.info.run_id: run.data.tags for run in runs(tracked)}
    assert tags[cold.run_id]["measured_at"] == tags[warm.run_id]["measured_at"]
    assert tags[cold.run_id]["measured_on"] == tags[warm.run_id]["measured_on"]


def test_resuming_runs_what_has_not_finished_and_touches_nothing_else(
    tracked: World, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run_jobs(tracked.requests(bm25(), double("Raising")), RunOptions(sweep=True), tracked, SweepPrinter())
    again = run_jobs(
        tracked.requests(bm25(), double("Raising"), bm25(k1=2.0), resume=True),
        RunOptions(sweep=True),
        tracked,
        SweepPrinter(),
    )
    assert "resume: 1 of 3 jobs are finished already" in capsys.readouterr().out
    assert len(again.scored) == 1
    assert again.rows[0].run_id == first.rows[0].run_id
    assert [job.overrides for job, _ in again.failures] == [("number=1",)]
