"""Finding a quotation again: white space, overlaps, Chinese, and the nearest words where it is not there."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites import Span, SpanFault
from runner.suites.span import find_quote


@pytest.mark.parametrize(
    ("quote", "text", "places"),
    [
        ("two", "one two three", [(4, 7)]),
        ("two three", "one two\n  three", [(4, 15)]),
        ("two\nthree", "one two three", [(4, 13)]),
        ("a a", "a a a", [(0, 3), (2, 5)]),
        ("a.c", "abc a.c", [(4, 7)]),
        ("一百次", "每分鐘一百次，一百次！", [(3, 6), (7, 10)]),
        ("Two", "two", []),
        ("two", "", []),
        ("  ", "two", []),
        ("(x", "f(x)", [(1, 3)]),
        # Words and numbers are whole ones; a Chinese character is a word.
        ("aa", "aaa", []),
        ("can", "cannot can", [(7, 10)]),
        ("available", "unavailable", []),
        ("is 10", "is 100, is 10.", [(8, 13)]),
        ("10 次", "110 次", []),
        ("為 10", "為 100", []),
        ("一百", "一百五十次", [(0, 2)]),
        ("１０", "１００", []),
        ("使用", "請使用API", [(1, 3)]),
        ("API", "請使用API呼叫", [(3, 6)]),
        ("caf", "café", []),
        ("limit", "_limit_", [(1, 6)]),
    ],
)
def test_a_quotation_is_found_wherever_it_stands(quote: str, text: str, places: list[tuple[int, int]]) -> None:
    assert find_quote(quote, text) == places


def test_a_quotation_that_stands_once_is_located() -> None:
    assert Span("d", "three  four").locate("one two three\nfour") == (8, 18)


def test_one_that_stands_twice_needs_its_start() -> None:
    text = "limit 100\nlimit 100"
    with pytest.raises(SpanFault, match=r"found 2 times, first in line 1 \(start 0\) and line 2 \(start 10\)"):
        Span("d", "limit 100").locate(text)
    assert Span("d", "limit 100", 10).locate(text) == (10, 19)
    with pytest.raises(SpanFault, match="does not begin at 3"):
        Span("d", "limit 100", 3).locate(text)


def test_one_that_was_edited_names_the_nearest_words_and_their_line() -> None:
    text = "intro\n\nA request may take up to 30 seconds before it is ended.\n\n要求最多可以執行三十秒。"
    with pytest.raises(SpanFault, match=r"nearest, in line 3 .*up to 30 seconds"):
        Span("d", "A request may take up to 60 seconds before it is ended.").locate(text)
    with pytest.raises(SpanFault, match=r"nearest, in line 5 .*要求最多可以執行三十秒"):
        Span("d", "要求最多可以執行六十秒。").locate(text)
    with pytest.raises(SpanFault, match="nor anything like it"):
        Span("d", "zzzz qqqq").locate("一二三四五六七八九十")
    with pytest.raises(SpanFault, match="nor anything like it"):
        Span("d", "two").locate("")


def test_one_that_ends_within_a_word_or_a_number_is_told_so() -> None:
    for quote, text in (("is 10", "\nIt is 100."), ("A client can", "\nA client cannot.")):
        with pytest.raises(SpanFault, match=r"only as part of a longer word or number, in line 2; quote all of it"):
            Span("d", quote).locate(text)


def test_long_quotations_that_begin_alike_have_different_ids() -> None:
    start = "The same beginning of a sentence that goes on for more than sixty characters "
    assert Span("d", start + "one").id != Span("d", start + "two").id
    assert "\n" not in Span("d", "two\nlines").id


UNSEEN = "\u00ad\u200b\u200d\u2060\ufeff\ufe0f\U000e0100"


@pytest.mark.parametrize(
    ("quote", "text", "places"),
    [
        ("configuration", "the con\u00adfigu\u00adration file", [(4, 19)]),
        ("con\u00adfiguration", "the configuration file", [(4, 17)]),
        ("two three", "two\u200b \u200bthree", [(0, 11)]),
        ("caf\u00e9", "a cafe\u200b\u0301 here", [(2, 8)]),
        ("一百次", "每分鐘一\u200b百次！", [(3, 7)]),
        ("can", "can\u00adnot", []),
        ("not", "can\u00adnot", []),
        ("a.c", "a\u200bbc a\u200b.c", [(5, 9)]),
        ("\u200b\ufeff", "a\u200bb", []),
    ],
)
def test_what_nobody_sees_neither_hides_a_quotation_nor_moves_its_place(
    quote: str, text: str, places: list[tuple[int, int]]
) -> None:
    assert find_quote(quote, text) == places


@settings(max_examples=60)
@given(st.integers(0, 1_000_000), st.sampled_from(["at most 100", "caf\u00e9", "一百次", "每 分鐘"]))
def test_a_quotation_is_found_where_its_letters_stand(seed: int, quote: str) -> None:
    text = "At most 1000, at most\n100 in a caf\u00e9: 每 分鐘一百次。"
    by = random.Random(seed)
    dirty, places = "", []
    for character in text:
        dirty += "".join(by.choices(UNSEEN, k=by.randrange(3)))
        places.append(len(dirty))
        dirty += character
    asked = "".join(character + "".join(by.choices(UNSEEN, k=by.randrange(2))) for character in quote)
    ((start, end),) = find_quote(quote, text)
    assert find_quote(asked, dirty) == [(places[start], places[end - 1] + 1)]


def test_a_long_quotation_is_looked_for_in_a_text_full_of_what_nobody_sees() -> None:
    text = "\u200b".join("word " * 5_000)
    assert find_quote("word " * 100 + "nothing", text) == []
