"""Suites: their revision, their check against a snapshot, and their round trip through files."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.chunkers import Heading, WholeDocument
from runner.documents import Document
from runner.errors import ConfigError, InputError
from runner.snapshots import Snapshot
from runner.suite_formats.own import read_own, write_own
from runner.suites import JudgedQuery, Suite

SNAPSHOT = Snapshot.build(
    [
        Document("plans/team.md", "Team", "# Team\n\nx\n\n## Limits\n\ny\n\n## Message size\n\nz"),
        Document("方案.md", "方案", "# 方案\n\n甲\n\n## 訊息大小\n\n乙"),
    ],
    Heading(),
)
QUERY = JudgedQuery(
    "q1",
    "how many?",
    {"plans/team.md#limits": 2, "方案.md#訊息大小": 0},
    {"lang": "en", "n": 1.5, "tags": ["a"]},
    source="click",
    added="2026-09-20",
    history=("first", "second"),
    lines={"plans/team.md#limits": 3},
)
SUITE = Suite("core", "development", "passage", (QUERY,), path="core.jsonl")


def test_a_good_suite_passes_the_check() -> None:
    SUITE.check(SNAPSHOT)
    replace(SUITE, snapshot=SNAPSHOT.id).check(SNAPSHOT)


def judging(*ids: str, unit: str = "passage") -> Suite:
    query = JudgedQuery("q1", "x", dict.fromkeys(ids, 1), lines={id_: n for n, id_ in enumerate(ids, 5)})
    return Suite("core", "development", unit, (query,), path="core.jsonl")


def refusal(suite: Suite) -> str:
    with pytest.raises(InputError) as caught:
        suite.check(SNAPSHOT)
    return str(caught.value)


def test_every_judged_item_that_does_not_exist_is_told_with_the_nearest_ones() -> None:
    message = refusal(judging("plans/team.md#limit", "plans/Team.md#limits", "方案.md#訊息的大小", "zzzzzz"))
    assert "core.jsonl: 4 problems" in message
    says = "a passage that snapshot " + SNAPSHOT.id + " does not hold"
    assert f"core.jsonl:5: query 'q1' judges 'plans/team.md#limit', {says}; nearest: 'plans/team.md#limits'" in message
    assert f"core.jsonl:6: query 'q1' judges 'plans/Team.md#limits', {says}; nearest: 'plans/team.md#limits'" in message
    assert f"core.jsonl:7: query 'q1' judges '方案.md#訊息的大小', {says}; nearest: '方案.md#訊息大小'" in message
    assert message.endswith(f"core.jsonl:8: query 'q1' judges 'zzzzzz', {says}")


def test_an_id_of_the_other_unit_is_recognised() -> None:
    assert "it holds this id as its other unit" in refusal(judging("plans/team.md"))
    assert "it holds this id as its other unit" in refusal(judging("plans/team.md#limits", unit="document"))


def test_many_missing_items_are_counted_not_all_listed() -> None:
    message = refusal(judging(*(f"gone-{n}" for n in range(5000))))
    assert "5000 problems" in message
    assert message.endswith("... and 4980 more")


def test_a_unit_that_there_is_not_is_refused() -> None:
    message = refusal(judging("x", unit="sentence"))
    assert "judges the unit 'sentence', expected one of document, passage, span" in message


def test_a_suite_pinned_to_another_snapshot_is_refused_with_both_ids() -> None:
    other = Snapshot.build(SNAPSHOT.documents, WholeDocument())
    message = refusal(replace(SUITE, snapshot=other.id))
    assert f"is pinned to snapshot {other.id}, this one is {SNAPSHOT.id}" in message


def test_the_order_of_queries_and_judgments_does_not_change_the_revision() -> None:
    other = JudgedQuery("q0", "y", {"plans/team.md#team": 1})
    turned = replace(QUERY, grades=dict(reversed(list(QUERY.grades.items()))), lines={})
    assert replace(SUITE, queries=(QUERY, other)).revision == replace(SUITE, queries=(other, turned)).revision


def test_the_name_the_pin_and_the_declared_slices_do_not_change_the_revision() -> None:
    assert replace(SUITE, name="other", snapshot="x", slices=("lang",), path="").revision == SUITE.revision
    assert len(SUITE.revision) == 16


def test_everything_that_decides_scores_changes_the_revision() -> None:
    queries = [
        replace(QUERY, id="q2"),
        replace(QUERY, text="how many"),
        replace(QUERY, grades={"plans/team.md#limits": 1, "方案.md#訊息大小": 0}),
        replace(QUERY, grades={"plans/team.md#limits": 2}),
        replace(QUERY, fields={"lang": "zh"}),
        replace(QUERY, answerable=False),
        replace(QUERY, judged=False),
        replace(QUERY, source="human"),
        replace(QUERY, added=None),
        replace(QUERY, history=("first",)),
    ]
    suites = [
        SUITE,
        *(replace(SUITE, queries=(query,)) for query in queries),
        replace(SUITE, queries=()),
        replace(SUITE, unit="document"),
        replace(SUITE, min_grade=2),
        replace(SUITE, role="holdout"),
        replace(SUITE, history_mode="ignore"),
    ]
    assert len({suite.revision for suite in suites}) == len(suites)


def test_follow_ups_are_asked_with_or_without_the_earlier_turns() -> None:
    assert SUITE.query_text(QUERY) == "first\nsecond\nhow many?"
    assert SUITE.query_text(QUERY, "ignore") == "how many?"
    assert replace(SUITE, history_mode="ignore").query_text(QUERY) == "how many?"
    assert replace(SUITE, history_mode="ignore").query_text(QUERY, "prepend") == "first\nsecond\nhow many?"
    assert SUITE.query_text(replace(QUERY, history=())) == "how many?"
    with pytest.raises(ConfigError, match="history must be one of prepend, ignore, found 'append'"):
        SUITE.query_text(QUERY, "append")


def test_what_is_dumped_is_loaded_with_the_same_revision(tmp_path: Path) -> None:
    queries = (
        QUERY,
        JudgedQuery("q2", "沒有答案？", {}, answerable=False),
        JudgedQuery("q3", "", {"plans/team.md#limits": 1}, judged=False),
        JudgedQuery("q4", 'line\u2028end \x85 \\ "', {"方案.md#訊息大小": 2}, {"source": "wiki", "lang": None}),
    )
    suite = Suite("名: #1", "holdout", "passage", queries, "0123456789012345", ("lang", "lang x source"), 2, "ignore")
    assert write_own(suite, tmp_path / "deep" / "er") == tmp_path / "deep" / "er" / "suite.yaml"
    again = read_own(tmp_path / "deep" / "er")
    assert again == suite
    assert again.revision == suite.revision


def test_a_suite_without_texts_can_be_dumped(tmp_path: Path) -> None:
    suite = Suite("cases", "development", "document", (JudgedQuery("q", "", {"a": 1}),))
    write_own(suite, tmp_path)
    assert read_own(tmp_path) == suite
