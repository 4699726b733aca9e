"""Judged spans and documents in another snapshot."""

from pathlib import Path
from typing import Any

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, moved, outcomes, pages, query, snapshot

from runner.annotation.migration.migrate import Migration
from runner.chunkers import Heading, WholeDocument, Window
from runner.documents import Document
from runner.snapshots import Snapshot

SPANS = "name: facts\nunit: span\n"
# The section that is judged stays, all around it changes.
BEFORE, AFTER = (
    "a.md\n# L\n\n{}\n\n# M\n\n" + OTHER,
    "a.md\n# A\n\nEverything here is new.\n\n# L\n\n{}\n\n# M\n\nNew end.",
)
INTRO = "Everything on this page was measured last spring, on machines that are rented out since.\n\n"


def followed(folder: Path, old: Snapshot, new: Snapshot, *spans: dict[str, Any]) -> Migration:
    head = f'{SPANS}documents: "{old.documents_sha256[:16]}"\n'
    return moved(folder, [query("q1", *spans)], old, new, head)


def quoted(quote: str, document: str = "a.md", **more: Any) -> dict[str, Any]:
    return {"document": document, "quote": quote, **more}


@pytest.mark.parametrize("text", [LIMITS, ZH_LIMITS])
def test_a_quotation_that_is_found_once_in_the_changed_page_is_carried(tmp_path: Path, text: str) -> None:
    old, new = snapshot(pages(BEFORE.format(text))), snapshot(pages(AFTER.format(text)))
    migration = followed(tmp_path, old, new, quoted(text, annotator="wei", note="表格"))
    assert outcomes(migration) == [("carried", f"a.md: {text}", [f"a.md: {text}"])]
    (judged,) = migration.new.queries
    assert judged.judged
    assert (judged.judgments[0].annotator, judged.judgments[0].note) == ("wei", "表格")
    assert (migration.new.snapshot, migration.new.documents) == (None, new.documents_sha256[:16])


def test_line_ends_within_a_quotation_may_be_others(tmp_path: Path) -> None:
    old = snapshot(pages(BEFORE.format(LIMITS)))
    new = snapshot(pages(AFTER.format(LIMITS.replace(" publish ", "\npublish  "))))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    assert [what for what, *_ in outcomes(migration)] == ["carried"]


def test_a_renamed_page_takes_its_spans_along(tmp_path: Path) -> None:
    body = f"{INTRO}{LIMITS}\n\n{OTHER}"
    old = snapshot(pages(f"a.md\n{body}", title="Limits"))
    same, edited = (snapshot(pages(f"b.md\n{body}{more}", title="Limits")) for more in ("", "\n\n# And\n\nNo more."))
    for new in (same, edited):
        migration = followed(tmp_path, old, new, quoted(LIMITS))
        assert outcomes(migration) == [("carried", f"a.md: {LIMITS}", [f"b.md: {LIMITS}"])]


