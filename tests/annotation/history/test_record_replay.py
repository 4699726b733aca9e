"""A suite and its record: answers are applied once however often they are, and taken back without a trace."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from migration_world import LIMITS, OTHER, moved, pages, query, read, snapshot

from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.replay import replay
from runner.errors import InputError
from runner.suites import JudgedQuery, Judgment, Suite

AT = "2026-11-30T10:00:00.000000+00:00"
PAGE = f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}"


def suite(*queries: JudgedQuery, **changes: Any) -> Suite:
    return Suite("core", "development", "passage", queries, **changes)


def asked(id_: str = "q1", *judgments: Judgment, **changes: Any) -> JudgedQuery:
    return JudgedQuery.of_judgments(id_, "question?", judgments, **changes)


def entries(*events: Mapping[str, Any]) -> tuple[RecordEntry, ...]:
    """Entries called by their numbers, as the answers among them call them."""
    return tuple(
        RecordEntry(number, **{"query": "q1", "at": AT, **event}, given=f"{number}")
        for number, event in enumerate(events, 1)
    )


def undone(history: tuple[RecordEntry, ...], query: str = "q1") -> tuple[RecordEntry, ...]:
    """The history once its last entry is taken back."""
    return (*history, RecordEntry(len(history) + 1, "undone", query, at=AT, answers=history[-1].id))


def item(id_: str, grade: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": id_, "grade": grade, **more}


def one(result: Suite) -> JudgedQuery:
    (found,) = result.queries
    return found


@pytest.fixture
def half(tmp_path: Path) -> tuple[Suite, tuple[RecordEntry, ...]]:
    """A suite of one query: `a.md#size` was carried, `a.md#limits` waits as entry 2."""
    old, new = snapshot(pages(PAGE)), snapshot(pages(PAGE.replace("hundred", "thousand")))
    said = item("a.md#size", 2, annotator="lin", note="原文")
    migration = moved(tmp_path, [query("q1", "a.md#limits", said)], old, new)
    assert [entry.what for entry in migration.entries] == ["migrated", "proposed", "carried"]
    return replace(migration.new, snapshot=None), migration.entries


def answered(history: tuple[RecordEntry, ...], what: str, **more: Any) -> tuple[RecordEntry, ...]:
    values = {"query": "q1", "by": "wei", "at": AT, **more}
    if "answers" in more:
        values["answers"] = history[more["answers"] - 1].id
    return (*history, RecordEntry(len(history) + 1, what, **values))


def test_without_answers_nothing_changes(half: tuple[Suite, tuple[RecordEntry, ...]]) -> None:
    migrated, history = half
    assert replay(migrated, history) == migrated
    assert replay(migrated, ()) == migrated


def test_the_last_answer_brings_back_what_was_carried(half: tuple[Suite, tuple[RecordEntry, ...]]) -> None:
    migrated, history = half
    history = answered(history, "confirmed", new=(item("a.md#limits"),), answers=2, note="仍然成立")
    done = replay(migrated, history)
    assert one(done).judged
    assert one(done).judgments == (
        Judgment("a.md#size", 2, annotator="lin", note="原文"),
        Judgment("a.md#limits", 1, annotator="wei", at=AT, note="仍然成立"),
    )
    assert replay(done, history) == done


def test_dropping_adds_nothing_but_ends_the_wait(half: tuple[Suite, tuple[RecordEntry, ...]]) -> None:
    migrated, history = half
    done = replay(migrated, answered(history, "dropped", answers=2))
    assert (one(done).judged, one(done).grades) == (True, {"a.md#size": 2})


def test_a_query_without_anything_relevant_left_stays_out(tmp_path: Path) -> None:
    old, new = snapshot(pages(PAGE)), snapshot(pages(PAGE.replace("hundred", "thousand")))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], old, new)
    done = replay(migration.new, answered(migration.entries, "dropped", answers=2))
    assert (one(done).judged, one(done).grades, one(done).answerable) == (False, {}, True)


def test_taking_the_answer_back_makes_it_wait_again(half: tuple[Suite, tuple[RecordEntry, ...]]) -> None:
    migrated, history = half
    history = answered(history, "confirmed", new=(item("a.md#limits"),), answers=2)
    done = replay(migrated, history)
    back = answered(history, "undone", answers=len(history))
    assert replay(done, back) == migrated
    again = answered(back, "confirmed", new=(item("a.md#limits", 3),), answers=2)
    assert one(replay(replay(done, back), again)).grades == {"a.md#size": 2, "a.md#limits": 3}


def test_one_answer_at_a_time_or_all_at_once_is_the_same(tmp_path: Path) -> None:
    old, new = snapshot(pages(PAGE)), snapshot(pages("a.md\n# Other\n\nNothing of it."))
    migration = moved(tmp_path, [query("q1", "a.md#limits", "a.md#size")], old, new)
    first = answered(migration.entries, "dropped", answers=2)
    both = answered(first, "confirmed", new=(item("a.md#other", 2),), answers=3)
    step = replay(migration.new, first)
    assert not one(step).judged
    assert replay(step, both) == replay(migration.new, both)
    assert one(replay(step, both)).grades == {"a.md#other": 2}


def test_what_is_in_the_file_but_not_in_the_record_is_not_lost_by_waiting() -> None:
    history = entries({"what": "gone", "old": item("a#x")})
    with pytest.raises(InputError, match="query 'q1' waits for review, but judges 'a#y', which its record does not"):
        replay(suite(asked("q1", Judgment("a#y", 1))), history)
    kept = replay(suite(asked("q1", Judgment("a#y", 0), judged=False)), history)
    assert one(kept).grades == {"a#y": 0}


def test_a_second_annotator_is_added_and_taken_away_again() -> None:
    before = suite(asked("q1", Judgment("a#x", 2, annotator="wei")))
    history = entries({"what": "judged", "new": (item("a#x", 0),), "by": "lin", "note": "看不出來"})
    after = replay(before, history)
    assert one(after).judgments[1:] == (Judgment("a#x", 0, annotator="lin", at=AT, note="看不出來"),)
    assert one(after).disputed == ("a#x",)
    assert replay(after, history) == after
    assert replay(after, undone(history)) == before


def test_judgments_keep_their_order_in_the_file_which_is_part_of_the_revision() -> None:
    answered_first = Judgment("a#x", 1, annotator="lin", at=AT)
    before = suite(asked("q1", answered_first, Judgment("a#x", 2, annotator="wei")))
    history = entries({"what": "judged", "new": (item("a#x", 1),), "by": "lin"})
    assert replay(before, history).revision == before.revision


def test_an_adjudication_settles() -> None:
    said = (Judgment("a#x", 2, annotator="wei"), Judgment("a#x", 0, annotator="lin"))
    history = entries({"what": "adjudicated", "new": (item("a#x", 1),), "by": "mei"})
    after = replay(suite(asked("q1", *said)), history)
    assert (one(after).disputed, one(after).grades) == ((), {"a#x": 1})
    assert one(after).judgments[-1] == Judgment("a#x", 1, annotator="mei", at=AT, adjudicated=True)
    assert replay(after, history) == after


def test_the_same_annotator_speaks_once_and_what_they_said_before_comes_back() -> None:
    earlier = Judgment("a#x", 2, annotator="wei", at="2026-01-01T00:00:00+00:00")
    before = suite(asked("q1", earlier, Judgment("a#y", 1)))
    old = item("a#x", 2, annotator="wei", at="2026-01-01T00:00:00+00:00")
    history = entries({"what": "imported", "old": old, "new": (item("a#x", 3),), "by": "wei"})
    after = replay(before, history)
    assert one(after).grades == {"a#x": 3, "a#y": 1}
    assert len(one(after).judgments) == 2
    taken_back = replay(after, undone(history))
    assert one(taken_back).grades == {"a#x": 2, "a#y": 1}
    assert earlier in one(taken_back).judgments


def test_a_query_that_everybody_finds_irrelevant_is_judged_no_more() -> None:
    history = entries({"what": "adjudicated", "new": (item("a#x", 0),), "by": "mei"})
    after = replay(suite(asked("q1", Judgment("a#x", 1))), history)
    assert (one(after).judged, one(after).grades) == (False, {"a#x": 0})


def test_an_unanswerable_query_that_something_answers_is_answerable() -> None:
    history = entries({"what": "judged", "new": (item("a#x", 1),), "by": "mei"})
    before = suite(asked("q1", answerable=False))
    after = replay(before, history)
    assert (one(after).judged, one(after).answerable) == (True, True)
    untouched = replay(before, entries({"what": "judged", "new": (item("a#x", 0),), "by": "mei"}))
    assert (one(untouched).judged, one(untouched).answerable) == (True, False)


def test_two_confirmed_passages_that_became_one_are_as_good_as_the_better() -> None:
    history = entries(
        {"what": "proposed", "old": item("a#x", 2), "new": (item("a#z", 2),)},
        {"what": "proposed", "old": item("a#y", 1), "new": (item("a#z", 1),)},
        {"what": "confirmed", "new": (item("a#z", 2),), "by": "wei", "answers": "1"},
        {"what": "confirmed", "new": (item("a#z", 1),), "by": "lin", "answers": "2"},
    )
    after = replay(suite(asked("q1", judged=False)), history)
    assert (one(after).grades, one(after).disputed, one(after).judged) == ({"a#z": 2}, (), True)
    assert replay(after, history) == after
    swapped = (*history[:2], replace(history[3], number=3), replace(history[2], number=4))
    after = replay(suite(asked("q1", judged=False)), swapped)
    assert (one(after).grades, one(after).disputed) == ({"a#z": 2}, ())
    assert replay(after, swapped) == after


def test_a_confirmation_against_a_zero_is_a_dispute() -> None:
    history = entries(
        {"what": "proposed", "old": item("a#x", 2), "new": (item("a#z", 2),)},
        {"what": "confirmed", "new": (item("a#z", 2),), "by": "wei", "answers": "1"},
    )
    before = suite(asked("q1", Judgment("a#z", 0, annotator="lin"), judged=False))
    assert one(replay(before, history)).disputed == ("a#z",)


def test_an_answer_may_bring_a_query_along_and_take_it_away_again() -> None:
    brought = {"text": "新的問題？", "history": ["earlier"], "fields": {"language": "zh-Hant"}}
    history = entries(
        {"what": "judged", "query": "new", "new": (item("a#x"),), "by": "wei", "details": {"query": brought}}
    )
    before = suite(asked("q1", Judgment("a#x", 1)))
    after = replay(before, history)
    new = after.queries[0]
    assert (new.id, new.text, new.history, new.fields) == ("new", "新的問題？", ("earlier",), {"language": "zh-Hant"})
    assert (new.judged, new.grades, new.added) == (True, {"a#x": 1}, "2026-11-30")
    assert replay(after, history) == after
    assert replay(after, undone(history, "new")) == before


def test_what_was_frozen_is_the_files_to_say() -> None:
    confirmed = entries({"what": "judged", "new": (item("a#x"),), "by": "wei"})
    frozen = (*confirmed, RecordEntry(2, "frozen", at=AT))
    cleaned = suite(asked("q1", Judgment("a#y", 1)))
    assert replay(cleaned, frozen) == cleaned
    assert replay(cleaned, confirmed) != cleaned


def test_faulty_items_name_their_entry() -> None:
    history = entries({"what": "judged", "new": ({"id": "a#x", "grade": -1},), "by": "wei"})
    with pytest.raises(InputError, match="core: line 1 of its record: grade: found a number -1"):
        replay(suite(asked("q1", Judgment("a#y", 1))), history)


def test_queries_that_no_answer_is_about_are_left_alone(tmp_path: Path) -> None:
    before = read(tmp_path, [query("q1", "a#x"), query("q2", "a#y", judged=True)])
    history = entries({"what": "carried", "query": "q2", "new": (item("a#gone"),)})
    assert replay(before, history) == before
