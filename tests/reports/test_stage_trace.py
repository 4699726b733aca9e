"""Where a query's relevant item stood at every stage."""

from report_world import Desk, hybrid, reranked, told

from runner.engine.scored import Scored
from runner.reports.stage_trace import Tracer


def fates(scored: Scored, query: int) -> dict[str, str]:
    return {step.name: step.told(query) for step in Tracer().trace(scored)}


def test_a_retriever_without_stages_has_its_ranking_alone() -> None:
    (one,) = Desk().score(told(q1="cba"), ks=[1])
    assert fates(one, 0) == {"told": "rank 3"}
    assert fates(one, 1) == {"told": "not in the first 10"}


def test_every_source_the_pool_and_the_ranking_say_what_became_of_the_query() -> None:
    one, two = told("words", q3="abc", q2="d"), told("vectors", q3="dc", q2="cb")
    (scored,) = Desk().score(reranked(hybrid(one, two), pool=3), ks=[1])
    # Fused q3: c (1/63 + 1/62) before a and d (1/61 each) and b (1/62). The reranker turns c a d to d c a.
    assert fates(scored, 2) == {
        "words": "rank 3",
        "vectors": "rank 2",
        "hybrid": "rank 1",
        "pool of reranked": "rank 1",
        "reranked": "rank 2",
    }
    assert fates(scored, 1)["words"] == "not in the first 10"
    assert fates(scored, 1)["vectors"] == "rank 2"
    assert list(fates(scored, 1)) == ["words", "vectors", "hybrid", "pool of reranked", "reranked"]


def test_what_lies_below_the_pool_is_lost_there() -> None:
    (scored,) = Desk().score(reranked(told("words", q1="bcda"), pool=3), ks=[1])
    assert fates(scored, 0) == {
        "words": "not in the first 3",
        "pool of reranked": "not in it",
        "reranked": "not in the first 10",
    }


def test_a_stage_that_jobs_share_is_looked_at_once() -> None:
    first = told("words", q1="ab")
    wide, narrow = Desk().score(reranked(first, pool=2), reranked(first, pool=1), ks=[1])
    tracer = Tracer()
    assert tracer.trace(wide)[0].ranks is tracer.trace(wide)[0].ranks
    assert [tracer.trace(each)[0].depth for each in (wide, narrow)] == [2, 1]
