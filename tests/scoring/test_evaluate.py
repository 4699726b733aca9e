"""What one job reports: means with their counts, slices, curves, where a query was lost, and the unanswerable ones."""

from collections.abc import Callable
from itertools import permutations
from math import isfinite

import numpy as np
import pytest

from retrievers.base import Passages, Rankings
from runner.scoring.evaluate import LOST_IN_POOL, LOST_IN_RANKING, Evaluation, JudgedSet, evaluate

Lay = Callable[..., JudgedSet]
Rank = Callable[..., Rankings]
METRICS = {"hit", "recall", "precision", "ndcg", "judged", "mrr", "map", "pool_recall"}
COUNTS = {"n", "hit_queries", "recall_hits", "recall_relevant", "recall_micro"}


def score(judged: JudgedSet, rankings: Rankings, k: int = 1, pool: Rankings | None = None) -> Evaluation:
    return evaluate(judged, rankings, pool or rankings, k, [1, 3, 5])


def test_three_judged_and_one_right_is_a_third(lay: Lay, rank: Rank) -> None:
    overall = score(lay("A", "B", "C"), rank("A", "", ""), k=3).overall
    for metric in ("hit", "recall", "ndcg", "mrr", "map"):
        assert overall[metric] == pytest.approx(1 / 3), metric
    assert {name: overall[name] for name in COUNTS} == pytest.approx(
        {"n": 3, "hit_queries": 1, "recall_hits": 1, "recall_relevant": 3, "recall_micro": 1 / 3}
    )


def test_rankings_that_are_all_empty_are_zeros_with_counts(lay: Lay, rank: Rank) -> None:
    evaluation = score(lay("A", "BC"), rank("", ""))
    assert {evaluation.overall[metric] for metric in METRICS - {"judged"}} == {0}
    assert (evaluation.overall["n"], evaluation.overall["recall_relevant"], evaluation.overall["recall_hits"]) == (
        2,
        3,
        0,
    )
    assert evaluation.cause == (LOST_IN_POOL, LOST_IN_POOL)
    assert (evaluation.found.length == 0).sum() == 2


def test_macro_counts_queries_and_micro_counts_relevant_items(lay: Lay, rank: Rank) -> None:
    overall = score(lay("A", "BCDE"), rank("A", "BFGH"), k=4).overall
    assert overall["recall"] == (1 + 0.25) / 2
    assert overall["recall_micro"] == 2 / 5
    assert (overall["recall_hits"], overall["recall_relevant"], overall["hit_queries"], overall["n"]) == (2, 5, 2, 2)


def test_one_of_four_found_is_a_hit_and_a_quarter_of_the_recall(lay: Lay, rank: Rank) -> None:
    overall = score(lay("ABCD"), rank("AEFG"), k=4).overall
    assert (overall["hit"], overall["recall"], overall["map"]) == (1, 0.25, 0.25)


def test_every_mean_is_logged_by_its_name(lay: Lay, rank: Rank) -> None:
    assert set(score(lay("A"), rank("A")).overall) == METRICS | COUNTS


def test_what_is_asked_for_is_measured_with_hit_and_recall(lay: Lay, rank: Rank) -> None:
    judged, ranked = lay("AB", "C"), rank("CADBE", "C")
    asked = evaluate(judged, ranked, ranked, 2, [1, 3], ["ndcg@3", "rbp(p=0.5)", "AP"])
    names = {"hit", "recall", "map", "ndcg@3", "rbp(p=0.5)", "pool_recall"}
    assert set(asked.overall) == names | COUNTS
    assert set(asked.curve) == {"hit", "recall", "rbp(p=0.5)"}
    assert set(asked.values) == names - {"map"} | {"ap"}
    usual = score(judged, ranked, k=3)
    assert asked.overall["ndcg@3"] == usual.overall["ndcg"]
    assert asked.overall["rbp(p=0.5)"] == pytest.approx((0.25 + 0.5) / 2)
    assert asked.curve["rbp(p=0.5)"].tolist() == pytest.approx([0.25, 0.375, 0.375])


def test_the_worked_example(lay: Lay, rank: Rank) -> None:
    at = {k: score(lay("AB"), rank("CADBE"), k=k).overall for k in (3, 5)}
    assert {k: (row["hit"], row["recall"], row["mrr"], row["map"]) for k, row in at.items()} == {
        3: (1, 0.5, 0.5, 0.5),
        5: (1, 1, 0.5, 0.5),
    }


