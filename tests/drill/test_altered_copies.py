"""Copies of snapshots and suites with something removed, renamed or doubled."""

import pytest
from drill_library import Library, cut, question

from runner.drilling.altered import (
    copied,
    moved,
    new_names,
    pinned,
    renamed,
    target_of,
    target_unit,
    with_copies,
    without,
)
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Span, Suite

PAGES = {
    "en/a.md": "# a\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n",
    "en/a.md-b.md": "# ab\n\n## One\n\nThird.\n",
    "zh/退款.md": "# 退款\n\n## 期限\n\n七天內。\n",
}


@pytest.fixture
def snapshot() -> Snapshot:
    return cut(PAGES)


def texts(snapshot: Snapshot) -> dict[str, str]:
    return {passage.id: snapshot.text(passage) for passage in snapshot.passages}


def suite(*queries: JudgedQuery, unit: str = "passage") -> Suite:
    return Suite("core", "development", unit, queries, documents="abc")


def test_a_removed_passage_is_gone_and_nothing_else_changes(snapshot: Snapshot) -> None:
    left = without(snapshot, "passage", ["en/a.md#one"])
    assert texts(left) == {id_: text for id_, text in texts(snapshot).items() if id_ != "en/a.md#one"}
    assert left.documents == snapshot.documents
    assert left.id != snapshot.id
    assert left.id == left.content_id()


def test_a_removed_document_takes_its_passages_with_it(snapshot: Snapshot) -> None:
    left = without(snapshot, "document", ["en/a.md"])
    assert left.units("document") == ("en/a.md-b.md", "zh/退款.md")
    assert left.units("passage") == ("en/a.md-b.md#one", "zh/退款.md#期限")


def test_a_moved_passage_has_the_same_text_and_place_under_another_id(snapshot: Snapshot) -> None:
    names = new_names(snapshot, "passage", ["en/a.md#one"], "moved")
    there = moved(snapshot, "passage", names)
    assert there.units("passage") == (
        "en/a.md#one (moved)", "en/a.md#two", "en/a.md-b.md#one", "zh/退款.md#期限",
    )  # fmt: skip
    assert list(texts(there).values()) == list(texts(snapshot).values())
    assert there.id != snapshot.id


def test_a_moved_document_renames_its_passages_and_stands_where_it_stood(snapshot: Snapshot) -> None:
    names = new_names(snapshot, "document", ["en/a.md", "zh/退款.md"], "moved")
    there = moved(snapshot, "document", names)
    assert there.units("document") == ("en/a.md (moved)", "en/a.md-b.md", "zh/退款.md (moved)")
    assert there.units("passage") == (
        "en/a.md (moved)#one", "en/a.md (moved)#two", "en/a.md-b.md#one", "zh/退款.md (moved)#期限",
    )  # fmt: skip
    assert list(texts(there).values()) == list(texts(snapshot).values())


def test_a_copy_stands_beside_what_it_copies(snapshot: Snapshot) -> None:
    twice = copied(snapshot, "passage", {"zh/退款.md#期限": "zh/退款.md#期限 (copy)"})
    assert len(twice.passages) == len(snapshot.passages) + 1
    assert texts(twice)["zh/退款.md#期限 (copy)"] == texts(twice)["zh/退款.md#期限"] == "七天內。"
    whole = copied(snapshot, "document", {"en/a.md": "en/a.md (copy)"})
    assert len(whole.documents) == 4
    assert texts(whole)["en/a.md (copy)#two"] == "Second."


def test_a_new_name_is_one_that_nothing_has() -> None:
    pages = {"en/a.md": "# a\n\ntext\n", "en/a.md (moved)": "# b\n\ntext\n"}
    assert new_names(cut(pages), "document", ["en/a.md"], "moved") == {"en/a.md": "en/a.md (moved)*"}


def test_the_original_is_left_as_it_was(snapshot: Snapshot) -> None:
    before = (snapshot.id, texts(snapshot), snapshot.content_id())
    for alter in (moved, copied):
        alter(snapshot, "document", {"en/a.md": "en/x.md"})
    without(snapshot, "passage", ["en/a.md#one"])
    assert (snapshot.id, texts(snapshot), snapshot.content_id()) == before


def test_judgments_are_led_to_new_ids_with_all_that_was_said(snapshot: Snapshot) -> None:
    said = (Judgment("a", 2, annotator="wei"), Judgment("a", 0, annotator="ann"), Judgment("b", 1))
    query = JudgedQuery("q", "text", {"a": 2, "b": 1}, judgments=said, lines={"a": 3})
    old = suite(query)
    new = renamed(old, {"a": "c"}, snapshot)
    assert new.queries[0].grades == {"c": 2, "b": 1}
    assert [each.id for each in new.queries[0].judgments] == ["c", "c", "b"]
    assert [each.annotator for each in new.queries[0].judgments] == ["wei", "ann", None]
    assert new.revision != old.revision
    assert (new.snapshot, new.documents) == (snapshot.id, None)
    assert old.queries[0].grades == {"a": 2, "b": 1}


def test_a_span_is_led_to_the_document_s_new_id(snapshot: Snapshot) -> None:
    span = Span("zh/退款.md", "七天內")
    query = JudgedQuery("q", "幾天", {span.id: 1}, spans={span.id: span})
    new = renamed(suite(query, unit="span"), {"zh/退款.md": "zh/x.md"}, snapshot).queries[0]
    assert list(new.spans.values()) == [Span("zh/x.md", "七天內")]
    assert new.grades == {Span("zh/x.md", "七天內").id: 1}
    assert target_of(query, span.id) == "zh/退款.md"


def test_copies_are_judged_as_what_they_copy(snapshot: Snapshot) -> None:
    both = with_copies(suite(question("q", "text", ["a", "b"])), {"a": "a (copy)"}, snapshot)
    assert both.queries[0].grades == {"a": 1, "b": 1, "a (copy)": 1}
    span = Span("en/a.md", "First.")
    spans = suite(JudgedQuery("q", "text", {span.id: 2}, spans={span.id: span}), unit="span")
    query = with_copies(spans, {"en/a.md": "en/b.md"}, snapshot).queries[0]
    assert [each.document for each in query.spans.values()] == ["en/a.md", "en/b.md"]
    assert set(query.grades) == set(query.spans)
    assert list(query.grades.values()) == [2, 2]


def test_a_pinned_copy_is_still_held_against_what_is_there(library: Library) -> None:
    snapshot, old = library.snapshot(library.settings({})), library.suite(library.settings({}))
    pinned(old, snapshot).check(snapshot)
    assert pinned(old, snapshot).revision == old.revision


@pytest.mark.parametrize(("unit", "altered"), [("passage", "passage"), ("document", "document"), ("span", "document")])
def test_spans_are_altered_with_their_document(unit: str, altered: str) -> None:
    assert target_unit(suite(unit=unit)) == altered
