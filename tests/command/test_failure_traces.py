"""`trace=failures`: each failing query is an MLflow trace of its run."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

SECRET = "api_key=sk-0123456789"


@dataclass(frozen=True)
class Traced:
    """A sweep of two retrievers that was asked for traces, one run without, and a repetition of the first."""

    desk: Any
    overlap: Any
    bm25: Any
    plain: Any
    again: Any

    def of(self, run: Any, query: str = "") -> list[Any]:
        """Traces of a run; of one query, if it is named."""
        client, experiment = self.desk.client, run.info.experiment_id
        words = f"tags.query = '{query}'" if query else None
        return list(client.search_traces(locations=[experiment], run_id=run.info.run_id, filter_string=words))


@pytest.fixture(scope="module")
def traced(new_desk: Callable[[], Any]) -> Traced:
    desk = new_desk()
    lines = (desk.folder / "team.jsonl").read_text("utf-8").splitlines()
    hard = {"query_id": "q8", "language": "en", "text": f"Zzz {SECRET} xyzzy?", "relevant": ["en/tokens.md"]}
    gone = {"query_id": "q9", "language": "zh-Hant", "text": "哪裡有咖啡？", "relevant": ["zh/帳單.md"]}
    rows = [*lines, json.dumps(hard), json.dumps(gone, ensure_ascii=False)]
    (desk.folder / "team.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    asked = ("--config-dir", "conf", "k=1")
    desk.team("-m", *asked, "retriever=overlap,bm25", "trace=failures")
    desk.team(*asked, "retriever=bm25", "trace=failures", "trace.most=1", "trace.candidates=1")
    desk.team(*asked, "retriever=bm25")
    done = desk.rerun(desk.runs()[1].info.run_id)
    assert done.status == 0, done.err
    return Traced(desk, *desk.runs()[:2], desk.runs()[3], desk.runs()[4])


def test_a_run_has_a_trace_for_each_of_its_failing_queries(traced: Traced) -> None:
    for run in (traced.overlap, traced.bm25):
        assert run.data.metrics["failing"] >= 2
        found = traced.of(run)
        assert len(found) == run.data.metrics["failing"]
        assert {each.info.trace_metadata["mlflow.sourceRun"] for each in found} == {run.info.run_id}
        text = (traced.desk.files(run) / "failures.md").read_text("utf-8")
        assert all(f"## {each.info.tags['query']}:" in text for each in found)


def test_without_asking_there_is_none(traced: Traced) -> None:
    assert traced.of(traced.plain) == []


def test_a_trace_is_read_back_with_every_stage(traced: Traced) -> None:
    (trace,) = traced.of(traced.overlap, "q9")
    whole, *stages = trace.data.spans
    assert whole.parent_id is None
    assert {each.parent_id for each in stages} == {whole.span_id}
    assert [each.name for each in trace.data.spans] == [
        "overlap k=1",
        "expected",
        f"overlap: rank {whole.attributes['first_relevant_rank']}",
    ]
    assert whole.inputs == {"question": "哪裡有咖啡？"}
    assert whole.attributes["expected"] == ["zh/帳單.md"]
    assert stages[0].outputs[0]["page_content"].endswith("帳單在每個月的第一天寄出。")
    assert stages[1].outputs[0]["metadata"]["rank"] == 1
    assert trace.info.request_preview == "哪裡有咖啡？"
    assert trace.info.response_preview == whole.outputs["result"]
    assert all(each.end_time_ns >= each.start_time_ns for each in trace.data.spans)


def test_the_traces_of_one_query_are_found_across_variants(traced: Traced) -> None:
    client, experiment = traced.desk.client, traced.overlap.info.experiment_id
    found = client.search_traces(locations=[experiment], filter_string="tags.query = 'q8'")
    assert {each.info.tags["mlflow.traceName"] for each in found} == {"q8"}
    assert {each.info.tags["retriever"] for each in found} == {"overlap", "bm25"}


def test_a_secret_in_a_question_is_in_no_trace(traced: Traced) -> None:
    (trace,) = traced.of(traced.overlap, "q8")
    assert "api_key=***" in trace.info.request_preview
    assert SECRET not in trace.to_json()


def test_there_are_no_more_than_were_asked_for(traced: Traced) -> None:
    (trace,) = traced.of(traced.desk.runs()[2])
    assert all(len(each.outputs) <= 1 for each in trace.data.spans[1:])


def test_a_rerun_traces_as_the_run_did(traced: Traced) -> None:
    def told(run: Any) -> list[Any]:
        return [(each.info.tags["query"], [span.outputs for span in each.data.spans]) for each in traced.of(run)]

    assert traced.again.data.tags["rerun_of"] == traced.bm25.info.run_id
    assert told(traced.again) == told(traced.bm25)


def test_a_name_that_is_none_is_told(traced: Traced) -> None:
    done = traced.desk.runner("trace=everything")
    assert done.status == 2
    assert "trace/everything" in done.err
    assert len(done.err.splitlines()) == 1
