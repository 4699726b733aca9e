"""Judgments of what the documents lack: an error unless they are of grade 0 or the suite says to skip them."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.chunkers import Heading, WholeDocument
from runner.documents import Document
from runner.errors import ConfigError, InputError
from runner.scoring.evaluate import JudgedSet
from runner.snapshots import Passage, Snapshot
from runner.suite_formats import BeirSuite, OwnSuite
from runner.suite_formats.own import read_own, write_own
from runner.suites import JudgedQuery, Judgment, Span, Suite

PAGES = Snapshot.build(
    [Document("a", "A", "alpha"), Document("b", "B", "beta"), Document("甲", "甲", "內容")], WholeDocument()
)


def suite_of(*graded: dict[str, int], missing: str = "error", unit: str = "document") -> Suite:
    queries = tuple(
        JudgedQuery(f"q{n}", "what?", grades, answerable=any(grades.values()), lines=dict.fromkeys(grades, n))
        for n, grades in enumerate(graded, 1)
    )
    return Suite("core", "development", unit, queries, path="core.jsonl", missing=missing)


def test_a_document_judged_not_relevant_may_be_missing() -> None:
    suite = suite_of({"a": 1, "gone": 0}, {"b": 0, "也不在": 0})
    suite.check(PAGES)
    laid = JudgedSet.of(suite, PAGES)
    assert (laid.missing, laid.emptied, len(laid.scored), len(laid.unanswerable)) == (2, 0, 1, 1)


def test_a_relevant_document_that_is_missing_is_an_error_unless_it_is_skipped() -> None:
    graded = {"a": 1, "gone": 2, "also": 0}, {"gone": 1, "lost": 1}, {"甲": 1}
    with pytest.raises(InputError) as caught:
        suite_of(*graded).check(PAGES)
    assert "core.jsonl: 3 problems" in str(caught.value)
    assert "query 'q1' judges 'gone'" in str(caught.value)
    suite = suite_of(*graded, missing="skip")
    suite.check(PAGES)
    laid = JudgedSet.of(suite, PAGES)
    assert (laid.missing, laid.emptied, laid.unjudged) == (4, 1, 1)
    assert [(query.id, query.grades) for query in laid.scored] == [("q1", {"a": 1}), ("q3", {"甲": 1})]
    assert laid.judgments.relevant_counts.tolist() == [1, 1]
    assert laid.suite is suite


def test_skipping_changes_no_revision_and_no_score_of_what_is_there() -> None:
    here = suite_of({"a": 1, "b": 2})
    skipping = replace(here, missing="skip")
    assert skipping.revision == here.revision
    one, other = JudgedSet.of(here, PAGES), JudgedSet.of(skipping, PAGES)
    assert one.scored == other.scored
    assert one.judgments.keys.tolist() == other.judgments.keys.tolist()


@pytest.mark.parametrize("missing", ["error", "skip"])
def test_a_suite_of_which_nothing_is_there_is_refused_whatever_it_says(missing: str) -> None:
    suite = suite_of({"x1": 0}, {"x2": 0 if missing == "error" else 1}, missing=missing)
    with pytest.raises(InputError) as caught:
        suite.check(PAGES)
    assert str(caught.value) == (
        f"core.jsonl: not one of the 2 judgments is of a document that snapshot {PAGES.id} holds: they name ids like "
        "'x1', it has ids like 'a', 'b'"
    )


def test_passages_judged_as_documents_are_recognised_though_all_are_skipped() -> None:
    cut = Snapshot.build([Document("a.md", "A", "# A\n\n## B\n\nx")], Heading())
    with pytest.raises(InputError, match=r"it holds 'a\.md' as a document, so mend `unit`"):
        suite_of({"a.md": 1}, missing="skip", unit="passage").check(cut)


def test_spans_of_missing_documents_are_skipped_and_mistyped_quotations_are_not() -> None:
    spans = {span.id: span for span in (Span("a", "alpha"), Span("gone", "beta"), Span("b", "gamma"))}
    here, gone, wrong = spans
    query = JudgedQuery("q1", "what?", {here: 1, gone: 1}, spans=spans)
    suite = Suite("core", "development", "span", (query,), missing="skip")
    suite.check(PAGES)
    assert JudgedSet.of(suite, PAGES).missing == 1
    with pytest.raises(InputError, match="holds no document 'gone'"):
        replace(suite, missing="error").check(PAGES)
    not_relevant = replace(query, grades={here: 1, gone: 0})
    replace(suite, missing="error", queries=(not_relevant,)).check(PAGES)
    with pytest.raises(InputError, match="is not in the text"):
        replace(suite, queries=(replace(query, grades={here: 1, wrong: 0}),)).check(PAGES)


def test_everything_said_of_a_missing_document_is_left_out_together() -> None:
    said = (Judgment("gone", 1, annotator="wei"), Judgment("gone", 0, annotator="li"), Judgment("a", 1, annotator="li"))
    suite = Suite("core", "development", "document", (JudgedQuery.of_judgments("q1", "what?", said),), missing="skip")
    (query,) = suite.within(PAGES).queries
    assert [judgment.id for judgment in query.judgments] == ["a"]
    assert query.disputed == ()
    assert suite.queries[0].disputed == ("gone",)


def test_the_setting_comes_from_the_head_and_is_stored_with_the_suite(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("name: q\nunit: document\nmissing: skip\n", encoding="utf-8")
    (tmp_path / "q.jsonl").write_text('{"query_id": "1", "text": "x", "relevant": ["a"]}\n', encoding="utf-8")
    suite = OwnSuite(tmp_path / "q.yaml").read()
    assert suite.missing == "skip"
    write_own(suite, tmp_path / "stored")
    assert read_own(tmp_path / "stored").missing == "skip"
    (tmp_path / "q.yaml").write_text("name: q\nunit: document\n", encoding="utf-8")
    (tmp_path / "q.jsonl").write_text('{"query_id": "1", "text": "x", "relevant": ["a", "gone"]}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"say `missing: skip` in .*q\.yaml$"):
        OwnSuite(tmp_path / "q.yaml").read().check(PAGES)
    (tmp_path / "q.yaml").write_text("name: q\nunit: document\nmissing: ignore\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"q\.yaml:3: missing: found a string 'ignore', expected one of error, skip"):
        OwnSuite(tmp_path / "q.yaml").read()
    with pytest.raises(ConfigError, match=r"suite\.missing: found a string 'no', expected one of error, skip"):
        BeirSuite(tmp_path, missing="no").read()


def test_ids_of_an_older_snapshot_are_met_though_something_unseen_is_in_them() -> None:
    older = Snapshot("0" * 16, (Document("p.md", "P", "x"),), (Passage("p.md#\ufe0f-settings", "p.md", 0, 1, "P"),), {})
    suite = suite_of({"p.md#-settings": 2}, unit="passage")
    suite.check(older)
    assert [query.grades for query in JudgedSet.of(suite, older).scored] == [{"p.md#\ufe0f-settings": 2}]
