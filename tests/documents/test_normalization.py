"""The declared normalisation of texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.documents import Document, Normalization
from runner.errors import ConfigError


def test_composed_and_decomposed_spellings_become_one() -> None:
    assert Normalization().text("cafe\u0301") == "caf\u00e9"


def test_line_ends_become_line_feeds() -> None:
    assert Normalization().text("a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_white_space_at_line_ends_goes_and_indentation_stays() -> None:
    assert Normalization().text("  a \t\n\u3000\u3000乙\u3000\nb") == "  a\n\u3000\u3000乙\nb"


def test_blank_lines_around_the_text_go() -> None:
    assert Normalization().text("\n \n  a\n\nb\n\n") == "  a\n\nb"


def test_every_step_can_be_switched_off() -> None:
    text = "\r\ne\u0301 \r\n"
    off = Normalization(unicode="none", line_ends=False, trailing_space=False, blank_ends=False)
    assert off.text(text) == text


def test_compatibility_forms_are_kept_unless_asked() -> None:
    assert Normalization().text("Ａ１") == "Ａ１"
    assert Normalization(unicode="NFKC").text("Ａ１") == "A1"


def test_an_unknown_form_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unicode must be one of NFC, NFKC, none, found 'nfd'"):
        Normalization(unicode="nfd")


def test_titles_are_one_line() -> None:
    assert Normalization().title(" Rate\n  limits\u3000v2 ") == "Rate limits v2"


def test_strings_inside_fields_are_composed_at_any_depth() -> None:
    assert Normalization().value({"a": ["e\u0301", {"b": "e\u0301"}], "n": 3}) == {"a": ["é", {"b": "é"}], "n": 3}


@given(st.text())
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = Normalization().text(text)
    assert Normalization().text(once) == once
    assert unicodedata.is_normalized("NFC", once)


def test_the_hash_covers_title_text_and_fields_but_not_the_id() -> None:
    one = Document("a", "T", "text", {"x": 1, "y": 2})
    assert one.sha256 == Document("b", "T", "text", {"y": 2, "x": 1}).sha256
    others = [
        Document("a", "t", "text", {"x": 1, "y": 2}),
        Document("a", "T", "Text", {"x": 1, "y": 2}),
        Document("a", "T", "text", {"x": 1, "y": "2"}),
        Document("a", "T", "text"),
    ]
    assert len({one.sha256, *(other.sha256 for other in others)}) == 5
    assert len(one.sha256) == 64
