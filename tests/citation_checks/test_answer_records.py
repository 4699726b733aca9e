"""Records of answers are read as they are, or refused by line."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from citation_archive import record

from runner.citation_checks.answer_file import Citation, ServedAnswer, read_answers
from runner.errors import ConfigError, InputError


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def faults(folder: Path, *rows: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        read_answers(written(folder, *rows), **options)
    return str(refused.value)


def test_a_full_record_is_read_with_every_key(tmp_path: Path) -> None:
    row = record(
        ["en/a.md#x", {"id": "zh/額度.md#上限", "quotation": " 最多\n一百次 "}],
        answer_id="a1",
        at="2026-07-01T14:00:00+08:00",
        kind="alert",
        language="zh-Hant",
    )
    assert read_answers(written(tmp_path, row), fields=["language"]) == (
        ServedAnswer(
            1,
            "a1",
            "q1",
            "june",
            datetime(2026, 7, 1, 6, tzinfo=UTC),
            ("en/a.md#x", "zh/額度.md#上限"),
            (Citation("en/a.md#x"), Citation("zh/額度.md#上限", "最多\n一百次")),
            0,
            "alert",
            {"language": "zh-Hant"},
        ),
    )


def test_the_least_record_takes_the_snapshot_of_the_command(tmp_path: Path) -> None:
    row = {"query_id": "q1", "retrieved": [], "cited": []}
    assert read_answers(written(tmp_path, row), "v1") == (ServedAnswer(1, None, "q1", "v1", None, (), ()),)


def test_the_records_own_snapshot_goes_before_that_of_the_command(tmp_path: Path) -> None:
    rows = [record(snapshot="own"), record(snapshot=None)]
    assert [each.snapshot for each in read_answers(written(tmp_path, *rows), "v1")] == ["own", "v1"]


def test_a_quotation_beside_a_single_citation_belongs_to_it(tmp_path: Path) -> None:
    (read,) = read_answers(written(tmp_path, record(["a#1"], quotation="words")))
    assert read.citations == (Citation("a#1", "words"),)


def test_what_is_cited_twice_in_the_same_words_counts_once(tmp_path: Path) -> None:
    cited = ["a", {"id": "a"}, {"id": "a", "quotation": "x"}, {"id": "a", "quotation": "y"}]
    (read,) = read_answers(written(tmp_path, record(cited)))
    assert read.citations == (Citation("a"), Citation("a", "x"), Citation("a", "y"))
    assert read.repeated == 1


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "答案.jsonl"
    line = json.dumps(record(["zh/額度.md"]), ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + f"\r\n{line}\r\n\r\n{line}".encode())
    assert [each.line for each in read_answers(path)] == [2, 4]


def test_ids_in_decomposed_form_meet_composed_ones(tmp_path: Path) -> None:
    (read,) = read_answers(written(tmp_path, record(["cafe\u0301"])))
    assert read.citations[0].id == read.retrieved[0] == "caf\u00e9"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"query_id": ...}, "query_id is missing"),
        ({"query_id": 7}, 'query_id found a number 7, expected a string; write "7"'),
        ({"query_id": " "}, "query_id is empty"),
        ({"answer_id": "a\tb"}, "answer_id 'a\\tb' holds a control character"),
        ({"snapshot": ...}, "names no snapshot; add one, or give snapshot=ID"),
        ({"snapshot": 3}, 'snapshot found a number 3, expected a string; write "3"'),
        ({"at": "yesterday"}, "at: found a string 'yesterday', expected a time with its offset, like 2026-"),
        ({"at": 1790000000}, "at: found a number 1790000000, expected a time with its offset"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "expected a time with its offset, like 2026-"),
        ({"at": "2026-07-01T12:00:00"}, "at: '2026-07-01T12:00:00' does not say its offset from UTC"),
        ({"retrieved": ...}, "retrieved: is missing, expected a list of ids, which may be empty"),
        ({"retrieved": "a"}, "retrieved: found a string 'a', expected a list of ids"),
        ({"retrieved": ["a", None]}, "retrieved: id found null, expected a string"),
        ({"cited": ...}, "cited: is missing, expected a list of ids, which may be empty"),
        ({"cited": [{"quotation": "x"}]}, "cited: id found null, expected a string"),
        ({"cited": [{"id": "a", "quote": "x"}]}, "cited: unknown field 'quote'; known: id, quotation"),
        ({"cited": [{"id": "a", "quotation": "\n "}]}, "quotation: is empty; expected words of the passage, or leave"),
        ({"cited": [{"id": "a", "quotation": 5}]}, "quotation: found a number 5; expected words of the passage"),
        ({"cited": ["a", "b"], "quotation": "x"}, "quotation: beside `cited` it belongs to a single citation"),
        ({"cited": [{"id": "a", "quotation": "x"}], "quotation": "y"}, "without one of its own"),
        ({"cited": [], "quotation": "y"}, "it belongs to a single citation"),
        ({"kind": "note"}, "kind: found a string 'note', expected answer or alert"),
        ({"citd": []}, "unknown field 'citd'; did you mean 'cited'?; declare a field to slice by with fields="),
        ({"topic": {"a": 1}}, "field 'topic': found an object, expected text, a number, true or false, or a list"),
    ],
)
def test_a_fault_is_told_with_its_line_and_its_remedy(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    message = faults(tmp_path, record(), record(**changes), fields=["topic"])
    assert f"{tmp_path / 'answers.jsonl'}:2: " in message
    assert said in message


def test_all_faults_are_told_at_once_the_first_twenty_by_line(tmp_path: Path) -> None:
    message = faults(tmp_path, *[record(query_id=None, cited=3)] * 13)
    assert "26 problems" in message
    assert message.count("query_id is missing") == 10
    assert message.endswith("... and 6 more")


def test_an_answer_id_given_twice_is_refused_with_its_first_line(tmp_path: Path) -> None:
    message = faults(tmp_path, record(answer_id="答一"), record(answer_id="b"), record(answer_id="答一"))
    assert message.endswith(":3: answer_id '答一' is given twice, first in line 1")


def test_answers_without_an_id_may_share_their_query(tmp_path: Path) -> None:
    assert len(read_answers(written(tmp_path, record(), record()))) == 2


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_a_file_without_a_record_is_refused(tmp_path: Path, text: str) -> None:
    assert "holds no record; expected a JSON object {query_id, retrieved, cited}" in faults(tmp_path, text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", ":1: not JSON"),
        ("[]", ":1: found a list, expected a JSON object"),
        ('{"query_id": "a", "query_id": "b"}', "key 'query_id' is given twice"),
        ('{"query_id": "\\ud800", "retrieved": [], "cited": []}', "is half of a pair"),
        ('{"query_id": "a", "retrieved": [], "cited": [], "topic": NaN}', "NaN is not a number that can be kept"),
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path: Path, line: str, said: str) -> None:
    assert said in faults(tmp_path, line)


def test_a_line_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(json.dumps(record()).encode() + b'\n{"query_id": "\xa4\xa4"}\n')
    with pytest.raises(InputError, match=r":2: byte 0xa4 is not UTF-8"):
        read_answers(path)


def test_a_missing_file_is_told_with_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not found; expected records of answers"):
        read_answers(tmp_path / "none.jsonl")


def test_other_keys_can_be_left_unread(tmp_path: Path) -> None:
    (read,) = read_answers(written(tmp_path, record(model={"any": ["thing"]})), ignored=["model"])
    assert read.fields == {}


def test_a_fixed_key_cannot_be_declared_as_a_field(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'cited' is a key that every record may have"):
        read_answers(written(tmp_path, record()), ignored=["cited"])


def test_a_field_that_no_record_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"fields= names 'topc', but no record of .* has a value for it"):
        read_answers(written(tmp_path, record(topic="a")), fields=["topic", "topc"])
