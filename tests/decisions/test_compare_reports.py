"""A comparison as it is printed and written: escaped, complete, and honest about what one query can move."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from decide_scores import Asked, found, lost, scores, stored

from runner.decisions.comparison import Comparison, compare
from runner.reports.compare import comparison_markdown, comparison_values, print_comparison, write_reports

NASTY = "<script>alert('x')</script> | 額度 [red]`x`[/red]"


def compared(params: dict[str, str] | None = None, tags: dict[str, str] | None = None) -> Comparison:
    before = [found("topic.[b]額|度", text=NASTY, id="查|`1"), *[found("topic.rest")] * 20, lost()]
    after = [lost("topic.[b]額|度", text=NASTY, id="查|`1"), *[found("topic.rest")] * 20, Asked((9,))]
    return compare([scores(before, stored("run-a", tags)), scores(after, stored("run-b", tags, **(params or {})))])


def printed(comparison: Comparison, metric: str = "recall") -> str:
    stream = io.StringIO()
    print_comparison(comparison, metric, stream)
    return stream.getvalue()


def test_the_terminal_shows_means_slices_and_failures_as_they_are_written() -> None:
    text = printed(compared())
    assert "A = name of run-a (run-a), B = name of run-b (run-b): suite core rev1, 22 queries, k=5" in text
    row = next(row for row in text.splitlines() if row.split()[:2] == ["recall", "all"])
    assert row.split()[:6] == ["recall", "all", "22", "0.955", "0.909", "-0.045"]
    assert row.split()[-2] == "0/21/1"
    assert "topic.[b]額|度" in text
    assert "queries with nothing relevant in the first 5: both 1, A only 0, B only 1" in text
    assert f"B only: 查|`1 {NASTY!r}: A rank 1, B not found (lost in the pool)" in text
    assert "note: with 22 queries one query moves a mean by 0.045" in text


def test_the_slices_of_the_metric_that_was_asked_for_are_shown() -> None:
    rows = [row.split() for row in printed(compared(), "mrr").splitlines()]
    sliced = {row[0] for row in rows if len(row) > 1 and row[1].startswith("topic.")}
    assert sliced == {"mrr"}


def test_a_slice_too_small_to_show_anything_says_none() -> None:
    row = next(row for row in printed(compared()).splitlines() if "topic.[b]額|度" in row)
    assert row.split()[-1] == "none"


def test_a_single_changed_setting_is_named_as_the_effect() -> None:
    text = printed(compared({"stage.bm25.k1": "0.9"}))
    assert "effect of stage.bm25.k1 - -> 0.9: recall -0.045 [" in text
    assert "settings that differ" not in text


def test_several_changed_settings_are_listed_together() -> None:
    text = printed(
        compared({"stage.late.weight": "1", "stage.late.pool": "50", "depth": "20", "retriever": "reranked"})
    )
    assert "settings that differ, recall -0.045 [" in text
    assert "  depth: 10 -> 20" in text
    # A stage that only one run has is one line.
    assert "  only in B: stage late (2 settings)" in text


def test_runs_without_a_changed_setting_say_so() -> None:
    assert "no setting differs" in printed(compared())


def test_the_same_configuration_that_scores_otherwise_ends_in_one_sentence() -> None:
    text = printed(compared({"documents_sha256": "docs2", "snapshot": "snap2"}))
    assert "recall fell from 0.955 to 0.909 because the documents" in text
    unexplained = printed(compared())
    assert "recall fell from 0.955 to 0.909; no recorded input moved, so the retriever is not repeatable" in unexplained


def test_other_settings_need_no_explanation() -> None:
    text = printed(compared({"stage.bm25.k1": "0.9"}))
    assert "because" not in text and "no recorded input" not in text


def test_the_markdown_lets_no_text_become_markup() -> None:
    text = comparison_markdown(compared())
    assert "<script>" not in text
    assert "- ``查|`1`` \\<script\\>alert('x')\\</script\\> \\| 額度 \\[red\\]\\`x\\`\\[/red\\]: A rank 1" in text
    rows = [row.replace("\\|", "") for row in text.splitlines() if row.startswith("|")]
    assert {row.count("|") for row in rows} == {12}
    # Eight metrics over all queries, recall over two slices, and the head of the table.
    assert len(rows) == 8 + 2 + 2


def test_the_markdown_lists_all_three_failure_sets() -> None:
    text = comparison_markdown(compared())
    assert "### Failing in both: 1" in text
    assert "### Failing in A only: 0" in text
    assert "### Failing in B only: 1" in text
    assert "A not found (lost in the pool), B rank 9 (lost in the ranking)" in text


def strictly(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_written_json_is_whole_and_has_no_infinity(tmp_path: Path) -> None:
    comparison = compared({"stage.bm25.k1": "0.9"})
    write_reports(comparison, tmp_path / "a" / "b")
    values = strictly((tmp_path / "a" / "b" / "compare.json").read_text("utf-8"))
    assert (values["first"], values["k"], values["options"]["seed"]) == ("run-a", 5, 13)
    (pair,) = values["pairs"]
    assert (pair["second"], pair["changed"]) == ("run-b", {"stage.bm25.k1": ["-", "0.9"]})
    assert {(each["metric"], each["group"]) for each in pair["lines"]} == {
        (each.metric, each.group) for each in comparison.pairs[0].lines
    }
    recall = next(each for each in pair["lines"] if each["metric"] == "recall" and not each["group"])
    assert (recall["wins"], recall["ties"], recall["losses"]) == (0, 21, 1)
    assert recall["difference"] == pytest.approx(-1 / 22)
    small = next(each for each in pair["lines"] if each["group"] == "topic.[b]額|度")
    assert small["detectable"] is None
    (failure,) = pair["failing"]["B only"]
    assert (failure["query_id"], failure["text"], failure["second_lost"]) == ("查|`1", NASTY, "pool")
    assert (tmp_path / "a" / "b" / "compare.md").read_text("utf-8") == comparison_markdown(comparison)


def test_three_runs_are_two_parts_of_every_form() -> None:
    runs = [scores([found()] * 10, stored(name)) for name in "abc"]
    comparison = compare(runs)
    assert printed(comparison).count("A = name of a (a), B = ") == 2
    assert comparison_markdown(comparison).count("## A = name of a") == 2
    assert [pair["second"] for pair in comparison_values(comparison)["pairs"]] == ["b", "c"]
