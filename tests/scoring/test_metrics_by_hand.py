"""Truths computed by hand: the worked example of the design, graded judgments, and what is commonly got wrong."""

from collections.abc import Callable
from functools import partial
from math import log2

import numpy as np
import pytest

from runner.errors import ConfigError
from runner.scoring.judgments import Judgments
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.scoring.relevance import Relevance

LookUp = Callable[..., Relevance]
USUAL = tuple(map(parse_metric, DEFAULT_NAMES))
AT_K = {str(metric): metric.compute for metric in USUAL if metric.follows_k}
OVER_DEPTH = {metric.of_query: partial(metric.compute, k=1) for metric in USUAL if metric.whole}
hit, recall, precision, ndcg, judged = (AT_K[name] for name in ("hit", "recall", "precision", "ndcg", "judged"))
reciprocal_rank, average_precision = OVER_DEPTH["rr"], OVER_DEPTH["ap"]


@pytest.fixture
def worked(look_up: LookUp) -> Relevance:
    return look_up(["CADBE"], [{"A": 1, "B": 1}])


# The second place is worth 1 / log2(3) = 0.6309..., the fourth 1 / log2(5) = 0.4306...; ideal: 1 + 0.6309...
@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, {"hit": 0, "recall": 0, "precision": 0, "ndcg": 0, "judged": 0}),
        (2, {"hit": 1, "recall": 0.5, "precision": 0.5, "ndcg": 0.38685280723454163, "judged": 0.5}),
        (3, {"hit": 1, "recall": 0.5, "precision": 1 / 3, "ndcg": 0.38685280723454163, "judged": 1 / 3}),
        (4, {"hit": 1, "recall": 1, "precision": 0.5, "ndcg": 0.6509209298071326, "judged": 0.5}),
        (5, {"hit": 1, "recall": 1, "precision": 0.4, "ndcg": 0.6509209298071326, "judged": 0.4}),
        (10, {"hit": 1, "recall": 1, "precision": 0.2, "ndcg": 0.6509209298071326, "judged": 0.4}),
    ],
)
def test_the_worked_example_at_k(worked: Relevance, k: int, expected: dict[str, float]) -> None:
    assert {name: metric(worked, k)[0] for name, metric in AT_K.items()} == pytest.approx(expected, abs=1e-12)


def test_the_worked_example_over_the_depth(worked: Relevance) -> None:
    # Relevant at ranks 2 and 4: rr is 1/2 whatever k; ap is (1/2 + 2/4) / 2.
    assert {name: metric(worked)[0] for name, metric in OVER_DEPTH.items()} == {"rr": 0.5, "ap": 0.5}


def test_the_gain_is_the_grade_and_the_ideal_is_over_what_was_judged(look_up: LookUp) -> None:
    found = look_up(["BACD"], [{"A": 3, "B": 1, "C": 0, "D": 2}])
    assert ndcg(found, 1)[0] == pytest.approx(1 / 3)
    assert ndcg(found, 2)[0] == pytest.approx((1 + 3 / log2(3)) / (3 + 2 / log2(3)))
    assert ndcg(found, 3)[0] == pytest.approx((1 + 3 / log2(3)) / (3 + 2 / log2(3) + 1 / 2))
    assert ndcg(found, 4)[0] == pytest.approx((1 + 3 / log2(3) + 2 / log2(5)) / (3 + 2 / log2(3) + 1 / 2))


def test_one_relevant_item_on_top_is_a_perfect_ndcg_at_any_k(look_up: LookUp) -> None:
    found = look_up(["ABCDE"], [{"A": 1, "B": 0}])
    assert [ndcg(found, k)[0] for k in (1, 3, 10)] == [1, 1, 1]


def test_a_grade_under_the_bar_is_not_relevant_but_still_gains(look_up: LookUp) -> None:
    found = look_up(["BACD"], [{"A": 3, "B": 1, "C": 0, "D": 2}], min_grade=2)
    assert [hit(found, k)[0] for k in (1, 2)] == [0, 1]
    assert [recall(found, k)[0] for k in (1, 2, 4)] == [0, 0.5, 1]
    assert precision(found, 4)[0] == 0.5
    assert (reciprocal_rank(found)[0], average_precision(found)[0]) == (0.5, 0.5)
    assert ndcg(found, 1)[0] == pytest.approx(1 / 3)


