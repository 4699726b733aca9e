"""Which grades may be given in a suite."""

from collections.abc import Sequence

from runner.errors import ConfigError
from runner.formats.reading import HIGHEST_GRADE
from runner.judging.history.entry import Entry
from runner.suites import Suite


def highest_grade(suite: Suite, entries: Sequence[Entry], asked: int | None) -> int:
    """The highest grade that may be given: the one asked for, else the highest that the suite or its past used.

    Raises ConfigError for one with which nothing could be relevant.
    """
    if asked is not None:
        if not suite.min_grade <= asked <= HIGHEST_GRADE:
            raise ConfigError(f"--grades: found {asked}, expected a number from {suite.min_grade} to {HIGHEST_GRADE:,}")
        return asked
    used = [judgment.grade for query in suite.queries for judgment in query.every_judgment]
    past = [int(entry.old.get("grade", 0)) for entry in entries if entry.old]
    return max(suite.min_grade, *used, *past)
