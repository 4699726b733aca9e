"""BM25 against hand-computed scores and against bm25s itself."""

from collections.abc import Callable
from math import log

import numpy as np
import pytest

from retrievers.analyzer import Analyzer
from retrievers.base import Index, Indexing, Passages, Query, RetrievalError
from retrievers.bm25 import BM25, METHODS

PLAIN = Analyzer(stemmer=None, stopwords=None)
Make = Callable[..., Passages]
Ask = Callable[..., list[Query]]


def test_scores_are_those_computed_by_hand(make_passages: Make, make_queries: Ask) -> None:
    passages = make_passages("apple banana", "apple apple cherry", "dates")
    found = BM25(PLAIN).retrieve(passages, make_queries("banana", "apple"), 10)
    # Three passages of 2, 3 and 1 terms, 2 on average; lucene: ln(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + K).
    rows, scores = found.one(0)
    assert rows.tolist() == [0]
    assert scores[0] == pytest.approx(log(1 + 2.5 / 1.5) * 1 / (1 + 1.5), rel=1e-6)
    rows, scores = found.one(1)
    assert rows.tolist() == [1, 0]
    assert scores[0] == pytest.approx(log(1 + 1.5 / 2.5) * 2 / (2 + 1.5 * (0.25 + 0.75 * 3 / 2)), rel=1e-6)
    assert scores[1] == pytest.approx(log(1 + 1.5 / 2.5) * 1 / (1 + 1.5), rel=1e-6)


def test_a_repeated_query_term_counts_as_often(make_passages: Make, make_queries: Ask) -> None:
    found = BM25(PLAIN).retrieve(make_passages("apple", "pear"), make_queries("apple", "apple apple"), 10)
    assert found.one(1)[1][0] == pytest.approx(2 * found.one(0)[1][0])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_scores_as_bm25s_does(method: str, make_passages: Make, make_queries: Ask) -> None:
    import bm25s

    generator = np.random.default_rng(7)
    words = np.array([f"w{number}" for number in range(30)])
    texts = [" ".join(words[generator.integers(0, 30, size)]) for size in generator.integers(1, 40, 60)]
    retriever = BM25(PLAIN, k1=1.2, b=0.6, method=method, delta=0.7)
    found = retriever.retrieve(make_passages(*texts), make_queries("w1 w2 w29"), 60)
    theirs = bm25s.BM25(k1=1.2, b=0.6, method=method, delta=0.7)
    theirs.index([text.split() for text in texts], show_progress=False)
    expected = theirs.get_scores(["w1", "w2", "w29"])
    rows, scores = found.one(0)
    assert scores == pytest.approx(expected[rows], rel=1e-5)
    assert set(rows) == {row for row, text in enumerate(texts) if {"w1", "w2", "w29"} & set(text.split())}


@pytest.mark.parametrize("method", METHODS)
def test_no_known_term_ranks_nothing(method: str, make_passages: Make, make_queries: Ask) -> None:
    found = BM25(PLAIN, method=method).retrieve(make_passages("one", "two"), make_queries("three", "", "three one"), 10)
    assert [len(found.one(number)[0]) for number in range(3)] == [0, 0, 1]


def test_a_term_of_every_passage_still_makes_candidates(make_passages: Make, make_queries: Ask) -> None:
    # robertson gives such a term the weight 0.
    found = BM25(PLAIN, method="robertson").retrieve(make_passages("tea", "tea"), make_queries("tea"), 10)
    assert found.one(0)[0].tolist() == [0, 1]
    assert found.one(0)[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
def test_ties_at_the_end_of_the_ranking_go_by_row(method: str, make_passages: Make, make_queries: Ask) -> None:
    passages = make_passages(*["tea cup"] * 40, "tea", "tea pot pot pot")
    deep = BM25(PLAIN, method=method).retrieve(passages, make_queries("tea"), 100)
    for depth in (1, 2, 5, 41):
        shallow = BM25(PLAIN, method=method).retrieve(passages, make_queries("tea"), depth)
        assert shallow.rows.tolist() == deep.rows[:depth].tolist()
        assert shallow.scores.tolist() == deep.scores[:depth].tolist()


@pytest.mark.parametrize("texts", [(), ("",), ("", "   ", "!")])
def test_a_corpus_without_terms_ranks_nothing(texts: tuple[str, ...], make_passages: Make, make_queries: Ask) -> None:
    found = BM25(Analyzer()).retrieve(make_passages(*texts), make_queries("tea", ""), 10)
    assert len(found) == 2 and len(found.rows) == 0


def test_an_index_of_arrays_and_json_alone_searches_the_same(make_passages: Make, make_queries: Ask) -> None:
    import json

    retriever = BM25(Analyzer())
    assert isinstance(retriever, Indexing)
    passages, queries = make_passages("green tea", "black tea", "綠茶與紅茶"), make_queries("green tea", "紅茶")
    index = retriever.build(passages)
    copy = Index({name: array.copy() for name, array in index.arrays.items()}, json.loads(json.dumps(index.meta)))
    once, twice = retriever.search(index, queries, 5), retriever.search(copy, queries, 5)
    assert once.rows.tolist() == twice.rows.tolist() == [0, 1, 2]
    assert once.scores.tolist() == twice.scores.tolist()


def test_the_library_writes_no_lines_into_the_log(
    make_passages: Make, make_queries: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG", logger="root"):
        BM25(Analyzer()).retrieve(make_passages("tea"), make_queries("tea"), 1)
    assert not caplog.records


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "tfidf"}, "method is 'tfidf', expected one of lucene"),
        ({"b": 1.5}, "b is 1.5"),
        ({"k1": -1}, "k1 is -1"),
        ({"k1": float("nan")}, "k1 is nan"),
        ({"delta": float("inf")}, "delta is inf"),
    ],
)
def test_a_parameter_out_of_range_is_named(settings: dict[str, float], said: str) -> None:
    with pytest.raises(RetrievalError, match=said):
        BM25(PLAIN, **settings)  # type: ignore[arg-type]
