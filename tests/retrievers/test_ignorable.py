"""What nobody sees changes no term, no ranking and no vector."""

import random
import re
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.analyzer import CHINESE, Analyzer
from retrievers.base import Passages, Query
from retrievers.bm25 import BM25
from retrievers.embedders.wordllama import WordLlama
from retrievers.ignorable import IGNORABLE, holds_ignorable, seen
from retrievers.run_file import read_run
from retrievers.script import composed, normalised, same_id

UNSEEN = re.findall(f"[{IGNORABLE}]", "".join(map(chr, range(sys.maxunicode + 1))))
COMMON = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\ufe0f", "\U000e0100", "\u202e", "\u034f"]
PASSAGES = ["The configuration of caf\u00e9 hours", "設定檔的位置與權限", "第3章 API文件", "rate limits", "हिन्दी भाषा"]


def strewn(text: str, by: random.Random) -> str:
    """The text with unseen characters before, between and behind its own."""
    return "".join("".join(by.choices(COMMON, k=by.randrange(3))) + character for character in [*text, ""])


def test_every_format_character_but_those_that_are_shown_is_ignorable() -> None:
    assert len(UNSEEN) == 4174
    shown = {chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"} - set(UNSEEN)
    # Signs of Arabic, Syriac, Kaithi and Egyptian numbers and quadrats, and the interlinear annotation.
    assert {f"{ord(each):x}"[:3] for each in shown} <= {
        "600",
        "601",
        "602",
        "603",
        "604",
        "605",
        "6dd",
        "70f",
        "890",
        "891",
        "8e2",
        "fff",
        "110",
        "134",
    }
    assert not any(
        holds_ignorable(unicodedata.normalize("NFKC", each))
        for each in map(chr, range(0x20, 0xD800))
        if each not in UNSEEN
    )


@pytest.mark.parametrize("unseen", COMMON)
def test_words_are_whole_with_something_unseen_inside(unseen: str) -> None:
    tokens = Analyzer(stemmer=None).tokens
    assert tokens(f"con{unseen}fig{unseen}u{unseen}ra{unseen}tion") == ["configuration"]
    assert tokens(f"caf{unseen}e{unseen}\u0301") == ["caf\u00e9"]
    assert tokens(f"設{unseen}定") == ["設", "定", "設定"]
    assert Analyzer(chinese="words").tokens(f"設{unseen}定檔") == Analyzer(chinese="words").tokens("設定檔")
    assert composed(f"e{unseen}\u0301") == "é"


@settings(max_examples=60)
@given(st.integers(0, 1_000_000), st.sampled_from(PASSAGES), st.sampled_from(CHINESE))
def test_unseen_characters_change_no_term_wherever_they_stand(seed: int, text: str, chinese: str) -> None:
    analyzer = Analyzer(chinese=chinese)
    assert analyzer.tokens(strewn(text, random.Random(seed))) == analyzer.tokens(text)


@settings(max_examples=30)
@given(st.integers(0, 1_000_000))
def test_unseen_characters_change_no_ranking(seed: int) -> None:
    by = random.Random(seed)
    ids = tuple(f"p{number}" for number in range(len(PASSAGES)))
    queries = ["configuration cafe\u0301", "設定檔", "API文件"]
    clean = BM25(Analyzer()).retrieve(Passages(ids, ids, tuple(PASSAGES)), [Query(q, q) for q in queries], 5)
    dirty = Passages(ids, ids, tuple(strewn(text, by) for text in PASSAGES))
    found = BM25(Analyzer()).retrieve(dirty, [Query(q, strewn(q, by)) for q in queries], 5)
    assert found.rows.tolist() == clean.rows.tolist()
    assert found.scores.tolist() == clean.scores.tolist()


def test_unseen_characters_change_no_vector() -> None:
    texts = ["the configuration of access tokens", "設定檔"]
    dirty = ["\ufeffthe con\u00adfigu\u200bration of access\u2060 tokens", "設\u200d定\U000e0101檔"]
    model = WordLlama()
    assert np.array_equal(model.encode(texts, kind="query"), model.encode(dirty, kind="passage"))
    assert not model.encode(["\u200b\ufeff"], kind="query").any()


@pytest.mark.parametrize("unseen", COMMON)
def test_ids_meet_whatever_nobody_sees_in_them(unseen: str) -> None:
    assert same_id(f"zh/設{unseen}定.md#e{unseen}\u0301") == "zh/設定.md#é"
    assert same_id("Café") != same_id("café")


def test_a_recorded_run_names_the_same_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q\u200b1 Q0 en/li\u00admits.md 1 2.0 t\n", encoding="utf-8")
    assert [entry.name for entry in read_run(str(path))["q1"]] == ["en/limits.md"]
    path.write_text('[{"query_id": "q\u20601", "retrieved": ["a\\ufe0f"]}]', encoding="utf-8")
    assert [entry.name for entry in read_run(str(path))["q1"]] == ["a"]


def test_text_that_is_plain_stays_the_same_object() -> None:
    assert seen("plain") == "plain"
    assert normalised("Ａ\u200bB") == "ab"
