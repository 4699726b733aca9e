"""Hydra's basic sweeper, less a check that the launcher makes anyway, and with an eye on how much is asked for."""

import itertools
import math
import random
import sys
from collections.abc import Sequence
from decimal import Decimal

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.types import Override, RangeSweep

# Hydra finds a sweeper's settings by importing its plugin module.
from hydra_plugins.planned_launcher import config as _config  # noqa: F401

# From so many jobs on composing takes long enough to be announced.
_MANY = 100


class PlannedSweeper(BasicSweeper):
    """Expands the sweep as Hydra does; every job is composed once, by the launcher, instead of twice."""

    def __init__(self, params: dict[str, str] | None = None, max_jobs: int = 10_000) -> None:
        super().__init__(max_batch_size=None, params=params)
        self.max_jobs = max_jobs

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """Leave it to the launcher, which composes all jobs before it runs any and reports what it cannot compose."""

    def split_arguments(  # type: ignore[override]
        self, overrides: list[Override], max_batch_size: int | None
    ) -> list[list[list[str]]]:
        """Count the jobs before any is made: refuse none at all and absurdly many, announce many, then expand."""
        from runner.errors import ConfigError

        # Of a key given twice the last counts, in the place of the first.
        last = {override.get_key_element(): override for override in overrides}
        counts = {key: _count(override) for key, override in last.items()}
        for key, count in counts.items():
            if not count:
                raise ConfigError(f"{last[key].input_line}: names no value, so there is nothing to run")
        jobs = math.prod(counts.values())
        if jobs > self.max_jobs:
            raise ConfigError(
                f"this sweep is {jobs:,} jobs, and at most {self.max_jobs:,} are taken; name fewer values, or add "
                f"hydra.sweeper.max_jobs={jobs} if they are meant"
            )
        if jobs > _MANY:
            print(f"sweep: {jobs:,} jobs", file=sys.stderr, flush=True)
        every = [[f"{key}={value}" for value in _values(override)] for key, override in last.items()]
        return [[list(job) for job in itertools.product(*every)]]


def _count(override: Override) -> int:
    sweep = override.value()
    if isinstance(sweep, RangeSweep):
        start, stop, step = _bounds(override, sweep)
        return max(0, math.ceil((stop - start) / step))
    return len(_values(override))


def _values(override: Override) -> list[str]:
    """What an override comes to, as text."""
    from runner.errors import ConfigError

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
    from runner.errors import ConfigError

    start, stop, step = (Decimal(str(each or 0)) for each in (sweep.start, sweep.stop, sweep.step))
    if not (start.is_finite() and stop.is_finite() and step.is_finite() and step):
        raise ConfigError(f"{override.input_line}: expected range(START,STOP,STEP) of finite numbers and a step not 0")
    return start, stop, step
