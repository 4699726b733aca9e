"""Kappa and alpha by hand, by published examples, and by other programs."""

import math
from typing import Literal

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import cohens_kappa as kappa_of_statsmodels

from runner.annotation.agreement import cohens_kappa, krippendorffs_alpha, raw_agreement

NAN = math.nan

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


def grades(*values: float) -> NDArray[np.float64]:
    return np.array(values, np.float64)


def test_kappa_by_hand() -> None:
    # 3 of 4 agree; by chance 0.5 x 0.25 + 0.5 x 0.75 = 0.5; (0.75 - 0.5) / (1 - 0.5).
    assert cohens_kappa(grades(0, 0, 1, 1), grades(0, 1, 1, 1)) == pytest.approx(0.5)


def test_kappa_weighted_by_hand() -> None:
    # Differences 0, 0, 2 of three: observed 2/3. By chance each of 0, 1, 2 meets each of 0, 1, 0:
    # (0 + 1 + 0 + 1 + 0 + 1 + 2 + 1 + 2) / 9 = 8/9. Then 1 - (2/3) / (8/9) = 1/4.
    first, second = grades(0, 1, 2), grades(0, 1, 0)
    assert cohens_kappa(first, second, linear=True) == pytest.approx(0.25)
    # Unweighted: 1/3 differ; by chance 1 - (1/3 x 2/3 + 1/3 x 1/3) = 2/3.
    assert cohens_kappa(first, second) == pytest.approx(0.5)


def test_weights_are_distances_of_grades_not_of_their_ranks() -> None:
    near = cohens_kappa(grades(0, 1, 3, 3), grades(0, 1, 3, 1), linear=True)
    far = cohens_kappa(grades(0, 1, 2, 2), grades(0, 1, 2, 1), linear=True)
    # Observed 2/4; by chance (0+1+1+3 + 1+0+0+2 + 3+2+2+0 + 3+2+2+0) / 16 = 22/16 for grades 0, 1, 3.
    assert near == pytest.approx(1 - (2 / 4) / (22 / 16))
    # Observed 1/4; by chance (0+1+1+2 + 1+0+0+1 + 2+1+1+0 + 2+1+1+0) / 16 = 14/16 for grades 0, 1, 2.
    assert far == pytest.approx(1 - (1 / 4) / (14 / 16))


def test_agreement_below_chance_is_negative() -> None:
    assert cohens_kappa(grades(0, 1), grades(1, 0)) == pytest.approx(-1)
    assert krippendorffs_alpha(np.array([[0.0, 1], [1, 0]]), "nominal") == pytest.approx(-0.5)


def test_what_one_rater_left_out_does_not_count() -> None:
    full = cohens_kappa(grades(0, 0, 1, 1), grades(0, 1, 1, 1))
    assert cohens_kappa(grades(0, 0, 1, 1, NAN, 1), grades(0, 1, 1, 1, 0, NAN)) == full


@pytest.mark.parametrize(
    ("first", "second"),
    [(grades(1, 1, 1), grades(1, 1, 1)), (grades(1, NAN), grades(NAN, 1)), (grades(), grades())],
    ids=["one grade only", "nothing in common", "nothing at all"],
)
def test_what_is_undefined_has_no_value(first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    both = np.stack([first, second])
    assert cohens_kappa(first, second) is None
    assert cohens_kappa(first, second, linear=True) is None
    assert krippendorffs_alpha(both, "nominal") is None
    assert krippendorffs_alpha(both, "ordinal") is None


def test_constant_but_different_raters_agree_as_chance_would() -> None:
    assert cohens_kappa(grades(1, 1), grades(0, 0)) == 0


@pytest.mark.parametrize(("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_alpha_of_the_published_example(scale: Literal["nominal", "ordinal"], value: float) -> None:
    assert krippendorffs_alpha(np.array(PUBLISHED), scale) == pytest.approx(value, abs=0.0005)


def test_alpha_by_hand() -> None:
    # Units (0, 0), (0, 1), (1, 1): coincidences 00 2, 01 1, 10 1, 11 2; n = 6, three of each grade.
    # Observed 2/6, expected 2 x 3 x 3 / (6 x 5) = 0.6.
    assert krippendorffs_alpha(np.array([[0.0, 0, 1], [0, 1, 1]]), "nominal") == pytest.approx(1 - (2 / 6) / 0.6)


def test_raw_agreement_counts_pairs_of_raters() -> None:
    # Three raters on one item, two of them alike: 1 of 3 pairs; two on another, alike: 1 of 1.
    assert raw_agreement(np.array([[1, 0], [1, 0], [2, NAN]])) == pytest.approx(2 / 4)
    assert raw_agreement(np.array([[1, NAN], [NAN, 1]])) is None


def test_two_categories_make_ordinal_nominal() -> None:
    ratings = np.array([[0, 1, 1, 0, 1], [0, 1, 0, NAN, 1], [1, 1, 0, 0, NAN]])
    assert krippendorffs_alpha(ratings, "ordinal") == pytest.approx(krippendorffs_alpha(ratings, "nominal"))


@pytest.mark.parametrize("seed", range(20))
def test_kappa_as_statsmodels_has_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 4, (2, 60)).astype(np.float64)
    second[:30] = first[:30]
    table = np.zeros((4, 4))
    np.add.at(table, (first.astype(int), second.astype(int)), 1)
    assert cohens_kappa(first, second) == pytest.approx(kappa_of_statsmodels(table).kappa)
    weighted = kappa_of_statsmodels(table, wt="linear", weights=np.arange(4)).kappa
    assert cohens_kappa(first, second, linear=True) == pytest.approx(weighted)


@pytest.mark.parametrize("seed", range(20))
def test_alpha_as_krippendorff_has_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    ratings = random.integers(0, 4, (random.integers(2, 6), 40)).astype(np.float64)
    ratings[:, :20] = ratings[0, :20]
    ratings[random.random(ratings.shape) < 0.3] = NAN
    for scale in ("nominal", "ordinal"):
        theirs = krippendorff.alpha(reliability_data=ratings, level_of_measurement=scale)
        assert krippendorffs_alpha(ratings, scale) == pytest.approx(theirs)


def test_any_labels_and_any_order_of_raters_give_the_same() -> None:
    ratings = np.array(PUBLISHED)
    assert krippendorffs_alpha(ratings[::-1], "nominal") == pytest.approx(krippendorffs_alpha(ratings, "nominal"))
    assert krippendorffs_alpha(ratings * 7 + 2, "ordinal") == pytest.approx(krippendorffs_alpha(ratings, "ordinal"))
    assert krippendorffs_alpha(-ratings, "nominal") == pytest.approx(krippendorffs_alpha(ratings, "nominal"))
