"""Hydra's basic sweeper, less a check that the launcher makes anyway."""

from collections.abc import Sequence

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

# Hydra finds a sweeper's settings by importing its plugin module.
from hydra_plugins.planned_launcher import config as _config  # noqa: F401


class PlannedSweeper(BasicSweeper):
    """Expands the sweep as Hydra does; every job is composed once, by the launcher, instead of twice."""

    def __init__(self, params: dict[str, str] | None = None) -> None:
        super().__init__(max_batch_size=None, params=params)

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        """Leave it to the launcher, which composes all jobs before it runs any and reports what it cannot compose."""
