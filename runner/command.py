"""From a command line to requests, and from an outcome or an error to an exit status."""

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import hydra
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from tqdm import tqdm

from retrievers.base import RetrievalError
from runner import stopping
from runner.command_line import hand_over, late_overrides
from runner.composing import JobComposer, needs_composer, without_hydra
from runner.config import TrackingSettings, conf_directory, register_resolvers
from runner.engine.plan import Request
from runner.engine.trust import Trust
from runner.errors import ConfigError, InputError, RunnerError
from runner.experiment import Options, differing, run_jobs
from runner.formats.output import guarded_output
from runner.recording.mlflow_store import raised_by_store
from runner.recording.tracking import Tracker
from runner.requests import in_one_line, refuse_idle, refuse_unreadable, request_of

UNUSABLE = 2
_LAUNCHER = "hydra_plugins.planned_launcher.launcher.PlannedLauncher"
BROKEN = 1
_started: list[bool] = []


@guarded_output()
def run_command(arguments: Sequence[str]) -> None:
    """Run `python -m runner` with these arguments (Hydra reads them from sys.argv) and exit with its status."""
    register_resolvers()
    try:
        refuse_unreadable(arguments)
        hand_over(arguments)
    except (ConfigError, InputError) as error:
        leave(partial(_raise, error))
    try:
        _app()
    except SystemExit as stop:
        # Hydra itself leaves with 1 only where it could not compose what was asked for.
        if stop.code == BROKEN and not has_started():
            raise SystemExit(UNUSABLE) from None
        raise
    except (HydraException, OmegaConfBaseException):
        # With HYDRA_FULL_ERROR=1 Hydra lets its own errors through.
        traceback.print_exc()
        raise SystemExit(UNUSABLE) from None


def _raise(error: Exception) -> int:
    raise error


@hydra.main(version_base="1.3", config_path=str(conf_directory()), config_name="config")
def _app(config: DictConfig) -> None:
    run_one(config)


def run_one(config: DictConfig) -> NoReturn:
    """Run the single job of a command and leave with its status."""
    composed = HydraConfig.get()
    if composed.mode == RunMode.MULTIRUN:
        leave(_refuse_launcher)
    launcher = composed.launcher
    options = Options(n_jobs=int(launcher.get("n_jobs", 1)), backend=str(launcher.get("backend", "loky")))
    overrides = tuple(composed.overrides.task)

    def run() -> int:
        if needs_composer(config) or late_overrides():
            # What stands at the top, or waits for what does, is put where it belongs.
            master = OmegaConf.create({"hydra": composed})
            return _run(
                _compose(JobComposer(master, GlobalHydra.instance().config_loader()), [late_overrides() or overrides]),
                options,
            )
        return _run([request_of(without_hydra(config), overrides)], options)

    leave(run)


def _refuse_launcher() -> int:
    raise ConfigError(
        "a sweep needs hydra/launcher=planned (the default): with another launcher its jobs would neither be planned "
        "together nor share what they compute"
    )


def run_sweep(config: DictConfig, loader: ConfigLoader, job_overrides: Sequence[Sequence[str]]) -> None:
    """Compose every job of a sweep and run them as one plan; leave with the status if it is not 0."""

    def run() -> int:
        composer = JobComposer(config, loader)
        requests = _compose(composer, job_overrides)
        launcher = _one_launcher(composer, job_overrides)
        return _run(requests, Options(int(launcher["n_jobs"]), str(launcher["backend"]), sweep=True))

    try:
        leave(run)
    except SystemExit as stop:
        # A sweeper that hands its jobs over in batches has more to come.
        if stop.code:
            raise


