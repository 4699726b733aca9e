"""What one run of the sweep says of itself: settings, scores with their counts, inputs and files."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from runner.configuration.settings import Settings
from runner.engine.run_name import run_name
from runner.suite_formats.own import read_own
from runner.tracking.artifacts import CONFIG, PER_QUERY, SUITE

CURVE = [1, 2, 3, 5, 10, 20, 50, 100]
STAGES = ("bm25", "semantic", "hybrid", "reranked")


@pytest.fixture(scope="session")
def run(demo: Any) -> Any:
    return next(each for each in demo.first if each.info.run_name == run_name("reranked", 5, 50))


@pytest.fixture(scope="session")
def folder(demo: Any, run: Any) -> Path:
    return demo.desk.files(run)


@pytest.fixture(scope="session")
def per_query(folder: Path) -> dict[str, list[Any]]:
    return pq.read_table(folder / PER_QUERY).to_pydict()


def test_names_of_runs_say_what_they_are(demo: Any) -> None:
    names = {each.info.run_name for each in demo.first}
    assert {run_name("bm25", 1), run_name("hybrid", 10), run_name("reranked", 5, 50)} <= names
    assert len(names) == 12


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("retriever", "reranked"),
        ("k", "5"),
        ("pool", "50"),
        ("depth", "100"),
        ("seed", "13"),
        ("suite", "core"),
        ("suite_role", "regression"),
        ("unit", "passage"),
        ("min_grade", "1"),
        ("chunker", "heading"),
        ("stage.chunker.name", "runner.chunkers.heading.Heading"),
        ("chunker.size", "1200"),
        ("stage.chunker.overlap", "0"),
        ("normalization.unicode", "NFC"),
        ("slicing.freshness.field", "updated"),
        ("slicing.freshness.days", "[30, 90, 365]"),
        ("slicing.freshness.as_of", "null"),
        ("stage.bm25.k1", "1.5"),
        ("stage.bm25.b", "0.75"),
        ("stage.bm25.method", "lucene"),
        ("stage.bm25.analyzer.stemmer", "english"),
        ("stage.bm25.analyzer.chinese", "characters+bigrams"),
        ("stage.bm25.analyzer.lexicon", "null"),
        ("stage.hybrid.pool", "100"),
        ("stage.hybrid.fusion", "ReciprocalRank"),
        ("stage.hybrid.fusion.k", "60"),
        ("stage.hybrid.fusion.weights", "null"),
        ("stage.reranked.mix.reranker", "0.5"),
        ("stage.reranked.mix.bm25", "1.0"),
        ("stage.reranked.reranker", "LateInteraction"),
    ],
)
def test_every_setting_that_can_change_the_result_is_a_parameter(run: Any, key: str, value: str) -> None:
    assert run.data.params[key] == value


def test_models_are_named_with_the_hash_of_their_content(run: Any) -> None:
    hashed = {key for key in run.data.params if key.endswith("_sha256") and ".embed" in key}
    assert hashed, sorted(run.data.params)
    assert all(re.fullmatch("[0-9a-f]{64}", run.data.params[key]) for key in hashed)
    assert any(key.endswith(".model_id") for key in run.data.params)


def test_the_inputs_are_named_by_their_hashes(demo: Any, run: Any) -> None:
    params = run.data.params
    assert all(re.fullmatch("[0-9a-f]{16}", params[key]) for key in ("snapshot", "suite_revision", "retriever_hash"))
    assert re.fullmatch("[0-9a-f]{64}", params["documents_sha256"])
    for key in ("snapshot", "suite_revision", "documents_sha256"):
        assert {each.data.params[key] for each in demo.first} == {params[key]}
    by_retriever = {(each.data.params["retriever"], each.data.params["retriever_hash"]) for each in demo.first}
    assert len(by_retriever) == len({hash_ for _, hash_ in by_retriever}) == 3


def test_the_libraries_that_decide_the_result_have_their_versions(run: Any) -> None:
    for library in ("python", "bm25s", "PyStemmer", "faiss-cpu", "tokenizers"):
        assert re.match(r"\d+\.\d+", run.data.params[f"version.{library}"]), library


def test_each_mean_stands_beside_its_numerator_and_denominator(run: Any) -> None:
    metrics = run.data.metrics
    assert metrics["hit"] == pytest.approx(metrics["hit_queries"] / metrics["n"])
    assert metrics["recall_micro"] == pytest.approx(metrics["recall_hits"] / metrics["recall_relevant"])
    for group in ("language.zh-Hant", "change_type x language.limit_changed x en", "relevant_items.several"):
        hits, relevant = metrics[f"recall_hits/{group}"], metrics[f"recall_relevant/{group}"]
        assert metrics[f"recall_micro/{group}"] == pytest.approx(hits / relevant)
        assert 0 < metrics[f"n/{group}"] < metrics["n"]


def test_the_slices_of_a_field_add_up_to_the_whole(run: Any) -> None:
    metrics = run.data.metrics
    for field in ("language", "change_type", "template", "question_type", "query_style", "freshness", "query_length"):
        groups = [key.removeprefix("n/") for key in metrics if key.startswith(f"n/{field}.")]
        assert sum(metrics[f"n/{group}"] for group in groups) == metrics["n"], field
        mean = sum(metrics[f"recall/{group}"] * metrics[f"n/{group}"] for group in groups) / metrics["n"]
        assert mean == pytest.approx(metrics["recall"]), field


def test_the_metrics_are_the_means_of_the_table_of_queries(run: Any, per_query: dict[str, list[Any]]) -> None:
    scored = [row for row, answerable in enumerate(per_query["answerable"]) if answerable]
    assert len(scored) == run.data.metrics["n"]
    assert len(per_query["query_id"]) == run.data.metrics["n"] + run.data.metrics["queries_unanswerable"]
    for column, metric in (("hit", "hit"), ("recall", "recall"), ("rr", "mrr"), ("ndcg", "ndcg"), ("ap", "map")):
        mean = sum(per_query[column][row] for row in scored) / len(scored)
        assert mean == pytest.approx(run.data.metrics[metric], abs=1e-12), column


def test_the_table_of_queries_can_be_scored_again_by_hand(per_query: dict[str, list[Any]]) -> None:
    for row, relevant in enumerate(per_query["relevant"]):
        if not per_query["answerable"][row]:
            continue
        ranked = per_query["ranked"][row]
        ranks = [rank for rank, id_ in enumerate(ranked, 1) if id_ in relevant]
        assert per_query["first_relevant_rank"][row] == (ranks[0] if ranks else None)
        assert per_query["recall"][row] == pytest.approx(sum(rank <= 5 for rank in ranks) / len(relevant))
        assert (per_query["lost_in"][row] is None) == any(rank <= 5 for rank in ranks)
        assert len(ranked) == len(per_query["scores"][row]) == len(set(ranked))


def test_the_curve_has_a_point_a_cut(demo: Any, run: Any) -> None:
    history = sorted(demo.desk.client.get_metric_history(run.info.run_id, "curve/recall"), key=lambda each: each.step)
    assert [each.step for each in history] == CURVE
    values = [each.value for each in history]
    assert values == sorted(values)
    assert values[CURVE.index(5)] == run.data.metrics["recall"]


def test_latency_memory_and_index_figures_say_when_and_where(run: Any, folder: Path) -> None:
    for key in ("latency_p50_ms", "latency_p95_ms", *(f"latency_p50_ms/{stage}" for stage in STAGES)):
        assert run.data.metrics[key] > 0, key
    assert run.data.metrics["latency_p50_ms"] <= run.data.metrics["latency_p95_ms"]
    for key in ("index_build_seconds", "index_bytes"):
        assert {f"{key}/bm25", f"{key}/semantic"} <= set(run.data.metrics)
    assert run.data.metrics["peak_memory_bytes"] > 1e6
    assert re.match(r"\d{4}-\d\d-\d\dT", run.data.tags["measured_at"])
    assert run.data.tags["measured_on"]
    assert set(json.loads((folder / "measured.json").read_text("utf-8"))) == set(STAGES)


def test_the_suite_and_the_snapshot_are_mlflow_datasets(run: Any) -> None:
    found = {
        (each.dataset.name, each.dataset.digest, tag.value)
        for each in run.inputs.dataset_inputs
        for tag in each.tags
        if tag.key == "mlflow.data.context"
    }
    params = run.data.params
    assert found == {("core", params["suite_revision"], "evaluation"), ("snapshot", params["snapshot"], "corpus")}


def test_the_stored_configuration_reads_back(folder: Path) -> None:
    settings = Settings.of_plain(yaml.safe_load((folder / CONFIG).read_text("utf-8")))
    assert (settings.k, settings.pool, settings.retriever["name"]) == (5, 50, "reranked")
    assert Path(settings.store).is_absolute()
    overrides = yaml.safe_load((folder / "overrides.yaml").read_text("utf-8"))
    assert [sorted(each) for each in overrides] == [["k=5", "retriever=reranked"]]


def test_the_stored_suite_is_the_one_of_the_run(run: Any, folder: Path) -> None:
    suite = read_own(folder / SUITE)
    assert suite.revision == run.data.params["suite_revision"]
    assert (suite.name, len(suite.scored())) == ("core", run.data.metrics["n"])


def test_the_documents_are_listed_with_their_hashes(run: Any, folder: Path) -> None:
    lines = [line.split("\t") for line in (folder / "documents.tsv").read_text("utf-8").splitlines()]
    assert len(lines) == int(run.data.params["snapshot.documents"]) >= 45
    assert all(re.fullmatch("[0-9a-f]{64}", hash_) for _, hash_ in lines)
    assert "zh-Hant/billing.md" in [id_ for id_, _ in lines]


def test_every_failing_query_is_described_with_its_cause(run: Any, folder: Path) -> None:
    text = (folder / "failures.md").read_text("utf-8")
    metrics = run.data.metrics
    assert text.count("\n## ") == metrics["failing"]
    assert text.count("- lost in the pool;") == metrics["failing_lost_in_pool"]
    assert text.count("- lost in the ranking;") == metrics["failing_lost_in_ranking"]


def test_the_picture_and_the_environment_are_there(folder: Path) -> None:
    assert (folder / "recall_at_k.png").read_bytes().startswith(b"\x89PNG")
    assert re.search("^bm25s==", (folder / "environment.txt").read_text("utf-8"), re.M)


def test_the_code_version_is_a_tag(run: Any) -> None:
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, check=False)
    except OSError:
        pytest.skip("git is not installed")
    if done.returncode:
        pytest.skip("the tests do not run in a git checkout")
    assert run.data.tags["git_commit"] == done.stdout.strip()
    assert run.data.tags["git_dirty"] in ("true", "false")