def test_a_miss_is_lost_in_the_pool_or_in_the_ranking(lay: Lay, rank: Rank) -> None:
    judged = lay("A", "B", "C", "D")
    # First: found. Second: in the pool and ranked too low. Third: in the pool, not ranked. Fourth: not in the pool.
    evaluation = score(judged, rank("A", "CB", "A", "A"), k=1, pool=rank("AB", "CB", "ABC", "ABC"))
    assert evaluation.cause == ("", LOST_IN_RANKING, LOST_IN_RANKING, LOST_IN_POOL)
    assert (evaluation.lost(LOST_IN_RANKING), evaluation.lost(LOST_IN_POOL)) == (2, 1)
    assert evaluation.values["pool_recall"].tolist() == [1, 1, 1, 0]
    assert evaluation.overall["pool_recall"] == 0.75


def test_pool_recall_looks_at_the_whole_pool_whatever_k(lay: Lay, rank: Rank) -> None:
    assert score(lay("AB"), rank("CDEFGHAB"), k=1).overall["pool_recall"] == 1


def test_the_curve_holds_every_cut_and_k_itself(lay: Lay, rank: Rank) -> None:
    evaluation = score(lay("AB", "C"), rank("CADBE", "ABDC"), k=4)
    assert evaluation.ks == (1, 3, 4, 5)
    assert evaluation.curve["recall"].tolist() == [0, 0.25, 1, 1]
    assert evaluation.curve["hit"].tolist() == [0, 0.5, 1, 1]
    assert set(evaluation.curve) == {"hit", "recall", "precision", "ndcg", "judged"}


def test_the_means_of_a_slice_are_over_its_queries_alone(lay: Lay, rank: Rank) -> None:
    judged = lay(("A", {"lang": "en"}), ("B", {"lang": "zh"}), ("CD", {"lang": "zh"}), slices=["lang"])
    evaluation = score(judged, rank("A", "AB", "CED"), k=2)
    chinese = evaluation.means["lang.zh"]
    assert (chinese["recall"], chinese["hit"], chinese["n"], chinese["recall_micro"]) == (0.75, 1, 2, 2 / 3)
    assert (evaluation.means["lang.en"]["recall"], evaluation.means["lang.en"]["n"]) == (1, 1)
    assert evaluation.overall["recall"] == pytest.approx(2.5 / 3)
    place = judged.slices.names.index("lang.zh")
    assert evaluation.slice_recall[place].tolist() == [0.25, 0.75, 1, 1]


def test_every_slice_has_its_n_and_none_is_empty_or_without_value(lay: Lay, rank: Rank) -> None:
    judged = lay(("A", {"kind": "new"}), ("B", {"kind": None}), ("", {"kind": "unanswerable only"}), slices=["kind"])
    evaluation = score(judged, rank("", "B", "A"))
    assert list(evaluation.means) == ["", *judged.slices.names]
    assert [name for name in evaluation.means if name.startswith("kind")] == ["kind.new"]
    for means in evaluation.means.values():
        assert means["n"] >= 1
        assert all(isfinite(value) for value in means.values())


def test_the_worst_slice_has_its_name_and_size(lay: Lay, rank: Rank) -> None:
    judged = lay(*[("A", {"lang": "en"})] * 3, *[("B", {"lang": "zh"})] * 2, ("C", {"lang": "ja"}), slices=["lang"])
    evaluation = score(judged, rank("A", "A", "A", "B", "", ""))
    assert evaluation.worst_slice() == ("lang.ja", 0, 1)
    assert evaluation.worst_slice(least=2) == ("lang.zh", 0.5, 2)
    assert evaluation.worst_slice(least=100) == ("lang.ja", 0, 1)


def test_passages_are_collapsed_when_documents_are_judged(lay: Lay, rank: Rank) -> None:
    # A and B are of a.md, C and D of b.md: A B D C reads a.md, b.md.
    overall = score(lay({"b.md": 1}, unit="document"), rank("ABDC"), k=2).overall
    assert (overall["recall"], overall["mrr"], overall["map"]) == (1, 0.5, 0.5)


