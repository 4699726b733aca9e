"""Intervals of means: against public tools, at the edges, and the same every time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits

from runner.stats import bootstrap_intervals, wilson
from runner.stats.intervals import FEW as FEW_BY_METHOD
from runner.stats.resampling import QUERIES_A_BLOCK

RNG = np.random.default_rng(11)
FEW = FEW_BY_METHOD["percentile"]


def everyone(n: int) -> NDArray[np.bool_]:
    return np.ones((1, n), np.bool_)


def recalls(n: int, metrics: int = 1) -> NDArray[np.float64]:
    return RNG.choice([0, 1 / 3, 1 / 2, 1], size=(n, metrics), p=[0.2, 0.2, 0.2, 0.4])


def test_wilson_by_hand() -> None:
    # z = 1.959964, n = 10, 8 successes: (8 + 1.920729 -+ sqrt(3.841459 x (1.6 + 0.960365))) / 13.841459
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.490162, abs=1e-6)
    assert high == pytest.approx(0.943318, abs=1e-6)


def test_wilson_agrees_with_statsmodels() -> None:
    n = RNG.integers(1, 500, 200)
    successes = RNG.integers(0, n + 1)
    for level in (0.5, 0.9, 0.95, 0.999):
        low, high = wilson(successes, n, level)
        their_low, their_high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
        assert np.abs(low - their_low).max() < 1e-12
        assert np.abs(high - their_high).max() < 1e-12


def test_wilson_of_nothing_is_the_whole_range() -> None:
    assert [float(bound) for bound in wilson(0, 0)] == [0, 1]


@pytest.mark.parametrize(("successes", "n"), [(11, 10), (-1, 10), (float("nan"), 10), (1, float("nan"))])
def test_wilson_refuses_what_is_no_proportion(successes: float, n: float) -> None:
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        wilson(successes, n)


@pytest.mark.parametrize("n", [40, 150, 1000])
def test_the_percentile_interval_is_close_to_scipys(n: int) -> None:
    scores = recalls(n, 3)
    ours = bootstrap_intervals(scores, everyone(n))
    theirs = stats.bootstrap((scores.T,), np.mean, axis=1, method="percentile", n_resamples=10_000, rng=1)
    error = scores.std(axis=0) / np.sqrt(n)
    # Between two bootstraps of 10,000 lies about 0.05 standard errors; ours is wider by about 1/n.
    assert (np.abs(ours.low[0] - theirs.confidence_interval.low) < (0.08 + 2 / n) * error).all()
    assert (np.abs(ours.high[0] - theirs.confidence_interval.high) < (0.08 + 2 / n) * error).all()


def test_the_bca_interval_is_close_to_scipys_where_scores_are_skewed() -> None:
    scores = RNG.beta(6, 1, size=(60, 2))
    ours = bootstrap_intervals(scores, everyone(60), method="bca")
    theirs = stats.bootstrap((scores.T,), np.mean, axis=1, method="BCa", n_resamples=10_000, rng=1)
    plain = bootstrap_intervals(scores, everyone(60))
    error = scores.std(axis=0) / np.sqrt(60)
    assert (np.abs(ours.low[0] - theirs.confidence_interval.low) < 0.12 * error).all()
    assert (np.abs(ours.high[0] - theirs.confidence_interval.high) < 0.12 * error).all()
    assert (ours.low < plain.low).all()  # a long left tail pulls both ends down
    assert (ours.high < plain.high).all()


def test_poisson_weights_make_up_for_the_missing_degree_of_freedom() -> None:
    scores = RNG.random((12, 400))
    found = bootstrap_intervals(scores, everyone(12), resamples=4000)
    half = (found.high - found.low)[0] / 2 / 1.959964
    unbiased = (half / (scores.std(axis=0, ddof=1) / np.sqrt(12))).mean()
    biased = (half / (scores.std(axis=0, ddof=0) / np.sqrt(12))).mean()
    assert abs(unbiased - 1) < 0.02 < 0.035 < biased - 1


def test_a_slice_gets_the_interval_it_would_get_on_its_own_scores() -> None:
    scores = recalls(300, 2)
    members = RNG.random((3, 300)) < 0.5
    together = bootstrap_intervals(scores, members)
    for number, member in enumerate(members):
        alone = bootstrap_intervals(scores[member], everyone(int(member.sum())))
        error = scores[member].std(axis=0) / np.sqrt(member.sum())
        assert (np.abs(together.low[number] - alone.low[0]) < 0.1 * error).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_equal_scores_get_wilsons_interval(n: int, score: float, method: str) -> None:
    found = bootstrap_intervals(np.full((n, 1), score), everyone(n), method=method)  # type: ignore[arg-type]
    low, high = wilson(score * n, n)
    assert found.low[0, 0] == pytest.approx(float(low), abs=1e-9)
    assert found.high[0, 0] == pytest.approx(float(high), abs=1e-9)
    assert found.high[0, 0] - found.low[0, 0] > 0.1


@pytest.mark.parametrize("misses", range(FEW))
def test_a_few_misses_in_100_get_no_narrower_interval_than_wilsons(misses: int) -> None:
    hits = np.ones((100, 1))
    hits[:misses] = 0
    found = bootstrap_intervals(hits, everyone(100))
    low, high = wilson(100 - misses, 100)
    assert found.low[0, 0] <= low + 1e-9
    assert found.high[0, 0] >= high - 1e-9


def test_with_enough_misses_the_bootstrap_stands_alone() -> None:
    hits = np.ones((100, 1))
    hits[:FEW] = 0
    found = bootstrap_intervals(hits, everyone(100))
    assert found.low[0, 0] > wilson(100 - FEW, 100)[0] + 0.005


def test_one_more_miss_never_raises_the_lower_bound() -> None:
    lows = []
    for misses in range(12):
        hits = np.ones((60, 1))
        hits[:misses] = 0
        lows.append(float(bootstrap_intervals(hits, everyone(60)).low[0, 0]))
    assert lows[:FEW] == sorted(lows[:FEW], reverse=True)
    assert lows[FEW:] == sorted(lows[FEW:], reverse=True)


def test_three_queries_say_very_little() -> None:
    found = bootstrap_intervals(np.array([[1.0], [1.0], [0.0]]), everyone(3))
    assert found.low[0, 0] < 0.25
    assert found.high[0, 0] > 0.9


def test_an_empty_slice_may_be_anything() -> None:
    found = bootstrap_intervals(recalls(20), np.zeros((1, 20), np.bool_))
    assert (found.low[0, 0], found.high[0, 0]) == (0, 1)


@pytest.mark.parametrize(("slices", "queries", "metrics"), [(0, 5, 2), (2, 0, 3), (1, 5, 0), (0, 0, 0)])
def test_nothing_to_do_gives_empty_or_whole_ranges(slices: int, queries: int, metrics: int) -> None:
    found = bootstrap_intervals(np.ones((queries, metrics)), np.ones((slices, queries), np.bool_))
    assert found.low.shape == found.high.shape == (slices, metrics)
    if queries == 0:
        assert (found.low == 0).all() and (found.high == 1).all()


def test_resamples_without_the_slice_are_left_out() -> None:
    # Two queries: exp(-2) = 13.5% of the resamples draw neither; the others average 0, 1 or between.
    found = bootstrap_intervals(np.array([[0.0], [1.0]]), everyone(2))
    assert (found.low[0, 0], found.high[0, 0]) == (0, 1)
    assert np.isfinite(found.low).all()


def test_a_slice_larger_than_a_block_is_summed_over_blocks() -> None:
    n = 2 * QUERIES_A_BLOCK + 17
    scores = recalls(n)
    found = bootstrap_intervals(scores, everyone(n), resamples=2000)
    half = (found.high - found.low)[0, 0] / 2
    assert half == pytest.approx(1.96 * scores.std() / np.sqrt(n), rel=0.06)
    assert found.low[0, 0] < scores.mean() < found.high[0, 0]


def test_holding_scores_in_steps_does_not_move_the_interval() -> None:
    # Thirds are no binary fractions: without giving back what rounding took, all bounds would sit too low or high.
    n = QUERIES_A_BLOCK
    hits = (RNG.random((n, 1)) < 0.5).astype(float)
    of_hits = bootstrap_intervals(hits, everyone(n), resamples=1000)
    of_thirds = bootstrap_intervals(hits / 3, everyone(n), resamples=1000)
    assert of_thirds.low[0, 0] == pytest.approx(of_hits.low[0, 0] / 3, abs=1e-5)
    assert of_thirds.high[0, 0] == pytest.approx(of_hits.high[0, 0] / 3, abs=1e-5)


def test_bca_counts_resamples_that_equal_the_mean_by_half() -> None:
    # Five of ten: nothing is skewed, so both ends lie as far from the middle.
    found = bootstrap_intervals(np.repeat([[0.0], [1.0]], 5, axis=0), everyone(10), method="bca")
    assert found.low[0, 0] + found.high[0, 0] == pytest.approx(1, abs=0.03)


def test_the_same_seed_gives_the_same_bounds_and_another_seed_others() -> None:
    scores = recalls(80, 2)
    first, again = (bootstrap_intervals(scores, everyone(80), seed=5) for _ in range(2))
    other = bootstrap_intervals(RNG.random((80, 2)), everyone(80), seed=6)
    assert (first.low == again.low).all() and (first.high == again.high).all()
    assert (first.low != other.low).any()


def test_threads_do_not_change_a_bound() -> None:
    scores = RNG.random((500, 4))
    members = RNG.random((5, 500)) < 0.5
    with threadpool_limits(1):
        one = bootstrap_intervals(scores, members, method="bca")
    with threadpool_limits(8):
        eight = bootstrap_intervals(scores, members, method="bca")
    assert (one.low == eight.low).all() and (one.high == eight.high).all()


def test_a_higher_level_is_never_narrower() -> None:
    scores = recalls(50, 3)
    narrow, wide = (bootstrap_intervals(scores, everyone(50), level=level) for level in (0.8, 0.99))
    assert (wide.low < narrow.low).all() and (wide.high > narrow.high).all()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1.01, -0.01])
def test_a_score_that_is_none_is_refused_by_place(bad: float) -> None:
    scores = np.ones((5, 3))
    scores[3, 1] = bad
    with pytest.raises(ValueError, match="query 3, metric 1"):
        bootstrap_intervals(scores, everyone(5))


def test_a_score_over_1_by_rounding_is_1() -> None:
    found = bootstrap_intervals(np.full((5, 1), 1 + 1e-15), everyone(5))
    assert found.high[0, 0] == 1


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"level": 0.0}, "between 0 and 1"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"level": float("nan")}, "between 0 and 1"),
        ({"resamples": 99}, "at least 100"),
        ({"method": "basic"}, "'percentile' or 'bca'"),
    ],
)
def test_settings_out_of_range_are_refused(settings_: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_intervals(recalls(10), everyone(10), **settings_)  # type: ignore[arg-type]


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="expected values"):
        bootstrap_intervals(recalls(10), everyone(9))
    with pytest.raises(ValueError, match="must be bool"):
        bootstrap_intervals(recalls(10), np.ones((1, 10)))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0]), min_size=1, max_size=40),
    st.sampled_from(["percentile", "bca"]),
)
def test_an_interval_holds_the_mean_has_width_and_stays_in_range(scores: list[float], method: str) -> None:
    found = bootstrap_intervals(
        np.array(scores)[:, None],
        everyone(len(scores)),
        resamples=200,
        method=method,  # type: ignore[arg-type]
    )
    low, high = float(found.low[0, 0]), float(found.high[0, 0])
    assert 0 <= low <= np.mean(scores) + 1e-9
    assert np.mean(scores) - 1e-9 <= high <= 1
    assert low < high