def test_judged_not_relevant_is_never_relevant(look_up: LookUp) -> None:
    found = look_up(["CB"], [{"A": 1, "C": 0, "B": -1}])
    assert not found.relevant.any()
    assert found.judged.tolist() == [[True, True]]
    assert ndcg(found, 2)[0] == 0


def test_hit_is_not_recall(look_up: LookUp) -> None:
    found = look_up(["AFGH"], [dict.fromkeys("ABCD", 1)])
    assert (hit(found, 4)[0], recall(found, 4)[0]) == (1, 0.25)


def test_average_precision_is_divided_by_all_that_is_relevant(look_up: LookUp) -> None:
    # Found at rank 1, three never found: 1 / 4, where dividing by what was found would give 1.
    assert average_precision(look_up(["AFGH"], [dict.fromkeys("ABCD", 1)]))[0] == 0.25


def test_precision_is_over_k_even_if_fewer_were_returned(look_up: LookUp) -> None:
    assert precision(look_up(["A"], [{"A": 1}]), 5)[0] == 0.2


def test_a_query_that_returned_nothing_counts_as_zero(look_up: LookUp) -> None:
    found = look_up(["A", "", ""], [{"A": 1}, {"B": 1}, {"C": 1}])
    for metric in (hit, recall, precision, ndcg):
        assert metric(found, 1).tolist() == [1, 0, 0]
        assert metric(found, 1).mean() == pytest.approx(1 / 3)
    for metric in OVER_DEPTH.values():
        assert metric(found).tolist() == [1, 0, 0]
    assert found.length.tolist() == [1, 0, 0]


def test_rankings_that_are_all_empty_are_all_zero(look_up: LookUp) -> None:
    found = look_up(["", ""], [{"A": 1}, {"B": 2, "C": 1}])
    for name, at_k in AT_K.items():
        # Nothing was returned, so nothing of it is unjudged.
        assert at_k(found, 3).tolist() == ([1, 1] if name == "judged" else [0, 0])
    for over_depth in OVER_DEPTH.values():
        assert over_depth(found).tolist() == [0, 0]
    assert found.first_rank.tolist() == [0, 0]


def test_no_queries_give_no_values(look_up: LookUp) -> None:
    found = look_up([], [])
    assert [len(metric(found, 3)) for metric in AT_K.values()] == [0] * 5
    assert [len(metric(found)) for metric in OVER_DEPTH.values()] == [0] * 2


def test_each_query_is_scored_by_its_own_judgments(look_up: LookUp) -> None:
    found = look_up(["AB", "BA", "CAB"], [{"A": 1}, {"A": 1}, {"B": 1}])
    assert reciprocal_rank(found).tolist() == [1, 0.5, 1 / 3]
    assert found.first_rank.tolist() == [1, 2, 3]


def test_passages_are_collapsed_to_the_document_at_its_first_rank(rank: Callable[..., object]) -> None:
    # Passages A, B, C are of document 0 and D, E of document 1: A D B E C reads 0 1.
    judgments = Judgments.of([{0: 1, 1: 1}], 3)
    found = Relevance.of(rank("ADBEC"), np.array([0, 0, 0, 1, 1, 2, 2, 2]), judgments)  # type: ignore[arg-type]
    assert found.gains.tolist() == [[1, 1]]
    assert found.length.tolist() == [2]
    for metric in (recall, precision, ndcg):
        assert metric(found, 2)[0] == pytest.approx(1)
    assert average_precision(found)[0] == 1


def test_a_collapsed_passage_leaves_its_rank_to_the_next_document(rank: Callable[..., object]) -> None:
    found = Relevance.of(rank("ABCF"), np.array([0, 0, 0, 1, 1, 2, 2, 2]), Judgments.of([{2: 1}], 3))  # type: ignore[arg-type]
    assert (hit(found, 2)[0], reciprocal_rank(found)[0]) == (1, 0.5)


def test_a_passage_returned_twice_counts_once(look_up: LookUp) -> None:
    found = look_up(["AAAB"], [{"A": 1, "B": 1}])
    assert found.gains.tolist() == [[1, 1]]
    assert (ndcg(found, 4)[0], recall(found, 4)[0], average_precision(found)[0]) == pytest.approx((1, 1, 1))


