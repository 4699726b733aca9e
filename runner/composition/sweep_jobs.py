"""The jobs of a sweep: what the lists in its overrides come to."""

import itertools
import math
import random
from collections.abc import Sequence
from decimal import Decimal

from hydra.core.override_parser.types import Override, RangeSweep

from runner.errors import ConfigError


def jobs_of(overrides: Sequence[Override], most: int) -> list[list[str]]:
    """The overrides of every job, in the order of the lists. Raises ConfigError for none at all and for more than most.

    Of a key given twice the last counts, in the place of the first.
    """
    # Counted before any is made.
    last = {override.get_key_element(): override for override in overrides}
    counts = {key: _count(override) for key, override in last.items()}
    for key, count in counts.items():
        if not count:
            raise ConfigError(f"{last[key].input_line}: names no value, so there is nothing to run")
    jobs = math.prod(counts.values())
    if jobs > most:
        raise ConfigError(
            f"this sweep is {jobs:,} jobs, and at most {most:,} are taken; name fewer values, or add "
            f"hydra.sweeper.max_jobs={jobs} if they are meant"
        )
    every = [[f"{key}={value}" for value in _values(override)] for key, override in last.items()]
    return [list(job) for job in itertools.product(*every)]


def _count(override: Override) -> int:
    sweep = override.value()
    if isinstance(sweep, RangeSweep):
        start, stop, step = _bounds(override, sweep)
        return max(0, math.ceil((stop - start) / step))
    return len(_values(override))


def _values(override: Override) -> list[str]:
    """What an override comes to, as text."""
    if not override.is_sweep_override():
        return [override.get_value_element_as_str()]
    if not override.is_discrete_sweep():
        raise ConfigError(f"{override.input_line}: an interval has no end of values; write range(...) or name them")
    sweep = override.value()
    if not isinstance(sweep, RangeSweep) or (isinstance(sweep.start, int) and isinstance(sweep.step, int)):
        return list(override.sweep_string_iterator())
    # In decimals, as a person counts: with floats 0.1 + 0.2 is 0.30000000000000004, which would be another setting,
    # and whether the end belongs to the range would depend on rounding.
    start, _, step = _bounds(override, sweep)
    values = [str(float(start + number * step)) for number in range(_count(override))]
    if sweep.shuffle:
        random.shuffle(values)
    return values


def _bounds(override: Override, sweep: RangeSweep) -> tuple[Decimal, Decimal, Decimal]:
    start, stop, step = (Decimal(str(each or 0)) for each in (sweep.start, sweep.stop, sweep.step))
    if not (start.is_finite() and stop.is_finite() and step.is_finite() and step):
        raise ConfigError(f"{override.input_line}: expected range(START,STOP,STEP) of finite numbers and a step not 0")
    return start, stop, step
