"""What the cache answers is what computing afresh would answer, and whatever could change a result misses."""

import importlib
import pickletools
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_world import (
    TIMED,
    VECTORS,
    Node,
    Ran,
    World,
    bm25,
    double,
    hybrid,
    late,
    reranked,
    semantic,
    toy_model,
)

from runner.engine import latency
from runner.engine.cache import CacheMiss
from runner.engine.planning import make_plan
from runner.errors import RunnerError


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which every repeat agrees: what is noisy would be measured again."""
    monkeypatch.setattr(latency, "_AGREEMENT", float("inf"))


@pytest.fixture
def embedder(tmp_path: Path) -> Node:
    return toy_model(tmp_path / "model")


@pytest.fixture
def whole(embedder: Node) -> Node:
    """Every kind of stage in one retriever."""
    return reranked(hybrid(bm25(), semantic(embedder)), late(embedder), mix={"reranker": 0.5, "bm25": 1.0})


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


# -- what hits ---------------------------------------------------------------------------------------------


def test_the_second_time_nothing_is_computed_and_nothing_differs(world: World, whole: Node) -> None:
    first, second = world.sweep(whole), world.sweep(whole)
    assert first.computed == 4 * 5
    assert (second.computed, second.counts.embedded, second.counts.pairs, second.counts.indexes) == (0, 0, 0, 0)
    assert second.rankings() == first.rankings() == world.elsewhere().sweep(whole).rankings()


def test_a_hit_does_not_call_the_retriever(world: World, tmp_path: Path) -> None:
    node = double("Counting", log=str(tmp_path / "log"))
    world.sweep(node)
    assert lines(tmp_path / "log") == ["q1", "q2", "q3", "q4", "q5"]
    world.sweep(node)
    assert len(lines(tmp_path / "log")) == 5


def test_another_k_alone_hits(world: World, whole: Node) -> None:
    world.sweep(whole, k=3)
    for k in (1, 10):
        assert world.sweep(whole, k=k).computed == 0


@pytest.mark.parametrize("change", [{"seed": 14}, {"curve": [1]}, {"pool": 20}, {"dataset": {"name": "same pages"}}])
def test_what_no_retriever_sees_hits(world: World, whole: Node, change: dict[str, Any]) -> None:
    world.sweep(whole)
    assert world.sweep(whole, **change).computed == 0


def test_a_renamed_retriever_hits(world: World) -> None:
    world.sweep(bm25())
    assert world.sweep({**bm25(), "name": "關鍵詞"}).computed == 0


def test_an_empty_result_is_a_hit(world: World, tmp_path: Path) -> None:
    node = double("Counting", log=str(tmp_path / "log"), nothing_for="q3")
    assert world.sweep(node).rankings()["q3"] == []
    again = world.sweep(node)
    assert again.rankings()["q3"] == []
    assert (again.computed, len(lines(tmp_path / "log"))) == (0, 5)


def test_a_query_with_no_known_word_stays_empty_and_cached(world: World) -> None:
    assert world.sweep(bm25()).rankings()["q5"] == []
    again = world.sweep(bm25(), depth=10)
    assert (again.rankings()["q5"], again.computed) == ([], 0)


def test_the_stages_of_one_retriever_serve_another(world: World, embedder: Node) -> None:
    world.sweep(hybrid(bm25(), semantic(embedder)))
    assert (world.sweep(bm25()).computed, world.sweep(semantic(embedder)).computed) == (0, 0)
    ran = world.sweep(reranked(bm25(), double("Overlap")))
    assert dict(ran.counts.rankings) == {"reranked": 5}


def test_a_query_under_another_id_is_the_same_query(world: World) -> None:
    before = world.sweep(bm25()).rankings()["q1"]
    world.queries = {"other": world.queries["q1"]}
    again = world.sweep(bm25())
    assert (again.computed, again.rankings()["other"]) == (0, before)


def test_two_queries_of_one_text_are_ranked_once_and_both_answered(world: World, tmp_path: Path) -> None:
    world.queries["q6"] = world.queries["q3"]
    ran = world.sweep(double("Counting", log=str(tmp_path / "log")))
    assert len(lines(tmp_path / "log")) == 5
    assert ran.rankings()["q6"] == ran.rankings()["q3"] != []


# -- what misses -------------------------------------------------------------------------------------------


def test_a_changed_parameter_misses_in_its_stage_and_what_is_built_on_it(world: World, embedder: Node) -> None:
    world.sweep(hybrid(bm25(), semantic(embedder)))
    ran = world.sweep(hybrid(bm25(k1=1.6), semantic(embedder)))
    assert dict(ran.counts.rankings) == {"bm25": 5, "hybrid": 5}
    assert (ran.counts.indexes, ran.counts.embedded) == (1, 0)
    assert ran.rankings() == world.elsewhere().sweep(hybrid(bm25(k1=1.6), semantic(embedder))).rankings()


def test_a_changed_fusion_constant_misses_in_the_fusion_alone(world: World, embedder: Node) -> None:
    world.sweep(hybrid(bm25(), semantic(embedder), k=60))
    ran = world.sweep(hybrid(bm25(), semantic(embedder), k=10))
    assert dict(ran.counts.rankings) == {"hybrid": 5}
    assert ran.rankings()["q1"][0][1] == pytest.approx(1 / 11 + 1 / 11)


def test_a_changed_model_file_misses_everything_that_reads_it(world: World, whole: Node, tmp_path: Path) -> None:
    first = world.sweep(whole)
    toy_model(tmp_path / "model", {**VECTORS, "refund": (0.0, 1.0, 0.0)})
    ran = world.sweep(whole)
    assert dict(ran.counts.rankings) == {"semantic": 5, "hybrid": 5, "reranked": 5}
    assert ran.counts.embedded == len(world.documents) + len(world.queries)
    assert ran.counts.pairs == first.counts.pairs > 0
    assert ran.rankings() == world.elsewhere().sweep(whole).rankings() != first.rankings()


def test_a_model_in_another_place_with_the_same_content_hits(world: World, tmp_path: Path) -> None:
    world.sweep(semantic(toy_model(tmp_path / "one")))
    assert world.sweep(semantic(toy_model(tmp_path / "two"))).computed == 0


def test_a_changed_lexicon_misses(world: World, tmp_path: Path) -> None:
    lexicon = tmp_path / "words.txt"
    lexicon.write_text("存取權杖\n", "utf-8")
    node = bm25(analyzer={"chinese": "words", "lexicon": str(lexicon)})
    world.sweep(node)
    assert world.sweep(node).computed == 0
    lexicon.write_text("權杖\n", "utf-8")
    ran = world.sweep(node)
    assert ran.computed == 5
    assert ran.rankings() == world.elsewhere().sweep(node).rankings()


def test_one_byte_of_one_document_misses_every_ranking(world: World) -> None:
    world.sweep(bm25())
    world.documents["zh/billing.md"] = world.documents["zh/billing.md"].replace("五", "六")
    ran = world.sweep(bm25())
    assert (ran.computed, ran.counts.indexes) == (5, 1)
    assert ran.rankings() == world.elsewhere().sweep(bm25()).rankings()


def test_one_byte_of_one_document_embeds_that_one_passage(world: World, tmp_path: Path) -> None:
    log = tmp_path / "log"
    node = semantic(double("Letters", log=str(log)))
    world.sweep(node)
    assert len(lines(log)) == len(world.documents) + len(world.queries)
    log.unlink()
    world.documents["en/billing.md"] += "!"
    ran = world.sweep(node)
    assert lines(log) == [f"passage: en/billing.md {world.documents['en/billing.md']}"]
    assert (ran.computed, ran.counts.embedded) == (5, 1)
    assert ran.rankings() == world.elsewhere().sweep(node).rankings()


def test_five_more_queries_cost_five_rankings_a_stage_and_no_index(world: World, whole: Node) -> None:
    world.sweep(whole)
    more = ["refund days", "data region", "區域", "掛鉤重試", "xylophone"]
    world.queries |= {f"r{number}": (text, ["en/billing.md"]) for number, text in enumerate(more)}
    ran = world.sweep(whole)
    assert dict(ran.counts.rankings) == {"bm25": 5, "semantic": 5, "hybrid": 5, "reranked": 5}
    assert (ran.counts.embedded, ran.counts.indexes) == (5, 0)
    assert ran.rankings() == world.elsewhere().sweep(whole).rankings()


def test_a_changed_question_costs_one_ranking(world: World) -> None:
    world.sweep(bm25())
    world.queries["q2"] = ("rotate tokens?", ["en/tokens.md"])
    assert world.sweep(bm25()).computed == 1


def test_a_text_that_is_both_a_question_and_a_passage_has_a_vector_of_each_kind(world: World) -> None:
    world.documents = {"a.md": "rotate tokens"}
    world.queries = {"q1": ("a.md\nrotate tokens", ["a.md"])}
    for _ in ("cold", "warm"):
        ran = world.sweep(semantic(double("Sided")))
        assert ran.rankings()["q1"] == [("a.md", pytest.approx(0.6))]
        world.queries["q2"] = ("a question more", ["a.md"])
    assert world.sweep(semantic(double("Sided"))).counts.embedded == 0


@pytest.fixture
def own_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Node]]:
    monkeypatch.syspath_prepend(tmp_path)

    def write(comment: str) -> Node:
        source = (
            f"class Mine:  # {comment}\n    def retrieve(self, passages, queries, depth):\n"
            "        return [[(passages.ids[0], 1.0)] for _ in queries]\n"
        )
        (tmp_path / "engine_mine.py").write_text(source, "utf-8")
        sys.modules.pop("engine_mine", None)
        importlib.invalidate_caches()
        return {"_target_": "engine_mine.Mine"}

    yield write
    sys.modules.pop("engine_mine", None)


def test_an_edited_class_without_a_version_misses(world: World, own_class: Callable[[str], Node]) -> None:
    assert world.sweep(own_class("第一版")).computed == 5
    assert world.sweep(own_class("第一版")).computed == 0
    assert world.sweep(own_class("第二版")).computed == 5


# -- depth -------------------------------------------------------------------------------------------------


def retrievers_of_every_kind(embedder: Node) -> dict[str, Node]:
    return {
        "bm25": bm25(),
        "semantic": semantic(embedder),
        "hybrid": hybrid(bm25(), semantic(embedder), pool=4),
        "reranked": reranked(hybrid(bm25(), semantic(embedder)), late(embedder), pool=4),
        "own": double("Counting"),
    }


@pytest.mark.parametrize("kind", ["bm25", "semantic", "hybrid", "reranked", "own"])
@pytest.mark.parametrize("depths", [(8, 3), (3, 8), (1, 8), (8, 1), (3, 100), (100, 3)])
def test_a_ranking_of_any_depth_equals_a_fresh_one(
    world: World, embedder: Node, kind: str, depths: tuple[int, int]
) -> None:
    node = retrievers_of_every_kind(embedder)[kind]
    for depth in depths:
        found = world.sweep(node, depth=depth, k=1).rankings()
        assert found == world.elsewhere(f"{depth}").sweep(node, depth=depth, k=1).rankings()
        assert max(map(len, found.values())) <= depth


def test_a_shallower_request_computes_nothing_and_a_deeper_one_what_it_must(world: World) -> None:
    node = double("Counting")
    assert world.sweep(node, depth=5).computed == 5
    assert world.sweep(node, depth=3).computed == 0
    assert world.sweep(node, depth=7).computed == 5
    assert world.sweep(node, depth=5).computed == 0


def test_a_ranking_that_ended_before_its_depth_serves_any_depth(world: World) -> None:
    assert world.sweep(double("Counting"), depth=10).computed == 5
    deep = world.sweep(double("Counting"), depth=1000)
    assert deep.computed == 0
    assert len(deep.rankings()["q1"]) == len(world.documents) == 8


def test_a_ranking_exactly_as_long_as_its_depth_may_go_on(world: World) -> None:
    assert world.sweep(double("Counting"), depth=8, k=1).computed == 5
    assert world.sweep(double("Counting"), depth=9, k=1).computed == 5


@pytest.mark.parametrize("depths", [(2, 8), (8, 2)])
def test_jobs_of_two_depths_share_one_stage(world: World, depths: tuple[int, int]) -> None:
    requests = [request for depth in depths for request in world.requests(double("Counting"), depth=depth, k=1)]
    ran = world.run(make_plan(requests, world))
    assert (len(ran.plan.stages), ran.computed) == (1, 5)
    for job, depth in enumerate(depths):
        assert ran.rankings(job) == world.elsewhere(f"{depth}").sweep(double("Counting"), depth=depth, k=1).rankings()


# -- pairs -------------------------------------------------------------------------------------------------


def pool_world(world: World, n: int) -> World:
    world.documents = {f"p{number:03d}.md": f"refund number {number} 退款" for number in range(n)}
    world.queries = {
        "q1": ("refund 退款", ["p000.md"]),
        "q2": ("refund number", ["p001.md"]),
        "q3": ("退款", ["p002.md"]),
    }
    return world


def test_pools_of_20_50_and_100_score_100_pairs_a_query_each_once(world: World, tmp_path: Path) -> None:
    pool_world(world, 130)
    log = tmp_path / "log"
    nodes = [reranked(bm25(), double("Overlap", log=str(log)), pool=pool) for pool in (20, 50, 100)]
    ran = world.sweep(*nodes)
    pairs = lines(log)
    assert ran.counts.pairs == len(pairs) == len(set(pairs)) == 3 * 100
    assert [len(ranking) for job in range(3) for ranking in ran.rankings(job).values()] == [10] * 9
    for job, node in enumerate(nodes):
        assert ran.rankings(job) == world.elsewhere(f"{job}").sweep(node).rankings()


def test_a_larger_pool_later_scores_only_what_is_new(world: World, tmp_path: Path) -> None:
    pool_world(world, 130)
    log = tmp_path / "log"

    def ran(pool: int) -> Ran:
        return world.sweep(reranked(bm25(), double("Overlap", log=str(log)), pool=pool))

    assert [ran(pool).counts.pairs for pool in (20, 50, 30, 100)] == [60, 90, 0, 150]
    assert len(set(lines(log))) == len(lines(log)) == 300


def test_a_changed_reranker_scores_every_pair_again(world: World) -> None:
    pool_world(world, 30)
    assert world.sweep(reranked(bm25(), double("Overlap"))).counts.pairs == 90
    assert world.sweep(reranked(bm25(), double("Overlap", weight=2.0))).counts.pairs == 90


def test_a_pair_in_two_first_stages_is_scored_once(world: World) -> None:
    pool_world(world, 30)
    nodes = [reranked(bm25(k1=k1), double("Overlap"), pool=30) for k1 in (1.0, 2.0)]
    assert world.sweep(*nodes).counts.pairs == 90


# -- modes -------------------------------------------------------------------------------------------------


def test_refresh_computes_again_and_stores_what_it_found(world: World, tmp_path: Path, whole: Node) -> None:
    world.sweep(whole)
    ran = world.sweep(whole, cache="refresh")
    assert (ran.computed, ran.counts.indexes) == (20, 2)
    assert world.sweep(whole).computed == 0


def test_off_computes_and_leaves_nothing(world: World, whole: Node) -> None:
    assert world.sweep(whole, cache="off").computed == 20
    assert not world.store.exists()


def test_off_does_not_read(world: World, whole: Node) -> None:
    world.sweep(whole)
    assert world.sweep(whole, cache="off").computed == 20


def test_only_reads_what_is_there(world: World, whole: Node) -> None:
    first = world.sweep(whole)
    only = world.sweep(whole, cache="only")
    assert (only.computed, only.rankings()) == (0, first.rankings())


def test_only_fails_listing_what_is_missing(world: World, embedder: Node) -> None:
    world.sweep(bm25())
    world.queries["q6"] = ("another question", ["en/billing.md"])
    with pytest.raises(CacheMiss) as error:
        world.sweep(hybrid(bm25(), semantic(embedder)), cache="only")
    assert "(bm25: 1 of 6; semantic: 6 of 6; hybrid: 6 of 6); run once with cache=on" in str(error.value)


def test_only_cannot_be_had_of_what_is_never_kept(world: World) -> None:
    world.sweep(hybrid(bm25(), double("Unkept")))
    with pytest.raises(CacheMiss, match=r"results of unkept, hybrid are never kept \(cacheable = False\)"):
        world.sweep(hybrid(bm25(), double("Unkept")), cache="only")


def test_only_reads_rankings_that_come_from_a_file(world: World, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q1 Q0 en/tokens.md 1 2.5 mine\n", "utf-8")
    node = {"_target_": "retrievers.recorded.Recorded", "path": str(tmp_path / "run.txt")}
    assert world.sweep(node, cache="only").rankings()["q1"] == [("en/tokens.md", 2.5)]
    assert not world.store.exists()


def test_a_miss_is_a_failure_and_no_fault_of_the_input(world: World) -> None:
    """`leave` answers a RunnerError with status 1, and the errors of input and configuration with 2."""
    from runner.errors import ConfigError, InputError

    with pytest.raises(RunnerError) as error:
        world.sweep(bm25(), cache="only")
    assert not isinstance(error.value, ConfigError | InputError)
    assert not world.store.exists()


# -- damage ------------------------------------------------------------------------------------------------


def damage(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))


def test_a_damaged_ranking_is_computed_again_and_said(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    from runner.engine.codec import pack_ranking

    first = world.sweep(bm25())
    held = next(each for each in first.stage("bm25").held.values() if len(each.rows) > 1)
    value = pack_ranking(10, held.rows, held.scores)
    damage(world.store / "cache/cache.db", value, value[:-1] + bytes([value[-1] ^ 1]))
    again = world.sweep(bm25())
    assert "1 damaged record" in capsys.readouterr().err
    assert (again.computed, again.rankings()) == (1, first.rankings())
    assert world.sweep(bm25()).computed == 0


def test_a_file_that_is_no_cache_is_put_aside_and_the_sweep_goes_on(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.store / "cache").mkdir(parents=True)
    (world.store / "cache/cache.db").write_bytes(b"\x80\x05 not a database" * 100)
    assert world.sweep(bm25()).computed == 5
    assert "it is put aside as cache.damaged.db" in capsys.readouterr().err
    assert world.sweep(bm25()).computed == 0


def test_a_damaged_index_is_built_again(world: World) -> None:
    first = world.sweep(bm25())
    (index,) = (world.store / "cache/indexes").iterdir()
    content = (index / "data.npy").read_bytes()
    (index / "data.npy").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    world.queries["q6"] = ("signed deliveries", ["en/webhooks.md"])
    again = world.sweep(bm25())
    assert (again.computed, again.counts.indexes) == (1, 1)
    assert {id_: again.rankings()[id_] for id_ in first.rankings()} == first.rankings()


def test_deleting_the_cache_loses_time_and_no_result(world: World, whole: Node) -> None:
    first = world.sweep(whole)
    shutil.rmtree(world.store)
    again = world.sweep(whole)
    assert (again.computed, again.rankings()) == (20, first.rankings())


def test_nothing_in_the_store_is_a_pickle(world: World, whole: Node) -> None:
    world.sweep(whole, latency=TIMED)
    files = [path for path in world.store.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".db", ".npy", ".json", ".lock", ".db-wal", ".db-shm"}
    for path in files:
        content = path.read_bytes()
        assert b"\x80\x04\x95" not in content, f"{path} holds a pickle"
        assert b"\x80\x05\x95" not in content, f"{path} holds a pickle"
        with pytest.raises(ValueError, match=r"."):
            list(pickletools.genops(content or b"\0"))


def test_what_is_not_to_be_kept_is_ranked_each_time_and_written_nowhere(world: World, tmp_path: Path) -> None:
    log = tmp_path / "log"
    world.sweep(double("Unkept", log=str(log)), latency=TIMED)
    world.sweep(double("Unkept", log=str(log)))
    assert lines(log).count("q1") >= 2
    assert not (world.store / "cache/cache.db").exists()


def test_a_kept_part_below_an_unkept_one_is_kept(world: World, tmp_path: Path) -> None:
    node = hybrid(bm25(), double("Unkept"))
    assert dict(world.sweep(node).counts.rankings) == {"bm25": 5, "unkept": 5, "hybrid": 5}
    assert dict(world.sweep(node).counts.rankings) == {"unkept": 5, "hybrid": 5}


def test_two_jobs_over_one_unkept_retriever_see_the_same_ranking(world: World) -> None:
    ran = world.sweep(
        double("Drifting"), hybrid(bm25(), double("Drifting"), pool=10), reranked(double("Drifting"), double("Overlap"))
    )
    assert ran.counts.rankings["drifting"] == 5
    assert len([stage for stage in ran.plan.stages if stage.component.name == "drifting"]) == 1


# -- latency -----------------------------------------------------------------------------------------------


def measured(ran: Ran, name: str) -> Any:
    return ran.executor.measured(ran.stage(name))


def test_a_stage_is_timed_when_it_is_computed_and_says_where_and_when(world: World, whole: Node) -> None:
    ran = world.sweep(whole, latency=TIMED)
    for name in ("bm25", "semantic", "hybrid", "reranked"):
        facts = measured(ran, name)
        assert len(facts.latency_ms) == 3
        assert min(facts.latency_ms.values()) > 0
        assert facts.measured_at.startswith("20")
        assert all((facts.host, facts.cpu, facts.python, facts.peak_memory_bytes))
    assert measured(ran, "bm25").index_bytes > 0
    assert measured(ran, "bm25").index_build_seconds > 0
    assert measured(ran, "hybrid").index_bytes is None


def test_every_stage_times_the_same_queries(world: World, whole: Node) -> None:
    ran = world.sweep(whole, latency=TIMED)
    timed = [set(measured(ran, stage.component.name).latency_ms) for stage in ran.plan.stages]
    expected = {key.hex() for key in sorted(ran.stage("bm25").queries)[:3]}
    assert timed == [expected] * 4


def test_a_cached_ranking_reports_the_latency_of_when_it_was_computed(world: World, whole: Node) -> None:
    first, second = world.sweep(whole, latency=TIMED), world.sweep(whole, latency=TIMED)
    for name in ("bm25", "semantic", "hybrid", "reranked"):
        assert measured(second, name) == measured(first, name)


def test_a_larger_sample_adds_to_what_was_measured_and_changes_none_of_it(world: World, whole: Node) -> None:
    first = world.sweep(whole, latency=TIMED)
    second = world.sweep(whole, latency={**TIMED, "sample": 5})
    assert second.computed == 0
    for name in ("bm25", "semantic", "hybrid", "reranked"):
        before, after = measured(first, name).latency_ms, measured(second, name).latency_ms
        assert (len(before), len(after)) == (3, 5)
        assert {key: after[key] for key in before} == before
    assert measured(world.sweep(whole, latency=TIMED), "bm25") == measured(second, "bm25")


def test_refreshing_measures_again(world: World) -> None:
    first = world.sweep(bm25(), latency=TIMED)
    second = world.sweep(bm25(), latency={**TIMED, "sample": 2}, cache="refresh")
    assert (len(measured(first, "bm25").latency_ms), len(measured(second, "bm25").latency_ms)) == (3, 2)
    assert measured(world.sweep(bm25()), "bm25") == measured(second, "bm25")


def test_work_for_a_few_new_queries_keeps_the_measurements_of_the_whole(world: World) -> None:
    first = world.sweep(bm25(), latency=TIMED)
    world.queries["q6"] = ("signed deliveries", ["en/webhooks.md"])
    assert measured(world.sweep(bm25(), latency=TIMED), "bm25") == measured(first, "bm25")


def test_nothing_is_timed_where_nothing_is_asked(world: World) -> None:
    facts = measured(world.sweep(bm25(), latency={"sample": 0}), "bm25")
    assert facts.latency_ms == {}
    assert facts.measured_at


def test_a_stage_computed_without_the_cache_is_measured_and_forgotten(world: World) -> None:
    assert len(measured(world.sweep(bm25(), latency=TIMED, cache="off"), "bm25").latency_ms) == 3
    assert measured(world.sweep(bm25(), latency={"sample": 0}), "bm25").latency_ms == {}
