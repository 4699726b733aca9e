"""The file of candidates and the summary beside it."""

import hashlib
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import JudgmentCandidate, read_candidates
from runner.annotation.candidates.candidate_list import CandidateList, meta_path, write_candidates
from runner.errors import ConfigError, InputError
from runner.reports.candidates import print_candidates

ONE = JudgmentCandidate(
    "q1",
    "額度\u2028是 <email>",
    ("先前",),
    None,
    "click",
    "clicked",
    0.5,
    "why",
    {"clicked": {"clicks": 1}},
    {"language": "zh"},
    ("e-mail",),
)


@pytest.fixture
def found(default_rules: Rules) -> CandidateList:
    both = replace(ONE, query_id="q2", id="p", evidence={"failing": {"rank": 1}, "clicked": {"clicks": 2}}, rules=())
    by_rank = [{"rank": 1, "impressions": 4, "clicks": 1, "ctr": 0.25}]
    return CandidateList(
        [ONE, both], [{"kind": "run", "id": "r"}], default_rules, {"depth": 10}, {"events": 4}, by_rank, ["careful"]
    )


def test_every_row_has_the_keys_of_a_candidate_and_no_grade(found: CandidateList, tmp_path: Path) -> None:
    path = tmp_path / "new/candidates.jsonl"
    write_candidates(found, path, 10)
    first, second = (json.loads(line) for line in path.read_bytes().splitlines())
    assert first == {
        "query_id": "q1",
        "text": "額度\u2028是 <email>",
        "history": ["先前"],
        "id": None,
        "source": "click",
        "kind": "clicked",
        "priority": 0.5,
        "why": "why",
        "evidence": {"clicked": {"clicks": 1}},
        "fields": {"language": "zh"},
        "rules": ["e-mail"],
    }
    assert first.keys() == second.keys()
    assert "額度" in path.read_text("utf-8")


