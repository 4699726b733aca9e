"""Run independent tasks through joblib so that one bad task, or a killed worker, costs only itself."""

import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.backend import resource_tracker
from joblib.externals.loky.process_executor import TerminatedWorkerError

from runner.errors import ConfigError
from runner.scratch import scratch_for_arrays
from runner.stopping import end_with, held_back, obey

# The backends of joblib whose workers are processes of this machine.
_PROCESSES = ("loky", "multiprocessing")


@dataclass(frozen=True)
class Task:
    """A function of the module level and its arguments; owner says whose work it is."""

    owner: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    units: int = 1


@dataclass(frozen=True)
class Done:
    """What became of a task: a value or an error, and what it took in the process that ran it.

    seconds: wall time. peak_memory_bytes: the high-water mark of that process.
    """

    number: int
    value: Any
    error: str | None
    trace: str
    seconds: float
    peak_memory_bytes: int


def peak_memory_bytes() -> int:
    """The most memory this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _guarded(number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Done:
    """Run one task and return its error as text: an exception object may not survive the way back."""
    start = time.perf_counter()
    value, error, trace = None, None, ""
    try:
        value = function(*arguments)
    except Exception as caught:
        error = f"{type(caught).__name__}: {caught}" if not str(caught).strip() else str(caught)
        trace = traceback.format_exc()
    return Done(number, value, error, trace, time.perf_counter() - start, peak_memory_bytes())


def run_tasks(tasks: Sequence[Task], n_jobs: int, backend: str) -> Iterator[tuple[Task, Done]]:
    """Yield each task with its outcome as it ends, in any order.

    When a worker is killed, or a task or its value cannot travel, what had not come back is run again one task
    at a time, each in a worker of its own, so that only the task that is to blame fails. Raises ConfigError for
    a backend that joblib does not know.
    """
    waiting = dict(enumerate(tasks))
    if not waiting:
        return
    outcomes = _parallel(list(waiting.items()), n_jobs, backend)
    try:
        while waiting:
            # Only the pool itself is guarded: what the caller does with an outcome is no fault of a task.
            try:
                done = next(outcomes)
            except Exception:
                break
            yield waiting.pop(done.number), done
            obey()
    finally:
        with warnings.catch_warnings():
            # That tasks under way are lost when a sweep is stopped is no news.
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()
    obey()
    for number, task in sorted(waiting.items()):
        yield task, _alone(number, task, max(2, n_jobs), backend)


def _alone(number: int, task: Task, n_jobs: int, backend: str) -> Done:
    """Run one task in a pool of its own; whatever the pool dies of is this task's doing."""
    try:
        return next(_parallel([(number, task)], n_jobs, backend))
    except TerminatedWorkerError:
        error, trace = "the worker process was killed (out of memory?)", ""
    except Exception as caught:
        trace = traceback.format_exc()
        # The pool's own message says only that something could not be pickled; its cause says what.
        reason = [line for line in str(caught.__cause__ or caught).splitlines() if line.strip(' "')][-1]
        error = f"cannot travel to or from a worker process ({reason}); hydra.launcher.n_jobs=1 does without workers"
    return Done(number, None, error, trace, 0.0, 0)


def _parallel(tasks: Sequence[tuple[int, Task]], n_jobs: int, backend: str) -> Generator[Done, None, None]:
    if n_jobs == 1:
        return (_guarded(number, task.function, task.arguments) for number, task in tasks)
    life: dict[str, Any] = {}
    if backend in _PROCESSES:
        life = {"initializer": end_with, "initargs": (os.getpid(),), "temp_folder": str(scratch_for_arrays())}
    try:
        pool = Parallel(
            n_jobs=n_jobs, backend=backend, return_as="generator_unordered", pre_dispatch="3*n_jobs", **life
        )
    except ValueError as error:
        raise ConfigError(f"hydra.launcher.backend={backend}: {error}") from None
    return _outcomes(pool, tasks)


def _outcomes(pool: Any, tasks: Sequence[tuple[int, Task]]) -> Generator[Done, None, None]:
    resource_tracker.ensure_running()
    with held_back(signal.SIGINT):  # joblib starts its workers with the first tasks
        results = pool(delayed(_guarded)(number, task.function, task.arguments) for number, task in tasks)
    yield from results
