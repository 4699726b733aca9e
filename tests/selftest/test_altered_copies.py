"""Copies of snapshots and suites with something removed, renamed or doubled."""

from collections.abc import Sequence

import pytest
from drill_library import Library, cut, question

from runner.chunkers import Window
from runner.documents.document import Document
from runner.selftest.evidence import EvidencePart, evidence_of
from runner.selftest.perturbations import copied, moved, new_mark, pinned, renamed, with_copies, without
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


def evidence(snapshot: Snapshot, unit: str, *ids: str) -> list[EvidencePart]:
    """The pieces of passages, or of documents."""
    return list(evidence_of(suite(question("q", "text", ids), unit=unit), snapshot).values())


def quoted(*quotes: tuple[str, str]) -> Suite:
    """A suite whose one question is answered by these words of these documents."""
    spans = [Span(document, words) for document, words in quotes]
    query = JudgedQuery("q", "text", {each.id: 2 for each in spans}, spans={each.id: each for each in spans})
    return suite(query, unit="span")


def shown(suite: Suite, snapshot: Snapshot) -> list[EvidencePart]:
    """The pieces of a suite's spans, each once."""
    return list(dict.fromkeys(evidence_of(suite, snapshot).values()))


def test_a_removed_passage_is_gone_and_nothing_else_changes(snapshot: Snapshot) -> None:
    left = without(snapshot, evidence(snapshot, "passage", "en/a.md#one"))
    assert texts(left) == {id_: text for id_, text in texts(snapshot).items() if id_ != "en/a.md#one"}
    assert left.documents == snapshot.documents
    assert left.id != snapshot.id
    assert left.id == left.content_id()


def test_a_removed_document_takes_its_passages_with_it(snapshot: Snapshot) -> None:
    left = without(snapshot, evidence(snapshot, "document", "en/a.md"))
    assert left.units("document") == ("en/a.md-b.md", "zh/退款.md")
    assert left.units("passage") == ("en/a.md-b.md#one", "zh/退款.md#期限")


def test_a_removed_span_takes_its_words_and_the_passage_that_shows_them(snapshot: Snapshot) -> None:
    [part] = shown(quoted(("en/a.md", "First")), snapshot)
    assert (part.id, part.passages) == ("en/a.md#one", ("en/a.md#one",))
    left = without(snapshot, [part])
    assert texts(left) == {id_: text for id_, text in texts(snapshot).items() if id_ != "en/a.md#one"}
    assert left.units("document") == snapshot.units("document")
    assert left.documents[0].text == snapshot.documents[0].text.replace("First", "")
    assert left.documents[1:] == snapshot.documents[1:]


@pytest.mark.parametrize(
    ("words", "together"),
    [
        (["First", "Third"], [["First"], ["Third"]]),
        (["First", "Second", "Third"], [["First", "Second"], ["Third"]]),
        (["Second. Third", "Fourth", "Sixth"], [["Second. Third", "Fourth"], ["Sixth"]]),
        (["First. Second. Third", "Second", "Fifth"], [["First. Second. Third", "Second"], ["Fifth"]]),
        (["First. Second. Third. Fourth. Fifth", "Fourth"], [["First. Second. Third. Fourth. Fifth", "Fourth"]]),
    ],
)
def test_spans_that_a_passage_shows_together_go_together(words: Sequence[str], together: list[list[str]]) -> None:
    text = "First. Second. Third. Fourth. Fifth. Sixth"
    snapshot = Snapshot.build([Document("a.md", "a", text)], Window(size=16, overlap=0))
    asked = quoted(*(("a.md", each) for each in words))
    found = [[asked.queries[0].spans[id_].quote for id_ in part.judged] for part in shown(asked, snapshot)]
    assert found == together


def test_spans_that_overlap_go_together_where_no_passage_shows_them(snapshot: Snapshot) -> None:
    [part] = shown(quoted(("en/a.md", "## One"), ("en/a.md", "One")), snapshot)
    assert (part.id, part.passages, len(part.judged)) == ("en/a.md “## One”", (), 2)
    left = without(snapshot, [part])
    assert texts(left) == texts(snapshot)
    assert left.documents[0].text == snapshot.documents[0].text.replace("## One", "")


def test_words_that_several_spans_hold_are_cut_once(snapshot: Snapshot) -> None:
    found = shown(quoted(("en/a.md", "First. ## Two Second."), ("en/a.md", "Two"), ("en/a.md", "Second.")), snapshot)
    assert [part.passages for part in found] == [("en/a.md#one", "en/a.md#two")]
    assert without(snapshot, found).documents[0].text == "# a\n\n## One\n\n\n"


def test_spans_by_their_number_go_with_the_whole_document(snapshot: Snapshot) -> None:
    span = Span("en/a.md", None, 13, 19)
    [part] = shown(suite(JudgedQuery("q", "text", {span.id: 1}, spans={span.id: span}), unit="span"), snapshot)
    assert (part.id, part.whole) == ("en/a.md", True)


