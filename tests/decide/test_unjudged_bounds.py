"""How far a difference could move if unjudged results were relevant: by hand, and never beyond its bounds."""

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
import pytest
from decide_scores import stored

from runner.deciding.scores import RunScores
from runner.deciding.unjudged import unjudged_between
from runner.scoring.metrics import AT_K
from runner.scoring.relevance import Judgments, Relevance
from runner.scoring.slices import Slices


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
        stored(name), ids, ids, ("human",) * n, np.ones(n, np.bool_), units, units, relevance, np.ones(n),
        Slices((), np.zeros((0, n), np.bool_)),
    )  # fmt: skip


def test_the_bounds_of_one_query_by_hand() -> None:
    judged = [{"A": 1, "N": 0}]
    first, second = run_of(["AXY"], judged), run_of(["ANZ"], judged, "run-b")
    found = unjudged_between(first, second, 3)
    assert (found.first, found.second) == pytest.approx((2 / 3, 1 / 3))
    of = {each.metric: each for each in found.bounds}
    precision = of["precision"]
    # As scored 1/3 each. X and Y are A's alone, Z is B's alone.
    assert (precision.none, precision.every) == pytest.approx((0, 2 / 3 - 1))
    assert (precision.low, precision.high) == pytest.approx((1 / 3 - 1, 2 / 3 - 1 / 3))
    recall = of["recall"]
    # All relevant: A finds A, X, Y of four, B finds A and Z of four. A's alone: B finds one of three. B's alone: all.
    assert (recall.none, recall.every) == pytest.approx((0, 2 / 4 - 3 / 4))
    assert (recall.low, recall.high) == pytest.approx((1 / 3 - 1, 1 - 1 / 2))


def test_what_both_show_does_not_part_them() -> None:
    judged = [{"A": 1}]
    found = unjudged_between(run_of(["XA"], judged), run_of(["XB"], judged, "run-b"), 2)
    precision = next(each for each in found.bounds if each.metric == "precision")
    assert (precision.none, precision.low) == pytest.approx((-0.5, -0.5))
    assert precision.high == pytest.approx(0)
    assert not precision.could_turn


def test_a_difference_that_judging_could_turn_round_says_so() -> None:
    judged = [{"A": 1}]
    found = unjudged_between(run_of(["AX"], judged), run_of(["YZ"], judged, "run-b"), 2)
    precision = next(each for each in found.bounds if each.metric == "precision")
    assert (precision.none, precision.high) == pytest.approx((-0.5, 0.5))
    assert precision.could_turn
    assert any("precision -0.500 as scored" in line and "turn it round" in line for line in found.lines())


def test_where_everything_is_judged_nothing_is_said() -> None:
    judged = [{"A": 1, "B": 0}]
    found = unjudged_between(run_of(["AB"], judged), run_of(["BA"], judged, "run-b"), 2)
    assert found.lines() == []
    assert all(each.none == each.every == each.low == each.high for each in found.bounds)


def test_beyond_k_nothing_is_supposed() -> None:
    judged = [{"A": 1}]
    found = unjudged_between(run_of(["AXXX"[:1] + "XYZ"], judged), run_of(["ABCD"], judged, "run-b"), 1)
    assert found.lines() == []


def test_no_supposition_takes_precision_beyond_its_bounds() -> None:
    judged = [{"A": 1, "N": 0}, {"B": 2}]
    rankings = (["AXNY", "ZBWV"], ["YANZ", "WXBU"])
    bounds = {each.metric: each for each in unjudged_between(*_two(rankings, judged), 3).bounds}
    unknown = [sorted({*a[:3], *b[:3]} - set(known)) for a, b, known in zip(*rankings, judged, strict=True)]
    choices = [list(chain.from_iterable(combinations(each, size) for size in range(len(each) + 1))) for each in unknown]
    for one in choices[0]:
        for two in choices[1]:
            supposed = [{**known, **dict.fromkeys(extra, 1)} for known, extra in zip(judged, (one, two), strict=True)]
            first, second = _two(rankings, supposed)
            for metric in ("precision", "hit"):
                values = [AT_K[metric](scores.relevance, 3).mean() for scores in (first, second)]
                assert bounds[metric].low - 1e-12 <= values[1] - values[0] <= bounds[metric].high + 1e-12


def _two(
    rankings: tuple[Sequence[str], Sequence[str]], judged: Sequence[dict[str, int]]
) -> tuple[RunScores, RunScores]:
    return run_of(rankings[0], judged), run_of(rankings[1], judged, "run-b")
