"""What a run says of itself: parameters that line up between runs, metrics with their counts, and what was timed."""

from pathlib import Path
from typing import Any

import pytest
from engine_world import Node, World, bm25, double, hybrid, late, reranked, semantic, toy_model

from runner.engine.building import build
from runner.engine.measurements import Measured
from runner.engine.scored import Scored, component_names
from runner.scoring.evaluate import evaluate
from runner.tracking.run_record import curves_of, inputs_of, metrics_of, params_of, tags_of


def scored(world: World, node: Node, measured: dict[str, Measured] | None = None, **changes: Any) -> Scored:
    """Rank and score one job."""
    job = world.sweep(node, **changes).plan.jobs[0]
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    evaluation = evaluate(job.judged, rankings, rankings, job.settings.k, job.settings.curve_within_depth())
    return Scored(job, evaluation, measured or {})


def names(node: Node) -> list[str]:
    return list(component_names(build(node, "retriever")).values())


# -- names of parts ----------------------------------------------------------------------------------------


def test_a_part_has_its_own_name_or_that_of_where_it_stands(tmp_path: Path) -> None:
    model = toy_model(tmp_path)
    node = reranked(hybrid(bm25(), semantic(model)), late(model))
    assert names(node) == [
        "reranked",
        "hybrid",
        "bm25",
        "bm25.analyzer",
        "semantic",
        "semantic.embedder",
        "hybrid.fusion",
        "reranked.reranker",
        "reranked.reranker.embedding",
    ]


def test_parts_of_one_name_are_told_apart_by_their_place() -> None:
    assert names(hybrid(bm25(k1=1.0), bm25(k1=2.0)))[:4] == [
        "hybrid",
        "hybrid.retrievers.bm25",
        "hybrid.retrievers.bm25.analyzer",
        "hybrid.retrievers.semantic",
    ]


# -- parameters --------------------------------------------------------------------------------------------


def test_every_setting_of_every_stage_is_a_parameter_also_one_left_to_the_class(world: World) -> None:
    params = params_of(scored(world, hybrid(bm25(k1=2.0), double("Counting"), k=10)).job)
    assert {name: params[name] for name in ("retriever", "k", "depth", "seed", "suite", "unit", "pool")} == {
        "retriever": "hybrid",
        "k": 3,
        "depth": 10,
        "seed": 13,
        "suite": "core",
        "unit": "document",
        "pool": 100,
    }
    assert (params["stage.bm25.k1"], params["stage.bm25.b"], params["stage.hybrid.fusion.k"]) == (2.0, 0.75, 10)
    assert params["stage.bm25.analyzer.chinese"] == "characters+bigrams"
    assert params["stage.hybrid.fusion"] == "ReciprocalRank"


def test_the_documents_the_suite_the_libraries_and_the_files_are_parameters(world: World, tmp_path: Path) -> None:
    job = scored(world, semantic(toy_model(tmp_path / "model"))).job
    params = params_of(job)
    assert params["snapshot"] == job.stage.snapshot.id
    assert params["documents_sha256"] == job.stage.snapshot.documents_sha256
    assert (params["snapshot.documents"], params["snapshot.passages"]) == (8, 8)
    assert params["suite_revision"] == job.judged.suite.revision
    assert len(params["stage.semantic.embedder.model_sha256"]) == 64
    assert params["version.faiss-cpu"]
    assert params["retriever_hash"] == job.stage.component.key


def test_how_ages_are_counted_is_a_parameter(world: World) -> None:
    freshness = {"field": "updated", "days": [30], "as_of": "2026-09-30"}
    params = params_of(scored(world, bm25(), slicing={"freshness": freshness}).job)
    assert {f"slicing.freshness.{key}": value for key, value in freshness.items()}.items() <= params.items()
    assert params_of(scored(world, bm25()).job)["slicing.freshness"] is None


def test_what_is_not_kept_says_so_instead_of_a_hash(world: World) -> None:
    assert params_of(scored(world, double("Unkept")).job)["retriever_hash"] == "not kept"


def test_a_parameter_beside_a_node_is_one_too(world: World) -> None:
    node = double("Stages", stages=[{"retriever": bm25(), "weight": 0.25}])
    assert params_of(scored(world, node).job)["stage.stages.stages.0.weight"] == 0.25


def test_runs_of_two_pools_differ_in_the_pool_and_what_it_decides(world: World) -> None:
    one, two = (params_of(scored(world, reranked(bm25(), double("Overlap"), pool=pool)).job) for pool in (20, 50))
    assert {name for name in one if one[name] != two[name]} == {"pool", "stage.reranked.pool", "retriever_hash"}


# -- metrics -----------------------------------------------------------------------------------------------


