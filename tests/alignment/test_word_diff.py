"""The changed wording of two texts."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.alignment import word_diff as wording
from runner.alignment.shingles import tokens_of, words
from runner.alignment.word_diff import WordRun, word_diff


def shown(old: str, new: str) -> str:
    marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(marks[run.kind].format(run.text) for run in word_diff(old, new))


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("up to 20 queues", "up to 25 queues", "up to [-20-]{+25+} queues"),
        ("2,500 a second", "3,000 a second", "[-2,500-]{+3,000+} a second"),
        ("最多 20 個佇列", "最多 25 個佇列", "最多 [-20-]{+25+} 個佇列"),
        ("保留十四天。", "保留二十一天。", "保留[-十四-]{+二十一+}天。"),
        ("same", "same", "same"),
        ("", "", ""),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("a  b", "a b", "a[-  -]{+ +}b"),
        ("one\ntwo", "one\ntwo\nthree", "one\ntwo{+\nthree+}"),
    ],
)
def test_what_changed_is_marked_by_word_and_by_character(old: str, new: str, wanted: str) -> None:
    assert shown(old, new) == wanted


def test_a_sentence_that_was_written_anew_is_shown_whole() -> None:
    old, new = "Pay by postal cheque, it clears in a week.", "Pay within thirty days, and a card is charged."
    assert (
        shown(old, new) == "Pay [-by postal cheque, it clears in a week-]{+within thirty days, and a card is charged+}."
    )


def test_single_words_between_two_small_changes_stay_apart() -> None:
    assert shown("a b c d e", "a x c y e") == "a [-b-]{+x+} c [-d-]{+y+} e"


def test_changes_of_two_lines_stay_apart() -> None:
    old, new = "| one two | x |\n| three four | y |", "| five six | x |\n| seven eight | y |"
    assert shown(old, new) == "| [-one two-]{+five six+} | x |\n| [-three four-]{+seven eight+} | y |"


def test_very_long_texts_are_compared_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "_MOST_PAIRS", 50)
    assert word_diff("one two\nthree four\nfive six", "one two\nthree 4\nfive six") == (
        WordRun("same", "one two\n"),
        WordRun("removed", "three four\n"),
        WordRun("added", "three 4\n"),
        WordRun("same", "five six"),
    )


def test_words_are_cut_where_people_cut_them() -> None:
    assert words("Don't send 2,500 msgs/s to api-v2.example！每秒十則。") == [
        "Don't",
        "send",
        "2,500",
        "msgs",
        "s",
        "to",
        "api-v2.example",
        "每",
        "秒",
        "十",
        "則",
    ]
    assert words(" -- ！") == ["-", "-", "！"]
    assert words(" \n") == []


texts = st.lists(st.sampled_from(["佇", "列", "limit", "10", "2,500", " ", "\n", "。", "|", "x"]), max_size=25).map(
    "".join
)


@settings(max_examples=300, deadline=None)
@given(texts, texts)
def test_the_pieces_join_to_both_texts(old: str, new: str) -> None:
    found = word_diff(old, new)
    assert "".join(run.text for run in found if run.kind != "added") == old
    assert "".join(run.text for run in found if run.kind != "removed") == new
    assert all(run.text for run in found)
    kinds = [run.kind for run in found]
    assert all(one != other for one, other in pairwise(kinds))
    assert "".join(tokens_of(old)) == old


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_at_all_can_be_compared(old: str, new: str) -> None:
    found = word_diff(old, new)
    assert "".join(run.text for run in found if run.kind != "added") == old
    assert "".join(run.text for run in found if run.kind != "removed") == new
