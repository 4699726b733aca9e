"""Fusion against sums computed by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from retrievers.base import Rankings, RetrievalError
from retrievers.fusion import ReciprocalRank, Weighted
from retrievers.normalization import minmax, zscore

X, Y, Z, W = range(4)


def ranking(*queries: Sequence[tuple[int, float]]) -> Rankings:
    numbers = [number for number, found in enumerate(queries) for _ in found]
    rows = [row for found in queries for row, _ in found]
    scores = [score for found in queries for _, score in found]
    return Rankings.canonical(
        np.array(numbers, int), np.array(rows, int), np.array(scores, float), n_queries=len(queries), depth=1000
    )


def as_dict(fused: Rankings, number: int = 0) -> dict[int, float]:
    rows, scores = fused.one(number)
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


def test_reciprocal_ranks_are_summed() -> None:
    fused = ReciprocalRank(60).fuse({"a": ranking([(X, 9), (Y, 5)]), "b": ranking([(Y, 0.2), (Z, 0.1)])}, 1, 10)
    assert fused.rows.tolist() == [Y, X, Z]
    assert as_dict(fused) == pytest.approx({Y: 1 / 62 + 1 / 61, X: 1 / 61, Z: 1 / 62})


def test_a_smaller_constant_favours_the_top() -> None:
    lists = {"a": ranking([(X, 3), (Y, 2), (Z, 1)]), "b": ranking([(W, 3), (Y, 2), (Z, 1)])}
    assert ReciprocalRank(60).fuse(lists, 1, 1).rows.tolist() == [Y]
    assert ReciprocalRank(0).fuse(lists, 1, 1).rows.tolist() == [X]


def test_reciprocal_ranks_take_weights() -> None:
    lists = {"a": ranking([(X, 1)]), "b": ranking([(Y, 1)])}
    assert as_dict(ReciprocalRank(1, {"b": 3, "a": None}).fuse(lists, 1, 10)) == pytest.approx({Y: 1.5, X: 0.5})  # type: ignore[dict-item]
    assert as_dict(ReciprocalRank(1, {"b": 0}).fuse(lists, 1, 10)) == {X: 0.5, Y: 0.0}


def test_weighted_minmax_sums() -> None:
    lists = {"a": ranking([(X, 10), (Y, 6), (Z, 0)]), "b": ranking([(Y, 3), (W, 1)])}
    fused = Weighted({"a": 1.0, "b": 0.5}).fuse(lists, 1, 10)
    assert fused.rows.tolist() == [Y, X, Z, W]
    assert as_dict(fused) == pytest.approx({Y: 0.6 + 0.5, X: 1.0, Z: 0.0, W: 0.0})


def test_weighted_z_sums_and_the_missing_take_the_lowest() -> None:
    # a: mean 2, deviation 1; b is constant; W is missing from a, which gives it -1.
    lists = {"a": ranking([(X, 3), (Y, 1)]), "b": ranking([(X, 5), (W, 5)])}
    assert as_dict(Weighted(normalize="z").fuse(lists, 1, 10)) == pytest.approx({X: 1, Y: -1, W: -1})


def test_a_lone_find_counts_in_minmax() -> None:
    lists = {"a": ranking([(X, 0.7), (Y, 0.1)]), "b": ranking([(Z, 12.0)])}
    assert as_dict(Weighted().fuse(lists, 1, 10)) == {X: 1.0, Z: 1.0, Y: 0.0}


@pytest.mark.parametrize("fusion", [ReciprocalRank(), Weighted(), Weighted(normalize="z")])
class TestAnyFusion:
    def test_an_empty_ranking_says_nothing(self, fusion: ReciprocalRank | Weighted) -> None:
        lists = {"a": ranking([(X, 2), (Y, 1)], []), "b": ranking([], [])}
        fused = fusion.fuse(lists, 2, 10)
        assert as_dict(fused) == as_dict(fusion.fuse({"a": lists["a"]}, 2, 10))
        assert as_dict(fused, 1) == {}

    def test_no_queries_are_no_rankings(self, fusion: ReciprocalRank | Weighted) -> None:
        assert len(fusion.fuse({"a": ranking()}, 0, 10)) == 0

    def test_ties_go_by_row(self, fusion: ReciprocalRank | Weighted) -> None:
        lists = {"a": ranking([(Z, 1.0)]), "b": ranking([(X, 1.0)])}
        assert fusion.fuse(lists, 1, 10).rows.tolist() == [X, Z]

    def test_neither_batch_nor_depth_change_a_bit(self, fusion: ReciprocalRank | Weighted) -> None:
        generator = np.random.default_rng(3)
        lists = {
            name: ranking(
                *[
                    [(int(row), float(generator.normal())) for row in generator.permutation(60)[:size]]
                    for size in generator.integers(0, 40, 25)
                ]
            )
            for name in "abc"
        }
        together = fusion.fuse(lists, 25, 1000)
        for number in range(25):
            alone = fusion.fuse({name: part.take([number]) for name, part in lists.items()}, 1, 7)
            assert alone.rows.tolist() == together.one(number)[0][:7].tolist()
            assert alone.scores.tobytes() == together.one(number)[1][:7].tobytes()


def test_scores_that_differ_by_rounding_alone_are_constant() -> None:
    scores, numbers = np.array([0.1 + 0.2, 0.3, 0.3]), np.zeros(3, np.int64)
    assert zscore(scores, numbers, 1).tolist() == [0, 0, 0]
    assert minmax(scores, numbers, 1).tolist() == [1, 1, 1]


def test_normalisation_keeps_queries_apart() -> None:
    scores, numbers = np.array([1.0, 3.0, 100.0, 300.0, -5.0]), np.array([0, 0, 2, 2, 3])
    assert zscore(scores, numbers, 4).tolist() == [-1, 1, -1, 1, 0]
    assert minmax(scores, numbers, 4).tolist() == [0, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ReciprocalRank(-1), "k is -1"),
        (lambda: ReciprocalRank(weights={"a": -2}), "weight of a is -2"),
        (lambda: Weighted({"a": float("nan")}), "weight of a is nan"),
        (lambda: Weighted(normalize="max"), "expected one of minmax, z"),
    ],
)
def test_a_setting_out_of_range_is_named(make: object, said: str) -> None:
    with pytest.raises(RetrievalError, match=said):
        make()  # type: ignore[operator]
