"""What a failing query's trace says: why it failed, what was expected, and what every stage found."""

from typing import Any

import pytest
from pydantic import ValidationError
from report_world import Desk, hybrid, reranked, told

from runner.configuration.settings import TraceSettings
from runner.reports.failure_traces import failure_traces
from runner.tracking.query_trace import QueryTrace, TraceSpan

ALL = TraceSettings(queries="failures")


def traces(*nodes: dict[str, Any], desk: Desk | None = None, k: int = 1, **settings: int) -> dict[str, QueryTrace]:
    (scored,) = (desk or Desk()).score(*nodes, ks=[k])
    return {each.name: each for each in failure_traces(scored, TraceSettings(queries="failures", **settings))}


def stage(trace: QueryTrace, name: str) -> TraceSpan:
    return next(each for each in trace.stages if each.attributes.get("stage", each.name) == name)


def found(span: TraceSpan) -> list[tuple[str, float, bool]]:
    return [(each["id"], each["metadata"]["score"], each["metadata"]["relevant"]) for each in span.outputs]


def test_every_stage_says_what_it_found_and_where_the_expected_stood() -> None:
    one, two = told("words", q3="abc", q2="d"), told("vectors", q3="dc", q2="cb")
    trace = traces(reranked(hybrid(one, two), pool=3))["q3"]
    assert [each.name for each in trace.stages] == [
        "expected",
        "words: rank 3",
        "vectors: rank 2",
        "hybrid: rank 1",
        "pool of reranked: rank 1",
        "reranked: rank 2",
    ]
    assert {each.attributes["stage"]: each.attributes["expected_ranks"] for each in trace.stages[1:]} == {
        "words": {"c": 3}, "vectors": {"c": 2}, "hybrid": {"c": 1}, "pool of reranked": {"c": 1}, "reranked": {"c": 2},
    }  # fmt: skip
    assert found(stage(trace, "words")) == [("a", -0.0, False), ("b", -1.0, False), ("c", -2.0, True)]
    assert stage(trace, "words").attributes["first_relevant"] == "rank 3"
    assert stage(trace, "reranked").outputs[0]["page_content"] == "six seven"
    assert stage(trace, "reranked").outputs[0]["metadata"]["title"] == "Delta"


def test_the_whole_says_the_question_the_cause_and_what_was_found_in_its_place() -> None:
    trace = traces(reranked(told("words", q2="acbd"), pool=2), k=2)["q2"]
    assert trace.question == "四五在哪裡"
    assert trace.result == "lost in the pool: nothing relevant in the first 10, k is 2"
    assert trace.whole.outputs["first 2"] == ["c", "a"]
    assert trace.whole.attributes["expected"] == ["b"]
    assert "topic.plain" in trace.whole.attributes["slices"]
    assert trace.tags == {"query": "q2", "cause": "pool", "retriever": "reranked", "k": "2"}
    assert stage(trace, "expected").outputs == [
        {"id": "b", "page_content": "四五", "metadata": {"doc_uri": "b", "title": "貝塔", "grade": 1}}
    ]


def test_what_was_lost_in_the_ranking_tells_its_rank() -> None:
    assert traces(told(q1="cba"))["q1"].result == "lost in the ranking: the first relevant is at rank 3, k is 1"


def test_ranks_count_documents_where_these_are_judged() -> None:
    passages = told("halves", q1="")
    passages["rankings"]["q1"] = ["b#1", "b#2", "a#2"]
    trace = traces(passages, desk=Desk(halves=True))
    assert stage(trace["q1"], "halves").attributes["expected_ranks"] == {"a": 2}
    assert [id_ for id_, _, _ in found(stage(trace["q1"], "halves"))] == ["b#1", "b#2", "a#2"]


def test_a_query_that_does_not_fail_has_no_trace_and_nobody_has_one_unasked() -> None:
    node = told(q1="ab", q2="ab")
    assert list(traces(node)) == ["q3", "q2"]
    (scored,) = Desk().score(node, ks=[1])
    assert failure_traces(scored, None) == ()


def test_they_are_bounded_and_the_hardest_come_first() -> None:
    node = told(q1="ba", q2="acdb")
    assert list(traces(node)) == ["q3", "q2", "q1"]
    assert list(traces(node, most=2)) == ["q3", "q2"]
    assert len(stage(traces(node, candidates=2)["q2"], "told").outputs) == 2
    assert stage(traces(node, candidates=2)["q2"], "told").attributes["candidates"] == 4


def test_a_setting_that_is_none_is_refused() -> None:
    for wrong in ({"most": 0}, {"queries": "all"}, {"candidates": "many"}):
        with pytest.raises(ValidationError):
            TraceSettings.model_validate({"queries": "failures", **wrong})
