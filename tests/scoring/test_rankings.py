"""The canonical order of rankings, and what is taken out of and put into them."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.base import NonFiniteScore, Passages, Rankings, RetrievalError

Rank = Callable[..., Rankings]
PASSAGES = Passages(("a", "b", "c", "文件"), ("a", "b", "c", "文件"), ("",) * 4)


def lists_of(rankings: Rankings) -> list[list[tuple[int, float]]]:
    return [
        list(zip(rows.tolist(), scores.tolist(), strict=True))
        for rows, scores in map(rankings.one, range(len(rankings)))
    ]


def test_scores_descend_and_ties_go_to_the_smaller_id() -> None:
    rankings = Rankings.from_lists([[("文件", 1.0), ("c", 2.0), ("b", 1.0), ("a", 1.0)]], PASSAGES, 10)
    assert lists_of(rankings) == [[(2, 2.0), (0, 1.0), (1, 1.0), (3, 1.0)]]


def test_minus_zero_ties_with_zero() -> None:
    assert lists_of(Rankings.from_lists([[("b", 0.0), ("a", -0.0)]], PASSAGES, 10))[0][0][0] == 0


def test_a_passage_given_twice_keeps_its_best_score() -> None:
    rankings = Rankings.from_lists([[("a", 1.0), ("b", 2.0), ("a", 3.0), ("a", 0.0)], [("a", 5.0)]], PASSAGES, 10)
    assert lists_of(rankings) == [[(0, 3.0), (1, 2.0)], [(0, 5.0)]]


def test_repeated_passages_do_not_use_up_the_depth() -> None:
    rankings = Rankings.from_lists([[("a", 3.0), ("a", 2.0), ("b", 1.0), ("c", 0.0)]], PASSAGES, 2)
    assert lists_of(rankings) == [[(0, 3.0), (1, 1.0)]]


def test_ties_at_the_depth_are_cut_by_id() -> None:
    assert lists_of(Rankings.from_lists([[("c", 1.0), ("b", 1.0), ("a", 1.0)]], PASSAGES, 2)) == [[(0, 1.0), (1, 1.0)]]


def test_a_query_with_nothing_found_keeps_its_place() -> None:
    rankings = Rankings.from_lists([[], [("b", 1.0)], [], []], PASSAGES, 10)
    assert len(rankings) == 4
    assert lists_of(rankings) == [[], [(1, 1.0)], [], []]
    assert rankings.query_numbers().tolist() == [1]


def test_no_queries_are_no_rankings() -> None:
    assert len(Rankings.from_lists([], PASSAGES, 10)) == 0
    assert len(Rankings.concatenate([])) == 0


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_finite_number_is_refused_naming_the_query(score: float) -> None:
    with pytest.raises(NonFiniteScore, match=f"score {score} at query position 2; scores must be finite") as caught:
        Rankings.from_lists([[("a", 1.0)], [("b", score)]], PASSAGES, 10)
    assert (caught.value.query_number, str(caught.value.score)) == (1, str(score))


def test_the_refusal_of_a_score_survives_the_way_back_from_a_worker() -> None:
    sent = pickle.loads(pickle.dumps(NonFiniteScore(4, float("inf"))))
    assert (str(sent), sent.query_number) == (str(NonFiniteScore(4, float("inf"))), 4)


def test_an_unknown_passage_is_refused_by_name() -> None:
    with pytest.raises(RetrievalError, match="ranking 2 names passage '檔案', which the snapshot does not hold"):
        Rankings.from_lists([[("a", 1.0)], [("檔案", 1.0)]], PASSAGES, 10)


entries = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.sampled_from((0.0, 1.0, 1.5))), max_size=30)


@settings(max_examples=100, deadline=None)
@given(entries, st.randoms(use_true_random=False), st.integers(1, 8))
def test_the_order_of_insertion_never_matters(given_: list[tuple[int, int, float]], random: object, depth: int) -> None:
    def ranked(rows: list[tuple[int, int, float]]) -> list[list[tuple[int, float]]]:
        columns = np.array(rows, np.float64).reshape(-1, 3).T
        return lists_of(Rankings.canonical(*columns, n_queries=4, depth=depth))

    shuffled = list(given_)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    best: list[dict[int, float]] = [{} for _ in range(4)]
    for query, row, score in given_:
        best[query][row] = max(score, best[query].get(row, score))
    by_hand = [sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:depth] for scores in best]
    assert ranked(given_) == ranked(shuffled) == by_hand


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=5), st.data())
def test_taking_and_cutting_are_those_of_lists(words: list[list[int]], data: st.DataObject) -> None:
    made = Rankings.from_lists(
        [[(PASSAGES.ids[row], float(-place)) for place, row in enumerate(word)] for word in words], PASSAGES, 10
    )
    whole = lists_of(made)
    numbers = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=8))
    depth = data.draw(st.integers(1, 6))
    assert lists_of(made.take(numbers)) == [whole[number] for number in numbers]
    assert lists_of(made.cut(depth)) == [ranking[:depth] for ranking in whole]
    assert lists_of(Rankings.concatenate([made, made.take(numbers)])) == whole + [whole[number] for number in numbers]


def test_taking_keeps_the_types_of_the_columns(rank: Rank) -> None:
    for rankings in (rank("ABC", "B"), rank("ABC", "B").take([1]), rank("ABC").take([]), rank("ABC").cut(1)):
        assert (rankings.offsets.dtype, rankings.rows.dtype, rankings.scores.dtype) == (np.int64, np.int32, np.float64)


def test_cutting_a_deep_ranking_equals_asking_for_a_shallow_one(rank: Rank) -> None:
    words = ("CADBE", "", "HG")
    assert lists_of(rank(*words).cut(2)) == lists_of(rank(*words, depth=2))


def test_passage_ids_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(RetrievalError, match="must ascend without duplicates, found 'b' before 'a'"):
        Passages(("b", "a"), ("b", "a"), ("", ""))
    with pytest.raises(RetrievalError, match="found 'a' before 'a'"):
        Passages(("a", "a"), ("a", "a"), ("", ""))


def test_passage_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(RetrievalError, match="found 2 ids, 2 documents and 1 texts"):
        Passages(("a", "b"), ("a", "b"), ("",))
