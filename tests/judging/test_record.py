"""The record beside a suite: appended to, never rewritten; what a kill tears off is left out and said."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.judging.history.entry import Entry, last_frozen, pending_in, standing
from runner.judging.history.record import Record


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record.beside(tmp_path / "core.yaml")


def written(record: Record, *rows: Any) -> Record:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    record.path.write_text("".join(lines), encoding="utf-8")
    return record


def refusal(record: Record) -> str:
    with pytest.raises(InputError) as caught:
        record.entries()
    return str(caught.value)


def test_a_record_that_is_not_there_is_empty(record: Record) -> None:
    assert record.path.name == "core.record.jsonl"
    assert (record.entries(), record.pending(), record.torn()) == ((), (), None)


def test_what_is_appended_is_read_back(record: Record) -> None:
    first = record.append(
        "proposed", query="問題一", old={"id": "a#x", "grade": 2}, new=[{"id": "a#y", "grade": 2}], similarity=0.0,
        by="wei", at="2026-11-30T00:00:00+00:00", note="改了字", details={"shares": [0.5]},
    )  # fmt: skip
    second = record.append("dropped", query="問題一", answers=1)
    assert record.entries() == (first, second)
    assert first == Entry(
        1, "proposed", "問題一", {"id": "a#x", "grade": 2}, ({"id": "a#y", "grade": 2},), 0.0, "wei",
        "2026-11-30T00:00:00+00:00", "改了字", None, {"shares": [0.5]},
    )  # fmt: skip
    assert second.number == 2
    assert second.at.endswith("+00:00")
    assert len(second.at) == len("2026-11-30T00:00:00.000000+00:00")
    assert "問題一" in record.path.read_text("utf-8")


def test_appending_leaves_what_is_there_as_it_is(record: Record) -> None:
    record.append("gone", query="q1")
    before = record.path.read_bytes()
    record.append("dropped", query="q1", answers=1)
    assert record.path.read_bytes().startswith(before)


@pytest.mark.parametrize("torn", ['{"number": 2, "what": "drop', "{", '{"number": 2, "note": "改'])
def test_a_torn_last_line_is_left_out_said_and_cut_off_by_the_next(record: Record, torn: str) -> None:
    whole = record.append("gone", query="q1")
    with record.path.open("ab") as file:
        file.write(torn.encode()[:-1] if torn.endswith("改") else torn.encode())
    assert record.entries() == (whole,)
    told = record.torn()
    assert told is not None
    assert told.startswith(f"{record.path}: the last line was not written to its end")
    record.append("dropped", query="q1", answers=1)
    assert [entry.what for entry in record.entries()] == ["gone", "dropped"]
    assert record.torn() is None


def test_a_last_line_that_lacks_only_its_end_counts(record: Record) -> None:
    written(record, '{"number": 1, "what": "gone", "query": "q1"}')
    assert record.torn() is None
    record.append("dropped", query="q1", answers=1)
    assert [entry.what for entry in record.entries()] == ["gone", "dropped"]


def test_a_fault_in_the_middle_is_an_error_with_its_line(record: Record) -> None:
    written(record, {"number": 1, "what": "gone"}, '{"number": 2, "wh\n', {"number": 3, "what": "gone"})
    assert ":2: not JSON" in refusal(record)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"number": 1, "what": "gon"}, "what: found a string 'gon', expected an event; did you mean 'gone'?"),
        ({"number": 2, "what": "gone"}, "number: found a number 2, expected 1; lines were taken out or moved"),
        ({"what": "gone"}, "number: found null, expected 1"),
        ({"number": 1, "what": "dropped", "answers": 1}, "answers: found 1, expected an earlier entry"),
        ({"number": 1, "what": "undone"}, "undoes no entry"),
        ({"number": 1, "what": "gone", "new": {}}, "new: found an object, expected a list"),
        ({"number": 1, "what": "gone", "new": ["a"]}, "new: expected judgments"),
        ({"number": 1, "what": "gone", "quary": "q"}, "unknown field 'quary'; did you mean 'query'?"),
        ({"number": True, "what": "gone"}, "number: found true, expected a whole number"),
    ],
)
def test_every_fault_says_what_was_expected(record: Record, row: dict[str, Any], message: str) -> None:
    assert message in refusal(written(record, row))


def test_nothing_unreadable_is_ever_appended(record: Record) -> None:
    for what, answers in (("gon", None), ("dropped", 1), ("undone", None), ("dropped", 0)):
        with pytest.raises(InputError):
            record.append(what, answers=answers)
    assert not record.path.exists()


def test_an_answer_ends_waiting_and_taking_it_back_begins_it_again(record: Record) -> None:
    proposed = record.append("proposed", query="q1")
    gone = record.append("gone", query="q2")
    assert record.pending() == (proposed, gone)
    answer = record.append("confirmed", query="q1", answers=proposed.number)
    assert record.pending() == (gone,)
    undone = record.append("undone", query="q1", answers=answer.number)
    assert record.pending() == (proposed, gone)
    assert answer not in standing(record.entries())
    record.append("undone", query="q1", answers=undone.number)
    assert record.pending() == (gone,)


def test_what_was_frozen_cannot_be_taken_back(record: Record) -> None:
    answer = record.append("judged", query="q1")
    frozen = record.append("frozen")
    assert last_frozen(record.entries()) == frozen.number
    with pytest.raises(InputError, match="entry 1 was settled when the suite was frozen"):
        record.append("undone", query="q1", answers=answer.number)
    with pytest.raises(InputError, match="entry 2 was settled"):
        record.append("undone", answers=frozen.number)
    later = record.append("judged", query="q1")
    assert record.append("undone", query="q1", answers=later.number).number == 4


def test_two_who_append_at_once_lose_nothing(record: Record) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda n: record.append("judged", query=f"q{n}").number, range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert {entry.query for entry in record.entries()} == {f"q{n}" for n in range(40)}


def test_only_answers_end_waiting() -> None:
    entries = (Entry(1, "gone", "q1"), Entry(2, "carried", "q1", answers=1), Entry(3, "frozen", answers=1))
    assert pending_in(entries) == entries[:1]