def test_the_smallest_relevant_grade_is_that_of_the_suite(lay: Lay, rank: Rank) -> None:
    overall = score(lay({"A": 1, "B": 2}, min_grade=2), rank("AB"), k=1).overall
    assert (overall["hit"], overall["mrr"], overall["recall_relevant"]) == (0, 0.5, 1)
    assert overall["ndcg"] == 0.5


def test_a_constant_scorer_scores_the_same_whatever_it_returns_first(lay: Lay) -> None:
    passages = Passages(tuple("ABCDEFGH"), tuple("ABCDEFGH"), ("",) * 8)
    judged = lay("C")
    means = [
        score(judged, Rankings.from_lists([[(letter, 1.0) for letter in order]], passages, 3)).overall
        for order in permutations("ABC")
    ]
    assert {row["mrr"] for row in means} == {1 / 3}


def test_how_well_scores_tell_the_unanswerable_apart(lay: Lay) -> None:
    passages = Passages(tuple("ABCDEFGH"), tuple("ABCDEFGH"), ("",) * 8)
    tops = [3.0, 1.0, None, 2.0, 1.0, None]
    lists = [[("A", top), ("B", top - 9)] if top is not None else [] for top in tops]
    evaluation = score(lay("A", "B", "C", "", "", ""), Rankings.from_lists(lists, passages, 5))
    # Of nine pairs, 3 beats all three; 1 ties with 1 and beats nothing; nothing ties with nothing: (3 + 1.5 + 0.5) / 9.
    assert evaluation.unanswerable == pytest.approx({"n": 3, "returned": 2 / 3, "top_score": 1.5, "separation": 5 / 9})
    assert evaluation.overall["n"] == 3


def test_unanswerable_queries_that_return_nothing_have_no_top_score(lay: Lay, rank: Rank) -> None:
    assert score(lay("A", ""), rank("A", "")).unanswerable == {"n": 1, "returned": 0, "separation": 1}


def test_without_unanswerable_queries_nothing_is_said_of_them(lay: Lay, rank: Rank) -> None:
    assert score(lay("A"), rank("A")).unanswerable == {}


def test_with_unanswerable_queries_alone_no_mean_has_a_value(lay: Lay, rank: Rank) -> None:
    evaluation = score(lay("", ""), rank("A", ""))
    assert evaluation.means == {"": {"n": 0}}
    assert evaluation.unanswerable == {"n": 2, "returned": 0.5, "top_score": 0}
    assert evaluation.worst_slice() is None


def test_unjudged_queries_are_counted_and_not_ranked(lay: Lay) -> None:
    judged = lay("A", ("", {"unjudged": True}), "")
    assert (judged.unjudged, [query.id for query in judged.ranked]) == (1, ["q0", "q2"])


def test_rankings_of_other_queries_are_refused(lay: Lay, rank: Rank) -> None:
    judged = lay("A", "B", "")
    with pytest.raises(ValueError, match="2 rankings and 2 sets of candidates for 3 queries"):
        score(judged, rank("A", "B"))
    with pytest.raises(ValueError, match="3 rankings and 4 sets of candidates"):
        score(judged, rank("A", "B", ""), pool=rank("A", "B", "", ""))


def test_freshness_is_read_from_the_documents_that_are_relevant(lay: Lay) -> None:
    from runner.scoring.slices import Freshness

    for unit, relevant in (("passage", ["G", "A"]), ("document", [{"d.md": 1}, {"a.md": 1}])):
        slices = lay(*relevant, unit=unit, freshness=Freshness(days=(30,))).slices
        windows = [name for name in slices.names if name.startswith("freshness")]
        assert windows == ["freshness.0-30 days", "freshness.over 30 days"]
        assert slices.members[[slices.names.index(name) for name in windows]].tolist() == [[True, False], [False, True]]


def test_means_do_not_depend_on_the_order_of_queries(lay: Lay, rank: Rank) -> None:
    words, relevant = ["A", "BA", "", "CD"], ["A", "A", "B", "DC"]
    forward = score(lay(*relevant), rank(*words), k=2).overall
    backward = score(lay(*reversed(relevant)), rank(*reversed(words)), k=2).overall
    assert dict(forward) == pytest.approx(dict(backward))
    assert np.isfinite(list(forward.values())).all()
