"""A rule file is read strictly: every fault by its line, nothing guessed."""

import hashlib
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.judging.candidates.anonymise import Rules


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(text, "utf-8")
    return path


def rule(name: str = "工號", pattern: str = r"工號\d+", replacement: str = "<工號>") -> str:
    return f"  - name: {name}\n    pattern: '{pattern}'\n    replacement: '{replacement}'\n"


def test_rules_are_applied_in_their_order_each_to_what_the_one_before_left(tmp_path: Path) -> None:
    rules = Rules.read(written(tmp_path, "rules:\n" + rule("one", "a+", "b") + rule("two", "b", "c")))
    assert rules.apply("xaa").text == "xc"
    assert rules.apply("xaa").rules == ("one", "two")
    assert rules.names == ("one", "two")


def test_a_replacement_can_keep_a_group(tmp_path: Path) -> None:
    rules = Rules.read(written(tmp_path, "rules:\n" + rule(pattern=r"(工號)\d+", replacement=r"\1…")))
    assert rules.apply("我的工號123").text == "我的工號…"


def test_the_hash_is_that_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffrules:\n" + rule())
    assert Rules.read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_rule_that_may_take_exponential_time_is_named(tmp_path: Path) -> None:
    text = "rules:\n" + rule("slow", "(a+)+b") + rule("slow too", "(?:x|(?:y*z)*)1") + rule("fast", "a+b{1,9}c*")
    assert Rules.read(written(tmp_path, text)).slow == ("slow", "slow too")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("rules:\n" + rule(pattern="("), 3, "no regular expression"),
        ("rules:\n" + rule() + rule("b", "x*"), 6, "matches the empty string"),
        ("rules:\n" + rule(pattern=r"\b"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="(?=x)"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="a|b?"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern=""), 3, "matches the empty string"),
        ("rules:\n" + rule(replacement=r"\2"), 4, "invalid group reference"),
        ("rules:\n" + rule() + rule(), 5, "given twice, first in line 2"),
        ("rules:\n" + rule() + "    patern: x\n", 5, "did you mean 'pattern'?"),
        ("rules:\n  - name: a\n    pattern: b\n", 2, "replacement is missing"),
        ("rules:\n  - name: a\n    pattern: 12\n    replacement: x\n", 3, "found a number 12, expected text"),
        ("rules:\n  - just words\n", 2, "expected {name, pattern, replacement}"),
        ("rule:\n" + rule(), 1, "did you mean 'rules'?"),
        ("rules: []\n", 1, "expected a list"),
        ("rules: no\n", 1, "expected a list"),
        ("- a\n", 1, "expected `rules:`"),
        ("rules: [\n", 2, "not YAML"),
        ("rules:\n" + rule("''"), 2, "name is empty"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as refused:
        Rules.read(path)
    assert f"{path}:{line}: " in str(refused.value)
    assert words in str(refused.value)


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, "extra: 1\nrules:\n" + rule("a", "(") + rule("b", "x*") + rule("c"))
    with pytest.raises(InputError, match="3 problems") as refused:
        Rules.read(path)
    assert [f"{path}:{line}:" in str(refused.value) for line in (1, 4, 7)] == [True] * 3


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes(b"rules:\n  - name: \xa4\n")
    with pytest.raises(InputError, match=r":2: byte 0xa4 is not UTF-8"):
        Rules.read(path)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere.yaml: not found; expected a file of anonymising rules"):
        Rules.read(Path("nowhere.yaml"))