def test_a_moved_passage_has_the_same_text_and_place_under_another_id(snapshot: Snapshot) -> None:
    there = moved(snapshot, evidence(snapshot, "passage", "en/a.md#one"), " (moved)")
    assert there.units("passage") == (
        "en/a.md#one (moved)",
        "en/a.md#two",
        "en/a.md-b.md#one",
        "zh/退款.md#期限",
    )
    assert list(texts(there).values()) == list(texts(snapshot).values())
    assert there.id != snapshot.id


def test_a_moved_document_renames_its_passages_and_stands_where_it_stood(snapshot: Snapshot) -> None:
    there = moved(snapshot, evidence(snapshot, "document", "en/a.md", "zh/退款.md"), " (moved)")
    assert there.units("document") == ("en/a.md (moved)", "en/a.md-b.md", "zh/退款.md (moved)")
    assert there.units("passage") == (
        "en/a.md#one (moved)",
        "en/a.md#two (moved)",
        "en/a.md-b.md#one",
        "zh/退款.md#期限 (moved)",
    )
    assert list(texts(there).values()) == list(texts(snapshot).values())


def test_a_moved_span_is_shown_by_the_same_passage_of_another_document(snapshot: Snapshot) -> None:
    old = quoted(("en/a.md", "First."), ("zh/退款.md", "天內"))
    found = shown(old, snapshot)
    there = moved(snapshot, found, " (moved)")
    assert list(texts(there).values()) == list(texts(snapshot).values())
    new = renamed(old, found, " (moved)", there)
    new.check(there)
    assert {span.document for span in new.queries[0].spans.values()} == {
        "en/a.md#one (moved)",
        "zh/退款.md#期限 (moved)",
    }
    assert list(new.queries[0].grades.values()) == [2, 2]


def test_a_copy_stands_beside_what_it_copies(snapshot: Snapshot) -> None:
    twice = copied(snapshot, evidence(snapshot, "passage", "zh/退款.md#期限"), " (copy)")
    assert len(twice.passages) == len(snapshot.passages) + 1
    assert texts(twice)["zh/退款.md#期限 (copy)"] == texts(twice)["zh/退款.md#期限"] == "七天內。"
    whole = copied(snapshot, evidence(snapshot, "document", "en/a.md"), " (copy)")
    assert len(whole.documents) == 4
    assert texts(whole)["en/a.md#two (copy)"] == "Second."


def test_a_new_name_is_one_that_nothing_has() -> None:
    assert new_mark(cut({"en/a.md": "# a\n\ntext\n"}), "moved") == " (moved)"
    assert new_mark(cut({"en/a.md (moved)": "# b\n\ntext\n"}), "moved") == " (moved)*"


def test_the_original_is_left_as_it_was(snapshot: Snapshot) -> None:
    before = (snapshot.id, texts(snapshot), snapshot.content_id())
    for found in (evidence(snapshot, "document", "en/a.md"), shown(quoted(("en/a.md", "First")), snapshot)):
        moved(snapshot, found, " (x)")
        copied(snapshot, found, " (x)")
        without(snapshot, found)
    assert (snapshot.id, texts(snapshot), snapshot.content_id()) == before


def test_judgments_are_led_to_new_ids_with_all_that_was_said(snapshot: Snapshot) -> None:
    one, two = "en/a.md#one", "en/a.md#two"
    said = (Judgment(one, 2, annotator="wei"), Judgment(one, 0, annotator="ann"), Judgment(two, 1))
    old = suite(JudgedQuery("q", "text", {one: 2, two: 1}, judgments=said, lines={one: 3}))
    new = renamed(old, evidence(snapshot, "passage", one), " (c)", snapshot)
    assert new.queries[0].grades == {f"{one} (c)": 2, two: 1}
    assert [each.id for each in new.queries[0].judgments] == [f"{one} (c)", f"{one} (c)", two]
    assert [each.annotator for each in new.queries[0].judgments] == ["wei", "ann", None]
    assert new.revision != old.revision
    assert (new.snapshot, new.documents) == (snapshot.id, None)
    assert old.queries[0].grades == {one: 2, two: 1}


def test_copies_are_judged_as_what_they_copy(snapshot: Snapshot) -> None:
    asked = suite(question("q", "text", ["en/a.md#one", "en/a.md#two"]))
    both = with_copies(asked, evidence(snapshot, "passage", "en/a.md#one"), " (c)", snapshot)
    assert both.queries[0].grades == {"en/a.md#one": 1, "en/a.md#two": 1, "en/a.md#one (c)": 1}
    spans = quoted(("en/a.md", "First."))
    query = with_copies(spans, shown(spans, snapshot), " (c)", snapshot).queries[0]
    assert [each.document for each in query.spans.values()] == ["en/a.md", "en/a.md#one (c)"]
    assert set(query.grades) == set(query.spans)
    assert list(query.grades.values()) == [2, 2]


def test_a_pinned_copy_is_still_held_against_what_is_there(library: Library) -> None:
    snapshot, old = library.snapshot(library.settings({})), library.suite(library.settings({}))
    pinned(old, snapshot).check(snapshot)
    assert pinned(old, snapshot).revision == old.revision
