"""What a person changes in a suite's file stays, and is noted; what a kill or a merge kept out of it is made up for."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from migration_world import query, suite_file

from runner.annotation.history import live_suite
from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.history.suite_file import SuiteFile
from runner.suites import JudgedQuery

Rows = list[dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> SuiteFile:
    return suite_file(tmp_path, [query("q1", {"id": "a.md#x", "grade": 1}), query("q2", judged=False)])


def judged(file: SuiteFile, id_: str, grade: int, by: str = "wei", of: str = "q1", **more: Any) -> RecordEntry:
    draft = RecordEntry(0, "judged", of, new=({"id": id_, "grade": grade},), by=by, **more)
    return LiveSuite(file, by=by).change(lambda *_: [draft])[0]


def undo(file: SuiteFile, entry: RecordEntry) -> None:
    LiveSuite(file).change(lambda *_: [RecordEntry(0, "undone", entry.query, answers=entry.id)])


def by_hand(file: SuiteFile, change: Callable[[Rows], object]) -> None:
    rows = [json.loads(line) for line in file.queries.read_text("utf-8").splitlines()]
    change(rows)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.queries.write_text(text, encoding="utf-8")


def opened(file: SuiteFile, of: str = "q1") -> JudgedQuery:
    """A query once somebody has merely opened the suite."""
    return next(each for each in LiveSuite(file, by="cy").suite.queries if each.id == of)


def said(asked: JudgedQuery) -> list[tuple[str, int, str | None]]:
    return [(each.id, each.grade, each.annotator) for each in asked.every_judgment]


def whats(file: SuiteFile) -> list[str]:
    return [entry.what for entry in JudgmentRecord.beside(file.path).entries()]


def test_a_grade_that_was_corrected_by_hand_stays_and_the_record_says_so(file: SuiteFile) -> None:
    judged(file, "a.md#y", 2)
    by_hand(file, lambda rows: rows[0]["relevant"][1].update(grade=0, note="手改"))
    before = file.queries.read_bytes()
    assert said(opened(file)) == [("a.md#x", 1, None), ("a.md#y", 0, "wei")]
    assert file.queries.read_bytes() == before
    edited = JudgmentRecord.beside(file.path).entries()[-1]
    assert (edited.what, edited.query, edited.by, edited.note) == ("edited", "q1", "cy", "changed in the file by hand")
    assert [(each["id"], each["grade"]) for each in edited.details["removed"]] == [("a.md#y", 2)]
    # Once is enough.
    opened(file)
    assert whats(file) == ["judged", "edited"]


def test_what_was_taken_out_by_hand_does_not_come_back_not_even_an_earlier_word(file: SuiteFile) -> None:
    judged(file, "a.md#y", 1)
    judged(file, "a.md#y", 2)
    by_hand(file, lambda rows: rows[0]["relevant"].pop())
    assert said(opened(file)) == [("a.md#x", 1, None)]
    judged(file, "a.md#z", 1, "lin")
    assert said(opened(file)) == [("a.md#x", 1, None), ("a.md#z", 1, "lin")]


def test_what_was_taken_out_by_hand_may_be_judged_anew_or_put_back(file: SuiteFile) -> None:
    judged(file, "a.md#y", 2)
    whole = file.queries.read_bytes()
    by_hand(file, lambda rows: rows[0]["relevant"].pop())
    opened(file)
    file.queries.write_bytes(whole)
    assert said(opened(file))[1:] == [("a.md#y", 2, "wei")]
    assert whats(file) == ["judged", "edited"]
    by_hand(file, lambda rows: rows[0]["relevant"].pop())
    judged(file, "a.md#y", 0, "lin")
    assert said(opened(file))[1:] == [("a.md#y", 0, "lin")]


def test_what_is_added_by_hand_is_no_change_of_what_was_answered(file: SuiteFile) -> None:
    answer = judged(file, "a.md#y", 2)
    by_hand(file, lambda rows: rows[0]["relevant"].append({"id": "a.md#手", "grade": 1}))
    by_hand(file, lambda rows: rows[0].update(text="問題？"))
    assert said(opened(file))[1:] == [("a.md#y", 2, "wei"), ("a.md#手", 1, None)]
    assert opened(file).text == "問題？"
    assert whats(file) == ["judged"]
    undo(file, answer)
    assert said(opened(file))[1:] == [("a.md#手", 1, None)]


def test_what_a_query_that_waits_has_got_is_not_lost_by_an_edit(file: SuiteFile) -> None:
    record = JudgmentRecord.beside(file.path)
    waiting = [record.append("gone", query="q2", old={"id": id_, "grade": 1}) for id_ in ("a.md#1", "a.md#2")]
    new: tuple[dict[str, Any], ...] = ({"id": "a.md#y", "grade": 2},)
    confirmed = RecordEntry(0, "confirmed", "q2", new=new, by="wei", answers=waiting[0].id)
    LiveSuite(file).change(lambda *_: [confirmed])
    by_hand(file, lambda rows: rows[1]["relevant"].append({"id": "a.md#z", "grade": 0}))
    assert said(opened(file, "q2")) == [("a.md#z", 0, None)]
    LiveSuite(file).change(lambda *_: [RecordEntry(0, "dropped", "q2", by="wei", answers=waiting[1].id)])
    assert said(opened(file, "q2")) == [("a.md#z", 0, None), ("a.md#y", 2, "wei")]


def test_a_query_that_an_answer_brought_may_be_taken_out_by_hand(file: SuiteFile) -> None:
    brought = {"query": {"text": "新的問題？", "history": [], "fields": {}}}
    judged(file, "a.md#x", 1, of="new", details=brought)
    by_hand(file, lambda rows: rows.pop())
    assert [each.id for each in LiveSuite(file).suite.queries] == ["q1", "q2"]
    assert whats(file) == ["judged", "edited"]
    judged(file, "a.md#x", 2, "lin", of="new", details=brought)
    assert said(opened(file, "new")) == [("a.md#x", 2, "lin")]


def test_that_nothing_answers_a_query_can_be_taken_back_and_unsaid_by_hand(file: SuiteFile) -> None:
    before = opened(file, "q2")
    (none,) = LiveSuite(file).change(lambda *_: [RecordEntry(0, "unanswerable", "q2", by="wei")])
    assert (opened(file, "q2").judged, opened(file, "q2").answerable) == (True, False)
    undo(file, none)
    assert opened(file, "q2") == before
    LiveSuite(file).change(lambda *_: [RecordEntry(0, "unanswerable", "q2", by="wei")])
    by_hand(file, lambda rows: rows[1].update(judged=False, answerable=True))
    assert opened(file, "q2") == before
    assert whats(file)[-1] == "edited"
    judged(file, "a.md#x", 1, of="q2")
    assert (opened(file, "q2").judged, opened(file, "q2").answerable) == (True, True)


@pytest.mark.parametrize("taken_out", [2, 3])
@pytest.mark.parametrize("picked", [0, 1])
def test_answers_of_two_branches_are_both_kept_whichever_line_the_merge_picked(
    file: SuiteFile, picked: int, taken_out: int
) -> None:
    record = JudgmentRecord.beside(file.path)
    judged(file, "a.md#0", 1)
    base = file.queries.read_bytes(), record.path.read_bytes()
    judged(file, "a.md#y", 2, "wei")
    ours = file.queries.read_bytes(), record.path.read_bytes()
    file.queries.write_bytes(base[0])
    record.path.write_bytes(base[1])
    judged(file, "a.md#y", 0, "lin")
    theirs = file.queries.read_bytes(), record.path.read_bytes()
    record.path.write_bytes(ours[1] + theirs[1][len(base[1]) :])
    file.queries.write_bytes((ours, theirs)[picked][0])
    assert sorted(said(opened(file))[2:]) == [("a.md#y", 0, "lin"), ("a.md#y", 2, "wei")]
    assert whats(file) == ["judged", "judged", "judged", "merged"]
    by_hand(file, lambda rows: rows[0]["relevant"].pop(taken_out))
    assert len(said(opened(file))) == 3
    assert whats(file)[-1] == "edited"


def test_an_answer_that_a_kill_kept_out_of_the_file_comes_in_with_the_next(
    file: SuiteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(file, "a.md#y", 2)
    before = file.queries.read_bytes()

    def killed(*_: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(live_suite.os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            judged(file, "a.md#y", 0, "lin")
    assert file.queries.read_bytes() == before
    assert whats(file) == ["judged", "judged"]
    assert said(opened(file))[1:] == [("a.md#y", 2, "wei"), ("a.md#y", 0, "lin")]
    assert whats(file) == ["judged", "judged"]
    assert not [path for path in file.path.parent.iterdir() if path.name.endswith(".next")]


def test_a_kill_before_the_record_was_written_leaves_nothing(file: SuiteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(file, "a.md#y", 2)
    before = file.queries.read_bytes()

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(JudgmentRecord, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            judged(file, "a.md#y", 0, "lin")
    opened(file)
    assert file.queries.read_bytes() == before
    assert whats(file) == ["judged"]


def test_a_suite_that_cannot_be_written_takes_no_answer(file: SuiteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveSuite(file)
    judged(file, "a.md#y", 2)
    before = file.queries.read_bytes(), JudgmentRecord.beside(file.path).path.read_bytes()
    sync = os.fsync

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    draft = RecordEntry(0, "judged", "q1", new=({"id": "a.md#z", "grade": 1},), by="lin")
    with pytest.raises(live_suite.InputError, match="cannot be written"):
        live.change(lambda *_: [draft])
    monkeypatch.setattr(os, "fsync", sync)
    assert (file.queries.read_bytes(), JudgmentRecord.beside(file.path).path.read_bytes()) == before
    # And goes on where it was.
    live.change(lambda *_: [draft])
    assert said(opened(file))[1:] == [("a.md#y", 2, "wei"), ("a.md#z", 1, "lin")]


def test_what_could_not_be_written_once_is_written_with_the_next(
    file: SuiteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveSuite(file)
    JudgmentRecord.beside(file.path).append("judged", query="q1", new=[{"id": "a.md#y", "grade": 2}], by="wei")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(live_suite.InputError, match="cannot be written"):
            live.apply()
    live.apply()
    assert said(live.suite.queries[0]) == [("a.md#x", 1, None), ("a.md#y", 2, "wei")]
    assert b"a.md#y" in file.queries.read_bytes()
