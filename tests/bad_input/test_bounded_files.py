"""YAML and JSON that would hang a reader, exhaust its stack or slip through are refused with their line."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.errors import Problem
from runner.files.reading import json_lines
from runner.files.strict_json import parse_json
from runner.files.strict_yaml import read_mapping
from runner.suite_formats.beside import suites_beside
from runner.suites import Suite

NINE = ", ".join(["*a{}"] * 9)
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{NINE.replace('{}', str(level - 1))}]\n" for level in range(1, 10)
)
MERGED = "m0: &a0 {x: 1}\n" + "".join(
    f"m{level}: &a{level}\n  <<: [{NINE.replace('{}', str(level - 1))}]\n" for level in range(1, 10)
)
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 200))

YAML: dict[str, tuple[str, int, str]] = {
    "nine levels of nine aliases": (BOMB, 6, "more than 100,000 values"),
    "merged mappings of merged mappings": (MERGED, 11, "more than 100,000 values"),
    "a chain of aliases": (CHAIN, 99, "nested more than 100 levels deep"),
    "brackets a thousand deep": ("a: 1\nb: " + "[" * 1000 + "]" * 1000, 2, "nested more than 100 levels deep"),
    "mappings a thousand deep": ("a: " + "{b: " * 1000 + "1" + "}" * 1000, 1, "nested more than 100 levels deep"),
    "an alias to itself": ("a: 1\nb: &b [*b]", 2, "the alias *b stands inside of what it stands for"),
    "a mapping that holds itself": ("a: &a\n  b: *a", 2, "the alias *a stands inside"),
    "an alias to nothing": ("a: *b", 1, "undefined alias 'b'"),
    "a null key": ("a: 1\n~: 2", 2, "a key is null, expected text"),
    "a null key inside": ("a:\n  - {null: 2}", 2, "a key is null, expected text"),
    "a list as a key": ("? [a, b]\n: 1", 1, "a key is a sequence, expected text"),
    "a mapping as a key": ("a: 1\n? {b: c}\n: 1", 2, "a key is a mapping, expected text"),
    "a day that is not": ("a: 1\nday: 2026-13-45", 2, "'2026-13-45' is no timestamp"),
    "a truth that is not": ("a: 1\nb: !!bool perhaps", 2, "'perhaps' is no bool"),
    "a number of 5,000 digits": ("a: 1\nb: " + "9" * 5000, 2, "'99999999999999999999...' is no int"),
    "a class of Python": ("a: !!python/object/apply:os.system [ls]", 1, "could not determine a constructor"),
    "a key given twice, inside": ("a:\n  b: 1\n  b: 2", 3, "key 'b' is given twice"),
}


@pytest.mark.parametrize("what", YAML)
def test_yaml_that_no_person_writes_is_refused_with_its_line(what: str) -> None:
    text, line, words = YAML[what]
    problems: list[Problem] = []
    assert read_mapping(text, problems) is None
    assert problems[0].line == line
    assert words in problems[0].message
    assert "\n" not in problems[0].message


def test_aliases_and_merges_within_reason_are_read() -> None:
    text = "base: &base {a: 1, 'on': [x, *]}".replace("*", "y") + "\nmine:\n  <<: *base\n  b: *base\n2026: spring\n"
    found = read_mapping(text, [])
    assert found is not None
    assert found.values["mine"] == {"a": 1, "on": ["x", "y"], "b": {"a": 1, "on": ["x", "y"]}}
    assert found.values["2026"] == "spring"


JSON: dict[str, tuple[str, str]] = {
    "brackets 100,000 deep": ("[" * 100_000, "nested too deeply"),
    "brackets 150 deep": ('{"a": ' + "[" * 150 + "]" * 150 + "}", "nested too deeply"),
    "an integer of 5,000 digits": ('{"grade": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
    "NaN": ('{"a": NaN}', "NaN is not a number that can be kept"),
    "infinity": ('{"a": -Infinity}', "-Infinity is not a number"),
    "a number beyond floats": ('{"a": 1e999}', "1e999 is not a number"),
    "half a surrogate pair": (r'{"a": "\ud800"}', "half of a pair"),
    "half a pair in a key": (r'{"\udc00": 1}', "half of a pair"),
    "a key given twice": ('{"a": {"b": 1, "b": 2}}', "key 'b' is given twice"),
    "two values": ('{"a": 1} {"b": 2}', "Extra data at column 9"),
    "nothing": ("  ", "Expecting value"),
}


@pytest.mark.parametrize("what", JSON)
def test_json_that_cannot_be_kept_is_refused_in_one_line(what: str) -> None:
    text, words = JSON[what]
    with pytest.raises(ValueError, match=words) as caught:
        parse_json(text)
    assert "\n" not in str(caught.value)


def test_every_other_json_reads_as_python_reads_it() -> None:
    value: Any = {"a": [1, -2.5e3, True, None, "字\u2028", "\\ud800", {"b": []}], "deep": [[[[[[]]]]]]}
    assert parse_json(json.dumps(value)) == value
    assert parse_json(f" {json.dumps(value, ensure_ascii=False)}\r\n".encode()) == value


def test_a_faulty_line_does_not_hide_the_others() -> None:
    problems: list[Problem] = []
    rows = list(json_lines([(1, "[" * 5000), (2, '{"a": 1}'), (3, "9" * 5000), (4, "7")], problems))
    assert rows == [(2, {"a": 1})]
    assert [problem.line for problem in problems] == [1, 3, 4]


def test_what_only_lies_beside_a_suite_neither_hangs_nor_stops_it(tmp_path: Path) -> None:
    (tmp_path / "bomb.yaml").write_text(BOMB)
    (tmp_path / "named.yaml").write_text(f"name: x\nunit: passage\n{BOMB}")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "other.yaml").write_text("name: other\nunit: document\n")
    (tmp_path / "other.jsonl").write_text('{"query_id": "q", "text": "why"}\n')
    suite = Suite("own", "development", "document", (), head=str(tmp_path / "own.yaml"))
    assert [each.name for each in suites_beside(suite, ("development",))] == ["other"]
