"""The record beside a suite: appended to, never rewritten; what a kill tears off is left out and said."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runner.annotation.history.entry import RecordEntry, last_frozen, pending_in, standing
from runner.annotation.history.record import JudgmentRecord
from runner.errors import InputError


@pytest.fixture
def record(tmp_path: Path) -> JudgmentRecord:
    return JudgmentRecord.beside(tmp_path / "core.yaml")


def written(record: JudgmentRecord, *rows: Any) -> JudgmentRecord:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    record.path.write_text("".join(lines), encoding="utf-8")
    return record


def refusal(record: JudgmentRecord) -> str:
    with pytest.raises(InputError) as caught:
        record.entries()
    return str(caught.value)


def test_a_record_that_is_not_there_is_empty(record: JudgmentRecord) -> None:
    assert record.path.name == "core.record.jsonl"
    assert (record.entries(), record.pending(), record.torn()) == ((), (), None)


def test_what_is_appended_is_read_back(record: JudgmentRecord) -> None:
    first = record.append(
        "proposed",
        query="問題一",
        old={"id": "a#x", "grade": 2},
        new=[{"id": "a#y", "grade": 2}],
        similarity=0.0,
        by="wei",
        at="2026-11-30T00:00:00+00:00",
        note="改了字",
        details={"shares": [0.5]},
    )
    second = record.append("dropped", query="問題一", answers=first.id)
    assert record.entries() == (first, second)
    assert first == RecordEntry(
        1,
        "proposed",
        "問題一",
        {"id": "a#x", "grade": 2},
        ({"id": "a#y", "grade": 2},),
        0.0,
        "wei",
        "2026-11-30T00:00:00+00:00",
        "改了字",
        None,
        {"shares": [0.5]},
    )
    assert (second.number, second.answers) == (2, first.id)
    assert second.at.endswith("+00:00")
    assert len(second.at) == len("2026-11-30T00:00:00.000000+00:00")
    assert "問題一" in record.path.read_text("utf-8")


def test_appending_leaves_what_is_there_as_it_is(record: JudgmentRecord) -> None:
    gone = record.append("gone", query="q1")
    before = record.path.read_bytes()
    record.append("dropped", query="q1", answers=gone.id)
    assert record.path.read_bytes().startswith(before)


@pytest.mark.parametrize("torn", ['{"id": "b", "what": "drop', "{", '{"id": "b", "note": "改'])
def test_a_torn_last_line_is_left_out_said_and_cut_off_by_the_next(record: JudgmentRecord, torn: str) -> None:
    whole = record.append("gone", query="q1")
    with record.path.open("ab") as file:
        file.write(torn.encode()[:-1] if torn.endswith("改") else torn.encode())
    assert record.entries() == (whole,)
    told = record.torn()
    assert told is not None
    assert told.startswith(f"{record.path}: the last line was not written to its end")
    record.append("dropped", query="q1", answers=whole.id)
    assert [entry.what for entry in record.entries()] == ["gone", "dropped"]
    assert record.torn() is None


def test_a_last_line_that_lacks_only_its_end_counts(record: JudgmentRecord) -> None:
    written(record, '{"id": "a", "what": "gone", "query": "q1"}')
    assert record.torn() is None
    record.append("dropped", query="q1", answers="a")
    assert [(entry.number, entry.what) for entry in record.entries()] == [(1, "gone"), (2, "dropped")]


def test_a_fault_in_the_middle_is_an_error_with_its_line(record: JudgmentRecord) -> None:
    written(record, {"what": "gone"}, '{"id": "b", "wh\n', {"what": "gone"})
    assert ":2: not JSON" in refusal(record)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"what": "gon"}, "what: found a string 'gon', expected an event; did you mean 'gone'?"),
        ({"what": "dropped", "answers": "b"}, "answers: found 'b', expected the id of an earlier entry; lines were"),
        ({"id": "a", "what": "dropped", "answers": "a"}, "answers: found 'a', expected the id of an earlier entry"),
        ({"what": "dropped", "answers": 1}, "answers: found a number 1, expected a string"),
        ({"what": "undone"}, "undoes no entry"),
        ({"what": "gone", "new": {}}, "new: found an object, expected a list"),
        ({"what": "gone", "new": ["a"]}, "new: expected judgments"),
        ({"what": "gone", "quary": "q"}, "unknown field 'quary'; did you mean 'query'?"),
        ({"id": True, "what": "gone"}, "id: found true, expected a string"),
        ({"what": "gone", "at": "noon"}, "at: found 'noon', expected a time like"),
    ],
)
def test_every_fault_says_what_was_expected(record: JudgmentRecord, row: dict[str, Any], message: str) -> None:
    assert message in refusal(written(record, row))


def test_nothing_unreadable_is_ever_appended(record: JudgmentRecord) -> None:
    for what, answers in (("gon", None), ("dropped", "a"), ("undone", None)):
        with pytest.raises(InputError):
            record.append(what, answers=answers)
    assert not record.path.exists()


def test_an_answer_ends_waiting_and_taking_it_back_begins_it_again(record: JudgmentRecord) -> None:
    proposed = record.append("proposed", query="q1")
    gone = record.append("gone", query="q2")
    assert record.pending() == (proposed, gone)
    answer = record.append("confirmed", query="q1", answers=proposed.id)
    assert record.pending() == (gone,)
    undone = record.append("undone", query="q1", answers=answer.id)
    assert record.pending() == (proposed, gone)
    assert answer not in standing(record.entries())
    record.append("undone", query="q1", answers=undone.id)
    assert record.pending() == (gone,)


def test_what_was_frozen_cannot_be_taken_back(record: JudgmentRecord) -> None:
    answer = record.append("judged", query="q1")
    frozen = record.append("frozen")
    assert last_frozen(record.entries()) == frozen.number
    with pytest.raises(InputError, match="what line 1 says was settled when the suite was frozen"):
        record.append("undone", query="q1", answers=answer.id)
    with pytest.raises(InputError, match="what line 2 says was settled"):
        record.append("undone", answers=frozen.id)
    later = record.append("judged", query="q1")
    assert record.append("undone", query="q1", answers=later.id).number == 4


def test_two_who_append_at_once_lose_nothing(record: JudgmentRecord) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda n: record.append("judged", query=f"q{n}").number, range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert {entry.query for entry in record.entries()} == {f"q{n}" for n in range(40)}


def test_only_answers_end_waiting() -> None:
    gone = RecordEntry(1, "gone", "q1")
    entries = (gone, RecordEntry(2, "carried", "q1", answers=gone.id), RecordEntry(3, "frozen", answers=gone.id))
    assert pending_in(entries) == entries[:1]


def test_two_who_come_by_different_ways_write_one_after_the_other(record: JudgmentRecord, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "other.record.jsonl").symlink_to(record.path)
    ways = (
        record,
        JudgmentRecord(tmp_path / "way" / record.path.name),
        JudgmentRecord(tmp_path / "other.record.jsonl"),
    )
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda n: ways[n % 3].append("judged", query=f"q{n}"), range(60)))
    assert sorted(entry.number for entry in done) == list(range(1, 61))
    assert len(record.path.read_bytes().splitlines()) == 60
    assert ways[2].path.is_symlink()


def test_the_lock_lies_beside_the_record_for_everybody(record: JudgmentRecord) -> None:
    record.append("judged", query="q1")
    (lock,) = [path for path in record.path.parent.iterdir() if path != record.path]
    assert lock.name == ".core.record.jsonl.lock"
    assert lock.stat().st_mode & 0o777 == 0o666


def test_what_two_branches_wrote_is_one_record_once_they_are_merged(record: JudgmentRecord) -> None:
    gone = [record.append("gone", query=f"q{n}") for n in (1, 2)]
    base = record.path.read_bytes()
    record.append("dropped", query="q1", answers=gone[0].id)
    ours = record.path.read_bytes()
    record.path.write_bytes(base)
    record.append("dropped", query="q2", answers=gone[1].id)
    theirs = record.path.read_bytes()[len(base) :]
    # A line that both sides added may come twice.
    record.path.write_bytes(ours + theirs + theirs)
    assert [entry.query for entry in record.entries()] == ["q1", "q2", "q1", "q2"]
    assert record.pending() == ()
    later = record.append("judged", query="q3")
    assert [entry.id for entry in record.entries()][-1] == later.id


def test_the_same_thing_at_the_same_time_is_said_twice(record: JudgmentRecord) -> None:
    at = "2026-11-30T00:00:00+00:00"
    first, second = (record.append("judged", query="q1", at=at) for _ in range(2))
    assert first.id != second.id
    assert len(record.entries()) == 2


def test_only_what_is_new_is_read_again(record: JudgmentRecord) -> None:
    record.append("judged", query="q1")
    first = record.read()
    record.append("judged", query="q2")
    second = record.read(first)
    assert second.entries[0] is first.entries[0]
    assert [(entry.number, entry.query) for entry in second.entries] == [(1, "q1"), (2, "q2")]
    # A file that begins otherwise is read anew.
    record.path.write_bytes(record.path.read_bytes().replace(b"q1", b"q0"))
    assert [entry.query for entry in record.read(second).entries] == ["q0", "q2"]


def full_disk(room: int) -> Callable[[int, bytes], int]:
    """A disk with room for so many bytes: it takes a part of what it is given, and then no more."""
    left = [room]

    def write(file: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = bytes(data)[: min(left[0], 7)]
        left[0] -= len(part)
        return WRITE(file, part)

    return write


WRITE = os.write


def test_a_disk_that_takes_little_at_a_time_gets_all_of_it(
    record: JudgmentRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.append("judged", query="q1")
    monkeypatch.setattr(os, "write", full_disk(10_000))
    record.append("judged", query="q2")
    assert [entry.query for entry in record.entries()] == ["q1", "q2"]


def test_a_full_disk_keeps_nothing_of_an_answer_and_says_so(
    record: JudgmentRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.append("judged", query="q1")
    before = record.path.read_bytes()
    monkeypatch.setattr(os, "write", full_disk(20))
    with pytest.raises(InputError, match=r"core\.record\.jsonl: cannot be written \(No space left on device\)"):
        record.append("judged", query="q2")
    assert record.path.read_bytes() == before


KILLED = """
import os, sys
from pathlib import Path
from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.record import JudgmentRecord
write = os.write
def slow(file, data):
    done = write(file, bytes(data)[:1000])
    print("writing", flush=True)
    sys.stdin.read()
    return done
os.write = slow
replace = os.replace
def before(*names):
    print("writing", flush=True)
    sys.stdin.read()
    replace(*names)
os.replace = before
JudgmentRecord(Path(sys.argv[1])).extend([RecordEntry(0, "imported", f"q{n}", note="x" * 400) for n in range(50)])
"""


def test_a_kill_in_the_middle_of_many_leaves_none_of_them(record: JudgmentRecord) -> None:
    record.append("judged", query="q1")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(record.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.kill()
    assert [entry.query for entry in record.entries()] == ["q1"]
    assert record.torn() is None
