"""Two runs on the same queries: exact p by hand and by scipy, intervals of differences, Holm."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests
from threadpoolctl import threadpool_limits

from runner.stats import bootstrap_intervals, holm, paired_intervals, paired_test, wins_ties_losses

RNG = np.random.default_rng(17)


def everyone(n: int) -> NDArray[np.bool_]:
    return np.ones((1, n), np.bool_)


def column(*differences: float) -> NDArray[np.float64]:
    return np.array(differences)[:, None]


def p_of(*differences: float, **settings: int) -> float:
    return float(paired_test(column(*differences), everyone(len(differences)), **settings)[0, 0])


def test_exact_p_by_hand() -> None:
    assert p_of(1) == 1
    assert p_of(1, 1) == 2 / 4  # of ++ +- -+ -- two are as far from 0
    assert p_of(1, 1, 1, 1, 1, 1) == 2 / 64
    assert p_of(1, 0.5, -0.25) == 4 / 8  # 1.25: of +-1.75, +-1.25, +-0.75, +-0.25 four are as far
    assert p_of(1, -1) == 1


def test_ties_do_not_count_as_evidence() -> None:
    assert p_of(1, 1, 1, 0, 0, 0) == p_of(1, 1, 1) == 2 / 8


def test_equal_sums_are_ties_although_thirds_are_rounded() -> None:
    # 1/3 + 1/3 - 2/3 is as far from 0 as its mirror images; every pattern is as extreme as the sum 0.
    assert p_of(1 / 3, 1 / 3, -2 / 3) == 1
    # Sums: 5/3 - 1/3 = 4/3 for the found signs (1, 2/3, -1/3); of 8 patterns +-2, +-4/3, +-2/3, 0, 0 four reach 4/3.
    assert p_of(1, 2 / 3, -1 / 3) == 4 / 8
    assert p_of(0.1 + 0.2 - 0.3, 1, 1) == 2 / 4


@pytest.mark.parametrize("case", range(50))
def test_the_exact_test_agrees_with_scipy(case: int) -> None:
    rng = np.random.default_rng(case)
    n = int(rng.integers(2, 12))
    graded = [-1, -0.5, -0.25, 0, 0.25, 0.5, 1]
    differences = rng.uniform(-1, 1, n) if case % 2 else rng.choice(graded, n)
    differences[0] = 0.75
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert abs(p_of(*differences) - theirs.pvalue) < 1e-12


def test_many_differences_are_sampled_close_to_the_exact_p() -> None:
    differences = RNG.choice([-1, -0.5, 0.5, 1], size=(18, 6), p=[0.2, 0.2, 0.3, 0.3])
    exact = paired_test(differences, everyone(18), exact_up_to=18)
    sampled = paired_test(differences, everyone(18), exact_up_to=0, resamples=20_000)
    assert np.abs(exact - sampled).max() < 4 * np.sqrt(0.25 / 20_000)
    assert (exact != sampled).any()


def test_sampled_ties_of_thirds_count_as_extreme() -> None:
    # The sum is 0, so every pattern is at least as extreme; in binary, two times a third is not quite two thirds.
    differences = np.repeat([1 / 3, 1 / 3, -2 / 3], 10)[:, None]
    assert paired_test(differences, everyone(30), resamples=500)[0, 0] == 1


def test_a_sampled_p_is_never_0() -> None:
    assert p_of(*[1.0] * 100, resamples=999) == 1 / 1000


def test_cells_are_exact_or_sampled_each_on_its_own() -> None:
    differences = np.zeros((60, 3))
    differences[:5, 0] = 1
    differences[:, 1] = RNG.choice([-1, 1], 60)
    members = np.array([[True] * 60, [True] * 3 + [False] * 57, [False] * 60])
    found = paired_test(differences, members, resamples=2000)
    assert found[0, 0] == 2 / 2**5
    assert found[1, 0] == 2 / 2**3
    assert found[1, 1] in (2 / 8, 1.0)
    assert found[0, 1] == pytest.approx(stats.binomtest(int((differences[:, 1] > 0).sum()), 60).pvalue, abs=0.05)
    assert (found[:, 2] == 1).all()
    assert (found[2] == 1).all()


def test_the_sign_of_the_differences_does_not_matter() -> None:
    differences = RNG.uniform(-1, 1, (40, 3))
    assert (paired_test(differences, everyone(40)) == paired_test(-differences, everyone(40))).all()


def test_a_run_against_itself_shows_nothing() -> None:
    differences = np.zeros((100, 2))
    found = paired_intervals(differences, everyone(100))
    assert (paired_test(differences, everyone(100)) == 1).all()
    assert (found.low == -found.high).all()
    # Newcombe with Wilson's bounds of 0 of 100: z^2 / (100 + z^2) = 3.841459 / 103.841459.
    assert found.high == pytest.approx(0.036994, abs=1e-6)
    assert wins_ties_losses(differences, everyone(100)).tolist() == [[[0, 100, 0], [0, 100, 0]]]


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_equal_differences_keep_a_width_and_the_mean(n: int) -> None:
    for difference in (-1.0, -0.25, 0.0, 1.0):
        found = paired_intervals(np.full((n, 1), difference), everyone(n))
        assert -1 <= found.low[0, 0] <= difference <= found.high[0, 0] <= 1
        assert found.high[0, 0] - found.low[0, 0] > 1 / n


def test_one_lost_query_is_no_narrower_than_none() -> None:
    none, one = np.zeros((100, 1)), np.zeros((100, 1))
    one[0] = -1
    assert paired_intervals(one, everyone(100)).low < paired_intervals(none, everyone(100)).low


def test_many_changes_get_the_plain_bootstrap() -> None:
    differences = RNG.choice([0.0, 0.25, 0.5, 1.0], size=(90, 2))
    ours = paired_intervals(differences, everyone(90), seed=3)
    plain = bootstrap_intervals(differences, everyone(90), seed=3)
    assert (ours.low == plain.low).all() and (ours.high == plain.high).all()


def test_swapped_runs_mirror_the_interval() -> None:
    differences = RNG.choice([-1, -0.5, 0, 0.5, 1], size=(80, 3))
    found, mirrored = paired_intervals(differences, everyone(80)), paired_intervals(-differences, everyone(80))
    assert np.abs(found.low + mirrored.high).max() < 1e-8


def test_an_empty_slice_may_differ_by_anything() -> None:
    nobody = np.zeros((1, 4), np.bool_)
    found = paired_intervals(column(1, 0, -1, 1), nobody)
    assert (found.low[0, 0], found.high[0, 0]) == (-1, 1)
    assert wins_ties_losses(column(1, 0, -1, 1), nobody).tolist() == [[[0, 0, 0]]]


def test_no_slices_and_no_queries_are_defined() -> None:
    assert paired_test(np.ones((4, 2)), np.zeros((0, 4), np.bool_)).shape == (0, 2)
    assert paired_test(np.ones((0, 2)), np.zeros((3, 0), np.bool_)).tolist() == [[1, 1]] * 3
    assert paired_intervals(np.ones((0, 2)), np.zeros((3, 0), np.bool_)).low.tolist() == [[-1, -1]] * 3


def test_wins_ties_and_losses_are_counted_by_slice_and_metric() -> None:
    differences = np.array([[1, 0], [-0.5, 0.25], [0.1 + 0.2 - 0.3, -1], [0.25, 0]])
    members = np.array([[True] * 4, [False, True, True, False]])
    assert wins_ties_losses(differences, members).tolist() == [[[2, 1, 1], [1, 2, 1]], [[0, 1, 1], [1, 0, 1]]]


def test_threads_do_not_change_a_p() -> None:
    differences = RNG.uniform(-1, 1, (3000, 4))
    members = RNG.random((5, 3000)) < 0.5
    with threadpool_limits(1):
        one = paired_test(differences, members, resamples=500)
    with threadpool_limits(8):
        eight = paired_test(differences, members, resamples=500)
    assert (one == eight).all()


@pytest.mark.parametrize("call", [paired_test, paired_intervals, wins_ties_losses])
@pytest.mark.parametrize("bad", [float("nan"), float("-inf"), 1.5])
def test_a_difference_that_is_none_is_refused(call: object, bad: float) -> None:
    with pytest.raises(ValueError, match="query 1, metric 0"):
        call(column(0, bad, 1), everyone(3))  # type: ignore[operator]


@pytest.mark.parametrize("settings", [{"exact_up_to": 23}, {"exact_up_to": -1}, {"resamples": 0}])
def test_settings_of_the_test_out_of_range_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected 0 to 22"):
        p_of(1, 0.5, **settings)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.5]).tolist() == [1, 1]
    assert holm(0.2).tolist() == 0.2


@pytest.mark.parametrize("case", range(50))
def test_holm_agrees_with_statsmodels(case: int) -> None:
    rng = np.random.default_rng(case)
    p = rng.random(int(rng.integers(1, 40))) ** 3
    p[rng.random(len(p)) < 0.2] = p[0]
    theirs = multipletests(p, method="holm")[1]
    assert np.abs(holm(p) - theirs).max() < 1e-12


def test_holm_keeps_the_shape_and_takes_nothing() -> None:
    assert holm(np.full((2, 3), 0.01)).tolist() == [[0.06] * 3] * 2
    assert holm([]).shape == (0,)


@pytest.mark.parametrize("bad", [float("nan"), 1.1, -0.1])
def test_holm_refuses_what_is_no_p(bad: float) -> None:
    with pytest.raises(ValueError, match="numbers from 0 to 1"):
        holm([0.01, bad])
