"""How far a difference could move if unjudged results were relevant: by hand, and never beyond its bounds."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from decide_scores import stored

from runner.decisions.run_scores import RunScores
from runner.decisions.unjudged import DifferenceBounds, unjudged_between
from runner.scoring.judgments import Judgments
from runner.scoring.metric_names import parse_metric
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Slices

BOUNDED = ("hit", "recall", "precision")


def run_of(rankings: Sequence[str], judged: Sequence[dict[str, int]], name: str = "run-a") -> RunScores:
    """Scores of rankings written as letters; judged: letter -> grade of each query."""
    graded = [dict(enumerate(grade for grade in grades.values())) for grades in judged]
    relevance = Relevance.of_lists(
        Judgments.of(graded, 30),
        [
            tuple(zip(*((n, g[x]) for n, x in enumerate(ranked, 1) if g.get(x)), strict=True)) or ((), ())
            for ranked, g in zip(rankings, judged, strict=True)
        ],
        [[n for n, x in enumerate(ranked, 1) if x in g] for ranked, g in zip(rankings, judged, strict=True)],
        [len(ranked) for ranked in rankings],
    )  # type: ignore[misc]
    n = len(rankings)
    ids = tuple(f"q{number}" for number in range(n))
    units = [list(ranked) for ranked in rankings]
    return RunScores(
        stored(name),
        ids,
        ids,
        ("human",) * n,
        np.ones(n, np.bool_),
        units,
        relevance,
        Slices((), np.zeros((0, n), np.bool_)),
    )


def bounds(first: RunScores, second: RunScores, k: int) -> dict[str, DifferenceBounds]:
    return {each.metric: each for each in unjudged_between(first, second, k).bounds}


def test_the_bounds_of_one_query_by_hand() -> None:
    judged = [{"A": 1, "N": 0}]
    first, second = run_of(["AXY"], judged), run_of(["ANZ"], judged, "run-b")
    found = unjudged_between(first, second, 3)
    assert (found.first, found.second) == pytest.approx((2 / 3, 1 / 3))
    of = bounds(first, second, 3)
    precision = of["precision"]
    # As scored 1/3 each. X and Y are A's alone, Z is B's alone.
    assert (precision.none, precision.every) == pytest.approx((0, 2 / 3 - 1))
    assert (precision.low, precision.high) == pytest.approx((1 / 3 - 1, 2 / 3 - 1 / 3))
    recall = of["recall"]
    # All relevant: A finds A, X, Y of four, B finds A and Z of four. A's alone: B finds one of three. B's alone: all.
    assert (recall.none, recall.every) == pytest.approx((0, 2 / 4 - 3 / 4))
    assert (recall.low, recall.high) == pytest.approx((1 / 3 - 1, 1 - 1 / 2))
    assert of["ndcg"].low is None


def test_what_both_show_moves_recall_but_not_precision() -> None:
    judged = [{"A": 1}]
    of = bounds(run_of(["XA"], judged), run_of(["XB"], judged, "run-b"), 2)
    assert (of["precision"].none, of["precision"].low, of["precision"].high) == pytest.approx((-0.5, -0.5, 0))
    # With X relevant both find it, of two or three: A 1 and B 1/2, or A 2/3 and B 2/3 with B, too.
    assert (of["recall"].none, of["recall"].low, of["recall"].high) == pytest.approx((-1, -1, 0))
    assert not of["precision"].could_turn


def test_a_shared_result_can_close_the_whole_difference_in_hit() -> None:
    judged = [{"A": 1}]
    of = bounds(run_of(["XB"], judged), run_of(["XA"], judged, "run-b"), 2)
    assert (of["hit"].none, of["hit"].low, of["hit"].high) == pytest.approx((1, 0, 1))


def test_a_difference_that_judging_could_turn_round_says_so() -> None:
    judged = [{"A": 1}]
    found = unjudged_between(run_of(["AX"], judged), run_of(["YZ"], judged, "run-b"), 2)
    precision = next(each for each in found.bounds if each.metric == "precision")
    assert (precision.none, precision.high) == pytest.approx((-0.5, 0.5))
    assert precision.could_turn
    assert any(line.startswith("  precision -0.500, ") and "turn it round" in line for line in found.lines())


def test_passages_of_two_snapshots_are_not_held_against_each_other() -> None:
    judged = [{"A": 1}]
    first = run_of(["AX"], judged)
    for unit, told in (("passage", False), ("span", False), ("document", True)):
        runs = [replace(first, run=stored(name, unit=unit, snapshot=name)) for name in ("run-a", "run-b")]
        found = unjudged_between(*runs, 2)
        assert bool(found.bounds) == told
        assert any("other snapshots" in line for line in found.lines()) != told


def test_as_scored_is_the_score_also_where_one_passage_shows_several_spans() -> None:
    graded = [dict(enumerate([1, 3, 2]))]
    relevance = Relevance.of_lists(Judgments.of(graded, 5), [([2, 2], [3, 1])], [[2]], [2], [[2]])
    units = [["x", "y"]]
    ids = ("q0",)
    first, second = (
        RunScores(
            stored(name, unit="span"),
            ids,
            ids,
            ("human",),
            np.ones(1, np.bool_),
            units,
            made,
            Slices((), np.zeros((0, 1), np.bool_)),
        )
        for name, made in (("a", relevance), ("b", replace(relevance, gains=np.zeros_like(relevance.gains))))
    )
    of = bounds(first, second, 2)
    for metric in ("recall", "ndcg", "precision"):
        assert of[metric].none == pytest.approx(
            float((second.values(metric, 2) - first.values(metric, 2)).mean()), abs=1e-12
        )


def test_where_everything_is_judged_nothing_is_said() -> None:
    judged = [{"A": 1, "B": 0}]
    found = unjudged_between(run_of(["AB"], judged), run_of(["BA"], judged, "run-b"), 2)
    assert found.lines() == []
    assert all(each.none == each.every for each in found.bounds)
    assert all(each.none == each.low == each.high for each in found.bounds if each.metric in BOUNDED)


def test_beyond_k_nothing_is_supposed() -> None:
    judged = [{"A": 1}]
    found = unjudged_between(run_of(["AXXX"[:1] + "XYZ"], judged), run_of(["ABCD"], judged, "run-b"), 1)
    assert found.lines() == []


@pytest.mark.parametrize("seed", range(20))
def test_no_judgment_of_the_unjudged_takes_a_difference_beyond_its_bounds_and_some_reach_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    letters = list("ABCDEF")
    rankings = tuple(["".join(rng.permutation(letters)[:3]) for _ in range(2)] for _ in range(2))
    judged = [{"A": 1, "F": 0}, {"B": 1}]
    limits = bounds(*_two(rankings, judged), 3)
    unknown = [sorted({*a[:3], *b[:3]} - set(known)) for a, b, known in zip(*rankings, judged, strict=True)]
    choices = [list(chain.from_iterable(combinations(each, size) for size in range(len(each) + 1))) for each in unknown]
    reached: dict[str, list[float]] = {metric: [] for metric in BOUNDED}
    for one in choices[0]:
        for two in choices[1]:
            supposed = [{**known, **dict.fromkeys(extra, 1)} for known, extra in zip(judged, (one, two), strict=True)]
            first, second = _two(rankings, supposed)
            for metric in BOUNDED:
                values = [parse_metric(metric).compute(scores.relevance, 3).mean() for scores in (first, second)]
                reached[metric].append(values[1] - values[0])
    for metric, values in reached.items():
        assert (limits[metric].low, limits[metric].high) == pytest.approx((min(values), max(values)), abs=1e-12), metric


def _two(
    rankings: tuple[Sequence[str], Sequence[str]], judged: Sequence[dict[str, int]]
) -> tuple[RunScores, RunScores]:
    return run_of(rankings[0], judged), run_of(rankings[1], judged, "run-b")
