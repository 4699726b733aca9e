"""Reranking: the pool, the mix, and what stands for a score that is not there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from retrievers.base import Passages, Query, Rankings, Rescoring, RetrievalError, Scores
from retrievers.fusion import ReciprocalRank
from retrievers.hybrid import Hybrid
from retrievers.reranked import Reranked

Make = Callable[..., Passages]
Ask = Callable[..., list[Query]]


@dataclass(frozen=True)
class Scored:
    """Ranks by a score a text."""

    scores: Mapping[str, float]

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        known = [
            (id_, self.scores[text])
            for id_, text in zip(passages.ids, passages.texts, strict=True)
            if text in self.scores
        ]
        return Rankings.from_lists([known for _ in queries], passages, depth)


@dataclass(frozen=True)
class ByText:
    """Scores a pair by its passage."""

    scores: Mapping[str, float]

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: NDArray[np.int64]) -> Scores:
        return np.array([self.scores[passages[passage]] for _, passage in pairs], np.float64)


FIRST = Scored({"a": 4, "b": 3, "c": 2, "d": 1})
BACKWARDS = ByText({"a": 1, "b": 2, "c": 3, "d": 4})


def test_the_reranker_alone_orders_the_pool_and_nothing_else(make_passages: Make, make_queries: Ask) -> None:
    found = Reranked(FIRST, BACKWARDS, pool=3).retrieve(make_passages(*"abcd"), make_queries("q", "r"), 10)
    assert found.one(0)[0].tolist() == found.one(1)[0].tolist() == [2, 1, 0]
    assert found.one(0)[1].tolist() == [3, 2, 1]


def test_the_mix_is_the_weighted_sum_of_z_scores(make_passages: Make, make_queries: Ask) -> None:
    hybrid = Hybrid({"x": FIRST, "y": Scored({"a": 0, "b": 9, "c": 0, "d": 0})}, ReciprocalRank(60))
    retriever = Reranked(hybrid, BACKWARDS, pool=4, mix={"reranker": 0.5, "x": 1.0, "y": 0.5, "first": None})  # type: ignore[dict-item]
    found = retriever.retrieve(make_passages(*"abcd"), make_queries("q"), 10)
    z = np.array([3, 1, -1, -3]) / np.sqrt(5)
    peak = np.array([-1, 3, -1, -1]) / np.sqrt(3)
    expected = 0.5 * z + 0.5 * peak
    assert found.rows.tolist() == [1, 0, 2, 3]
    assert found.scores == pytest.approx(expected[[1, 0, 2, 3]])


def test_the_first_stages_own_score_can_be_mixed_in(make_passages: Make, make_queries: Ask) -> None:
    retriever = Reranked(FIRST, BACKWARDS, pool=4, mix={"first": 2, "reranker": 1})
    assert retriever.retrieve(make_passages(*"abcd"), make_queries("q"), 10).rows.tolist() == [0, 1, 2, 3]
    assert list(retriever.sources) == ["first"]


def lists(hybrid: Hybrid, passages: Passages, queries: list[Query]) -> dict[str, Rankings]:
    found = {name: part.retrieve(passages, queries, 2) for name, part in hybrid.sources.items()}
    return {"first": hybrid.retrieve(passages, queries, 10), **found}  # type: ignore[dict-item]


def test_a_missing_candidate_takes_the_last_score_of_a_full_ranking(make_passages: Make, make_queries: Ask) -> None:
    # x is read 2 deep and full: a 4, b 3; so c and d take 3.
    hybrid = Hybrid({"x": FIRST, "y": Scored({"c": 2, "d": 1})}, ReciprocalRank(60), pool=2)
    retriever = Reranked(hybrid, BACKWARDS, pool=4, mix={"x": 1})
    passages, queries = make_passages(*"abcd"), make_queries("q")
    found = retriever.rescore(lists(hybrid, passages, queries), np.zeros(4), 10)
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.scores == pytest.approx(np.array([3, -1, -1, -1]) / np.sqrt(3))


def test_a_missing_candidate_takes_zero_where_the_ranking_found_no_more(make_passages: Make, make_queries: Ask) -> None:
    # x is read 2 deep and holds a alone, so it gives the others 0.
    hybrid = Hybrid({"x": Scored({"a": 4}), "y": Scored({"b": 2, "c": 1})}, ReciprocalRank(60), pool=2)
    retriever = Reranked(hybrid, BACKWARDS, pool=3, mix={"x": 1})
    passages, queries = make_passages(*"abc"), make_queries("q")
    found = retriever.rescore(lists(hybrid, passages, queries), np.zeros(3), 10)
    assert found.scores == pytest.approx(np.array([2, -1, -1]) / np.sqrt(2))


def test_a_part_that_found_nothing_adds_nothing(make_passages: Make, make_queries: Ask) -> None:
    hybrid = Hybrid({"x": FIRST, "y": Scored({})}, ReciprocalRank(60))
    mixed = Reranked(hybrid, BACKWARDS, 4, {"x": 1, "y": 5}).retrieve(make_passages(*"abcd"), make_queries("q"), 9)
    plain = Reranked(hybrid, BACKWARDS, 4, {"x": 1}).retrieve(make_passages(*"abcd"), make_queries("q"), 9)
    assert mixed.scores.tolist() == plain.scores.tolist()


def test_sources_are_those_that_the_mix_names(make_passages: Make) -> None:
    hybrid = Hybrid({"x": FIRST, "y": FIRST}, ReciprocalRank(), pool=70)
    retriever = Reranked(hybrid, BACKWARDS, pool=5, mix={"reranker": 1, "y": 1})
    assert isinstance(retriever, Rescoring)
    assert list(retriever.sources) == ["first", "y"]
    assert retriever.source_depths == {"first": 5, "y": 70}
    assert list(Reranked(hybrid, BACKWARDS).sources) == ["first"]


def test_the_depth_of_the_rankings_handed_in_does_not_count(make_passages: Make, make_queries: Ask) -> None:
    passages, queries = make_passages(*"abcd"), make_queries("q")
    hybrid = Hybrid({"x": FIRST, "y": Scored({"d": 2, "c": 1})}, ReciprocalRank(60), pool=2)
    retriever = Reranked(hybrid, BACKWARDS, pool=3, mix={"reranker": 1, "x": 1})
    deep = {"first": hybrid.retrieve(passages, queries, 10), "x": FIRST.retrieve(passages, queries, 4)}
    exact = {name: deep[name].cut(depth) for name, depth in retriever.source_depths.items()}
    scores = np.arange(3.0)
    assert retriever.rescore(deep, scores, 9).scores.tolist() == retriever.rescore(exact, scores, 9).scores.tolist()


@pytest.mark.parametrize(
    ("mix", "pool", "said"),
    [
        ({"bm25": 1}, 5, "mix names bm25, expected only reranker, first, x"),
        ({"reranker": 0}, 5, "no weight above 0"),
        ({}, 5, "no weight above 0"),
        ({"x": -1}, 5, "weight of x is -1"),
        (None, 0, "pool is 0"),
    ],
)
def test_a_setting_out_of_range_is_named(mix: dict[str, float] | None, pool: int, said: str) -> None:
    with pytest.raises(RetrievalError, match=said):
        Reranked(Hybrid({"x": FIRST}, ReciprocalRank()), BACKWARDS, pool, mix)
