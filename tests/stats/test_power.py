"""What a suite could show: the smallest detectable difference and the queries that would halve it."""

import numpy as np
import pytest
from scipy import stats

from runner.stats import (
    minimum_detectable,
    paired_test,
    queries_to_halve,
    smallest_step,
    spread_of_differences,
    spread_of_pairs,
)


def test_the_minimum_by_hand() -> None:
    # (1.959964 + 0.841621) x 0.3 / sqrt(144) = 0.0700396
    assert minimum_detectable(0.3, 144) == pytest.approx(0.0700396, abs=1e-7)
    # (2.575829 + 1.281552) x 0.5 / sqrt(100)
    assert minimum_detectable(0.5, 100, power=0.9, alpha=0.01) == pytest.approx(0.192869, abs=1e-6)


def test_sizes_broadcast_over_metrics() -> None:
    found = minimum_detectable([[0.2, 0.4], [0.2, 0.4]], np.array([[25], [100]]))
    assert found.shape == (2, 2)
    assert found[0] == pytest.approx(2 * found[1])
    assert found[:, 1] == pytest.approx(2 * found[:, 0])


def test_four_times_the_queries_halve_it() -> None:
    assert queries_to_halve([50, 0]).tolist() == [150, 0]
    assert minimum_detectable(0.3, 50 + queries_to_halve(50)) == pytest.approx(minimum_detectable(0.3, 50) / 2)


def test_no_spread_promises_nothing() -> None:
    # At least 6 of 6 with power 0.8: 0.8^(1/6).
    assert minimum_detectable(0.0, 6) == pytest.approx(0.8 ** (1 / 6))
    for n in (10, 100):
        share = float(minimum_detectable(0.0, n))
        assert stats.binom.sf(5, n, share) == pytest.approx(0.8)


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_fewer_than_six_queries_can_never_show_anything_at_five_percent(spread: float) -> None:
    assert minimum_detectable(spread, 5) == np.inf
    assert minimum_detectable(spread, 6) < np.inf
    assert paired_test(-np.ones((5, 1)), np.ones((1, 5), np.bool_)) > 0.05
    assert paired_test(-np.ones((6, 1)), np.ones((1, 6), np.bool_)) < 0.05
    assert minimum_detectable(spread, 2, alpha=0.5) < np.inf


def test_a_difference_is_never_finer_than_one_query() -> None:
    assert minimum_detectable(0.001, 20) == 1 / 20


def test_no_queries_detect_nothing() -> None:
    assert minimum_detectable([0.3, 0.0], 0).tolist() == [np.inf, np.inf]
    assert smallest_step([0, 1, 8]).tolist() == [np.inf, 1, 0.125]


@pytest.mark.parametrize(("spread", "n"), [(-0.1, 5), (float("nan"), 5), (0.1, -5)])
def test_a_spread_that_is_none_is_refused(spread: float, n: int) -> None:
    with pytest.raises(ValueError, match="found another value or NaN"):
        minimum_detectable(spread, n)


@pytest.mark.parametrize("settings", [{"power": 1.0}, {"alpha": 0.0}])
def test_power_and_alpha_must_be_chances(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        minimum_detectable(0.3, 10, **settings)


def test_spreads_by_hand() -> None:
    members = np.array([[True] * 4, [True, True, False, False], [False, False, False, True], [False] * 4])
    values = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    # sqrt(4 x 0.25 / 3) and sqrt(2 x 0.25 / 1); nothing to see in one query or none
    expected = [[0.5773503, 0], [0.7071068, 0], [0, 0], [0, 0]]
    assert spread_of_pairs(values, members) == pytest.approx(np.array(expected), abs=1e-7)
    assert spread_of_differences(values, members) == pytest.approx(np.array(expected), abs=1e-7)
    assert spread_of_differences(values, members, correlation=0.0) == pytest.approx(
        np.array(expected) * np.sqrt(2), abs=1e-7
    )


def test_equal_scores_have_no_spread_although_their_mean_is_rounded() -> None:
    assert (spread_of_differences(np.full((30, 1), 0.1), np.ones((1, 30), np.bool_)) == 0).all()


def test_the_guess_from_one_run_holds_where_its_assumption_does() -> None:
    rng = np.random.default_rng(2)
    shared, first, second = rng.normal(size=(3, 50_000, 1))
    a, b = (stats.norm.cdf((shared + own) / np.sqrt(2)) for own in (first, second))
    members = np.ones((1, 50_000), np.bool_)
    correlation = float(np.corrcoef(a[:, 0], b[:, 0])[0, 1])
    assert spread_of_differences(a, members, correlation) == pytest.approx(spread_of_pairs(a - b, members), rel=0.02)


@pytest.mark.parametrize("correlation", [1.0, -1.1, float("nan")])
def test_a_correlation_that_is_none_is_refused(correlation: float) -> None:
    with pytest.raises(ValueError, match="correlation"):
        spread_of_differences(np.ones((3, 1)), np.ones((1, 3), np.bool_), correlation)


def test_the_paired_test_finds_the_minimum_about_as_often_as_promised() -> None:
    rng = np.random.default_rng(6)
    n, spread = 100, 0.2
    least = float(minimum_detectable(spread, n))
    differences = np.clip(rng.normal(least, spread, (n, 400)), -1, 1)
    found = (paired_test(differences, np.ones((1, n), np.bool_), resamples=1000) <= 0.05).mean()
    assert 0.73 < found < 0.87


def test_a_spread_of_none_is_found_about_as_often_as_promised() -> None:
    rng = np.random.default_rng(8)
    for n in (20, 100):
        least = float(minimum_detectable(0.0, n))
        lost = -(rng.random((n, 400)) < least).astype(float)
        found = (paired_test(lost, np.ones((1, n), np.bool_), resamples=1000) <= 0.05).mean()
        assert 0.74 < found < 0.86
