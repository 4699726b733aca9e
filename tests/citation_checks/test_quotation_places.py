"""A quotation stands in a text word for word, white space apart, or what is nearest is shown."""

import pytest

from runner.citation_checks.quotation import cut_in, nearest_to, squeeze, stands_in


@pytest.mark.parametrize(
    ("text", "squeezed"),
    [
        ("  two\n\n words\t", "two words"),
        ("最多送出\n一百次", "最多送出一百次"),
        ("請求，\n  超過", "請求，超過"),
        ("有效 12 小時", "有效12小時"),
        ("一百\u3000次", "一百次"),
        ("ａ　ｂ", "ａｂ"),
        ("서울 시", "서울 시"),
        ("", ""),
    ],
)
def test_white_space_is_one_space_and_none_beside_chinese(text: str, squeezed: str) -> None:
    assert squeeze(text) == squeezed


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("at most 100 requests", "sends at most 100 requests a minute"),
        ("whole", "whole"),
        ("per cent", "10 per cent."),
        ("送出一百", "最多送出一百次請求"),
        ("100次", "最多100次請求"),
        ("100", "最多100次"),
        ("「每分鐘」", "帳號「每分鐘」最多"),
        ("สวัสดี", "สวัสดีครับ"),
        # The first place cuts a word, the second does not.
        ("able", "unable or able"),
    ],
)
def test_a_quotation_of_whole_words_stands(quotation: str, text: str) -> None:
    assert stands_in(quotation, text)
    assert cut_in(quotation, text) is None


@pytest.mark.parametrize(
    ("quotation", "text"),
    [
        ("at most 10", "sends at most 100 requests"),
        ("0 requests", "sends at most 100 requests"),
        ("at most 1", "a body has at most 1.5 MB"),
        ("5 MB", "a body has at most 1.5 MB"),
        ("000 messages", "up to 5,000 messages"),
        ("able to send", "unable to send"),
        ("上限 1", "上限 10 次"),
    ],
)
def test_a_quotation_that_cuts_a_word_or_a_number_does_not_stand(quotation: str, text: str) -> None:
    assert not stands_in(quotation, text)
    shown = cut_in(quotation, text)
    assert shown is not None
    assert quotation in shown and shown in text


@pytest.mark.parametrize(("quotation", "text"), [("x", ""), ("", "x"), ("一百次", "一百 次"), ("A", "a"), ("，", ",")])
def test_what_is_not_there_word_for_word_does_not_stand(quotation: str, text: str) -> None:
    assert not stands_in(quotation, text)
    assert cut_in(quotation, text) is None


def test_the_nearest_text_comes_with_its_similarity() -> None:
    near = nearest_to("at most 900 requests", "a free account sends at most 100 requests a minute")
    assert near is not None
    assert near.text == "at most 100 requests"
    # 19 of 20 characters are the same: one is taken out and one put in, of 40.
    assert near.similarity == pytest.approx(1 - 2 / 40)


def test_a_text_within_a_longer_quotation_is_not_all_alike() -> None:
    near = nearest_to("yes, it surely is", "yes, it is")
    assert near is not None
    # 10 + 17 characters, of which 7 have to be taken out.
    assert near.similarity == pytest.approx(1 - 7 / 27)


@pytest.mark.parametrize("text", ["", "完全不同的文字在這裡"])
def test_nothing_alike_is_nothing(text: str) -> None:
    assert nearest_to("at most 100", text) is None


def test_a_long_nearest_text_is_shortened() -> None:
    near = nearest_to("a b " * 100, "a b " * 90)
    assert near is not None
    assert len(near.text) == 160
