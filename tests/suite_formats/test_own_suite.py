"""The own format: a YAML head and a file of queries."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.suite_formats import OwnSuite
from runner.suites import Suite

HEAD = "name: core\nunit: passage\n"


def write(folder: Path, rows: list[Any], head: str = HEAD) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "core.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = folder / "core.yaml"
    path.write_text(head, encoding="utf-8")
    return path


def read(folder: Path, rows: list[Any], head: str = HEAD) -> Suite:
    return OwnSuite(write(folder, rows, head)).read()


def refusal(folder: Path, rows: list[Any], head: str = HEAD) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, rows, head)
    return str(caught.value)


def row(query_id: str = "q1", **changes: Any) -> dict[str, Any]:
    return {"query_id": query_id, "text": "how many?", "relevant": ["a.md#limits"], **changes}


def test_a_small_suite_has_defaults(tmp_path: Path) -> None:
    suite = read(tmp_path, [row()])
    assert (suite.name, suite.role, suite.unit, suite.snapshot, suite.min_grade) == (
        "core",
        "development",
        "passage",
        None,
        1,
    )
    (query,) = suite.queries
    assert (query.id, query.text, query.grades) == ("q1", "how many?", {"a.md#limits": 1})
    assert (query.source, query.added, query.history, query.fields) == ("human", None, (), {})
    assert suite.scored() == suite.queries


def test_everything_that_can_be_said_is_read(tmp_path: Path) -> None:
    head = (
        "name: 核心\nrole: holdout\nunit: passage\nsnapshot: '0123456789abcdef'\nmin_grade: 2\nhistory: ignore\n"
        "slices: [change_type, change_type x lang, source, query_length]\nfields: [note]\nqueries: other.jsonl\n"
        "about: for release 7\n"
    )
    rows = [
        row(
            "q2",
            relevant=["a", {"id": "b", "grade": 3}, {"id": "c", "grade": 0}, {"id": "d"}, {"id": "e", "grade": 2.0}],
            change_type=["removed", "added"],
            lang="zh",
            note=7,
            source="click",
            added="2026-09-20",
            history=["earlier", "later"],
        ),
        row("q10", text=" 那 Team 呢？ ", change_type="none", lang=None),
    ]
    path = write(tmp_path, [], head)
    (tmp_path / "other.jsonl").write_text("\n".join(map(json.dumps, rows)))
    suite = OwnSuite(path).read()
    assert (suite.name, suite.role, suite.snapshot, suite.min_grade, suite.history_mode) == (
        "核心",
        "holdout",
        "0123456789abcdef",
        2,
        "ignore",
    )
    assert suite.slices == ("change_type", "change_type x lang", "source", "query_length")
    first, second = suite.queries
    assert (first.id, second.id) == ("q10", "q2")
    assert first.text == "那 Team 呢？"
    assert second.grades == {"a": 2, "b": 3, "c": 0, "d": 2, "e": 2}
    assert second.fields == {"change_type": ["removed", "added"], "lang": "zh", "note": 7, "source": "click"}
    assert (second.source, second.added, second.history) == ("click", "2026-09-20", ("earlier", "later"))


def test_unanswerable_and_unjudged_queries_stand_apart(tmp_path: Path) -> None:
    rows = [row("a"), row("b", answerable=False, relevant=[]), {"query_id": "c", "judged": False, "text": "x"}]
    suite = read(tmp_path, rows)
    assert [[query.id for query in part] for part in (suite.scored(), suite.unanswerable(), suite.unjudged())] == [
        ["a"],
        ["b"],
        ["c"],
    ]


def test_every_fault_is_listed_with_its_line(tmp_path: Path) -> None:
    faults: list[tuple[Any, str]] = [
        (row("q1"), "query_id 'q1' is given twice, first in line 1"),
        ({"text": "x", "relevant": ["a"]}, "query_id is missing"),
        (row(""), "query_id is empty"),
        (row(7), "query_id found a number 7, expected a string"),  # type: ignore[arg-type]
        (row("e", relevant=[]), "no relevant item (none with grade >= 1)"),
        (row("f", relevant=[{"id": "a", "grade": 0}]), "no relevant item"),
        (row("g", relevant=["a", ""]), "relevant: id is empty"),
        (row("h", relevant=["a", "a"]), "relevant: 'a' is given twice"),
        (row("i", relevant=[{"id": "a", "grade": -1}]), "grade: found a number -1, expected a whole number from 0"),
        (row("j", relevant=[{"id": "a", "grade": "2"}]), "grade: found a string '2'"),
        (row("k", relevant=[{"id": "a", "grade": 1.5}]), "grade: found a number 1.5"),
        (row("l", relevant="a"), "relevant: found a string 'a', expected a list"),
        (row("m", text="  "), "text is missing or empty; a judged query needs one"),
        (row("n", change_typ="x"), "unknown field 'change_typ'; did you mean 'change_type'?"),
        (row("o", answerable="no"), "answerable: found a string 'no', expected true or false"),
        (row("p", answerable=False), "has 1 relevant items, but says answerable: false"),
        (row("r", source="llm"), "source: found 'llm', expected one of human, synthetic, click"),
        (row("s", added="last week"), "added: found 'last week', expected a date"),
        ('{"query_id": "t", ', "not JSON"),
        ('{"query_id": "u", "text": "x", "text": "y"}', "key 'text' is given twice"),
    ]
    message = refusal(tmp_path, [row("q1"), *(fault for fault, _ in faults)], HEAD + "slices: [change_type]\n")
    for line, (_, words) in enumerate(faults, 2):
        assert any(f"core.jsonl:{line}: " in each and words in each for each in message.splitlines()), (line, words)
    assert message.startswith(f"{tmp_path / 'core.jsonl'}: 20 problems")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (row(change_type={"a": 1}), "field 'change_type': found an object, expected text, a number"),
        (row(change_type=[1]), "field 'change_type': found a list"),
        (row(history="x"), "history: found a string 'x', expected a list of earlier turns"),
        (row(history=[1]), "history: expected strings only"),
        (row(text=3), "text: found a number 3, expected a string"),
        (row(relevant=[3]), "relevant: id found a number 3"),
        (row(relevant=[{"id": "a", "grad": 2}]), "relevant: unknown field 'grad'; did you mean 'grade'?"),
        (row(relevant=[{"id": "a", "grade": True}]), "relevant: grade: found true, expected a whole number"),
        (row(judged=False), "has 1 relevant items, but says judged: false"),
        (row(fields={"other": 1}), "unknown field 'other'"),
        (row(fields={"change_type": "a"}, change_type="b"), "field 'change_type' is both beside and inside `fields`"),
        ("[1]", "found a list, expected a JSON object"),
        ('{"query_id": "a", "text": "\\udc00", "relevant": ["a"]}', "a \\ud... escape is half of a pair"),
        ('{"query_id": "a", "text": "x", "relevant": [{"id": "a", "grade": 1e999}]}', "1e999 is not a number"),
        ('{"query_id": "a", "text": "x", "relevant": [{"id": "a", "grade": NaN}]}', "NaN is not a number"),
    ],
)
def test_wrong_types_are_told(tmp_path: Path, fault: Any, words: str) -> None:
    head = HEAD + "slices: [change_type]\n"
    message = refusal(tmp_path, [row("ok", change_type="x"), fault], head)
    assert f"core.jsonl:2: {words}" in message


def test_bytes_that_are_not_utf8_are_told_line_by_line(tmp_path: Path) -> None:
    path = write(tmp_path, [])
    (tmp_path / "core.jsonl").write_bytes(json.dumps(row()).encode() + b"\n\xa4\xa4\n\n\xff\n")
    with pytest.raises(InputError) as caught:
        OwnSuite(path).read()
    assert "core.jsonl:2: byte 0xa4 is not UTF-8" in str(caught.value)
    assert "core.jsonl:4: byte 0xff is not UTF-8" in str(caught.value)


def test_a_bad_head_is_told_line_by_line_together_with_the_queries(tmp_path: Path) -> None:
    head = (
        "nam: x\nrole: hold-out\nunit: page\nmin_grade: 0\nslices: change_type\n"
        "snapshot: 1234567890123456\nhistory: 1\n"
    )
    message = refusal(tmp_path, [row(relevant=[])], head)
    for words in (
        "core.yaml:1: unknown field 'nam'; did you mean 'name'?",
        "core.yaml: name is missing",
        "core.yaml:2: role: found a string 'hold-out', expected one of development, regression, holdout",
        "core.yaml:3: unit: found a string 'page', expected one of document, passage, span",
        "core.yaml:4: min_grade: found a number 0, expected a whole number from 1",
        "core.yaml:5: slices: found a string 'change_type', expected a list of field names",
        "core.yaml:6: snapshot: found a number 1234567890123456, expected an id in quotes",
        "core.yaml:7: history: found a number 1, expected one of prepend, ignore",
        "core.jsonl:1: no relevant item",
    ):
        assert words in message, words


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", "name is missing"),
        ("- a\n- b\n", "core.yaml:1: expected `key: value` lines"),
        ("name: core\nunit: [\n", "core.yaml:3: not YAML"),
        ("name: core\nname: two\nunit: passage\n", "core.yaml:2: key 'name' is given twice"),
        (HEAD + "queries: gone.jsonl\n", "core.yaml:3: the file of queries"),
        (HEAD + "slices: [a, a]\n", "core.yaml:3: slices: a name is given twice"),
        (HEAD + "slices: [kind]\n", "core.yaml:3: slice field 'kind' is declared, but no query has it"),
        (HEAD + "texts: maybe\n", "core.yaml:3: texts: expected one of required, optional"),
    ],
)
def test_one_fault_of_a_head_is_told(tmp_path: Path, head: str, words: str) -> None:
    assert words in refusal(tmp_path, [row()], head)


def test_missing_and_empty_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"core\.yaml: not found; expected the YAML head"):
        OwnSuite(tmp_path / "core.yaml").read()
    assert "core.jsonl: holds no query" in refusal(tmp_path, [])


def test_ids_meet_whatever_way_they_were_typed(tmp_path: Path) -> None:
    (query,) = read(tmp_path, [row("cafe\u0301", relevant=["cafe\u0301.md"])]).queries
    assert (query.id, set(query.grades)) == ("caf\u00e9", {"caf\u00e9.md"})
