"""Scoring what people have at hand: mappings, sequences, arrays and files."""

import json
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runner
from runner.scoring.metric_names import parse_metric

# relevant {A, B}, ranking C A D B E, by hand
RUN = {"q": ["C", "A", "D", "B", "E"]}
QRELS = {"q": {"A": 1, "B": 1, "C": 0}}


def test_the_worked_example_comes_out() -> None:
    found = runner.score(RUN, QRELS, metrics=["hit", "recall", "mrr"], k=[3, 5])
    assert found.metrics == {"hit@3": 1, "hit@5": 1, "recall@3": 0.5, "recall@5": 1, "mrr": 0.5}
    assert found.n == 1


FORMS: dict[str, tuple[Any, Any]] = {
    "ids in order": (RUN, {"q": ["A", "B"]}),
    "scores": ({"q": {"B": 2.0, "C": 5, "E": 1.0, "A": 4.0, "D": 3.0}}, QRELS),
    "a set of relevant ids": (RUN, {"q": {"A", "B"}}),
    "numpy scores": (
        {"q": {"C": np.float32(9), "A": np.int64(8), "D": 7, "B": 6, "E": 5}},
        {"q": {"A": np.int8(1), "B": 1}},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_says_the_same(form: str) -> None:
    found = runner.score(*FORMS[form])
    assert found.metrics == runner.score(RUN, QRELS).metrics


def test_arrays_are_queries_by_position() -> None:
    ranked = np.array([[7, 3, 9], [4, -1, -1]])
    found = runner.score(ranked, [[3, 9], 5], metrics=["recall", "mrr"], k=2)
    assert found.query_ids == ("0", "1")
    assert found.per_query["recall@2"].tolist() == [0.5, 0]
    assert found.metrics["mrr"] == 0.25


def test_among_equal_scores_the_smaller_id_comes_first() -> None:
    assert runner.score({"q": {"b": 1.0, "a": 1.0}}, {"q": ["a"]}, metrics="mrr").metrics["mrr"] == 1


def test_a_document_that_is_ranked_twice_counts_where_it_first_stands() -> None:
    found = runner.score({"q": ["x", "x", "A"]}, {"q": ["A"]}, metrics=["mrr", "recall"], k=2)
    assert found.metrics == {"mrr": 0.5, "recall@2": 1}


def test_who_is_missing_counts_as_nothing_and_who_is_unjudged_does_not_count() -> None:
    run = {"judged": ["a"], "unjudged": ["a"], "nothing relevant": ["a"]}
    qrels = {"judged": ["a"], "missing": ["b"], "nothing relevant": {"a": 0}}
    found = runner.score(run, qrels, metrics="recall")
    assert found.metrics == {"recall@10": 0.5}
    assert (found.missing, found.unjudged) == (("missing",), ("nothing relevant", "unjudged"))
    assert "1 of them not in the run" in repr(found)


def test_grades_below_the_smallest_that_counts_are_not_relevant() -> None:
    qrels = {"q": {"A": 1, "B": 2}}
    assert runner.score(RUN, qrels, metrics="mrr", min_grade=2).metrics == {"mrr": 0.25}


def test_files_in_the_public_layouts_say_the_same(tmp_path: Path) -> None:
    lines = [f"問 Q0 {id_} {rank} {10 - rank} mine" for rank, id_ in enumerate(RUN["q"], 1)]
    (tmp_path / "run.trec").write_text("\n".join(lines), "utf-8")
    (tmp_path / "run.json").write_text(json.dumps({"問": RUN["q"]}, ensure_ascii=False), "utf-8")
    (tmp_path / "qrels.trec").write_text("問 0 A 1\n問 0 B 1\n問 0 C -1\n", "utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n問\tA\t1\n問\tB\t1\n", "utf-8")
    (tmp_path / "qrels.json").write_text(json.dumps({"問": {"A": 1, "B": 1}}, ensure_ascii=False), "utf-8")
    expected = runner.score(RUN, QRELS).metrics
    for run in ("run.trec", "run.json"):
        for qrels in ("qrels.trec", "qrels.tsv", "qrels.json"):
            found = runner.score(tmp_path / run, str(tmp_path / qrels))
            assert (found.metrics, found.query_ids) == (expected, ("問",)), (run, qrels)


@pytest.mark.parametrize(
    ("run", "qrels", "said"),
    [
        ({"q": {"a": float("nan")}}, {"q": ["a"]}, "query 'q', document 'a': expected a finite number, found nan"),
        ({"q": {"a": "high"}}, {"q": ["a"]}, "expected a finite number, found 'high'"),
        ({"q": "abc"}, {"q": ["a"]}, "expected scores by document id, or ids in order, found 'abc'"),
        ({"q": ["a"]}, {"q": {"a": 0.5}}, "expected a whole grade, found 0.5"),
        ({"q": ["a"]}, {"q": {"a": 0}}, "no query has a relevant document"),
        ({"q": ["a"]}, 5, "qrels: expected a file, a mapping by query id, or a sequence, found int"),
        ("nowhere.run", {"q": ["a"]}, "nowhere.run"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(run: Any, qrels: Any, said: str) -> None:
    with pytest.raises(runner.InputError, match=said) as error:
        runner.score(run, qrels)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("qrels", ["q 0 a high\n", "q 0 a\n", "{", '{"q": {"a": 1}, "q": {}} x'])
def test_a_broken_file_is_named(tmp_path: Path, qrels: str) -> None:
    (tmp_path / "qrels").write_text(qrels)
    with pytest.raises(runner.InputError, match=str(tmp_path / "qrels")):
        runner.score(RUN, tmp_path / "qrels")


def test_unknown_metrics_and_cuts_are_refused() -> None:
    with pytest.raises(runner.ConfigError, match="unknown metric 'recal"):
        runner.score(RUN, QRELS, metrics="recal")
    for k in (0, [], [1, -1], 2.5):
        with pytest.raises(runner.ConfigError, match="k: expected a whole number from 1"):
            runner.score(RUN, QRELS, k=k)  # type: ignore[arg-type]


def test_a_notebook_shows_a_table_in_which_nothing_is_html() -> None:
    found = runner.score({"<b>問": ["A"]}, {"<b>問": ["A"]}, metrics="recall")
    assert "<table" in found._repr_html_()
    assert found.per_query.index.tolist() == ["<b>問"]


ids = st.sampled_from("abcdefgh")


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from("xyz"), st.lists(ids, unique=True, max_size=8), min_size=1),
    st.dictionaries(st.sampled_from("xyz"), st.dictionaries(ids, st.integers(0, 3), min_size=1), min_size=1),
)
def test_ir_measures_agrees(ranked: dict[str, list[str]], qrels: dict[str, dict[str, int]]) -> None:
    judged = {query: grades for query, grades in qrels.items() if any(grades.values())}
    if not judged or ranked.keys().isdisjoint(qrels):
        return
    run = {query: {id_: float(-rank) for rank, id_ in enumerate(names)} for query, names in ranked.items()}
    found = runner.score(ranked, qrels, metrics=["recall", "precision", "ndcg", "mrr", "map"], k=3)
    asked = {
        "recall@3": ir_measures.R @ 3,
        "precision@3": ir_measures.P @ 3,
        "ndcg@3": ir_measures.nDCG @ 3,
        "mrr": ir_measures.RR,
        "map": ir_measures.AP,
    }
    scored = [ir_measures.iter_calc([measure], judged, run) for measure in asked.values()]
    for name, values in zip(asked, scored, strict=True):
        theirs = sum(each.value for each in values if each.query_id in judged) / len(judged)
        assert found.metrics[name] == pytest.approx(theirs), name


def test_queries_that_are_named_otherwise_are_no_score_of_0() -> None:
    with pytest.raises(runner.InputError, match="no query in common: the run has 'q1', the judgments have 'Q1'"):
        runner.score({"q1": ["a"]}, {"Q1": ["a"]}, k=3)


def test_a_metric_is_taken_as_itself_or_by_its_name() -> None:
    run, qrels = {"q": ["b", "a"]}, {"q": ["a"]}
    metric = parse_metric("rbp(p=0.5)@2")
    assert runner.score(run, qrels, [metric]).metrics == runner.score(run, qrels, "rbp(p=0.5)@2").metrics


@pytest.mark.parametrize(
    "run", [{"q": [("a", 1.0), ("b", 0.5)]}, {"q": {"a", "b"}}, {"q": [["a"]]}], ids=["pairs", "a set", "lists"]
)
def test_what_is_no_ranking_is_no_score_of_0(run: Any) -> None:
    with pytest.raises(runner.InputError, match="expected"):
        runner.score(run, {"q": ["a"]}, k=3)


def test_a_file_of_json_that_names_a_query_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"q": ["a"], "q": ["b"]}', "utf-8")
    with pytest.raises(runner.InputError, match="q"):
        runner.score(path, {"q": ["a"]}, k=3)


def test_true_is_no_cut() -> None:
    with pytest.raises(runner.ConfigError, match="whole number"):
        runner.score({"q": ["a"]}, {"q": ["a"]}, k=True)
