"""What the rank alone gives, and how sure a count of clicks is, by hand."""

from pathlib import Path

import numpy as np
import pytest
from candidate_world import log, shown

from runner.annotation.candidates.click_pairs import ClickPairs, PositionBias, poisson_interval

HEADER = "query,passage_id,rank,clicked"


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_the_share_of_clicks_is_counted_at_each_rank_over_the_whole_log() -> None:
    bias = PositionBias.of(ints(1, 1, 1, 1, 3, 3, 7), ints(1, 1, 1, 0, 0, 1, 0))
    assert bias.ranks.tolist() == [1, 3, 7]
    assert bias.impressions.tolist() == [4, 2, 1]
    assert bias.clicks.tolist() == [3, 1, 0]
    assert bias.rates.tolist() == [0.75, 0.5, 0.0]
    assert bias.expected.tolist() == [0.75] * 4 + [0.5] * 2 + [0.0]


def test_what_is_expected_adds_up_to_the_clicks_there_were() -> None:
    rng = np.random.default_rng(7)
    rank = rng.integers(1, 11, 5000)
    clicked = (rng.random(5000) < 0.5 / rank).astype(np.int64)
    assert PositionBias.of(rank, clicked).expected.sum() == pytest.approx(clicked.sum())


# Garwood's table: 0 has (0, 3.689), 1 has (0.0253, 5.572), 10 has (4.795, 18.39).
@pytest.mark.parametrize(("count", "low", "high"), [(0, 0, 3.6889), (1, 0.025318, 5.5716), (10, 4.7954, 18.3904)])
def test_the_interval_of_a_count_is_the_exact_one(count: int, low: float, high: float) -> None:
    found = poisson_interval(count)
    assert (float(found[0]), float(found[1])) == pytest.approx((low, high), abs=1e-4)


def test_a_wider_level_gives_a_wider_interval() -> None:
    (narrow_low, narrow_high), (wide_low, wide_high) = poisson_interval(5, 0.5), poisson_interval(5, 0.99)
    assert wide_low < narrow_low < 5 < narrow_high < wide_high


def pairs_of(folder: Path, *rows: str, header: str = HEADER) -> ClickPairs:
    found = log(folder, *rows, header=header)
    bias = PositionBias.of(found.columns["rank"], found.columns["clicked"])
    return ClickPairs.of(found, bias, np.arange(len(found.values["query"])))


def test_a_pair_is_set_against_the_ranks_it_was_shown_at(tmp_path: Path) -> None:
    # Rank 1: 10 of 20 are clicked; rank 2: 3 of 20.
    pairs = pairs_of(tmp_path, *shown("a", "p", 1, 20, 10), *shown("a", "q", 2, 10, 3), *shown("b", "q", 2, 10, 0))
    assert pairs.impressions.tolist() == [20, 10, 10]
    assert pairs.clicks.tolist() == [10, 3, 0]
    assert pairs.expected.tolist() == pytest.approx([10, 1.5, 1.5])
    ratio, low, high = pairs.ratios
    assert ratio.tolist() == pytest.approx([1, 2, 0])
    # Garwood of 3: (0.6187, 8.7673).
    assert low.tolist() == pytest.approx([0.47954, 0.6187 / 1.5, 0], abs=1e-4)
    assert high.tolist() == pytest.approx([1.83904, 8.7673 / 1.5, 3.6889 / 1.5], abs=1e-4)


def test_the_priority_is_the_lower_end_weighed_by_how_many_saw_it(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, *shown("a", "p", 1, 20, 10), *shown("a", "q", 2, 10, 3), *shown("b", "q", 2, 10, 0))
    first = 0.47954 / 1.47954 * 20 / 30
    second = (0.6187 / 1.5) / (1 + 0.6187 / 1.5) * 10 / 20
    assert pairs.priorities.tolist() == pytest.approx([first, second, 0], abs=1e-4)


def test_a_lone_click_where_nobody_clicks_ranks_below_many_clicks_that_rank_explains(tmp_path: Path) -> None:
    lone = [*shown("a", "deep", 9, 1, 1), *shown("b", "other", 9, 500, 0)]
    pairs = pairs_of(tmp_path, *lone, *shown("c", "top", 1, 100, 40))
    priority = dict(zip(pairs.question.tolist(), pairs.priorities.tolist(), strict=True))
    assert pairs.ratios[0].tolist()[0] == pytest.approx(501)
    assert 0 < priority[0] < priority[2]


def test_one_session_that_clicks_for_ever_is_one_viewer(tmp_path: Path) -> None:
    header = f"{HEADER},session"
    rows = [*["a,p,1,1,robot"] * 50, *[f"b,p,1,1,s{number}" for number in range(50)], "c,p,1,1,", "c,p,1,1,"]
    pairs = pairs_of(tmp_path, *rows, header=header)
    assert pairs.viewers.tolist() == [1, 50, 2]
    assert pairs.priorities[0] < pairs.priorities[1] / 5


def test_an_impression_without_a_session_is_nobody_that_has_one(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, "a,p,1,1,", "a,p,1,1,s0", "a,p,1,1,s0", "a,p,1,1,", header=f"{HEADER},session")
    assert pairs.viewers.tolist() == [3]


def test_without_sessions_every_impression_is_a_viewer(tmp_path: Path) -> None:
    assert pairs_of(tmp_path, *shown("a", "p", 1, 3, 1)).viewers.tolist() == [3]


def test_mean_rank_and_first_and_last_time_are_those_of_the_pair(tmp_path: Path) -> None:
    header = f"{HEADER},at"
    rows = ["a,p,1,0,1970-01-01T00:00:20", "b,p,9,0,", "a,p,4,1,1970-01-01T00:00:05", "a,p,4,1,"]
    pairs = pairs_of(tmp_path, *rows, header=header)
    assert pairs.mean_rank.tolist() == [3, 9]
    assert pairs.first.tolist()[0] == 5
    assert pairs.last.tolist()[0] == 20
    assert np.isnan([pairs.first[1], pairs.last[1]]).all()
