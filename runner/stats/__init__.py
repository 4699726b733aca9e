"""What per-query scores can and cannot show: intervals, paired tests and the smallest visible difference."""

from runner.stats.intervals import Intervals, bootstrap_intervals, wilson
from runner.stats.paired import holm, paired_intervals, paired_test, wins_ties_losses
from runner.stats.power import (
    minimum_detectable,
    queries_to_halve,
    smallest_step,
    spread_of_differences,
    spread_of_pairs,
)

__all__ = [
    "Intervals",
    "bootstrap_intervals",
    "holm",
    "minimum_detectable",
    "paired_intervals",
    "paired_test",
    "queries_to_halve",
    "smallest_step",
    "spread_of_differences",
    "spread_of_pairs",
    "wilson",
    "wins_ties_losses",
]