def test_a_quotation_that_was_edited_is_proposed_with_the_nearest_words(tmp_path: Path) -> None:
    edited = LIMITS.replace("hundred", "thousand")
    old = snapshot(pages(f"a.md\n{INTRO}{LIMITS}\n\n{OTHER}"))
    new = snapshot(pages(f"a.md\n{INTRO}{edited}\n\n{OTHER}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    assert outcomes(migration) == [("proposed", f"a.md: {LIMITS}", [f"a.md: {edited}"])]
    assert migration.entries[1].similarity == pytest.approx(0.93, abs=0.03)
    assert migration.waiting == ("q1",)


def test_the_nearest_words_of_a_longer_statement_are_all_of_it(tmp_path: Path) -> None:
    longer = ZH_LIMITS.replace(
        "每分鐘最多可以發佈一百則訊息", "每分鐘最多可以發佈一百則小型的、未壓縮的、一般優先順序的訊息"
    )
    old = snapshot(pages(f"a.md\n前言。\n\n{ZH_LIMITS}\n\n後記在這裡。"))
    new = snapshot(pages(f"a.md\n前言。\n\n{longer}\n\n後記在這裡。"))
    migration = followed(tmp_path, old, new, quoted(ZH_LIMITS))
    assert outcomes(migration) == [("proposed", f"a.md: {ZH_LIMITS}", [f"a.md: {longer}"])]


def test_nearest_words_that_stand_twice_are_told_apart_by_their_start(tmp_path: Path) -> None:
    edited = LIMITS.replace("hundred", "thousand")
    old = snapshot(pages(f"a.md\n{LIMITS}"))
    new = snapshot(pages(f"a.md\n{INTRO}{edited}\n\n{OTHER}\n\n{edited}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    starts = len(INTRO), new.documents[0].text.rindex(edited)
    ((what, _, found),) = outcomes(migration)
    assert what == "proposed"
    assert found in [[f"a.md: {edited} @{start}"] for start in starts]


def test_a_page_that_is_shorter_than_the_words_is_proposed_whole(tmp_path: Path) -> None:
    shorter = LIMITS.removesuffix(" to every one of its queues.")
    old, new = snapshot(pages(f"a.md\n{LIMITS}")), snapshot(pages(f"a.md\n{shorter}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    assert outcomes(migration) == [("proposed", f"a.md: {LIMITS}", [f"a.md: {shorter}"])]


def test_words_that_stand_twice_now_are_proposed_place_by_place(tmp_path: Path) -> None:
    old, new = snapshot(pages(f"a.md\n{LIMITS}")), snapshot(pages(f"a.md\n{LIMITS}\n\n{OTHER}\n\n{LIMITS}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    second = len(LIMITS) + len(OTHER) + 4
    assert outcomes(migration) == [("proposed", f"a.md: {LIMITS}", [f"a.md: {LIMITS} @0", f"a.md: {LIMITS} @{second}"])]


def test_of_two_places_the_one_that_is_left_may_be_the_other(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n# Free\n\n{LIMITS}\n\n# Team\n\n{LIMITS}"))
    new = snapshot(pages(f"a.md\n# Team\n\n{LIMITS}"))
    start = old.documents[0].text.index(LIMITS)
    free = followed(tmp_path, old, new, quoted(LIMITS, start=start))
    assert [what for what, *_ in outcomes(free)] == ["proposed"]
    team = followed(tmp_path, old, new, quoted(LIMITS, start=old.documents[0].text.rindex(LIMITS)))
    assert outcomes(team)[0][0] == "carried"
    assert outcomes(team)[0][2] == [f"a.md: {LIMITS}"]


def test_a_few_words_are_carried_only_within_the_same_line_and_section(tmp_path: Path) -> None:
    table = "a.md\n# Rates\n\n| plan | rate |\n|---|---|\n| Free | {} a minute |\n| Team | {} a minute |\n\n{}"
    old = snapshot(pages(table.format("100", "300", OTHER)))
    shifted = snapshot(pages(table.format("50", "100", OTHER)))
    migration = followed(tmp_path, old, shifted, quoted("100 a minute"))
    assert [what for what, *_ in outcomes(migration)] == ["proposed"]
    elsewhere = snapshot(pages(table.format("100", "300", f"{OTHER}\n\n# More\n\n{LIMITS}")))
    migration = followed(tmp_path, old, elsewhere, quoted("100 a minute"))
    assert outcomes(migration) == [("carried", "a.md: 100 a minute", ["a.md: 100 a minute"])]
    renamed = snapshot(pages(table.format("100", "300", LIMITS).replace("# Rates", "# Former rates")))
    migration = followed(tmp_path, old, renamed, quoted("100 a minute"))
    assert [what for what, *_ in outcomes(migration)] == ["proposed"]
    assert migration.entries[1].note == "same words, other heading"


@pytest.mark.parametrize("text", [LIMITS, OTHER])
def test_a_sentence_under_a_heading_of_a_new_name_is_proposed(tmp_path: Path, text: str) -> None:
    page = f"a.md\n# {{}}\n\n{text}\n\n# {{}}\n\nSomething."
    old = snapshot(pages(page.format("Free", "Team")))
    for names in (("Starter", "Team"), ("Team", "Free"), ("Team", "Pro")):
        migration = followed(tmp_path, old, snapshot(pages(page.format(*names))), quoted(text))
        assert [what for what, *_ in outcomes(migration)] == ["proposed"], names


def test_all_words_on_a_page_of_another_title_are_proposed(tmp_path: Path) -> None:
    old = snapshot((Document("a.md", "Free plan", f"100 a minute\n\n{OTHER}"),))
    new = snapshot((Document("a.md", "Team plan", f"100 a minute\n\n{OTHER}"),))
    for after in (new, snapshot((Document("a.md", "Team plan", f"100 a minute\n\n{OTHER}\n\nMore."),))):
        migration = followed(tmp_path, old, after, quoted("100 a minute"), quoted(OTHER))
        names = ["a.md: 100 a minute", f"a.md: {OTHER}"]
        assert outcomes(migration) == [("proposed", name, [name]) for name in names]
        assert {(entry.similarity, entry.note) for entry in migration.entries[1:]} == {(1.0, "same words, other title")}


def test_the_words_of_a_page_that_is_gone_are_proposed_where_they_stand_alone(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n{LIMITS}\n\nSome more that is nowhere else.", f"b.md\n{OTHER}"))
    new = snapshot(pages(f"b.md\n{OTHER}\n\n{LIMITS}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    assert outcomes(migration) == [("proposed", f"a.md: {LIMITS}", [f"b.md: {LIMITS}"])]
    assert (migration.entries[1].similarity, migration.entries[1].note) == (1.0, "same words, on another page")


@pytest.mark.parametrize(
    ("extra_old", "extra_new", "quote"),
    [
        (LIMITS, "Nothing.", LIMITS),  # stood on two pages before
        ("Nothing.", LIMITS, LIMITS),  # stands on two pages now
        ("Nothing.", "Nothing.", "The free plan"),  # few words
    ],
)
def test_wherever_else_they_stood_or_stand_they_are_proposed(
    tmp_path: Path, extra_old: str, extra_new: str, quote: str
) -> None:
    old = snapshot(pages(f"a.md\n{LIMITS}\n\nSome more.", f"b.md\n{OTHER}", f"c.md\n{extra_old}"))
    new = snapshot(pages(f"b.md\n{OTHER}\n\n{LIMITS}", f"c.md\n{extra_new}"))
    migration = followed(tmp_path, old, new, quoted(quote))
    assert [what for what, *_ in outcomes(migration)] == ["proposed"]
    assert migration.new.queries[0].judged is False


def test_words_that_moved_to_another_page_are_proposed_there(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n{LIMITS}\n\n{INTRO}", f"b.md\n{OTHER}"))
    new = snapshot(pages(f"a.md\n{INTRO}", f"b.md\n{OTHER}\n\n{LIMITS}"))
    migration = followed(tmp_path, old, new, quoted(LIMITS))
    (what, _, found) = outcomes(migration)[0]
    assert (what, found[0]) == ("proposed", f"b.md: {LIMITS}")


def test_words_without_anything_like_them_are_gone(tmp_path: Path) -> None:
    old, new = snapshot(pages(f"a.md\n{LIMITS}")), snapshot(pages("a.md\n完全是另外一回事。", "b.md\n1234567890"))
    assert outcomes(followed(tmp_path, old, new, quoted(LIMITS))) == [("gone", f"a.md: {LIMITS}", [])]


def test_a_range_becomes_the_range_of_the_same_words(tmp_path: Path) -> None:
    old, new = snapshot(pages(BEFORE.format(LIMITS))), snapshot(pages(AFTER.format(LIMITS)))
    before, after = (each.documents[0].text.index(LIMITS) for each in (old, new))
    assert before < after
    ranges = [f"a.md: {start}-{start + len(LIMITS)}" for start in (before, after)]
    migration = followed(tmp_path, old, new, {"document": "a.md", "start": before, "end": before + len(LIMITS)})
    assert outcomes(migration) == [("carried", ranges[0], [ranges[1]])]


def test_a_range_of_an_edited_text_is_proposed_as_a_range(tmp_path: Path) -> None:
    edited = LIMITS.replace("hundred", "thousand")
    old, new = snapshot(pages(f"a.md\n{LIMITS}\n\n{OTHER}")), snapshot(pages(f"a.md\n{INTRO}{edited}"))
    migration = followed(tmp_path, old, new, {"document": "a.md", "start": 0, "end": len(LIMITS)})
    (what, _, found) = outcomes(migration)[0]
    assert (what, found) == ("proposed", [f"a.md: {len(INTRO)}-{len(INTRO) + len(edited)}"])


@pytest.mark.parametrize("chunker", [WholeDocument(), Window(40, 5), Heading()])
def test_another_chunker_changes_no_span(tmp_path: Path, chunker: Any) -> None:
    documents = pages(f"a.md\n{LIMITS}\n\n100 a minute", f"b.md\n{ZH_LIMITS}")
    old, new = snapshot(documents), snapshot(documents, chunker)
    spans = [quoted("100 a minute"), quoted(ZH_LIMITS, "b.md"), {"document": "a.md", "start": 0, "end": 3}]
    migration = followed(tmp_path, old, new, *spans)
    assert [what for what, *_ in outcomes(migration)] == ["carried"] * 3
    assert migration.new.revision == migration.old.revision


def test_spans_that_become_one_keep_the_better_judgment(tmp_path: Path) -> None:
    section = f"# Plan\n\n# Free\n\n{LIMITS}\n\n"
    old, new = snapshot(pages(f"a.md\n{section}{section}")), snapshot(pages(f"a.md\n{section}"))
    first, second = (find(LIMITS) for find in (old.documents[0].text.index, old.documents[0].text.rindex))
    spans = [
        quoted(LIMITS, start=first, grade=1, annotator="wei"),
        quoted(LIMITS, start=second, grade=2, annotator="lin"),
    ]
    migration = followed(tmp_path, old, new, *spans)
    (judged,) = migration.new.queries
    assert [(each.grade, each.annotator) for each in judged.every_judgment] == [(2, "lin")]


DOCUMENTS = "name: pages\nunit: document\n"


def test_documents_are_carried_while_their_text_stays(tmp_path: Path) -> None:
    first, second = (Document("c.md", "C", ZH_LIMITS, {"updated": each}) for each in ("1", "2"))
    old = snapshot((*pages(f"a.md\n{LIMITS}", f"b.md\n{OTHER}", title="Limits"), first))
    new = snapshot((*pages(f"a.md\n{LIMITS}", f"z.md\n{OTHER}", title="Limits"), second))
    migration = moved(tmp_path, [query("q1", "a.md", "b.md", "c.md")], old, new, DOCUMENTS)
    assert outcomes(migration) == [
        ("carried", "a.md", ["a.md"]),
        ("carried", "b.md", ["z.md"]),
        ("carried", "c.md", ["c.md"]),
    ]
    assert (migration.new.snapshot, migration.new.documents) == (None, new.documents_sha256[:16])


def test_changed_documents_are_proposed_and_removed_ones_are_gone(tmp_path: Path) -> None:
    old = snapshot(pages(f"a.md\n{LIMITS}", f"b.md\n{OTHER}", f"c.md\n{ZH_LIMITS}"))
    new = snapshot(pages(f"a.md\n{LIMITS} {OTHER}", f"c.md\n{ZH_LIMITS.replace('一百', '兩百')}"))
    migration = moved(tmp_path, [query("q1", "a.md", "b.md", "c.md")], old, new, DOCUMENTS)
    assert outcomes(migration) == [
        ("proposed", "a.md", ["a.md"]),
        ("gone", "b.md", []),
        ("proposed", "c.md", ["c.md"]),
    ]
    words_before, words_after = len(LIMITS.split()), len(LIMITS.split()) + len(OTHER.split())
    assert migration.entries[1].similarity == pytest.approx(2 * words_before / (words_before + words_after), abs=1e-4)
    assert migration.entries[3].similarity is not None
    assert migration.entries[3].similarity > 0.95


@pytest.mark.parametrize("text", ["100", LIMITS])
def test_a_page_under_another_title_is_proposed(tmp_path: Path, text: str) -> None:
    old, new = snapshot((Document("a.md", "Free", text),)), snapshot((Document("a.md", "Team", text),))
    migration = moved(tmp_path, [query("q1", "a.md")], old, new, DOCUMENTS)
    assert outcomes(migration) == [("proposed", "a.md", ["a.md"])]
    assert (migration.entries[1].similarity, migration.entries[1].note) == (1.0, "same text, other title")
