"""Settings of the launcher and the sweeper: `hydra.launcher.n_jobs=4 hydra.launcher.backend=threading`."""

from dataclasses import dataclass, field
from typing import Any

from hydra.core.config_store import ConfigStore


@dataclass
class PlannedLauncherConf:
    """What joblib is told."""

    _target_: str = "hydra_plugins.planned_launcher.launcher.PlannedLauncher"
    # Worker processes; -1 for one a core.
    n_jobs: int = -1
    # loky (processes), threading, sequential (this process, for a debugger), or any other registered joblib backend.
    # Only a process can be ended when its time is up, and only another one's end hurts nobody else.
    backend: str = "loky"


@dataclass
class PlannedSweeperConf:
    """What is swept when nothing is named on the command line, and how much at most."""

    _target_: str = "hydra_plugins.planned_launcher.sweeper.PlannedSweeper"
    # Overrides to sweep, as on the command line: {k: "1,3,5"}.
    params: dict[str, Any] | None = field(default=None)
    # A sweep of more jobs is refused with their number.
    max_jobs: int = 10_000


ConfigStore.instance().store(
    group="hydra/sweeper", name="planned", node=PlannedSweeperConf, provider="planned_launcher"
)
ConfigStore.instance().store(
    group="hydra/launcher", name="planned", node=PlannedLauncherConf, provider="planned_launcher"
)
