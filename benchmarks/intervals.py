"""Time of all intervals of a large run, against scipy.stats.bootstrap looped over the same slices and metrics.

    python benchmarks/intervals.py

10,000 resamples x 2,000 queries x 12 metrics x 30 slices (6 fields of 5 values each). The two take turns, so that
whatever else the machine does slows both. scipy gets its fastest setting: percentile, vectorised, all resamples
in one go.
"""

import time

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from runner.stats import Intervals, bootstrap_intervals, paired_intervals, paired_test

RESAMPLES, QUERIES, METRICS, FIELDS, VALUES = 10_000, 2_000, 12, 6, 5


def simulated() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(20)
    scores = rng.choice([0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 1], size=(QUERIES, METRICS), p=[0.2, 0.05, 0.1, 0.15, 0.1, 0.4])
    groups = rng.integers(0, VALUES, (FIELDS, QUERIES))
    return scores, (groups[:, None] == np.arange(VALUES)[None, :, None]).reshape(-1, QUERIES)


def main() -> None:
    scores, members = simulated()
    bootstrap_intervals(scores, members)  # warm up
    rng = np.random.default_rng(3)
    ours: list[float] = []
    looped: list[float] = []
    theirs = np.zeros((2, len(members), METRICS))
    for number, member in enumerate(members):
        started = time.perf_counter()
        found: Intervals = bootstrap_intervals(scores, members, resamples=RESAMPLES)
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        for metric in range(METRICS):
            one = stats.bootstrap(
                (scores[member, metric],), np.mean, n_resamples=RESAMPLES, method="percentile", vectorized=True, rng=rng
            )
            theirs[:, number, metric] = one.confidence_interval
        looped.append(time.perf_counter() - started)
    print(f"{RESAMPLES:,} resamples x {QUERIES:,} queries x {METRICS} metrics x {len(members)} slices")
    print(f"  bootstrap_intervals     {np.median(ours):8.3f} s  (median of {len(ours)}, best {min(ours):.3f} s)")
    print(f"  scipy.stats.bootstrap   {sum(looped):8.3f} s  (all {len(members) * METRICS} calls)")
    print(f"  ratio                   {sum(looped) / np.mean(ours):8.1f}    (mean against mean; wanted: 50)")
    width = theirs[1] - theirs[0]
    print(
        f"  width, ours over scipy  {np.mean((found.high - found.low) / width):8.4f}    (1/n wider variance expected)"
    )
    for name, call in (
        ("intervals, bca", lambda: bootstrap_intervals(scores, members, method="bca")),
        ("paired intervals", lambda: paired_intervals(scores - scores[::-1], members)),
        ("paired test", lambda: paired_test(scores - scores[::-1], members)),
    ):
        started = time.perf_counter()
        call()
        print(f"  {name:<22}  {time.perf_counter() - started:8.3f} s")


if __name__ == "__main__":
    main()
