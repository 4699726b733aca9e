"""From a command line to requests, and from an outcome or an error to an exit status."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from tqdm import tqdm

from retrievers.base import RetrievalError
from runner.config import Settings
from runner.errors import ConfigError, InputError, RunnerError
from runner.experiment import Options, run_jobs
from runner.plan import Request

UNUSABLE = 2
BROKEN = 1


def run_one(config: DictConfig) -> NoReturn:
    """Run the single job of a command and leave with its status."""
    hydra = HydraConfig.get()
    launcher = hydra.launcher
    options = Options(n_jobs=int(launcher.get("n_jobs", 1)), backend=str(launcher.get("backend", "loky")))
    overrides = tuple(hydra.overrides.task)
    leave(lambda: run_jobs([_request(config, overrides)], options).status)


def run_sweep(
    config: DictConfig, loader: ConfigLoader, job_overrides: Sequence[Sequence[str]], n_jobs: int, backend: str
) -> NoReturn:
    """Compose every job of a sweep, run them as one plan and leave with the status."""

    def run() -> int:
        requests = _compose(config, loader, job_overrides)
        return run_jobs(requests, Options(n_jobs=n_jobs, backend=backend, sweep=True)).status

    leave(run)


def _compose(config: DictConfig, loader: ConfigLoader, job_overrides: Sequence[Sequence[str]]) -> list[Request]:
    requests: list[Request] = []
    problems: list[str] = []
    announced = OmegaConf.select(config, "hydra.sweeper.params") or {}
    for number, overrides in enumerate(tqdm(job_overrides, desc="compose", disable=None)):
        job = loader.load_sweep_config(config, list(overrides))
        with open_dict(job):
            job.hydra.job.num = number
            job.hydra.job.id = str(number)
        unswept = sorted(set(OmegaConf.select(job, "hydra.sweeper.params") or {}) - set(announced))
        if unswept:
            # Hydra reads sweep parameters before it knows which experiment a job is of: part of the
            # product would be left out without a word.
            raise ConfigError(
                f"{' '.join(overrides)}: sets hydra.sweeper.params ({', '.join(unswept)}), which a sweep over "
                "experiments does not expand; run each experiment by itself, or put the sweep on the command line"
            )
        try:
            requests.append(_request(job, tuple(overrides)))
        except RunnerError as error:
            problems.append(f"{' '.join(overrides)}: {error}")
    if problems:
        raise ConfigError("\n".join(problems))
    return requests


def _request(config: DictConfig, overrides: tuple[str, ...]) -> Request:
    own = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
    return Request(overrides, Settings.read(own), OmegaConf.to_yaml(own, resolve=False))


def refuse_unreadable(arguments: Sequence[str]) -> None:
    """Raise ConfigError for an override that Hydra's grammar cannot read, with the form that it can."""
    parser = OverridesParser.create()
    for argument in arguments:
        if argument.startswith("-") or "=" not in argument:
            continue
        try:
            parser.parse_override(argument)
        except HydraException:
            key, _, value = argument.partition("=")
            bare = value.strip("\"'")
            raise ConfigError(
                f"cannot read the override {argument!r}; text with Chinese letters, spaces or punctuation needs "
                f"quotes of its own inside those of the shell: '{key}=\"{bare}\"'"
            ) from None


def leave(action: Callable[[], int]) -> NoReturn:
    """Run an action and exit: with what it returns, 2 for an unusable input or setting, 1 for another failure.

    The error is one line without a traceback, unless HYDRA_FULL_ERROR=1.
    """
    try:
        status = action()
    except (RunnerError, RetrievalError) as error:
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            traceback.print_exc()
        print(f"error: {error}", file=sys.stderr)
        status = UNUSABLE if isinstance(error, ConfigError | InputError | RetrievalError) else BROKEN
    except KeyboardInterrupt:
        print("stopped; what was computed is in the cache, resume=true skips the finished jobs", file=sys.stderr)
        status = 130
    sys.stdout.flush()
    raise SystemExit(status)
