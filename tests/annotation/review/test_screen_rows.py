"""Whatever is judged, the question, what changed and the prompt stand on one screen."""

import io
from typing import Any

import pytest

from runner.annotation.history.entry import RecordEntry
from runner.annotation.review.passage_texts import PassageTexts
from runner.annotation.review.queue import ReviewItem
from runner.annotation.review.screen import Screen
from runner.chunkers import Heading
from runner.documents import Document
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

ROWS = 24


def page(*paragraphs: str) -> Snapshot:
    return Snapshot.build([Document("a.md", "A", "\n\n".join(["# A", *paragraphs]))], Heading())


def lines(prefix: str, count: int) -> list[str]:
    return [f"{prefix} line {number} says nothing that matters to anybody who asks." for number in range(count)]


def drawn(item: ReviewItem, new: Snapshot, old: Snapshot | None, unit: str, *, whole: bool = False) -> list[str]:
    out = io.StringIO()
    before = PassageTexts(old, unit) if old else None
    Screen(out, PassageTexts(new, unit), before, rows=ROWS).item(item, "1 of 9", whole=whole)
    return out.getvalue().splitlines()


def waiting(unit: str, old: str | dict[str, Any], *new: str | dict[str, Any], **query: Any) -> ReviewItem:
    """A proposal, or a loss where there is nothing new."""
    asked = JudgedQuery("q", query.pop("text", "How many?"), {}, fields={"language": "en"}, **query)
    kind = "proposed" if new else "gone"
    items = [{"grade": 1, **({"id": each} if isinstance(each, str) else each)} for each in (old, *new)]
    entry = RecordEntry(2, kind, "q", items[0], tuple(items[1:]), similarity=0.5, note="edited")
    return ReviewItem(kind, Suite("core", "development", unit, (asked,)), asked, entry=entry)


def quoted(words: str) -> dict[str, Any]:
    return {"document": "a.md", "quote": words}


def test_an_edited_span_shows_its_change_and_not_what_moved_around_it() -> None:
    old = page(*lines("old", 60), "The limit is 5 a day.", *lines("after", 60))
    new = page(
        *lines("new", 60), "The limit is 20 a day, and more. It is counted anew at midnight.", *lines("after", 60)
    )
    item = waiting("span", quoted("The limit is 5 a day."), quoted("The limit is 20 a day, and more."))
    shown = drawn(item, new, old, "span")
    assert len(shown) < ROWS
    text = "\n".join(shown)
    assert "How many?" in text
    assert "[[The limit is [-5-]{+20+}" in text
    assert "more lines; m shows all" in text
    assert len(drawn(item, new, old, "span", whole=True)) > ROWS


def test_equal_words_are_neither_removed_nor_added_where_the_bounds_of_a_span_moved() -> None:
    text = "First it is so. Then it is so again, and again. At last it is done."
    snapshot = page(text)
    item = waiting("span", quoted("Then it is so again"), quoted("it is so again, and again. At last"))
    shown = "\n".join(drawn(item, snapshot, snapshot, "span"))
    assert "[-" not in shown
    assert "{+" not in shown
    assert "[[it is so again, and again. At last]]" in shown


@pytest.mark.parametrize("count", [1, 3, 5])
def test_long_passages_share_the_screen(count: int) -> None:
    sections = [f"## S{number}\n\n" + "\n\n".join(lines(f"s{number}", 30)) for number in range(5)]
    old, new = page(*sections), page(*(each.replace("line 9", "row 9") for each in sections))
    item = waiting("passage", "a.md#s0", *(f"a.md#s{number}" for number in range(count)))
    shown = drawn(item, new, old, "passage")
    assert len(shown) < ROWS
    assert all(f"a.md#s{number}" in "\n".join(shown) for number in range(count))


def test_a_long_question_and_a_long_conversation_leave_room() -> None:
    snapshot = page(*lines("text", 80))
    text, history = "每分鐘可以送出幾則訊息？" * 200, ("And then?",) * 30
    item = waiting("passage", "a.md#a", "a.md#a", text=text, history=history)
    shown = drawn(item, snapshot, None, "passage")
    assert len(shown) < ROWS
    assert any("28 earlier turns" in line for line in shown)


def test_what_is_gone_is_shown_shortened() -> None:
    old, new = page(*lines("old", 100)), page("Nothing.")
    assert len(drawn(waiting("passage", "a.md#a"), new, old, "passage")) < ROWS
