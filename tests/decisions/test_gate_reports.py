"""A verdict as a person, a pull request and a CI server read it."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from decide_scores import found, lost, policy, rule, scores, stored

from runner.decisions.gating import GateResult, judge
from runner.reports.gate import gate_lines, gate_markdown, headline, write_reports

NASTY = "<script>alert(1)</script> | `x` *y*\n第二行"


@pytest.fixture(scope="module")
def result() -> GateResult:
    """One rule of each kind: passed, failed and blocking, failed as a warning, undecided."""
    before = [found("topic.額度", id=f"查詢|{number}`", text=NASTY) for number in range(20)]
    after = [lost("topic.額度", id=f"查詢|{number}`", text=NASTY) for number in range(20)]
    rest = [found("topic.rest") for _ in range(180)]
    rules = [
        rule("mean", min=0.8),
        rule("額度 | <b>found</b>", slice="topic.額度", max_drop=0.1),
        rule("soft", slice="topic.額度", min=0.9, severity="warn"),
        rule("many", slice="topic.rest", min=0.5, min_queries=1000),
    ]
    runs = scores(after + rest, stored("new")), scores(before + rest, stored("old"))
    return judge(policy(*rules), *runs, notes=["a note with <i>tags</i> & a | bar"])


@pytest.fixture(scope="module")
def folder(result: GateResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("reports") / "deep" / "gate"
    write_reports(result, at)
    return at


def test_the_headline_names_what_blocks_and_nothing_else(result: GateResult) -> None:
    assert headline(result) == "gate by hand: BLOCKED name of new (new) by 額度 | <b>found</b>"


def test_a_pass_names_its_warnings() -> None:
    run = scores([found()] * 20, stored("new"))
    assert headline(judge(policy(rule(min=0.5)), run, None)) == "gate by hand: passed name of new (new)"
    warned = judge(policy(rule(min=0.5), rule("tall", min=0.99)), run, None)
    assert headline(warned) == "gate by hand: passed name of new (new), with warnings from tall"


def test_the_terminal_shows_each_rule_with_its_reasons_and_the_queries_that_lost(result: GateResult) -> None:
    text = "\n".join(gate_lines(result))
    assert "against name of old (old)" in text
    assert "pass         mean: recall k=5 all (n=200, block)" in text
    assert "FAIL         soft: recall k=5 topic.額度 (n=20, warn)" in text
    assert "inconclusive many: recall k=5 topic.rest (n=180, block)" in text
    assert "changed by -1.000 [-1.000, -0.831], allowed -0.100" in text
    assert "180 of at least 1000 queries" in text
    assert "lost most: 查詢|0`, 查詢|1`" in text
    assert "note: a note with <i>tags</i> & a | bar" in text


def test_the_json_holds_every_verdict_and_the_whole_policy(result: GateResult, folder: Path) -> None:
    values = json.loads((folder / "gate.json").read_text("utf-8"))
    assert (values["blocked"], values["run"], values["baseline"]) == (True, "new", "old")
    assert values["policy"] == result.policy.model_dump(mode="json")
    seen = {each["rule"]: each for each in values["verdicts"]}
    assert {name: each["outcome"] for name, each in seen.items()} == {
        "mean": "pass",
        "額度 | <b>found</b>": "fail",
        "soft": "fail",
        "many": "inconclusive",
    }
    assert seen["mean"]["value"]["value"] == pytest.approx(0.9)
    failed = seen["額度 | <b>found</b>"]
    assert (failed["n"], failed["baseline"], failed["difference"]["value"]) == (20, 1, -1)
    assert failed["lost_most"] == [f"查詢|{number}`" for number in range(5)]


def test_the_xml_has_one_case_a_rule_and_only_what_blocks_is_a_failure(folder: Path) -> None:
    suite = ElementTree.parse(folder / "gate.xml").getroot()
    counts = {key: suite.get(key) for key in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "4", "failures": "1", "skipped": "2", "errors": "0"}
    kinds = {str(case.get("name")): [part.tag for part in case] for case in suite.iter("testcase")}
    assert kinds == {
        "mean": ["system-out"],
        "額度 | <b>found</b>": ["failure"],
        "soft": ["skipped"],
        "many": ["skipped"],
    }
    failure = suite.find(".//failure")
    assert failure is not None and "allowed -0.100" in str(failure.get("message"))


def test_the_xml_survives_characters_that_xml_has_no_place_for(tmp_path: Path) -> None:
    name = "bell \x07 & <tag> \x1b[0m"
    write_reports(judge(policy(rule(name, min=0.5, slice="a.\x08")), scores([lost("a.\x08")] * 20), None), tmp_path)
    case = ElementTree.parse(tmp_path / "gate.xml").getroot().find("testcase")
    assert case is not None and case.get("name") == "bell   & <tag>  [0m"


def test_the_markdown_is_one_table_row_a_rule_whatever_the_names_hold(result: GateResult, folder: Path) -> None:
    text = (folder / "gate.md").read_text("utf-8")
    assert text == gate_markdown(result)
    lines = text.splitlines()
    assert lines[0] == "## Retrieval gate: blocked"
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 4
    columns = {row.replace("\\|", "").count("|") for row in rows}
    assert columns == {10}
    failed = next(row for row in rows if row.startswith("| **FAIL** | 額度 \\| \\<b\\>found\\</b\\> |"))
    assert "| recall, k=5 | topic.額度 | 20 | 0.000 | 1.000 | -1.000 |" in failed
    assert "| **FAIL** (warn) | soft |" in text


def test_the_markdown_lets_no_text_of_a_query_become_markup(folder: Path) -> None:
    text = (folder / "gate.md").read_text("utf-8")
    assert "<script>" not in text and "<i>" not in text
    # An id with a backtick is fenced by two.
    assert "found\\</b\\>: `` 查詢|0` `` \\<script\\>alert(1)\\</script\\> \\| \\`x\\` \\*y\\* 第二行" in text


def test_a_passed_gate_says_so_in_every_form(tmp_path: Path) -> None:
    result = judge(policy(rule(min=0.5)), scores([found()] * 20), None)
    write_reports(result, tmp_path)
    assert (tmp_path / "gate.md").read_text("utf-8").startswith("## Retrieval gate: passed\n")
    values: dict[str, Any] = json.loads((tmp_path / "gate.json").read_text("utf-8"))
    assert (values["blocked"], values["baseline"]) == (False, None)
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "0"
