"""A rule file is read strictly: every fault by its line, nothing guessed."""

import hashlib
from pathlib import Path

import pytest

from runner.annotation.candidates.anonymise import Rules
from runner.errors import InputError


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


def test_a_rule_reads_digits_dashes_and_blanks_of_any_width_and_leaves_the_rest_as_it_was(tmp_path: Path) -> None:
    rules = Rules.read(written(tmp_path, "rules:\n" + rule(pattern="[0-9]+-[0-9]+ x")))
    text = "①\u200b１２\u200b—\u0663\u1680ｘ\u200b①，"
    assert rules.apply(text).text == "①\u200b<工號>\u200b①，"


def test_what_a_rule_keeps_is_out_of_its_sight_only(tmp_path: Path) -> None:
    keep = "    keep:\n      - '碼 \\d+'\n      - '0x\\d+'\n"
    rules = Rules.read(written(tmp_path, "rules:\n" + rule("one", r"\d+", "n") + keep + rule("two", "7", "seven")))
    assert rules.apply("碼 12 3 0x45 6").text == "碼 12 n 0x45 n"
    assert rules.apply("碼 17").text == "碼 1seven"
    assert rules.apply("碼 12").rules == ()


def test_a_match_that_would_reach_over_what_is_kept_is_none(tmp_path: Path) -> None:
    keep = "    keep: ['b']\n"
    rules = Rules.read(written(tmp_path, "rules:\n" + rule("one", "[^x]+", "n") + keep))
    assert rules.apply("abc").text == "abc"


def test_where_a_pattern_matches_nothing_nothing_is_replaced(tmp_path: Path) -> None:
    rules = Rules.read(written(tmp_path, "rules:\n" + rule(pattern="a+|(?<=權杖)b*")))
    assert rules.apply("權杖 aa").text == "權杖 <工號>"
    assert rules.apply("權杖").rules == ()


def test_a_rule_that_may_take_exponential_time_is_named(tmp_path: Path) -> None:
    text = "rules:\n" + rule("slow", "(a+)+b") + rule("slow too", "(?:x|(?:y*z)*)1") + rule("fast", "a+b{1,9}c*")
    text += rule("slow, too", "((x{2,}[)])y){3,}") + rule("quick", r"(?:\(a[*+)]\)|b++)c+(?=d*)e")
    text += rule("kept", "x") + "    keep: ['(a+)+b']\n"
    assert Rules.read(written(tmp_path, text)).slow == ("slow", "slow too", "slow, too", "kept")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("rules:\n" + rule(pattern="("), 3, "no regular expression"),
        ("rules:\n" + rule() + rule("b", "x*"), 6, "matches the empty string"),
        ("rules:\n" + rule(pattern=r"\b"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="(?=x)"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="a|b?"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern=""), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="(?=字)"), 3, "matches the empty string"),
        ("rules:\n" + rule(pattern="密碼＝"), 3, "holds '＝', which is read as '=' in every text"),
        ("rules:\n" + rule(pattern="[-—]x"), 3, "holds '—', which is read as '-' in every text"),
        ("rules:\n" + rule() + "    keep: x\n", 5, "keep: found a string 'x', expected a list"),
        ("rules:\n" + rule() + "    keep: [1]\n", 5, "expected a list of patterns"),
        ("rules:\n" + rule() + "    keep:\n      - 'x'\n      - '('\n", 5, "keep: '(' is no regular expression"),
        ("rules:\n" + rule() + "    keep: ['x*']\n", 5, "keep: 'x*' matches the empty string"),
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


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("(a+)+b", "a" * 60), ("(?:a|a)*b", "a" * 60), ("(?:x|(?:y+)+)+1", "y" * 60)],
)
def test_a_pattern_that_comes_to_no_end_is_ended_and_named(tmp_path: Path, pattern: str, text: str) -> None:
    rules = Rules.read(written(tmp_path, "rules:\n" + rule("endless", pattern)))
    with pytest.raises(InputError, match=r"rule 'endless' came to no end within 2 s on a text of 60 characters"):
        rules.apply(text)
    assert rules.apply("short").text == "short"


def test_a_pattern_that_comes_to_no_end_on_any_text_is_refused_as_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r":3: .*comes to no end on a text"):
        Rules.read(written(tmp_path, "rules:\n" + rule("endless", "(.+)+q0")))
