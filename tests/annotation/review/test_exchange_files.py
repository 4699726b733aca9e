"""Files of pairs: nothing is lost on the way out and in, spreadsheets compute nothing, every fault has its line."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.ignorable import seen
from runner.annotation.exchange.label_studio import label_config
from runner.annotation.exchange.pair_files import read_pairs, write_pairs
from runner.annotation.exchange.pair_row import PairRow
from runner.errors import ConfigError, InputError
from runner.suites import Span

ROWS = (
    PairRow("en-1", "en/a.md#x", "How many?", ("first", "second"), grade=2, annotator="wei", at="2026-09-30T14:00Z"),
    PairRow("en-1", "en/a.md#x", "How many?", ("first", "second"), grade=0, annotator="amy", note='said "no",\nlater'),
    PairRow(
        "zh-1",
        "zh/頁.md#大小",
        "多少？",
        passage_title="頁 > 大小",
        passage_text="一則訊息\n最大 256 KB。",
        kind="proposed",
        old_text="最大 64 KB。",
    ),
    PairRow(
        "zh-2", "zh/頁.md#大小", "多少？", grade=1, source="synthetic", adjudicated=True, fields={"language": "zh-Hant"}
    ),
    PairRow("sp", Span("en/a.md", "ten, or 十").id, span=Span("en/a.md", "ten, or 十"), grade=3),
    PairRow("sp", Span("en/a.md", None, 10, 50).id, span=Span("en/a.md", None, 10, 50)),
)
FORMS = (".jsonl", ".csv", ".json")

# What a spreadsheet would compute, and what must not be mistaken for our protection of it.
ACTIVE = [
    "=1+1",
    "+886 2",
    "-5",
    "@SUM(A1)",
    "'=1",
    "''",
    "'quoted'",
    "\tx",
    "=",
    "'",
    '=HYPERLINK("x")',
    "－5",
    "plain",
]


def written(path: Path, *rows: PairRow) -> Path:
    write_pairs(rows, path)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_round_trip_loses_nothing(tmp_path: Path, form: str) -> None:
    assert read_pairs(written(tmp_path / f"x{form}", *ROWS)).rows == ROWS


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ACTIVE)
def test_texts_that_look_like_formulas_come_back_as_they_were(tmp_path: Path, form: str, text: str) -> None:
    row = PairRow("q", "a", text, passage_text=f"{text}\n{text}", grade=1, note=text)
    assert read_pairs(written(tmp_path / f"x{form}", row)).rows == (row,)


def tells(message: str, error: Exception) -> bool:
    """Whether an error says a message, of which … leaves out a part."""
    return all(part in str(error) for part in message.split("…"))


printable = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)


@given(text=printable, note=printable, quote=printable.filter(lambda text: bool(text.strip()) and seen(text) == text))
def test_any_text_survives_a_spreadsheet(
    tmp_path_factory: pytest.TempPathFactory, text: str, note: str, quote: str
) -> None:
    from runner.files.reading import nfc

    span = Span("a", nfc(quote.strip()))
    row = PairRow("q", span.id, nfc(text), span=span, note=note, grade=0)
    path = written(tmp_path_factory.mktemp("rows") / "x.csv", row)
    assert read_pairs(path).rows == (row,)


@pytest.mark.parametrize("text", ACTIVE)
def test_no_cell_of_a_spreadsheet_begins_like_a_formula(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "x.csv", PairRow("=q", "@a", text, note=text, annotator="+wei", grade=1))
    cells = [cell for line in csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_a_spreadsheet_sees_that_it_is_utf8(tmp_path: Path) -> None:
    assert written(tmp_path / "x.csv", ROWS[2]).read_bytes().startswith(b"\xef\xbb\xbfquery_id,")


def test_what_a_spreadsheet_saves_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("query_id;id;grade;note;;\r\nq;zh/頁.md;2.0;好;;\r\n;;;;;\r\nq;b;;;;\r\n".encode())
    assert read_pairs(path).rows == (PairRow("q", "zh/頁.md", grade=2, note="好"), PairRow("q", "b"))
    assert [row.line for row in read_pairs(path).rows] == [2, 4]


def test_rows_are_counted_as_a_spreadsheet_shows_them_where_a_cell_has_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('query_id,id,note\nq,a,"one\ntwo"\nq,b,\n', "utf-8")
    assert [row.line for row in read_pairs(path).rows] == [2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id,id,grad\nq,a,1\n", "x.csv:1: unknown column 'grad'; did you mean 'grade'?"),
        ("query_id,id,id\nq,a,a\n", "x.csv:1: column 'id' is given twice"),
        ("id,grade\na,1\n", "x.csv:1: the header names no query_id, or neither id nor document"),
        ("", "x.csv:1: is empty, expected a header"),
        ("query_id,id\n", "x.csv: holds no row"),
        ("query_id,id,grade\nq,a,two\n", "x.csv:2: grade: found 'two', expected a whole number"),
        ("query_id,id,grade\nq,a,1.5\n", "x.csv:2: grade: found '1.5', expected a whole number"),
        ("query_id,id,grade\nq,a,1,9\n", "x.csv:2: has 4 cells, the header names 3"),
        ("query_id,id,grade\n,a,1\n", "x.csv:2: query_id found … expected a string"),
        ("query_id,id,grade\nq,,1\n", "x.csv:2: id found … expected a string"),
        ("query_id,id,source\nq,a,robot\n", "x.csv:2: source: found …'robot', expected one of human"),
        ("query_id,id,at\nq,a,30/9/2026\n", "x.csv:2: at: found …'30/9/2026', expected a time like"),
        ("query_id,id,adjudicated\nq,a,perhaps\n", "x.csv:2: adjudicated: found 'perhaps'"),
        ("query_id,id,history\nq,a,what\n", "x.csv:2: history: not JSON"),
        ('query_id,id,note\nq,a,"x\n', "x.csv:2: not CSV"),
        ("query_id,document,quote\nq,a,\n", "x.csv:2: names neither a quote nor both start and end"),
        ("query_id,id,document,quote\nq,a,b,c\n", "x.csv:2: names both an id and a span"),
    ],
)
def test_faults_of_a_spreadsheet_have_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert tells(f"{tmp_path}/{message}", caught.value)


def test_a_spreadsheet_in_another_encoding_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("query_id,id,note\nq,a,中文\n".encode("big5"))
    with pytest.raises(InputError, match=r"x\.csv:2: byte 0x.* is not UTF-8; convert the file"):
        read_pairs(path)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"query_id": "q"}\n{"query_id": "q", "id": "a", "grade": -1}\n{\n{"query_id": "q", "relevant": []}\n'
    )
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    message = str(caught.value)
    assert "4 problems" in message
    assert "x.jsonl:1: id found" in message
    assert "-1, expected a whole number from 0" in message
    assert "x.jsonl:3: not JSON" in message
    assert (
        "x.jsonl:4: is a query of a suite, expected a row {query_id, id, grade}; give the suite's YAML head" in message
    )


def test_the_end_of_the_name_is_the_form(tmp_path: Path) -> None:
    for name in ("x.xlsx", "x"):
        with pytest.raises(ConfigError, match=r"\.jsonl, \.csv, or \.json for Label Studio"):
            write_pairs(ROWS, tmp_path / name)
        with pytest.raises(ConfigError):
            read_pairs(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def task(*annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    values = {
        "question": "how?",
        "passage": "p",
        "was": "",
        "query_id": "q",
        "text": "how?",
        "id": "a",
        "judgments": [],
    }
    return {
        "id": 7,
        "data": {**values, **data},
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "created_at": "2026-09-01T08:00:00.000000Z",
        "updated_at": "2026-09-02T08:00:00.000000Z",
        "inner_id": 1,
        "total_annotations": 1,
        "cancelled_annotations": 0,
        "total_predictions": 0,
        "project": 2,
        "meta": {},
    }


def annotation(choices: list[str], by: Any = 10, note: str = "", **more: Any) -> dict[str, Any]:
    result = [
        {
            "id": "a1",
            "from_name": "grade",
            "to_name": "passage",
            "type": "choices",
            "origin": "manual",
            "value": {"choices": choices},
        }
    ]
    if note:
        value = {"text": [note]}
        result.append({"id": "a2", "from_name": "note", "to_name": "passage", "type": "textarea", "value": value})
    return {
        "id": 1001,
        "completed_by": by,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-09-02T08:00:00.000000Z",
        "updated_at": "2026-09-02T09:00:00.728378Z",
        "lead_time": 4.2,
        **more,
    }


def exported(tmp_path: Path, *tasks: Any) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), "utf-8")
    return path


def test_annotations_of_label_studio_are_read(tmp_path: Path) -> None:
    user = {"id": 12, "email": "amy@example.org", "first_name": "", "last_name": ""}
    found = read_pairs(exported(tmp_path, task(annotation(["2"]), annotation(["0"], user, "舊方案"))))
    at = "2026-09-02T09:00:00.728378Z"
    assert [(row.id, row.grade, row.annotator, row.at, row.note) for row in found.rows] == [
        ("a", 2, "user 10", at, ""),
        ("a", 0, "amy@example.org", at, "舊方案"),
    ]
    assert found.people == ("amy@example.org", "user 10")


def test_skipped_annotations_and_drafts_and_predictions_judge_nothing(tmp_path: Path) -> None:
    skipped = annotation(["2"], was_cancelled=True)
    empty = {**annotation(["2"]), "result": []}
    other = {**task(skipped, empty), "drafts": [annotation(["1"])], "predictions": [annotation(["2"])]}
    found = read_pairs(exported(tmp_path, other))
    assert [row.grade for row in found.rows] == [None]
    assert found.skipped == 2
    assert found.people == ()


def test_an_answer_to_a_dispute_settles_it_in_label_studio_too(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", PairRow("q", "a", adjudicated=True, kind="disputed"))
    tasks = json.loads(path.read_text("utf-8"))
    tasks[0]["annotations"] = [annotation(["1"])]
    (row,) = read_pairs(exported(tmp_path, *tasks)).rows
    assert (row.grade, row.adjudicated) == (1, True)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (task(annotation(["2", "1"])), "export.json:2: annotation: found the choices '2', '1', expected one grade"),
        (task(annotation(["good"])), "found the choices 'good', expected one grade from the choices named 'grade'"),
        (task(annotation([])), "found the choices none"),
        (task(annotation(["1"]), id=None), "export.json:2: id found"),
        (task(annotation(["1"], updated_at="yesterday")), "at: found …'yesterday'"),
        ({"id": 7, "text": "how?", "grade": "2", "annotator": 1}, "export as JSON, not as JSON-MIN"),
        (task("x"), "annotations: found …'x', expected an object"),
        (7, "export.json:2: found … 7, expected Label Studio's JSON export"),
    ],
)
def test_faults_of_an_export_have_their_line(tmp_path: Path, item: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_pairs(exported(tmp_path, item))
    assert tells(message, caught.value)


def test_the_labelling_configuration_asks_what_is_read() -> None:
    view = ElementTree.fromstring(label_config(range(4)))
    choices = view.find("Choices")
    assert choices is not None
    assert (choices.get("name"), choices.get("toName"), choices.get("choice")) == ("grade", "passage", "single")
    assert [choice.get("value") for choice in choices] == ["0", "1", "2", "3"]
    named = {text.get("value") for text in view.iter() if text.get("value", "").startswith("$")}
    assert named == {"$question", "$passage"}
    assert {"$was"} == {
        text.get("value") for text in ElementTree.fromstring(label_config([1], old_texts=True)).iter("Text")
    } - {"$passage"}


def test_tasks_hold_everything_that_the_configuration_shows(tmp_path: Path) -> None:
    tasks = json.loads(written(tmp_path / "x.json", *ROWS[:3]).read_text("utf-8"))
    assert [each["data"]["question"] for each in tasks] == ["first\nsecond\nHow many?", "多少？"]
    assert [each["data"]["passage"] for each in tasks] == ["en/a.md#x", "頁 > 大小\n\n一則訊息\n最大 256 KB。"]
    assert [each["data"]["was"] for each in tasks] == ["", "最大 64 KB。"]
    assert not any("annotations" in each or "predictions" in each for each in tasks)
