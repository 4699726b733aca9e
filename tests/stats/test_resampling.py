"""Random weights: their law, their stream, and sums of them that are exact."""

from math import exp, factorial

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from runner.stats import exact_sums as module
from runner.stats.exact_sums import exact_sums
from runner.stats.resampling import (
    _POISSON_TABLE,
    COINS,
    POISSON,
    QUERIES_A_BLOCK,
    RESAMPLES_A_BLOCK,
    sources,
)

RNG = np.random.default_rng(4)


def poisson_weights(n: int, resamples: int, seed: int) -> NDArray[np.float32]:
    """The weights that the bootstrap draws, block by block, as one matrix, float32 [n, resamples]."""
    blocks = -(-resamples // RESAMPLES_A_BLOCK)
    out = np.empty((n, blocks * RESAMPLES_A_BLOCK), np.float32)
    for source, start, end in sources(n, seed):
        out[start:end] = np.hstack([POISSON.block(source, end - start) for _ in range(blocks)])
    return out[:, :resamples]


def test_weights_follow_poisson_with_mean_1() -> None:
    weights = poisson_weights(1000, 1000, 1)
    assert weights.shape == (1000, 1000)
    assert weights.dtype == np.float32
    shares = np.bincount(weights.astype(int).ravel(), minlength=10)[:10] / weights.size
    expected = np.exp(-1) / np.cumprod([1, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert np.abs(shares - expected).max() < 0.002
    assert abs(weights.mean() - 1) < 0.005
    assert abs(weights.var() - 1) < 0.01


def test_the_table_is_poissons_law_rounded_to_65536_draws() -> None:
    expected = [round(65536 * exp(-1) / factorial(count)) for count in range(9)]
    assert np.bincount(_POISSON_TABLE.astype(int)).tolist() == expected
    assert sum(expected) == 65536


def test_weights_of_different_queries_and_resamples_are_uncorrelated() -> None:
    weights = poisson_weights(200, 4000, 2)
    among_queries = np.corrcoef(weights)[np.triu_indices(200, 1)]
    among_resamples = np.corrcoef(weights[:, :200].T)[np.triu_indices(200, 1)]
    assert abs(among_queries.mean()) < 0.001
    assert among_queries.std() < 1.1 / np.sqrt(4000)
    assert abs(among_resamples.mean()) < 0.005


def test_the_stream_is_fixed_by_the_seed_alone() -> None:
    # Written down once: should this fail, then every interval logged so far can no longer be repeated.
    assert poisson_weights(3, 6, 13).astype(int).tolist() == [
        [2, 2, 0, 1, 1, 1],
        [2, 0, 1, 0, 3, 0],
        [2, 3, 0, 0, 0, 2],
    ]
    assert (poisson_weights(3, 6, 14) != poisson_weights(3, 6, 13)).any()


def test_more_resamples_only_append() -> None:
    assert (poisson_weights(10, 500, 3)[:, :200] == poisson_weights(10, 200, 3)).all()


def test_blocks_of_queries_have_their_own_streams() -> None:
    weights = poisson_weights(2 * QUERIES_A_BLOCK, 200, 5)
    assert (weights[:QUERIES_A_BLOCK] != weights[QUERIES_A_BLOCK:]).any()


@pytest.mark.parametrize("n", [0, 1])
def test_no_queries_and_one_query_have_weights(n: int) -> None:
    assert poisson_weights(n, 150, 1).shape == (n, 150)


def test_coins_are_fair() -> None:
    ((source, _, _),) = sources(2000, 1)
    coins = COINS.block(source, 2000)
    assert set(np.unique(coins)) == {0.0, 1.0}
    assert abs(coins.mean() - 0.5) < 0.005


@pytest.mark.parametrize("n", [1, 7, 300, QUERIES_A_BLOCK + 5, 2 * QUERIES_A_BLOCK])
def test_sums_are_the_whole_numbers_that_integer_arithmetic_gives(n: int) -> None:
    values = RNG.random((n, 3)) * 2 - 1
    members = RNG.random((4, n)) < 0.5
    members[0] = True
    (found,) = exact_sums(values, members, POISSON, resamples=200, seed=9)
    weights = poisson_weights(n, 200, 9).astype(np.int64)
    for number, member in enumerate(members):
        held = np.rint(values[member] * found.steps[number]).astype(np.int64)
        assert (found.sums[number] == held.T @ weights[member]).all()
        assert (found.weights[number] == weights[member].sum(axis=0)).all()
        assert (found.totals[number] == held.sum(axis=0)).all()


def test_steps_leave_room_for_the_largest_sum() -> None:
    for n in (1, 2, 10, 100, 2000, QUERIES_A_BLOCK):
        values = np.ones((n, 1))
        (found,) = exact_sums(values, np.ones((1, n), bool), POISSON, resamples=2000, seed=1)
        assert found.sums.max() < 2**24
        assert found.sums.dtype == np.float32
        assert found.steps[0] >= 2**11


def test_threads_do_not_change_a_bit() -> None:
    values = RNG.random((QUERIES_A_BLOCK + 100, 5))
    members = RNG.random((6, len(values))) < 0.4
    with threadpool_limits(1):
        (one,) = exact_sums(values, members, POISSON, resamples=300, seed=1)
    with threadpool_limits(8):
        (eight,) = exact_sums(values, members, POISSON, resamples=300, seed=1)
    assert (one.sums == eight.sums).all()


def test_slices_in_groups_share_the_weights_of_a_resample(monkeypatch: pytest.MonkeyPatch) -> None:
    values = RNG.random((50, 2))
    members = RNG.random((7, 50)) < 0.5
    (whole,) = exact_sums(values, members, POISSON, resamples=200, seed=1)
    monkeypatch.setattr(module, "_MOST_ROWS", 6)
    groups = list(exact_sums(values, members, POISSON, resamples=200, seed=1))
    assert [(part.slices.start, part.slices.stop) for part in groups] == [(0, 2), (2, 4), (4, 6), (6, 7)]
    assert (np.concatenate([part.sums for part in groups]) == whole.sums).all()


def test_no_slice_gives_no_sums() -> None:
    assert list(exact_sums(np.ones((3, 1)), np.zeros((0, 3), bool), POISSON, resamples=200, seed=1)) == []


def test_blocks_are_whole_words_of_random_bits() -> None:
    assert RESAMPLES_A_BLOCK % 64 == 0
