"""From a command line to requests, and from an outcome or an error to an exit status."""

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import hydra
from hydra._internal import utils as hydra_utils
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retrievers.base import RetrievalError
from runner import stopping
from runner.composition.config_files import guard_config_files
from runner.composition.job_composer import JobComposer, needs_composer, without_hydra
from runner.composition.late_settings import hand_over, late_overrides
from runner.composition.overrides import refuse_broken_text
from runner.composition.requests import in_one_line, readable_arguments, refuse_idle, requests_of
from runner.configuration.settings import TrackingSettings, conf_directory, register_resolvers
from runner.engine.plan import Request, of_jobs
from runner.engine.trust import Trust
from runner.errors import MOST_LISTED, ConfigError, InputError, RunnerError
from runner.files.nearest import did_you_mean
from runner.rendering.console import guarded_output
from runner.rendering.progress import progress_bar
from runner.tracking.mlflow_store import raised_by_store
from runner.tracking.tracker import Tracker
from runner.workflows.run_jobs import RunOptions, differing, run_jobs

UNUSABLE = 2
_LAUNCHER = "hydra_plugins.planned_launcher.launcher.PlannedLauncher"
BROKEN = 1
# A place that was named and cannot be used; any other trouble with files is nobody's setting.
_NO_PLACE = (
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)


@guarded_output()
def run_command(arguments: Sequence[str]) -> None:
    """Run `python -m runner` with these arguments (Hydra reads them from sys.argv) and exit with its status."""
    register_resolvers()
    guard_config_files()
    try:
        hand_over(readable_arguments(arguments))
        # Hydra would print several lines, or a traceback, of what it cannot compose.
        hydra_utils.run_and_report = _let_through  # type: ignore[assignment]
        _app()
    except SystemExit:
        raise
    except Exception as error:
        # What a command does by itself it reports by itself: this is what could not be composed.
        leave(partial(_raise, error if isinstance(error, RunnerError) else ConfigError(in_one_line(error)), error))


def _let_through(compose: Callable[[], Any]) -> Any:
    return compose()


def _raise(error: Exception, cause: Exception) -> int:
    raise error from (None if error is cause else cause)


@hydra.main(version_base="1.3", config_path=str(conf_directory()), config_name="config")
def _app(config: DictConfig) -> None:
    run_one(config)


def run_one(config: DictConfig) -> NoReturn:
    """Run the single job of a command and leave with its status."""
    composed = HydraConfig.get()
    if composed.mode == RunMode.MULTIRUN:
        leave(_refuse_launcher)

    def run() -> int:
        launcher = composed.launcher
        options = RunOptions(n_jobs=int(launcher.get("n_jobs", 1)), backend=str(launcher.get("backend", "loky")))
        # As they were given: an interpolation in one of them is the configuration's to resolve.
        given: Any = OmegaConf.to_container(composed.overrides.task, resolve=False)
        overrides = tuple(map(str, given))
        if needs_composer(config) or late_overrides():
            # What stands at the top, or waits for what does, is put where it belongs.
            master = OmegaConf.create({"hydra": composed})
            return _run(
                _compose(JobComposer(master, GlobalHydra.instance().config_loader()), [late_overrides() or overrides]),
                options,
            )
        return _run(requests_of(without_hydra(config), overrides), options)

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
        return _run(requests, RunOptions(int(launcher["n_jobs"]), str(launcher["backend"]), sweep=True))

    try:
        leave(run)
    except SystemExit as stop:
        # A sweeper that hands its jobs over in batches has more to come.
        if stop.code:
            raise


def _run(requests: Sequence[Request], options: RunOptions) -> int:
    """Run jobs, and gate the run of each that names a policy."""
    _refuse_launch(options)
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
        from runner.reports.gate import gate_lines
        from runner.workflows.gate_run import gate_run

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


def _refuse_launch(options: RunOptions) -> None:
    """Refuse what joblib cannot do before anything is planned: it would only say so once there is work."""
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    if options.n_jobs == 0:
        raise ConfigError("hydra.launcher.n_jobs: expected a number of workers, or -1 for one a core, found 0")
    # Those of other packages are registered when these are imported, by a class of the user's own say.
    known = [*BACKENDS, *EXTERNAL_BACKENDS, "ray", "spark"]
    if options.backend not in known:
        raise ConfigError(
            f"hydra.launcher.backend: joblib knows no {options.backend!r}{did_you_mean(options.backend, known)}"
        )


def _compose(composer: JobComposer, job_overrides: Sequence[Sequence[str]]) -> list[Request]:
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


def parsed_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of a command beside `python -m runner`; settings may stand before, between and after options.

    Leaves with status 2 for one that is not UTF-8, and as argparse does for one that the command does not have.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        for word in given:
            refuse_broken_text(word)
    except ConfigError as error:
        parser.exit(UNUSABLE, f"error: {error}\n")
    return parser.parse_intermixed_args(given)


def _print_trace() -> None:
    if os.environ.get("HYDRA_FULL_ERROR") == "1":
        traceback.print_exc()


@guarded_output()
def leave(action: Callable[[], int]) -> NoReturn:
    """Run an action and exit: with what it returns, 2 for an unusable input or setting, 1 for another failure.

    The error is one line without a traceback, unless HYDRA_FULL_ERROR=1.
    """
    try:
        with stopping.watched():
            status = action()
    except (RunnerError, RetrievalError) as error:
        _print_trace()
        print(f"error: {error}", file=sys.stderr)
        status = UNUSABLE if isinstance(error, ConfigError | InputError | RetrievalError) else BROKEN
    except UnicodeEncodeError:
        _print_trace()
        print("error: an argument or a file's name holds bytes that are not UTF-8; type it again", file=sys.stderr)
        status = UNUSABLE
    except BrokenPipeError:
        # Whoever read the output has seen enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = BROKEN
    except (HydraException, OmegaConfBaseException) as error:
        _print_trace()
        print(f"error: {in_one_line(error)}", file=sys.stderr)
        status = UNUSABLE
    except OSError as error:
        # A folder that cannot be written, a full disk: nothing that a traceback would mend.
        _print_trace()
        place = f"{error.filename}: " if error.filename else ""
        named = error.errno in _NO_PLACE
        remedy = "; name a place that is there or can be made, and that can be written" if named else ""
        print(f"error: {place}{error.strerror or error}{remedy}", file=sys.stderr)
        status = UNUSABLE if named else BROKEN
    except Exception as error:
        # What a damaged store makes MLflow raise is of many kinds; anything else is a fault of this program.
        _print_trace()
        what = "the MLflow store cannot be read: " if raised_by_store(error) else ""
        where = "" if what else " (HYDRA_FULL_ERROR=1 shows where)"
        reason = (str(error).strip().splitlines() or [""])[0][:500]
        print(f"error: {what}{type(error).__name__}: {reason}{where}", file=sys.stderr)
        status = BROKEN
    except KeyboardInterrupt:
        status = stopping.status()
        print("stopped; what was computed is in the cache, resume=true skips the finished jobs", file=sys.stderr)
    sys.stdout.flush()
    raise SystemExit(status)
