"""From the overrides of a sweep to the requests of all its jobs, each fault told once however many jobs share it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner.composition.job_composer import JobComposer
from runner.composition.late_settings import prepare
from runner.composition.requests import in_one_line, readable_settings, refuse_idle, requests_of
from runner.composition.session import hydra_on_conf
from runner.composition.sweep_jobs import jobs_of
from runner.engine.plan import Request
from runner.engine.planning import differing, of_jobs
from runner.errors import MOST_LISTED, ConfigError, RunnerError
from runner.rendering.progress import progress_bar

_LAUNCHER = "hydra_plugins.planned_launcher.launcher.PlannedLauncher"


class ComposedSweep(NamedTuple):
    """The jobs of a sweep, and what its files and overrides say of how they are run: n_jobs and backend of joblib."""

    requests: list[Request]
    launcher: Mapping[str, Any]


def compose_sweep(overrides: Sequence[str]) -> ComposedSweep:
    """Compose the jobs of a sweep as `python -m runner -m` would. Raises ConfigError for what does not fit."""
    words = prepare(["-m", *readable_settings(overrides, sweep=True)]).words[1:]
    try:
        with hydra_on_conf() as loader:
            config = loader.load_configuration("config", list(words), RunMode.MULTIRUN, from_shell=False)
            sweeper, given = config.hydra.sweeper, config.hydra.overrides.task
            params = [f"{key}={value}" for key, value in (sweeper.params or {}).items()]
            typed: Any = OmegaConf.to_container(given, resolve=False)
            asked = OverridesParser.create(config_loader=loader).parse_overrides([*params, *typed])
            composer, jobs = JobComposer(config, loader), jobs_of(asked, int(sweeper.max_jobs))
            return ComposedSweep(compose_jobs(composer, jobs), one_launcher(composer, jobs))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(in_one_line(error)) from None


def compose_jobs(composer: JobComposer, job_overrides: Sequence[Sequence[str]]) -> list[Request]:
    """Compose every job. Raises ConfigError listing the first faults, each with the jobs that it is of."""
    requests: list[Request] = []
    problems: dict[str, list[str]] = {}
    composer.expect(job_overrides)
    for overrides in progress_bar(job_overrides, desc="compose"):
        try:
            composed = composer.composed(overrides)
            requests += requests_of(composed.config, tuple(overrides), composed.unused)
        except (HydraException, OmegaConfBaseException) as error:
            problems.setdefault(in_one_line(error), []).append(" ".join(overrides))
        except RunnerError as error:
            problems.setdefault(str(error), []).append(" ".join(overrides))
        if len(problems) >= MOST_LISTED:
            break
    if problems:
        told = [of_jobs(asked, len(job_overrides)) + fault for fault, asked in problems.items()]
        more = ["... and perhaps more: the rest was not looked at"] if len(told) >= MOST_LISTED else []
        raise ConfigError("\n".join([*told, *more]))
    refuse_idle(requests)
    return requests


def one_launcher(composer: JobComposer, job_overrides: Sequence[Sequence[str]]) -> Mapping[str, Any]:
    """What launches the sweep: what its jobs say, an experiment file among their choices too."""
    first, others = job_overrides[0], job_overrides[1:]
    launcher = composer.launcher(first)
    if launcher.get("_target_") != _LAUNCHER:
        refuse_launcher()
    for overrides in others:
        other = composer.launcher(overrides)
        for name in sorted(launcher.keys() | other.keys()):
            if launcher.get(name) != other.get(name):
                setting = "hydra/launcher" if name == "_target_" else f"hydra.launcher.{name}"
                raise ConfigError(differing(setting, first, launcher.get(name), overrides, other.get(name)))
    return launcher


def refuse_launcher() -> NoReturn:
    """Raise ConfigError for a sweep that another launcher than this program's would run."""
    raise ConfigError(
        "a sweep needs hydra/launcher=planned (the default): with another launcher its jobs would neither be planned "
        "together nor share what they compute"
    )
