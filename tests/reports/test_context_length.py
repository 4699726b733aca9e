"""Lengths without a tokenizer, and what the first k passages cost whoever reads them."""

import re

import numpy as np
import pytest
from report_world import Desk, hybrid, reranked, told

from runner.scoring.text_length import has_han, token_lengths

WORDS = re.compile(r"\w+")


def token_length(text: str) -> int:
    return int(token_lengths([text])[0])


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        (" \n", 0),
        ("one two", 2),
        ("don't", 2),
        ("snake_case x", 2),
        ("3.5 ms", 3),
        ("退款", 2),
        ("退款 in 5 days", 5),
        ("API退款v2", 4),
        ("，。！", 0),
        ("é\u0301tude", 2),
        ("🙂", 0),
        ("\U00020000a", 2),
        ("한국어", 1),
        ("a\ud800b", 2),
        ("con\u00adfigu\u200bration", 1),
    ],
)
def test_a_token_is_a_word_or_a_han_character(text: str, length: int) -> None:
    assert token_length(text) == length


def test_many_texts_are_counted_as_each_alone_across_batches_and_scripts() -> None:
    random = np.random.default_rng(5)
    alphabet = np.array(list("abc_ 1.\n,退款中é\u0301🙂\U00020000\u3005"))
    texts = ["".join(alphabet[random.integers(len(alphabet), size=size)]) for size in random.integers(0, 900, 300)]
    assert sum(map(len, texts)) > 100_000
    assert token_lengths(texts).tolist() == [token_length(text) for text in texts]
    assert token_lengths([]).tolist() == []


def test_plain_english_is_counted_as_words() -> None:
    texts = ["The quick brown fox.", "", "It's 3 o'clock", "a-b-c"]
    assert token_lengths(texts).tolist() == [len(WORDS.findall(text)) for text in texts]


def test_chinese_is_told_from_what_is_not() -> None:
    assert has_han("the 退 key")
    assert not has_han("かな，한국어 ✓")


# -- the context of a run ----------------------------------------------------------------------------------
# Lengths with titles: a 4 (Alpha one two three), b 4 (貝塔四五), c 1 (Gamma), d 3 (Delta six seven).


def test_the_context_is_the_mean_length_of_the_first_k_passages_together() -> None:
    one, two = Desk().score(told(q1="ad", q2="c", q3="cda"))
    assert one.context is not None and two.context is not None
    # At k=1: 4, 1, 1. At k=2: 7, 1, 4.
    assert (one.context.mean, two.context.mean) == (2.0, 4.0)
    assert two.context.p95 == pytest.approx(np.percentile([7, 1, 4], 95))
    assert two.context.curve == ((1, 2.0), (2, 4.0), (3, pytest.approx(16 / 3)), (5, pytest.approx(16 / 3)))
    assert two.context.reranked_pairs == 0.0


def test_a_query_that_found_nothing_costs_nothing_and_counts() -> None:
    (one,) = Desk().score(told(q1="a"), ks=[1])
    assert one.context is not None
    assert one.context.mean == pytest.approx(4 / 3)
    (none,) = Desk().score(told(), ks=[1])
    assert none.context is not None
    assert (none.context.mean, none.context.p95, none.context.curve[0]) == (0.0, 0.0, (1, 0.0))


def test_where_documents_are_judged_only_the_passage_that_stands_for_each_counts() -> None:
    # k counts documents, as recall does: of a#1 a#2 d#1 the first two documents are a#1 and d#1.
    rankings = {"q1": ["a#1", "a#2", "d#1"]}
    desk = Desk(queries={"q1": QUERY}, halves=True)
    (one,) = desk.score({"_target_": "report_world.Told", "name": "told", "rankings": rankings}, ks=[2])
    assert one.context is not None
    assert one.context.mean == token_length("Alpha\none ") + token_length("Delta\nsix ")


QUERY = ("where is alpha", "a")


def test_pairs_are_those_a_reranker_looks_at() -> None:
    first = told(q1="abcd", q2="a", q3="")
    (one,) = Desk().score(reranked(first, pool=3), ks=[1])
    assert one.context is not None
    assert one.context.reranked_pairs == pytest.approx((3 + 1 + 0) / 3)
    (fused,) = Desk().score(hybrid(first, told("other", q1="d")), ks=[1])
    assert fused.context is not None
    assert fused.context.reranked_pairs == 0.0


def test_the_figures_are_logged_under_their_names_and_along_k() -> None:
    from runner.tracking.run_record import curves_of, metrics_of

    one = Desk().score(told(q1="ad", q2="c", q3="cda"))[0]
    assert metrics_of(one)["context_tokens"] == 2.0
    assert {"context_tokens_p95", "reranked_pairs"} <= set(metrics_of(one))
    assert curves_of(one.evaluation, one.context)["curve/context_tokens"][0] == (1, 2.0)
