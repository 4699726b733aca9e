"""Hybrids: what is fused, and how far down."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pytest

from retrievers.base import Combining, Passages, Query, Rankings, RetrievalError
from retrievers.fusion import ReciprocalRank, Weighted
from retrievers.hybrid import Hybrid

Make = Callable[..., Passages]
Ask = Callable[..., list[Query]]


@dataclass(frozen=True)
class Fixed:
    """A retriever as a user would write it: passage ids with scores, best first."""

    ids: tuple[str, ...]

    def retrieve(
        self, passages: Passages, queries: Sequence[Query], depth: int
    ) -> Sequence[Iterable[tuple[str, float]]]:
        return [[(id_, 1.0 / (place + 1)) for place, id_ in enumerate(self.ids[:depth])] for _ in queries]


FIRST, SECOND = Fixed(("p0000", "p0001", "p0002")), Fixed(("p0003", "p0002"))


def test_retrievers_of_your_own_are_fused(make_passages: Make, make_queries: Ask) -> None:
    hybrid = Hybrid({"a": FIRST, "b": SECOND}, ReciprocalRank(60))
    found = hybrid.retrieve(make_passages(*"wxyz"), make_queries("q", "r"), 10)
    assert found.one(0)[0].tolist() == found.one(1)[0].tolist() == [2, 0, 3, 1]
    assert found.one(0)[1] == pytest.approx([1 / 63 + 1 / 62, 1 / 61, 1 / 61, 1 / 62])


def test_nothing_below_the_pool_counts(make_passages: Make, make_queries: Ask) -> None:
    hybrid = Hybrid({"a": FIRST, "b": SECOND}, ReciprocalRank(60), pool=1)
    found = hybrid.retrieve(make_passages(*"wxyz"), make_queries("q"), 10)
    assert found.rows.tolist() == [0, 3]
    deeper = {"a": Rankings.from_lists([[("p0000", 2), ("p0003", 1)]], make_passages(*"wxyz"), 10)}
    deeper["b"] = Rankings.from_lists([[("p0003", 1)]], make_passages(*"wxyz"), 10)
    assert hybrid.combine(deeper, 10).scores.tolist() == found.scores.tolist()


def test_candidates_are_the_whole_union_in_fused_order(make_passages: Make, make_queries: Ask) -> None:
    hybrid = Hybrid({"a": FIRST, "b": SECOND}, ReciprocalRank(60), pool=2)
    assert isinstance(hybrid, Combining)
    passages, queries = make_passages(*"wxyz"), make_queries("q")
    lists = {
        name: Rankings.from_lists(part.retrieve(passages, queries, 2), passages, 2)  # type: ignore[arg-type]
        for name, part in hybrid.sources.items()
    }
    assert hybrid.candidates(lists).rows.tolist() == [0, 3, 1, 2]
    assert hybrid.combine(lists, 2).rows.tolist() == [0, 3]
    assert hybrid.source_depths == {"a": 2, "b": 2}


def test_a_hybrid_may_hold_a_hybrid(make_passages: Make, make_queries: Ask) -> None:
    inner = Hybrid({"a": FIRST, "b": SECOND}, ReciprocalRank(60))
    found = Hybrid({"inner": inner, "c": SECOND}, Weighted()).retrieve(make_passages(*"wxyz"), make_queries("q"), 1)
    assert found.rows.tolist() == [3]


def test_a_part_set_to_null_is_left_out() -> None:
    assert list(Hybrid({"a": FIRST, "b": None}, ReciprocalRank()).sources) == ["a"]  # type: ignore[dict-item]


@pytest.mark.parametrize("fusion", [ReciprocalRank(weights={"c": 1}), Weighted({"c": 1, "a": 1})])
def test_a_weight_for_an_unknown_retriever_lists_the_known(fusion: ReciprocalRank | Weighted) -> None:
    with pytest.raises(RetrievalError, match="weights name c, expected only a, b"):
        Hybrid({"a": FIRST, "b": SECOND}, fusion)


def test_no_retriever_and_no_pool_are_errors() -> None:
    with pytest.raises(RetrievalError, match="at least one"):
        Hybrid({}, ReciprocalRank())
    with pytest.raises(RetrievalError, match="pool is 0"):
        Hybrid({"a": FIRST}, ReciprocalRank(), pool=0)


def test_a_retriever_that_drops_a_query_is_named(make_passages: Make, make_queries: Ask) -> None:
    class Dropping:
        def retrieve(
            self, passages: Passages, queries: Sequence[Query], depth: int
        ) -> Sequence[Iterable[tuple[str, float]]]:
            return [[]]

    with pytest.raises(RetrievalError, match="Dropping: found 1 rankings for 2 queries"):
        Hybrid({"a": Dropping()}, ReciprocalRank()).retrieve(make_passages("x"), make_queries("q", "r"), 1)
