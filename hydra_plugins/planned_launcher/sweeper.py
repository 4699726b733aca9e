"""Expands a sweep as Hydra's basic sweeper does, with an eye on how much is asked for; launches all jobs at once."""

import sys
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

# Hydra finds a sweeper's settings by importing its plugin module.
from hydra_plugins.planned_launcher import config as _config  # noqa: F401

# From so many jobs on composing takes long enough to be announced.
_MANY = 100


class PlannedSweeper(Sweeper):
    """Hands every job to the launcher, which composes all of them, once, and reports what it cannot compose."""

    def __init__(self, params: dict[str, str] | None = None, max_jobs: int = 10_000) -> None:
        self.params = params or {}
        self.max_jobs = max_jobs
        self.launcher: Launcher | None = None
        self.context: HydraContext | None = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Find the launcher."""
        self.context = hydra_context
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        """Launch all jobs as one batch; many are announced."""
        from runner.composition.sweep_jobs import jobs_of

        assert self.launcher is not None
        assert self.context is not None
        parser = OverridesParser.create(config_loader=self.context.config_loader)
        words = [*(f"{key}={value}" for key, value in self.params.items()), *arguments]
        jobs = jobs_of(parser.parse_overrides(words), self.max_jobs)
        if len(jobs) > _MANY:
            print(f"sweep: {len(jobs):,} jobs", file=sys.stderr, flush=True)
        return [self.launcher.launch(jobs, initial_job_idx=0)]
