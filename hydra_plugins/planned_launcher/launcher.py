"""Composes every job of a sweep and hands all of them to the runner as one plan."""

from collections.abc import Sequence
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

# Hydra finds a launcher's settings by importing its plugin module.
from hydra_plugins.planned_launcher import config as _config  # noqa: F401


class PlannedLauncher(Launcher):
    """Runs a sweep as one plan instead of as separate jobs.

    n_jobs and backend are read from the composed jobs, which an experiment file may set for all.
    """

    def __init__(self, n_jobs: int, backend: str) -> None:
        self._command: Any = None
        self._config: DictConfig | None = None
        self._context: HydraContext | None = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keep what is needed to compose jobs. task_function: the command, which also runs sweeps."""
        self._command = task_function
        self._config = config
        self._context = hydra_context

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Compose all jobs, refuse what cannot be announced honestly, and run them as one plan."""
        assert self._config is not None
        assert self._context is not None
        self._command.sweep(self._config, self._context.config_loader, job_overrides)
        return [JobReturn(overrides=overrides, status=JobStatus.COMPLETED) for overrides in job_overrides]
