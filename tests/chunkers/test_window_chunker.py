"""Cutting texts into windows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.chunkers import Window
from runner.chunkers.window import count_words
from runner.documents import Document
from runner.errors import ConfigError


def cut(text: str, **window: int | str) -> list[str]:
    return [text[c.start : c.end] for c in Window(**window).split(Document("d", "T", text))]  # type: ignore[arg-type]


def test_windows_are_numbered_and_have_the_documents_title() -> None:
    chunks = Window(10, 0).split(Document("d", "T", "one two three four five"))
    assert [(chunk.slug, chunk.title) for chunk in chunks] == [("1", "T"), ("2", "T"), ("3", "T")]


def test_english_windows_end_with_sentences() -> None:
    text = "This is one. Here is two! Is that three? Now comes four."
    assert cut(text, size=29, overlap=0) == ["This is one. Here is two!", "Is that three?", "Now comes four."]


def test_chinese_windows_end_with_sentences() -> None:
    text = "第一句很短。第二句也很短！第三句是問題嗎？他說：「好。」最後一句話比較長一些。"
    assert cut(text, size=15, overlap=0) == [
        "第一句很短。第二句也很短！",
        "第三句是問題嗎？他說：「好。」",
        "最後一句話比較長一些。",
    ]


def test_a_sentence_longer_than_the_window_is_cut() -> None:
    parts = cut("很" * 25 + "。", size=10, overlap=0)
    assert [len(part) for part in parts] == [10, 10, 6]


def test_neighbours_share_whole_sentences() -> None:
    text = "A one. B two. C three. D four. E five."
    parts = cut(text, size=16, overlap=8)
    assert parts[0] == "A one. B two."
    assert parts[1].startswith("B two.")


def test_size_in_words_counts_chinese_characters_one_by_one() -> None:
    assert count_words("Hello, big world") == 3
    assert count_words("我用 Python 寫程式。") == 7
    assert count_words(" \n") == 0
    assert cut("one two. three four. five six.", size=4, overlap=0, by="words") == ["one two. three four.", "five six."]
    assert cut("一二三。四五六。七八九。", size=8, overlap=0, by="words") == ["一二三。四五六。", "七八九。"]


@pytest.mark.parametrize("text", ["", " \n\u3000"])
def test_a_blank_text_gives_one_empty_window(text: str) -> None:
    assert cut(text) == [""]


@pytest.mark.parametrize("window", [{"size": 0}, {"size": 5, "overlap": 5}, {"overlap": -1}, {"by": "tokens"}])
def test_impossible_settings_are_refused(window: dict[str, int | str]) -> None:
    with pytest.raises(ConfigError, match=r"chunker\.(size|by) must be"):
        Window(**window)  # type: ignore[arg-type]


ALPHABET = "ab .!?\n\t，。！？」字符é👩\u200d👧🏽🇹\u0301\u0302\u3000\u00a0"


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(ALPHABET, max_size=120),
    size=st.integers(1, 30),
    overlap=st.integers(0, 29),
    by=st.sampled_from(["characters", "words"]),
)
def test_no_text_is_lost_and_no_window_is_too_big(text: str, size: int, overlap: int, by: str) -> None:
    overlap = min(overlap, size - 1)
    chunks = Window(size, overlap, by).split(Document("d", "", text))
    covered = bytearray(len(text))
    for chunk in chunks:
        part = text[chunk.start : chunk.end]
        assert (len(part) if by == "characters" else count_words(part)) <= size
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    assert all(done or character.isspace() for done, character in zip(covered, text, strict=True))
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
