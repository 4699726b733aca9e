"""Which judged queries a change touches, whatever the unit of their suite."""

import pytest
from change_pages import Sections, snapshot

from runner.alignment.difference import Difference
from runner.alignment.impact import JudgmentImpact
from runner.errors import InputError
from runner.reports.diff import similarity_text
from runner.reports.diff_files import difference_markdown
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Span, Suite

RETRY = "A delivery that fails is tried again after one minute, then after ten, and at last after one hour."
ORDER = "Messages of one group arrive in the order in which they were published; groups overtake each other."
費用 = "每一百萬則訊息收取一點二美元，超出內含用量的部分才計費，月底結算，並寄送明細到帳務信箱。"
BEFORE: dict[str, str | Sections] = {
    "a.md": {"Retry": RETRY, "Order": ORDER},
    "費.md": {"費用": 費用},
    "same.md": "Same.",
}
AFTER: dict[str, str | Sections] = {
    "a.md": {"Retry": RETRY.replace("one hour", "six hours")},
    "b.md": {"Order": ORDER},
    "費.md": {"費用": 費用, "退款": "可在三十天內按比例退回，月繳方案則不退，重複扣款一定全額退還，請附上發票號碼。"},
    "same.md": "Same.",
}


def suite(unit: str, *queries: JudgedQuery, pinned: Snapshot | None = None) -> Suite:
    return Suite("核心", "regression", unit, queries, snapshot=pinned.id if pinned else None, path="核心.jsonl")


def judgments_hit(asked: Suite) -> dict[str, tuple[JudgmentImpact, ...]]:
    difference = Difference.between(snapshot(BEFORE), snapshot(AFTER), [asked])
    ((_, impacts),) = difference.impacts
    return {each.query.id: each.judgments_hit for each in impacts}


def test_passages_are_touched_by_any_change_but_none() -> None:
    found = judgments_hit(
        suite(
            "passage",
            JudgedQuery("q2", "how often?", {"a.md#retry": 2, "same.md#top": 1}),
            JudgedQuery("q1", "what order?", {"a.md#order": 1, "a.md#retry": 0}),
            JudgedQuery("q3", "多少錢？", {"費.md#費用": 1}),
        )
    )
    assert list(found) == ["q1", "q2"]
    assert found["q1"][0] == JudgmentImpact("a.md#order", 1, "moved", ("b.md#order",), 1.0)
    assert [(each.id, each.grade, each.kind) for each in found["q1"]] == [
        ("a.md#order", 1, "moved"),
        ("a.md#retry", 0, "edited"),
    ]
    assert [(each.id, each.kind) for each in found["q2"]] == [("a.md#retry", "edited")]


def test_documents_are_touched_by_what_became_of_them() -> None:
    found = judgments_hit(
        suite("document", JudgedQuery("q1", "?", {"a.md": 1, "same.md": 1}), JudgedQuery("q2", "?", {"same.md": 1}))
    )
    assert found == {"q1": (JudgmentImpact("a.md", 1, "changed", ("a.md",), 0.0),)}


def test_a_renamed_and_a_removed_document_are_told_apart() -> None:
    old = snapshot({"a.md": {"Retry": RETRY}, "b.md": "Goes away."})
    new = snapshot({"c.md": {"Retry": RETRY}})
    asked = suite("document", JudgedQuery("q", "?", {"a.md": 1, "b.md": 1}))
    ((_, (impacts,)),) = Difference.between(old, new, [asked]).impacts
    assert [(each.id, each.kind, each.new) for each in impacts.judgments_hit] == [
        ("a.md", "renamed", ("c.md",)),
        ("b.md", "removed", ()),
    ]


def spans(query_id: str, *found: Span) -> JudgedQuery:
    judgments = tuple(Judgment(span.id, 1) for span in found)
    return JudgedQuery.of_judgments(query_id, "?", judgments, spans={span.id: span for span in found})


def test_a_span_is_touched_by_the_passages_that_show_it_and_says_whether_its_words_stand() -> None:
    kept, lost = Span("a.md", "after one minute"), Span("a.md", "at last after one hour")
    away, whole = Span("a.md", "groups overtake each other"), Span("費.md", "超出內含用量")
    found = judgments_hit(suite("span", spans("q1", kept, lost), spans("q2", away), spans("q3", whole)))
    assert {id_: [(each.kind, each.stands) for each in those] for id_, those in found.items()} == {
        "q1": [("edited", True), ("edited", False)],
        "q2": [("moved", False)],
    }


def test_a_span_over_two_passages_is_touched_by_both() -> None:
    span = Span("a.md", f"one hour. ## Order {ORDER}")
    found = judgments_hit(suite("span", spans("q", span)))
    assert sorted(each.kind for each in found["q"]) == ["edited", "moved"]


def test_a_suite_of_other_passages_is_refused_before_anything_is_compared() -> None:
    with pytest.raises(InputError, match=r"query 'q' judges 'a\.md#nothing', a passage that snapshot"):
        judgments_hit(suite("passage", JudgedQuery("q", "?", {"a.md#nothing": 1})))
    with pytest.raises(InputError, match="is pinned to snapshot"):
        judgments_hit(suite("passage", JudgedQuery("q", "?", {"a.md#retry": 1}), pinned=snapshot(AFTER)))


def test_a_table_of_queries_holds_ids_with_any_character() -> None:
    old, new = snapshot({"a|`b.md": {"Retry": RETRY}}), snapshot({"c.md": "Nothing."})
    asked = suite("passage", JudgedQuery("q|1", "a *b* | c", {"a|`b.md#retry": 1}))
    text = difference_markdown(Difference.between(old, new, [asked]), ("1", "2"))
    assert "| `q\\|1` | a \\*b\\* \\| c | ``a\\|`b.md#retry`` | 1 | gone |  |" in text


def test_only_what_has_every_word_left_is_shown_as_wholly_alike() -> None:
    assert [similarity_text(value) for value in (1.0, 0.9999, 0.29, 0.0)] == ["1.00", "0.99", "0.29", "0.00"]


def test_without_a_change_no_query_is_touched() -> None:
    same = snapshot(BEFORE)
    asked = suite("passage", JudgedQuery("q", "?", {"a.md#retry": 1}))
    ((_, impacts),) = Difference.between(same, same, [asked]).impacts
    assert impacts == ()