def _run(requests: Sequence[Request], options: Options) -> int:
    """Run jobs, and gate the run of each that names a policy."""
    outcome = run_jobs(requests, options)
    stopping.obey()
    # What this command names is the person's own, also where a baseline of theirs has to be repeated.
    own = [request.settings.model_dump(mode="json") for request in requests]
    blocked = False
    trackers: dict[TrackingSettings, Tracker] = {}
    for job, row in zip(outcome.jobs, outcome.rows, strict=True):
        settings = job.settings
        if settings.gate is None:
            continue
        from runner.deciding.gate_report import gate_lines
        from runner.release import gate_run

        tracker = trackers.setdefault(settings.tracking, Tracker(settings.tracking))
        trust = Trust.of(settings.trust, own)
        result = gate_run(tracker, row.run_id, settings.gate, settings.store, trust=trust)
        print("\n".join(gate_lines(result)), flush=True)
        blocked = blocked or result.blocked
        stopping.obey()
    return BROKEN if blocked else outcome.status


def _one_launcher(composer: JobComposer, job_overrides: Sequence[Sequence[str]]) -> Mapping[str, Any]:
    """What launches the sweep: what its jobs say, an experiment file among their choices too."""
    first, others = job_overrides[0], job_overrides[1:]
    launcher = composer.launcher(first)
    if launcher.get("_target_") != _LAUNCHER:
        _refuse_launcher()
    for overrides in others:
        other = composer.launcher(overrides)
        for name in sorted(launcher.keys() | other.keys()):
            if launcher.get(name) != other.get(name):
                setting = "hydra/launcher" if name == "_target_" else f"hydra.launcher.{name}"
                raise ConfigError(differing(setting, first, launcher.get(name), overrides, other.get(name)))
    return launcher


def _compose(composer: JobComposer, job_overrides: Sequence[Sequence[str]]) -> list[Request]:
    requests: list[Request] = []
    problems: list[str] = []
    composer.expect(job_overrides)
    for overrides in tqdm(job_overrides, desc="compose", disable=None):
        try:
            composed = composer.composed(overrides)
            requests.append(request_of(composed.config, tuple(overrides), composed.unused))
        except (HydraException, OmegaConfBaseException) as error:
            problems.append(f"{' '.join(overrides)}: {in_one_line(error)}")
        except RunnerError as error:
            problems.append(f"{' '.join(overrides)}: {error}")
    if problems:
        raise ConfigError("\n".join(problems))
    refuse_idle(requests)
    return requests


def has_started() -> bool:
    """Whether a command of this process got as far as its own work; what fails before that is Hydra's composing."""
    return bool(_started)


@guarded_output()
def leave(action: Callable[[], int]) -> NoReturn:
    """Run an action and exit: with what it returns, 2 for an unusable input or setting, 1 for another failure.

    The error is one line without a traceback, unless HYDRA_FULL_ERROR=1.
    """
    _started.append(True)
    try:
        with stopping.watched():
            status = action()
    except (RunnerError, RetrievalError) as error:
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            traceback.print_exc()
        print(f"error: {error}", file=sys.stderr)
        status = UNUSABLE if isinstance(error, ConfigError | InputError | RetrievalError) else BROKEN
    except BrokenPipeError:
        # Whoever read the output has seen enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = BROKEN
    except OSError as error:
        # A folder that cannot be written, a full disk: nothing that a traceback would mend.
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            traceback.print_exc()
        place = f"{error.filename}: " if error.filename else ""
        print(f"error: {place}{error.strerror or error}", file=sys.stderr)
        status = BROKEN
    except Exception as error:
        # What a damaged store makes MLflow raise is of many kinds; anything else is a fault of this program.
        if os.environ.get("HYDRA_FULL_ERROR") == "1" or not raised_by_store(error):
            raise
        reason = (str(error).strip().splitlines() or [""])[0]
        print(f"error: the MLflow store cannot be read: {type(error).__name__}: {reason}", file=sys.stderr)
        status = BROKEN
    except KeyboardInterrupt:
        status = stopping.status()
        print("stopped; what was computed is in the cache, resume=true skips the finished jobs", file=sys.stderr)
    sys.stdout.flush()
    raise SystemExit(status)
