"""A sweep is planned before it runs: which jobs are one, which stages serve them all, and what is announced."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_world import World, bm25, double, hybrid, late, reranked, semantic, toy_model

from runner.cli.sweep_printer import SweepPrinter
from runner.engine.cache import Cache
from runner.engine.execute import look_up
from runner.engine.plan import Plan, Request
from runner.engine.planning import make_plan
from runner.engine.run_name import run_name
from runner.errors import ConfigError, InputError
from runner.reports.plan import plan_lines
from runner.workflows.run_jobs import RunOptions, run_jobs

POLICY = {"name": "floor", "rules": [{"name": "all", "metric": "recall", "min": 0.5}]}


def announced(world: World, plan: Plan) -> list[str]:
    with Cache(world.store / "cache", plan.jobs[0].settings.cache) as cache:
        look_up(plan, cache)
        return plan_lines(plan, cache)


# -- which jobs are one ------------------------------------------------------------------------------------


def test_a_setting_that_a_retriever_does_not_read_makes_no_second_job(world: World) -> None:
    requests = [request for pool in (20, 50, 100) for request in world.requests(bm25(), pool=pool)]
    plan = make_plan(requests, world)
    assert (plan.requested, len(plan.jobs), len(plan.stages)) == (3, 1, 1)
    lines = announced(world, plan)
    assert "jobs: 3 asked for, 1 to score (2 repeat another)" in lines
    assert lines.count(f"  same run as {run_name('bm25', 3)}: number=0") == 2


def test_a_pool_that_a_retriever_reads_makes_a_job_each(world: World) -> None:
    requests = [
        replace(request, overrides=(f"retriever.pool={pool}",))
        for pool in (20, 50)
        for request in world.requests(reranked(bm25(), double("Overlap"), pool=pool))
    ]
    plan = make_plan(requests, world)
    assert [job.name for job in plan.jobs] == [run_name("reranked", 3, pool) for pool in (20, 50)]
    assert [(stage.component.name, stage.depth) for stage in plan.stages] == [
        ("bm25", 50),
        ("reranked", 10),
        ("reranked", 10),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"k": 1},
        {"depth": 20},
        {"seed": 14},
        {"curve": [1]},
        {"history": "ignore"},
        {"slicing": {"freshness": {"field": "updated", "days": [30]}}},
    ],
)
def test_a_setting_that_decides_a_score_makes_another_job(world: World, change: dict[str, Any]) -> None:
    plan = make_plan([*world.requests(bm25()), *world.requests(bm25(), **change)], world)
    assert len(plan.jobs) == 2


@pytest.mark.parametrize(
    "change",
    [{"cache": "off"}, {"latency": {"sample": 5}}, {"curve": [1, 3, 5, 10, 50]}, {"dataset": {"name": "another name"}}],
)
def test_a_setting_that_decides_no_score_makes_no_other_job(world: World, change: dict[str, Any]) -> None:
    plan = make_plan([*world.requests(bm25()), *world.requests(bm25(), **change)], world)
    assert len(plan.jobs) == 1


@pytest.mark.parametrize("change", [{"resume": True}, {"gate": POLICY}, {"tracking": {"experiment": "other"}}])
def test_equal_scores_that_are_kept_or_judged_otherwise_are_two_runs(world: World, change: dict[str, Any]) -> None:
    if "tracking" in change:
        change = {"tracking": {**world.settings(bm25()).tracking.model_dump(), **change["tracking"]}}
    plan = make_plan([*world.requests(bm25()), *world.requests(bm25(), **change)], world)
    assert len(plan.jobs) == 2
    assert len({job.fingerprint for job in plan.jobs}) == len(plan.stages) == 1


def test_a_stage_is_timed_as_its_most_demanding_job_asks(world: World) -> None:
    some, more = {"sample": 2, "warmup": 5}, {"sample": 7, "warmup": 0}
    inner = hybrid(bm25(), double("Counting"))
    plan = make_plan([*world.requests(bm25(), latency=some), *world.requests(inner, latency=more)], world)
    timed = {stage.component.name: (stage.latency.sample, stage.latency.warmup) for stage in plan.stages}
    assert timed == {"bm25": (7, 5), "counting": (7, 0), "hybrid": (7, 0)}


def test_jobs_keep_the_order_they_were_asked_for_in(world: World) -> None:
    plan = world.plan(bm25(k1=2.0), hybrid(bm25(), double("Counting")), bm25(k1=1.0))
    assert [job.overrides for job in plan.jobs] == [("number=0",), ("number=1",), ("number=2",)]


def test_jobs_that_differ_in_other_settings_are_named_after_them(world: World) -> None:
    def request(k1: float, *overrides: str) -> Request:
        return Request(overrides, world.settings(bm25(k1=k1)))

    plan = make_plan([request(1.2, "k=3", "retriever.k1=1.2"), request(2.0, "k=3", "retriever.k1=2.0")], world)
    assert [job.name for job in plan.jobs] == [run_name("bm25", 3, None, f"k1={k1}") for k1 in (1.2, 2.0)]
    assert [job.name for job in make_plan([request(1.2, "retriever.k1=1.2")], world).jobs] == [run_name("bm25", 3)]


def test_a_fingerprint_is_the_same_in_another_order_and_another_process(world: World) -> None:
    one, two = world.plan(bm25(k1=2.0), bm25()), world.plan(bm25(), bm25(k1=2.0))
    assert [job.fingerprint for job in one.jobs] == [job.fingerprint for job in two.jobs][::-1]
    assert all(len(job.fingerprint) == 16 for job in one.jobs)


# -- which stages serve them -------------------------------------------------------------------------------


def test_shared_parts_are_one_stage_as_deep_as_the_deepest_need(world: World, tmp_path: Path) -> None:
    model = toy_model(tmp_path / "model")
    fused = hybrid(bm25(), semantic(model), pool=40)
    on_fused, on_words = reranked(fused, late(model), pool=20), reranked(bm25(), late(model), pool=70)
    # Neither the first nor the last need is the deepest.
    plan = world.plan(bm25(), on_words, semantic(model), fused, on_fused, bm25())
    stages = {stage.component.name: stage for stage in plan.stages if stage.component.name != "reranked"}
    assert len(plan.stages) == 5
    assert {name: (stage.level, stage.depth) for name, stage in stages.items()} == {
        "bm25": (0, 70),
        "semantic": (0, 40),
        "hybrid": (1, 20),
    }
    assert [stage.level for stage in plan.stages] == sorted(stage.level for stage in plan.stages)


def test_a_snapshot_has_stages_of_its_own(world: World) -> None:
    world.older = {"en/billing.md": "Invoices."}
    world.queries = {"q1": ("invoices", ["en/billing.md"])}
    requests = [*world.requests(bm25()), *world.requests(bm25(), dataset={"name": "older"})]
    plan = make_plan(requests, world)
    assert (len(plan.jobs), len(plan.stages)) == (2, 2)
    assert len({stage.snapshot.id for stage in plan.stages}) == 2
    assert sum(" on " in line for line in announced(world, plan)) == 2


def test_leaving_jobs_out_leaves_out_what_only_they_needed(world: World) -> None:
    plan = world.plan(bm25(), hybrid(bm25(), double("Counting")), double("Short"))
    rest = plan.without({plan.jobs[1].key})
    assert [job.stage.component.name for job in rest.jobs] == ["bm25", "short"]
    assert {stage.component.name for stage in rest.stages} == {"bm25", "short"}
    only = plan.without({plan.jobs[0].key, plan.jobs[2].key})
    assert {stage.component.name for stage in only.stages} == {"bm25", "counting", "hybrid"}
    assert plan.without({job.key for job in plan.jobs}).stages == ()


# -- what is announced -------------------------------------------------------------------------------------


def test_the_product_is_announced(world: World) -> None:
    retrievers = [bm25(), bm25(k1=2.0), double("Counting")]
    requests = [request for k in (1, 3) for request in world.requests(*retrievers, k=k)]
    lines = announced(world, make_plan(requests, world))
    assert lines[0] == "plan: 5 queries x 2 k x 3 retrievers x 1 snapshot = 30 scored query-configurations"


def test_what_is_no_full_product_is_counted_and_not_multiplied(world: World) -> None:
    requests = [*world.requests(bm25(), k=1), *world.requests(bm25(k1=2.0), k=3)]
    assert announced(world, make_plan(requests, world))[0] == (
        "plan: 5 queries x 2 k x 2 retrievers x 1 snapshot; in all 10 scored query-configurations"
    )


def test_two_thousand_queries_four_k_three_retrievers_and_two_snapshots_are_48000(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.documents = {f"p{number:04d}.md": f"page {number} 頁 {number % 7}" for number in range(500)}
    world.older = {id_: text.replace("page", "sheet") for id_, text in world.documents.items()}
    world.queries = {f"q{number:04d}": (f"page {number} 頁", [f"p{number % 500:04d}.md"]) for number in range(2000)}
    model = toy_model(tmp_path / "model")
    retrievers = [
        bm25(),
        hybrid(bm25(), semantic(model)),
        reranked(hybrid(bm25(), semantic(model)), late(model), pool=50),
    ]
    requests = [
        request
        for date in ("newer", "older")
        for k in (1, 3, 5, 10)
        for request in world.requests(*retrievers, k=k, dataset={"name": date}, dry_run=True)
    ]
    outcome = run_jobs(requests, RunOptions(sweep=True), world, SweepPrinter())
    printed = capsys.readouterr().out
    assert "plan: 2,000 queries x 4 k x 3 retrievers x 2 snapshots = 48,000 scored query-configurations" in printed
    assert "jobs: 24 asked for, 24 to score\n" in printed
    assert "stages: 8 unique\n" in printed
    assert "to compute: 16,000 rankings, at most 200,000 pairs to rerank\n" in printed
    assert (outcome.status, outcome.rows, outcome.scored) == (0, (), ())
    assert not world.store.exists()


def test_a_dry_run_over_a_filled_store_changes_no_file(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.sweep(bm25())
    before = {path: path.read_bytes() for path in world.store.rglob("*") if path.is_file()}
    run_jobs(world.requests(bm25(), bm25(k1=2.0), dry_run=True), RunOptions(), world, SweepPrinter())
    assert {path: path.read_bytes() for path in world.store.rglob("*") if path.is_file()} == before
    assert "to compute: 5 rankings, 0 pairs to rerank" in capsys.readouterr().out


def test_what_is_cached_and_what_is_left_is_announced_by_stage(world: World) -> None:
    world.queries["q6"] = ("signed", ["en/webhooks.md"])
    world.sweep(hybrid(bm25(), double("Counting")))
    world.queries["q7"] = ("expire", ["en/tokens.md"])
    lines = announced(world, world.plan(hybrid(bm25(), double("Counting"))))
    assert "  bm25: 7 rankings to depth 100, 6 cached, 1 to compute" in lines
    assert "  hybrid: 7 rankings to depth 10, 6 cached, 1 to compute" in lines
    assert lines[-1] == "to compute: 3 rankings, 0 pairs to rerank"


def test_a_miss_is_explained_by_what_differs_from_the_nearest_cached_stage(world: World) -> None:
    world.sweep(bm25(k1=1.2, b=0.5))
    world.sweep(bm25(k1=1.2))
    (line,) = [line for line in announced(world, world.plan(bm25(k1=1.3))) if line.startswith("  bm25")]
    assert line.endswith("5 to compute (nearest in the cache differs in retriever.params.k1: 1.2 -> 1.3)")


def test_a_miss_because_of_the_documents_is_explained_by_the_snapshot(world: World) -> None:
    before = world.sweep(bm25()).stage("bm25").snapshot.id
    world.documents["en/billing.md"] += "!"
    plan = world.plan(bm25())
    (line,) = [line for line in announced(world, plan) if line.startswith("  bm25")]
    assert line.endswith("5 to compute (in the cache for other documents only)")
    assert before not in line


def test_pairs_are_announced_exactly_once_the_pools_are_known(world: World) -> None:
    world.documents = {f"p{number:03d}.md": "退款 refund" for number in range(60)}
    world.queries = {"q1": ("refund", ["p000.md"]), "q2": ("退款", ["p001.md"])}
    nodes = [reranked(bm25(), double("Overlap"), pool=pool) for pool in (10, 30)]
    assert announced(world, world.plan(*nodes))[-1] == "to compute: 6 rankings, at most 60 pairs to rerank"
    world.sweep(nodes[0])
    world.sweep(reranked(bm25(), double("Overlap", weight=2.0), pool=30))
    plan = world.plan(*nodes)
    assert announced(world, plan)[-1] == "to compute: 2 rankings, 40 pairs to rerank"
    assert world.run(plan).counts.pairs == 40


def test_nothing_is_announced_where_all_is_cached(world: World) -> None:
    node = reranked(bm25(), double("Overlap"))
    world.sweep(node)
    assert announced(world, world.plan(node))[-1] == "to compute: 0 rankings, 0 pairs to rerank"


# -- what is refused before anything is computed -------------------------------------------------------------


def test_a_suite_kept_for_the_last_look_needs_a_word(world: World) -> None:
    world.role = "holdout"
    with pytest.raises(ConfigError, match=r"suite 'core' has the role holdout.*add allow_holdout=true"):
        world.plan(bm25())
    assert len(world.plan(bm25(), allow_holdout=True).jobs) == 1


def test_a_judgment_of_a_page_that_is_not_there_is_refused(world: World) -> None:
    world.queries["q1"] = ("refund", ["en/biling.md"])
    with pytest.raises(InputError, match=r"query 'q1' judges 'en/biling\.md'.*nearest: 'en/billing\.md'"):
        world.plan(bm25())


def test_every_unusable_job_is_named_by_its_overrides_at_once(world: World) -> None:
    with pytest.raises(ConfigError) as error:
        world.plan(bm25(b=2), bm25(), bm25(k2=1))
    lines = str(error.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["number=0", "number=2"]


def test_one_fault_of_several_jobs_is_told_once(world: World) -> None:
    with pytest.raises(ConfigError) as error:
        world.plan(bm25(b=2), bm25(), bm25(b=2), bm25(b=2))
    (line,) = str(error.value).splitlines()
    assert line.startswith("number=0 (and 2 more): ") and line.count("b is 2") == 1
    with pytest.raises(ConfigError) as error:
        world.plan(bm25(b=2), bm25(b=2))
    assert not str(error.value).startswith("number=")


def test_one_unusable_retriever_stops_the_plan_before_any_is_run(world: World) -> None:
    with pytest.raises(ConfigError, match="b is 2"):
        run_jobs(world.requests(bm25(), bm25(b=2)), RunOptions(), world, SweepPrinter())
    assert not world.store.exists()