def test_judged_is_the_share_of_what_was_shown_that_anybody_looked_at(look_up: LookUp) -> None:
    found = look_up(["CADBE", "AB"], [{"A": 1, "C": 0}, {"A": 1}])
    assert judged(found, 1).tolist() == [1, 1]
    assert judged(found, 3).tolist() == pytest.approx([2 / 3, 0.5])
    # Two were returned: what was not returned is not unjudged.
    assert judged(found, 10).tolist() == pytest.approx([2 / 5, 0.5])


def test_another_number_of_rankings_than_of_judged_queries_is_refused(rank: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="2 rankings for 1 judged queries"):
        Relevance.of(rank("A", "B"), np.arange(8), Judgments.of([{0: 1}], 8))  # type: ignore[arg-type]


def value(metric: str, found: Relevance, k: int = 5) -> float:
    return float(parse_metric(metric).compute(found, k)[0])


def test_rbp_weighs_ranks_by_the_chance_of_getting_there(worked: Relevance) -> None:
    # Relevant at ranks 2 and 4: 0.2 x (0.8 + 0.8^3).
    assert value("rbp(p=0.8)", worked) == pytest.approx(0.2 * (0.8 + 0.512))
    assert value("rbp(p=0.8)@3", worked) == value("rbp(p=0.8)", worked, 3) == pytest.approx(0.16)
    assert value("rbp(p=0.5)@1", worked) == 0


def test_err_is_where_a_reader_stops(look_up: LookUp) -> None:
    found = look_up(["BACD"], [{"A": 3, "B": 1, "C": 0, "D": 4}])
    # Content by B with 1/16, by A with 7/16 of the other 15/16, by D with 15/16 of what is left.
    first, second = 1 / 16, 15 / 16 * 7 / 16
    left = 15 / 16 * 9 / 16
    assert value("err", found, 1) == pytest.approx(first)
    assert value("err", found, 3) == pytest.approx(first + second / 2)
    assert value("err@4", found, 1) == pytest.approx(first + second / 2 + left * 15 / 16 / 4)
    # Of three grades, A contents with 7/8, and D, graded higher, counts as 3.
    assert value("err(max_grade=3)", found, 2) == pytest.approx(1 / 8 + 7 / 8 * 7 / 8 / 2)


def test_bpref_counts_what_was_judged_irrelevant_above(look_up: LookUp) -> None:
    # Above A is C alone, of what was judged irrelevant; above B are C and D. F is not judged.
    graded = [{"A": 1, "B": 1, "C": 0, "D": 0, "E": 0}]
    assert value("bpref", look_up(["FCADB"], graded)) == pytest.approx(((1 - 1 / 2) + (1 - 2 / 2)) / 2)
    # One irrelevant is known: at most min(2, 1) stands above.
    assert value("bpref", look_up(["AFCB"], [{"A": 1, "B": 1, "C": 0}])) == pytest.approx((1 + 0) / 2)
    # None is known, so nothing is preferred to what is relevant.
    assert value("bpref", look_up(["FGB"], [{"A": 1, "B": 1}])) == pytest.approx(1 / 2)


def test_r_precision_looks_at_as_many_as_are_relevant(worked: Relevance, look_up: LookUp) -> None:
    assert value("r_precision", worked) == 0.5
    assert value("r_precision", look_up(["ACB"], [dict.fromkeys("AB", 1)])) == 0.5
    assert value("r_precision", look_up(["A"], [dict.fromkeys("ABC", 1)])) == pytest.approx(1 / 3)


def test_exponential_gains_weigh_high_grades_more(look_up: LookUp) -> None:
    found = look_up(["BACD"], [{"A": 3, "B": 1, "C": 0, "D": 2}])
    ideal = 7 + 3 / log2(3) + 1 / 2
    assert value("ndcg(dcg=exp-log2)", found, 3) == pytest.approx((1 + 7 / log2(3)) / ideal)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("mrr@1", 0), ("mrr@2", 0.5), ("map@2", 0.25), ("map@4", 0.5), ("hit@1", 0), ("recall@2", 0.5), ("judged@2", 0.5)],
)
def test_a_cutoff_of_its_own_stands_in_for_k_and_for_the_depth(worked: Relevance, metric: str, expected: float) -> None:
    assert [value(metric, worked, k) for k in (1, 5)] == [expected, expected]


def test_pool_recall_is_not_to_be_had_from_a_ranking_alone(worked: Relevance) -> None:
    with pytest.raises(ConfigError, match="pool_recall needs what the last stage looked at"):
        value("pool_recall", worked)
