"""Collections as users bring them: pages, BEIR folders, TREC runs and ready-made cases."""

import json
from pathlib import Path
from typing import Any

import pytest


def write_lines(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


@pytest.fixture(scope="module")
def pages(desk: Any) -> Any:
    desk.team("retriever=bm25", "k=1", "tracking.experiment=pages")
    return desk.runs("pages")[-1].data


def test_pages_in_two_languages_are_found_by_their_own_words(pages: Any) -> None:
    assert pages.metrics["n/language.en"] == pages.metrics["n/language.zh-Hant"] == 3
    assert pages.metrics["recall/language.en"] == pages.metrics["recall/language.zh-Hant"] == 1.0
    assert pages.metrics["queries_unanswerable"] == 1


def test_a_slice_keeps_its_chinese_name(pages: Any) -> None:
    assert pages.metrics["n/topic.額度"] == 1
    assert pages.metrics["recall/topic.額度"] == 1.0


def test_a_beir_folder_scores_what_is_judged_and_counts_the_rest(desk: Any) -> None:
    folder = desk.folder / "tiny"
    texts = {"d1": "a red apple", "d2": "a green pear", "d3": "a yellow banana", "d4": "香蕉是黃色的"}
    write_lines(folder / "corpus.jsonl", [{"_id": id_, "title": "", "text": text} for id_, text in texts.items()])
    queries = {"1": "apple", "2": "pear", "3": "黃色香蕉", "4": "nobody judged this", "5": "nor this"}
    write_lines(folder / "queries.jsonl", [{"_id": id_, "text": text} for id_, text in queries.items()])
    (folder / "qrels").mkdir()
    judgments = ["query-id\tcorpus-id\tscore", "1\td1\t1", "2\td2\t1", "2\td3\t1", "3\td4\t2"]
    (folder / "qrels/test.tsv").write_text("\n".join(judgments) + "\n", "utf-8")
    done = desk.runner("dataset=beir", "dataset.path=tiny", "dataset.name=tiny", "k=1")
    assert done.status == 0, done.err
    (run,) = desk.runs("tiny")
    metrics = run.data.metrics
    assert (metrics["n"], metrics["queries_unjudged"]) == (3, 2)
    # The pear is found, the banana that is relevant to it too is not.
    assert metrics["hit"] == 1.0
    assert metrics["recall"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert (metrics["recall_hits"], metrics["recall_relevant"]) == (3, 4)
    assert run.data.params["unit"] == "document"
    assert "2 unjudged" in done.out


def test_judgments_of_documents_that_a_sample_lacks_are_counted_and_skipped(desk: Any) -> None:
    folder = desk.folder / "sample"
    write_lines(folder / "corpus.jsonl", [{"_id": "d1", "title": "", "text": "a red apple"}])
    write_lines(folder / "queries.jsonl", [{"_id": "1", "text": "apple"}, {"_id": "2", "text": "pear"}])
    (folder / "qrels").mkdir()
    judgments = ["query-id\tcorpus-id\tscore", "1\td1\t1", "1\td7\t1", "1\td8\t0", "2\td9\t1"]
    (folder / "qrels/test.tsv").write_text("\n".join(judgments) + "\n", "utf-8")
    refused = desk.runner("dataset=beir", "dataset.path=sample", "dataset.name=sample", "k=1")
    assert refused.status == 2
    assert "2 problems" in refused.err
    assert "suite.missing=skip" in refused.err
    done = desk.runner("dataset=beir", "dataset.path=sample", "dataset.name=sample", "k=1", "suite.missing=skip")
    assert done.status == 0, done.err
    assert "3 judged ids that snapshot" in done.out
    (run,) = desk.runs("sample")
    metrics = run.data.metrics
    assert (metrics["n"], metrics["queries_unjudged"], metrics["recall"]) == (1, 1, 1.0)
    assert (metrics["judged_missing"], metrics["queries_missing"]) == (3, 1)
    assert run.data.params["missing"] == "skip"
    assert "identical" in desk.rerun(run.info.run_id).out


def test_ready_made_cases_are_scored_as_they_are(desk: Any) -> None:
    cases = [
        {"query_id": "worked", "relevant": ["A", "B"], "retrieved": ["C", "A", "D", "B", "E"]},
        {"query_id": "nothing came back", "relevant": ["F"], "retrieved": []},
    ]
    (desk.folder / "cases.json").write_text(json.dumps(cases), "utf-8")
    done = desk.runner(
        "-m", "dataset=cases", "dataset.path=cases.json", "dataset.name=cases", "k=3,5", "hydra.launcher.n_jobs=1"
    )
    assert done.status == 0, done.err
    found = {run.data.params["k"]: run.data for run in desk.runs("cases")}
    shown = {k: [run.metrics[name] for name in ("hit", "recall", "mrr", "n")] for k, run in found.items()}
    # hit 1, recall 1/2 and 1, rr 1/2 for the first; zeros for the second.
    assert shown == {"3": [0.5, 0.25, 0.25, 2], "5": [0.5, 0.5, 0.25, 2]}
    assert found["3"].params["retriever"] == "recorded"
    assert found["3"].metrics["queries_nothing_returned"] == 1


def test_a_trec_run_of_another_system_is_scored_on_ones_own_pages(desk: Any) -> None:
    lines = [
        "q1 Q0 en/limits.md 1 9.5 other",
        "q1 Q0 en/tokens.md 2 8.5 other",
        "q2 Q0 en/tokens.md 1 3.0 other",
        "q2 Q0 en/billing.md 2 2.0 other",
        "q4 Q0 zh/額度.md 1 7.0 other",
    ]
    (desk.folder / "other.run").write_text("\n".join(lines) + "\n", "utf-8")
    desk.team("retriever=recorded", "retriever.path=other.run", "k=1", "tracking.experiment=other")
    (run,) = desk.runs("other")
    assert run.data.metrics["recall"] == pytest.approx(2 / 6)
    assert run.data.metrics["mrr"] == pytest.approx((1 + 1 / 2 + 1) / 6)
    assert run.data.metrics["queries_nothing_returned"] == 3
