"""Which terms a text gives."""

import pickle
import unicodedata
from pathlib import Path

import pytest

from retrievers.analyzer import Analyzer
from retrievers.base import RetrievalError


def test_english_words_are_lowered_stemmed_and_rid_of_stop_words() -> None:
    assert Analyzer().tokens("The Running dogs were jumping") == ["run", "dog", "were", "jump"]


def test_plain_settings_keep_words_as_written() -> None:
    assert Analyzer(stemmer=None, stopwords=None).tokens("The Running dogs") == ["the", "running", "dogs"]


def test_chinese_gives_characters_and_pairs_of_neighbours() -> None:
    assert Analyzer().tokens("流量異常") == ["流", "量", "異", "常", "流量", "量異", "異常"]


def test_bigrams_alone_keep_a_lone_character() -> None:
    analyzer = Analyzer(chinese="bigrams")
    assert analyzer.tokens("流量異") == ["流量", "量異"]
    assert analyzer.tokens("茶 in 杯子") == ["茶", "杯子"]


def test_pairs_do_not_cross_punctuation_or_other_scripts() -> None:
    assert Analyzer().tokens("甲,乙") == ["甲", "乙"]
    assert Analyzer().tokens("第3章") == ["第", "3", "章"]


def test_mixed_text_is_handled_script_by_script() -> None:
    assert Analyzer().tokens("設定 max_retries=5 之後 servers 重啟") == [
        "設",
        "定",
        "設定",
        "max_retri",
        "max",
        "retri",
        "5",
        "之",
        "後",
        "之後",
        "server",
        "重",
        "啟",
        "重啟",
    ]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("HTTP 429", ["http", "429"]),
        ("ERR-1042", ["err", "1042"]),
        ("step 3 of C", ["step", "3"]),
        ("__init__", ["__init__", "init"]),
        ("_____", []),
        ("", []),
        (" \t\n", []),
        ("!?。，", []),
        ("the of and", []),
        ("🙂", []),
    ],
)
def test_codes_marks_and_nothing(text: str, terms: list[str]) -> None:
    assert Analyzer().tokens(text) == terms


def test_single_letters_can_be_kept() -> None:
    assert Analyzer(shortest=1).tokens("vitamin D") == ["vitamin", "d"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (unicodedata.normalize("NFC", "Résumé Zürich"), unicodedata.normalize("NFD", "Résumé Zürich")),
        ("ＡＢＣ１２３", "abc123"),
        ("Straße", "STRASSE"),
        ("\uf9dc\uf907", unicodedata.normalize("NFC", "\uf9dc\uf907")),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert Analyzer().tokens(one) == Analyzer().tokens(other) != []


def test_stop_words_of_your_own_hold_in_every_script() -> None:
    assert Analyzer(stopwords=("Server", "的")).tokens("server 的 log") == ["log"]


def test_words_beyond_the_basic_plane_are_chinese() -> None:
    assert Analyzer().tokens("\U00020000\U00020001") == ["\U00020000", "\U00020001", "\U00020000\U00020001"]


def test_many_texts_give_what_each_gives_alone() -> None:
    texts = ["first Servers", "", "伺服器", "Servers again"]
    assert list(Analyzer().tokens_many(texts)) == [Analyzer().tokens(text) for text in texts]


def test_the_terms_are_those_of_bm25s_on_plain_english() -> None:
    import bm25s
    import Stemmer

    text = "Statins lower cholesterol in patients, but the effects aren't uniform across studies of 2,500 adults."
    theirs = bm25s.tokenize([text], stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
    words = {number: word for word, number in theirs.vocab.items()}
    # A lone digit is the one difference: ours keeps it.
    assert [term for term in Analyzer().tokens(text) if term != "2"] == [words[number] for number in theirs.ids[0]]


def test_an_analyzer_survives_pickling() -> None:
    analyzer = Analyzer(stopwords=("x",))
    analyzer.tokens("warm up")
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"chinese": "chars"}, "characters\\+bigrams, bigrams, words"),
        ({"stemmer": "klingon"}, "stemmer is 'klingon', expected null or one of .*english"),
        ({"stopwords": "french"}, "expected english, a list or null"),
        ({"shortest": 0}, "at least 1"),
        ({"lexicon": "words.txt"}, "only with chinese=words"),
    ],
)
def test_a_setting_out_of_range_is_named(settings: dict[str, object], said: str) -> None:
    with pytest.raises(RetrievalError, match=said):
        Analyzer(**settings)  # type: ignore[arg-type]


def test_words_of_a_lexicon_stay_whole(tmp_path: Path) -> None:
    lexicon = tmp_path / "words.txt"
    lexicon.write_text("異常波動\n停機重啟 9\n", encoding="utf-8")
    text = "流量異常波動導致停機重啟"
    without, having = Analyzer(chinese="words"), Analyzer(chinese="words", lexicon=str(lexicon))
    assert not {"異常波動", "停機重啟"} & set(without.tokens(text))
    assert having.tokens(text) == ["流量", "異常波動", "導致", "停機重啟"]
    assert not {"異常波動", "停機重啟"} & set(without.tokens(text)), "a lexicon must not leak into others"
    assert having.files() == {"lexicon": str(lexicon.resolve())}


def test_a_changed_lexicon_changes_the_hash_and_the_terms(tmp_path: Path) -> None:
    lexicon = tmp_path / "words.txt"
    analyzer = Analyzer(chinese="words", lexicon=str(lexicon))
    lexicon.write_text("異常波動\n", encoding="utf-8")
    before, terms = analyzer.contents(), analyzer.tokens("流量異常波動")
    lexicon.write_text("流量異常波動\n", encoding="utf-8")
    assert analyzer.contents() != before
    assert terms != analyzer.tokens("流量異常波動") == ["流量異常波動"]


def test_without_a_lexicon_there_is_no_content() -> None:
    assert Analyzer().contents() == {} == Analyzer().files()
