"""The launcher's settings: `hydra.launcher.n_jobs=4 hydra.launcher.backend=threading`."""

from dataclasses import dataclass

from hydra.core.config_store import ConfigStore


@dataclass
class PlannedLauncherConf:
    """What joblib is told."""

    _target_: str = "hydra_plugins.planned_launcher.launcher.PlannedLauncher"
    # Worker processes; -1 for one a core.
    n_jobs: int = -1
    # loky (processes), threading, or any other registered joblib backend.
    backend: str = "loky"


ConfigStore.instance().store(
    group="hydra/launcher", name="planned", node=PlannedLauncherConf, provider="planned_launcher"
)
