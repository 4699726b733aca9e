"""A block list takes passages out of another retriever's ranking, and says when it has gone stale."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from retrievers.base import Passages, Query, RetrievalError
from retrievers.hidden import Hidden

IDS = ("en/a.md#x", "en/b.md#[old]", "en/legacy-1.md", "en/legacy-2.md", "zh/付款.md#方式")
PASSAGES = Passages(IDS, tuple(id_.partition("#")[0] for id_ in IDS), IDS)
QUERIES = [Query("q1", "one"), Query("q2", "二")]


@dataclass(frozen=True)
class InOrder:
    """Every passage for every query, in order, with scores 5, 4, 3, 2, 1; notes how deep it was asked."""

    depths: list[int]

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> list[list[tuple[str, float]]]:
        self.depths.append(depth)
        return [[(id_, 5.0 - row) for row, id_ in enumerate(passages.ids)][:depth] for _ in queries]


def ranked(hide: Sequence[str], depth: int = 5) -> list[list[str]]:
    rankings = Hidden(InOrder([]), hide).retrieve(PASSAGES, QUERIES, depth)
    return [[IDS[row] for row in rankings.one(number)[0]] for number in range(len(QUERIES))]


@pytest.mark.parametrize(
    ("hide", "kept"),
    [
        ([], IDS),
        (["en/a.md#x"], IDS[1:]),
        (["zh/付款.md#方式"], IDS[:-1]),
        (["en/legacy-*"], (*IDS[:2], IDS[4])),
        (["en/legacy-?.md", "zh/*"], IDS[:2]),
        # Brackets are a pattern, but an id that holds some is meant as it stands.
        (["en/b.md#[old]"], (IDS[0], *IDS[2:])),
        (["*"], ()),
        (["en/a.md#x", "en/*"], (IDS[4],)),
    ],
)
def test_what_matches_is_left_out_and_the_order_of_the_rest_stays(hide: list[str], kept: Sequence[str]) -> None:
    assert ranked(hide) == [list(kept)] * 2


def test_what_is_hidden_is_filled_up_from_below() -> None:
    assert ranked(["en/a.md#x"], depth=2) == [["en/b.md#[old]", "en/legacy-1.md"]] * 2
    first = InOrder([])
    Hidden(first, ["en/*"]).retrieve(PASSAGES, QUERIES, 2)
    assert first.depths == [6]


def test_scores_are_those_of_the_first_retriever() -> None:
    assert Hidden(InOrder([]), ["en/b*"]).retrieve(PASSAGES, QUERIES, 3).one(0)[1].tolist() == [5, 3, 2]


def test_patterns_tell_upper_and_lower_case_apart() -> None:
    with pytest.raises(RetrievalError, match="matches no passage"):
        ranked(["EN/A.md#x"])


def test_a_pattern_that_hides_nothing_is_refused_by_name() -> None:
    with pytest.raises(RetrievalError, match=r"hidden: 'en/gone\.md' matches no passage of this snapshot; take it off"):
        ranked(["en/a.md#x", "en/gone.md"])


def test_a_text_in_place_of_the_list_is_refused_with_the_list_to_write() -> None:
    with pytest.raises(RetrievalError, match=r"expected a list; write hide: \[en/legacy-\*\]"):
        Hidden(InOrder([]), "en/legacy-*")


def test_no_queries_give_no_rankings() -> None:
    assert len(Hidden(InOrder([]), ["en/*"]).retrieve(PASSAGES, [], 5)) == 0
