"""From a command line to requests, and from an outcome or an error to an exit status."""

import errno
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from retrievers.base import RetrievalError
from runner import stopping
from runner.cli.sweep_printer import SweepPrinter
from runner.composition.hydra_internals import run_application
from runner.composition.job_composer import JobComposer, needs_composer, without_hydra
from runner.composition.late_settings import prepare
from runner.composition.requests import in_one_line, readable_arguments, requests_of
from runner.composition.session import reading_conf
from runner.composition.sweeps import compose_jobs, one_launcher, refuse_launcher
from runner.configuration.settings import conf_directory
from runner.engine.parallel import refuse_workers
from runner.engine.plan import Request
from runner.errors import ConfigError, InputError, RunnerError
from runner.rendering.console import guarded_output
from runner.tracking.mlflow_store import raised_by_store
from runner.tracking.recorder import Recorder
from runner.workflows.run_jobs import RunOptions, SweepOutcome, run_jobs

UNUSABLE = 2
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
def run_command(arguments: Sequence[str], recorder: Recorder | None = None) -> None:
    """Run `python -m runner` with these arguments and exit with its status. recorder: who writes runs, if one does."""
    with reading_conf():
        try:
            prepared = prepare(readable_arguments(arguments))
            run_application(prepared.words, RunCommand(prepared.late, recorder), str(conf_directory()), "config")
        except SystemExit:
            raise
        except Exception as error:
            # What a command does by itself it reports by itself: this is what could not be composed.
            said = error if isinstance(error, RunnerError | OSError) else ConfigError(in_one_line(error))
            leave(partial(_raise, said, error))


def _raise(error: Exception, cause: Exception) -> int:
    raise error from (None if error is cause else cause)


@dataclass(frozen=True)
class RunCommand:
    """What Hydra calls with the configuration of a single job, and its launcher with those of a sweep.

    late: all overrides of a single job, if any was kept from Hydra; else none.
    """

    late: tuple[str, ...] = ()
    recorder: Recorder | None = None

    def __call__(self, config: DictConfig) -> NoReturn:
        """Run the single job of a command and leave with its status."""
        composed = HydraConfig.get()
        if composed.mode == RunMode.MULTIRUN:
            leave(refuse_launcher)

        def run() -> int:
            # As they were given: an interpolation in one of them is the configuration's to resolve.
            given: Any = OmegaConf.to_container(composed.overrides.task, resolve=False)
            overrides = tuple(map(str, given))
            if needs_composer(config) or self.late:
                # What stands at the top, or waits for what does, is put where it belongs.
                master = OmegaConf.create({"hydra": composed})
                composer = JobComposer(master, GlobalHydra.instance().config_loader())
                requests = compose_jobs(composer, [self.late or overrides])
            else:
                requests = requests_of(without_hydra(config), overrides)
            return self._run(requests, composed.launcher, sweep=False)

        leave(run)

    def sweep(self, config: DictConfig, loader: ConfigLoader, job_overrides: Sequence[Sequence[str]]) -> None:
        """Compose every job of a sweep and run them as one plan; leave with the status if it is not 0."""

        def run() -> int:
            composer = JobComposer(config, loader)
            requests = compose_jobs(composer, job_overrides)
            return self._run(requests, one_launcher(composer, job_overrides), sweep=True)

        try:
            leave(run)
        except SystemExit as stop:
            # A sweeper that hands its jobs over in batches has more to come.
            if stop.code:
                raise

    def _run(self, requests: Sequence[Request], launcher: Mapping[str, Any], sweep: bool) -> int:
        """Run jobs, and gate the run of each that names a policy."""
        n_jobs, backend = int(launcher.get("n_jobs", 1)), str(launcher.get("backend", "loky"))
        refuse_workers(n_jobs, backend)
        outcome = run_jobs(
            requests, RunOptions(n_jobs, backend, sweep, recorder=self.recorder), listener=SweepPrinter()
        )
        stopping.obey()
        blocked = any(job.settings.gate for job in outcome.jobs) and _gate(outcome, requests)
        return BROKEN if blocked else outcome.status


def _gate(outcome: SweepOutcome, requests: Sequence[Request]) -> bool:
    """Gate the runs, tell of it, and return whether one is blocked."""
    from runner.reports.gate import gate_lines
    from runner.workflows.gate_run import gate_jobs

    blocked = False
    for result in gate_jobs(outcome, requests, lambda line: print(line, flush=True)):
        print("\n".join(gate_lines(result)), flush=True)
        blocked = blocked or result.blocked
        stopping.obey()
    return blocked


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
