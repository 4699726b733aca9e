"""How often 95% intervals hold the true mean, and how often the paired test cries wolf, on simulated suites.

    python benchmarks/coverage.py [--quick] [SEED]

A suite is n queries with 1 to 4 relevant items each; a query is missed, found whole, or each item is found by a
coin. 4,000 suites of each kind and size. Wanted: 93 to 97% for the suites marked "ordinary", false positives at
0.05 between 3 and 7%. The suites marked "near 1" have so few misses that a safe interval must cover more than
95%; they are shown with the bootstrap alone beside it, which covers too little there.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from runner.stats import Intervals, bootstrap_intervals, paired_test, wilson
from runner.stats.intervals import Method, backed_bootstrap

Floats = NDArray[np.float64]
# Name -> (chance of a miss, chance of finding all, whether the band of 93 to 97% is asked for).
KINDS = {
    "ordinary, mean 0.64": (0.20, 0.40, True),
    "ordinary, mean 0.78": (0.10, 0.60, True),
    "ordinary, mean 0.32": (0.60, 0.20, True),
    "near 1, mean 0.91": (0.05, 0.85, False),
    "near 1, mean 0.97": (0.02, 0.95, False),
    "near 1, hits of 0.96": (0.04, 0.96, False),
}
SIZES = (30, 100, 300)
FOUND = 0.6


def suites(kind: str, n: int, simulations: int, rng: np.random.Generator) -> tuple[Floats, float]:
    missed, whole, _ = KINDS[kind]
    relevant = rng.integers(1, 5, (n, simulations))
    which = rng.random((n, simulations))
    partly = rng.binomial(relevant, FOUND) / relevant
    scores = np.where(which < missed, 0.0, np.where(which < missed + whole, 1.0, partly))
    return scores, whole + (1 - missed - whole) * FOUND


def coverage(scores: Floats, true: float, method: Method, resamples: int) -> float:
    everyone = np.ones((1, len(scores)), bool)
    found = bootstrap_intervals(scores, everyone, method=method, resamples=resamples, seed=len(scores))
    return held(found, true)


def held(found: Intervals, true: float) -> float:
    return float(((found.low <= true + 1e-9) & (found.high >= true - 1e-9)).mean())


def bare(scores: Floats, true: float, resamples: int) -> float:
    """Coverage of the bootstrap with Wilson's interval only where all scores are the same."""
    everyone = np.ones((1, len(scores)), bool)
    low, high = wilson(scores.sum(axis=0)[None], len(scores))
    found = backed_bootstrap(
        scores,
        everyone,
        Intervals(low, high),
        1,
        resamples=resamples,
        level=0.95,
        seed=len(scores),
        method="percentile",
    )
    return held(found, true)


def false_positives(kind: str, n: int, simulations: int, rng: np.random.Generator, resamples: int) -> float:
    first, _ = suites(kind, n, simulations, rng)
    second, _ = suites(kind, n, simulations, rng)
    p = paired_test(first - second, np.ones((1, n), bool), resamples=resamples, seed=n)
    return float((p <= 0.05).mean())


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    seed = next((int(given) for given in sys.argv[1:] if given.isdigit()), 1)
    simulations, resamples = (500, 2000) if quick else (4000, 10_000)
    print(f"{simulations} suites a row, {resamples:,} resamples; coverage of 95% intervals in %\n")
    print(f"{'suites':<22} {'n':>4} {'percentile':>11} {'bca':>6} {'bare bootstrap':>15} {'false positives':>16}")
    outside = 0
    for number, (kind, (_, _, banded)) in enumerate(KINDS.items()):
        for n in SIZES:
            rng = np.random.default_rng([seed, n, number])
            scores, true = suites(kind, n, simulations, rng)
            ours = coverage(scores, true, "percentile", resamples)
            bca = coverage(scores, true, "bca", resamples)
            alone = bare(scores, true, resamples)
            wolf = false_positives(kind, n, simulations, rng, resamples)
            wrong = banded and not (0.93 <= ours <= 0.97 and 0.93 <= bca <= 0.97 and 0.03 <= wolf <= 0.07)
            outside += wrong
            print(
                f"{kind:<22} {n:>4} {ours:>11.1%} {bca:>6.1%} {alone:>15.1%} {wolf:>16.1%}"
                f"{'  outside' if wrong else ''}"
            )
    print(f"\n{outside} ordinary rows outside the bands")


if __name__ == "__main__":
    main()