def test_the_summary_says_where_they_come_from(found: CandidateList, tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    write_candidates(found, path, 1)
    meta = json.loads((tmp_path / "candidates.meta.json").read_text("utf-8"))
    assert meta["candidates"] == {"file": "candidates.jsonl", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert meta["counts"] == {"found": 2, "written": 1, "failing": 1, "pooled": 0, "clicked": 2, "events": 4}
    assert meta["rules"]["sha256"] == hashlib.sha256(Path(found.rules.path).read_bytes()).hexdigest()
    assert meta["rules"]["texts_changed"] == {"e-mail": 1}
    assert (meta["inputs"], meta["options"], meta["notes"]) == (
        [{"kind": "run", "id": "r"}],
        {"depth": 10},
        ["careful"],
    )
    assert meta["clicks_by_rank"][0]["ctr"] == 0.25
    assert meta["made"].endswith("+00:00")


def test_only_the_most_urgent_are_written(found: CandidateList, tmp_path: Path) -> None:
    write_candidates(found, tmp_path / "c.jsonl", 1)
    (line,) = (tmp_path / "c.jsonl").read_bytes().splitlines()
    assert json.loads(line)["query_id"] == "q1"


def test_nothing_is_left_beside_and_an_earlier_file_is_replaced(found: CandidateList, tmp_path: Path) -> None:
    for most in (2, 1):
        write_candidates(found, tmp_path / "c.jsonl", most)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "c.meta.json"]
    assert len((tmp_path / "c.jsonl").read_bytes().splitlines()) == 1


def test_an_input_is_never_written_over(found: CandidateList, tmp_path: Path) -> None:
    log = tmp_path / "events.csv"
    log.write_text("kept", "utf-8")
    read = replace(found, inputs=[{"kind": "clicks", "path": str(log), "sha256": "0"}])
    for target in (log, tmp_path / "sub/../events.csv"):
        with pytest.raises(ConfigError, match="is an input"):
            write_candidates(read, target, 1)
    with pytest.raises(ConfigError, match="is an input"):
        write_candidates(found, Path(found.rules.path), 1)
    assert log.read_text("utf-8") == "kept"


def test_a_place_that_cannot_be_written_is_named(found: CandidateList, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        write_candidates(found, tmp_path / "file/c.jsonl", 1)


@pytest.mark.parametrize(
    ("name", "summary"), [("a.jsonl", "a.meta.json"), ("a", "a.meta.json"), ("a.b.jsonl", "a.b.meta.json")]
)
def test_the_summary_lies_beside(name: str, summary: str) -> None:
    assert meta_path(Path(name)).name == summary


def test_the_first_twenty_are_shown_each_on_one_line_without_control_characters(found: CandidateList) -> None:
    nasty = replace(ONE, text="a\x1b[31mred\nline [bold]b[/bold] :smile:")
    shown = StringIO()
    print_candidates(replace(found, candidates=[nasty] * 1025), shown, 200)
    lines = shown.getvalue().splitlines()
    assert "\x1b" not in shown.getvalue()
    assert sum("q1: 先前 / a\\u001b[31mred line [bold]b[/bold] :smile:" in line for line in lines) == 20
    assert lines[0].split() == ["priority", "query", "passage", "why"]
    assert "... and 1,005 more" in lines
    assert "clicks by rank: 1: 0.250 of 4" in lines
    assert "candidates: 1,025 (1,025 clicked); none of them is a judgment" in lines
    assert lines[-1] == "note: careful"


def test_nothing_found_is_said(found: CandidateList) -> None:
    shown = StringIO()
    print_candidates(replace(found, candidates=[], by_rank=(), notes=()), shown, 200)
    assert shown.getvalue() == "candidates: 0; none of them is a judgment\n"


def test_no_more_are_shown_than_are_asked_for(found: CandidateList) -> None:
    shown = StringIO()
    print_candidates(replace(found, candidates=[ONE] * 25), shown, 3)
    assert sum("q1: " in line for line in shown.getvalue().splitlines()) == 3
    assert "... and 22 more" in shown.getvalue()


def test_what_is_written_is_read_in_its_order(found: CandidateList, tmp_path: Path) -> None:
    first, second = replace(ONE, priority=0.1), replace(ONE, query_id="q2", id="p", priority=0.9)
    assert write_candidates(replace(found, candidates=[first, second]), tmp_path / "c.jsonl", 10) == 2
    read = read_candidates(tmp_path / "c.jsonl")
    assert read == (first, second)
    assert [each.line for each in read] == [1, 2]


def test_only_query_text_and_kind_have_to_be_there(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"query_id": "q", "text": " 額度 ", "kind": "pooled"}\n', "utf-8")
    assert read_candidates(path) == (JudgmentCandidate("q", "額度", (), None, "human", "pooled", 0.0, "", {}),)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"grade": 1}, "says what is relevant"),
        ({"qery": 1}, "unknown field 'qery'"),
        ({"query_id": ""}, "query_id is empty"),
        ({"id": 3}, "id found a number 3"),
        ({"text": " "}, "text: found a string ' ', expected the question"),
        ({"kind": "good"}, "kind: found a string 'good', expected one of failing, pooled, clicked"),
        ({"source": "robot"}, "source: found a string 'robot', expected one of human"),
        ({"priority": 2}, "priority: found a number 2"),
        ({"priority": True}, "priority: found true"),
        ({"why": 1}, "why: found a number 1, expected a sentence"),
        ({"evidence": []}, "evidence: found a list, expected an object"),
        ({"fields": []}, "fields: found a list, expected an object"),
        ({"history": "x"}, "history: found a string 'x', expected a list"),
        ({"rules": [1]}, "rules: expected strings only"),
    ],
)
def test_a_faulty_row_is_named_with_its_line(changed: dict[str, object], words: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    rows = [ONE.row(), {**ONE.row(), **changed}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(InputError, match=r"c\.jsonl:2: ") as refused:
        read_candidates(path)
    assert words in str(refused.value)


def test_a_file_without_a_candidate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("\n", "utf-8")
    with pytest.raises(InputError, match="holds no candidate"):
        read_candidates(tmp_path / "c.jsonl")