def test_the_metrics_are_plain_means_with_counts_and_slices(world: World) -> None:
    metrics = metrics_of(scored(world, bm25()))
    assert next(iter(metrics)) == "recall"
    assert (metrics["n"], metrics["hit"], metrics["recall_hits"], metrics["recall_relevant"]) == (5, 0.8, 4, 5)
    assert (metrics["n/language.en"], metrics["n/language.zh"]) == (3, 2)
    assert metrics["recall/language.zh"] == 1
    assert metrics["recall/language.en"] == pytest.approx(2 / 3)
    assert metrics["queries_nothing_returned"] == 1


def test_the_curve_has_the_cut_as_its_step(world: World) -> None:
    curves = curves_of(scored(world, double("Counting"), k=4, depth=8, curve=[1, 2, 8, 100]).evaluation)
    assert set(curves) >= {"curve/recall", "curve/hit", "curve/precision", "curve/ndcg"}
    # In order of id the relevant pages stand at ranks 1, 3, 5, 7 and, for q5, 2.
    assert curves["curve/recall"] == [(1, 0.2), (2, 0.4), (4, pytest.approx(0.6)), (8, 1.0)]


def timed(*milliseconds: float, **facts: Any) -> Measured:
    return Measured({f"{number:02x}": value for number, value in enumerate(milliseconds)}, **facts)


def test_latency_is_the_sum_over_stages_of_the_queries_that_all_timed(world: World) -> None:
    one = scored(world, bm25(), {"bm25": timed(1, 2, 3), "semantic": timed(10, 20), "fused": timed(0.5, 0.5, 99)})
    assert one.latency_ms(0) == 11.5
    assert one.latency_ms(100) == 22.5
    assert one.latency_ms(50) == 17.0
    metrics = metrics_of(one)
    assert (metrics["latency_p50_ms"], metrics["latency_p50_ms/bm25"], metrics["latency_queries/semantic"]) == (
        17,
        2,
        2,
    )


def test_one_noisy_stage_makes_the_run_s_latency_noisy_and_threads_and_load_are_the_most_seen(world: World) -> None:
    facts = {
        "bm25": timed(1, latency_threads=1, latency_load=0.5),
        "semantic": timed(1, latency_noisy=True, latency_threads=2, latency_load=1.5),
    }
    metrics = metrics_of(scored(world, bm25(), facts))
    names = ("latency_noisy", "latency_threads", "latency_load")
    found = {name: value for name, value in metrics.items() if name.startswith(names)}
    assert found == {
        "latency_noisy": 1,
        "latency_noisy/bm25": 0,
        "latency_noisy/semantic": 1,
        "latency_threads": 2,
        "latency_load": 1.5,
    }


@pytest.mark.parametrize("measured", [{}, {"bm25": timed()}, {"bm25": timed(1, 2), "semantic": timed()}])
def test_there_is_no_latency_unless_every_stage_was_timed(world: World, measured: dict[str, Measured]) -> None:
    one = scored(world, bm25(), measured)
    assert one.latency_ms(50) is None
    assert "latency_p50_ms" not in metrics_of(one)


def test_index_and_memory_figures_are_metrics_by_stage(world: World) -> None:
    facts = {
        "bm25": timed(1, index_build_seconds=0.5, index_bytes=100, peak_memory_bytes=10),
        "關鍵詞": timed(1, index_build_seconds=1.5, index_bytes=200, peak_memory_bytes=30),
    }
    metrics = metrics_of(scored(world, bm25(), facts))
    assert (metrics["index_build_seconds/bm25"], metrics["index_bytes/關鍵詞"], metrics["peak_memory_bytes"]) == (
        0.5,
        200,
        30,
    )


# -- tags and inputs ---------------------------------------------------------------------------------------


def test_tags_say_what_a_run_is_of_and_where_and_when_it_was_measured(world: World) -> None:
    facts = {
        "bm25": timed(1, measured_at="2026-01-01T00:00:00+00:00", host="one", cpu="fast"),
        "hybrid": timed(1, measured_at="2026-02-02T00:00:00+00:00", host="two", cpu="slow"),
    }
    one = scored(world, bm25(), facts)
    tags = tags_of(one, "20260101-1200-abcd")
    assert (tags["kind"], tags["sweep"], tags["suite"]) == ("run", "20260101-1200-abcd", "core")
    assert tags["fingerprint"] == one.job.fingerprint
    assert tags["measured_at"] == "2026-01-01T00:00:00+00:00, 2026-02-02T00:00:00+00:00"
    assert tags["measured_on"] == "one (fast), two (slow)"
    assert "sweep" not in tags_of(one, None)


def test_the_suite_and_the_snapshot_are_datasets_with_digests(world: World) -> None:
    job = scored(world, bm25()).job
    assert [(each.name, each.digest, each.context) for each in inputs_of(job)] == [
        ("core", job.judged.suite.revision, "evaluation"),
        ("snapshot", job.stage.snapshot.id, "corpus"),
    ]


def test_measurements_read_back_as_they_were_written() -> None:
    facts = timed(1.25, 0.1, index_bytes=3, measured_at="2026-01-01", host="主機", cpu="x", python="3.11")
    assert Measured.parse(facts.dump()) == facts
