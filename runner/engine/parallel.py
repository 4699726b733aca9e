"""Run independent tasks through joblib so that one bad task, or a process that ends, costs only itself."""

import os
import pickle
import re
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import joblib
from joblib import Parallel, delayed
from joblib.externals.loky.backend import resource_tracker
from joblib.externals.loky.process_executor import TerminatedWorkerError

from runner.engine.failure import described, ended, trace_of
from runner.engine.isolation import untouched
from runner.engine.task_watch import is_timeout, take_notes, watched
from runner.errors import ConfigError
from runner.files.nearest import did_you_mean
from runner.files.scratch import scratch_folder, scratch_for_arrays
from runner.stopping import end_with, held_back, obey

# The backends of joblib whose workers are processes of this machine.
_PROCESSES = ("loky", "multiprocessing")
PROCESSES = "loky"
HERE = "sequential"
_EXIT_CODE = re.compile(r"([A-Z]+)\((-?\d+)\)")


@dataclass(frozen=True)
class Task:
    """A function of the module level and its arguments; owner says whose work it is.

    component: the dotted name of whose code it runs, for the line that says what went wrong in it.
    """

    owner: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    units: int = 1
    component: str = ""


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


@dataclass(frozen=True)
class Workers:
    """Who does tasks: joblib's n_jobs and backend, and how many seconds one task may take (None: any number).

    With `loky` every task runs in a worker process, also where there is but one, so that nothing it does to its
    process can hurt this one. `sequential` is this process; there, and with `threading`, nothing ends a task.
    """

    n_jobs: int = 1
    backend: str = PROCESSES
    time_limit: float | None = None


def refuse_workers(n_jobs: int, backend: str) -> None:
    """Raise ConfigError for what joblib cannot do: it would only say so once there is work."""
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    if n_jobs == 0:
        raise ConfigError("hydra.launcher.n_jobs: expected a number of workers, or -1 for one a core, found 0")
    # Those of other packages are registered when these are imported, by a class of the user's own say.
    known = [*BACKENDS, *EXTERNAL_BACKENDS, "ray", "spark"]
    if backend not in known:
        raise ConfigError(f"hydra.launcher.backend: joblib knows no {backend!r}{did_you_mean(backend, known)}")


def peak_memory_bytes() -> int:
    """The most memory this process ever held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def run_tasks(tasks: Sequence[Task], workers: Workers, *, one_by_one: bool = False) -> Iterator[tuple[Task, Done]]:
    """Yield each task with its outcome as it ends, in any order.

    When a worker is killed, what had begun is run again one task at a time, so that only the task that is to blame
    fails, and the rest goes on as before. The same holds when a task cannot travel. one_by_one: no task runs beside
    another. Raises ConfigError for a backend that joblib does not know.
    """
    waiting = dict(enumerate(tasks))
    with scratch_folder("tasks") as notes:
        while waiting:
            lost = yield from _together(waiting, workers, notes, one_by_one)
            for number, note in lost.items():
                obey()
                task = waiting.pop(number)
                known = _ended_by_limit(task, note, workers)
                yield task, known or _alone(number, task, workers, notes)


def _together(
    waiting: dict[int, Task], workers: Workers, notes: Path, one_by_one: bool
) -> Generator[tuple[Task, Done], None, dict[int, str]]:
    """Yield outcomes and take their tasks away; return, by number, those that may be to blame for what is left."""
    outcomes = _parallel(list(waiting.items()), workers, notes, one_by_one)
    try:
        while waiting:
            # Only the pool itself is guarded: what the caller does with an outcome is no fault of a task.
            try:
                done = next(outcomes)
            except TerminatedWorkerError:
                begun = take_notes(notes)
                return {number: begun[number] for number in sorted(begun) if number in waiting} or _all(waiting)
            except Exception:
                return _all(waiting)
            yield waiting.pop(done.number), done
            obey()
    finally:
        with warnings.catch_warnings():
            # That tasks under way are lost when a sweep is stopped is no news.
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()
    obey()
    return {}


def _all(waiting: Mapping[int, Task]) -> dict[int, str]:
    return dict.fromkeys(sorted(waiting), "")


def _ended_by_limit(task: Task, note: str, workers: Workers) -> Done | None:
    if not is_timeout(note):
        return None
    how = f"took longer than time_limit={workers.time_limit:g} seconds; raise it if that is honest work, null for none"
    return Done(-1, None, ended(task.component, how, note), note, 0.0, 0)


def _alone(number: int, task: Task, workers: Workers, notes: Path) -> Done:
    """Run one task in a pool of its own; whatever the pool dies of is this task's doing."""
    try:
        return next(_parallel([(number, task)], workers, notes, one_by_one=True))
    except TerminatedWorkerError as caught:
        note = take_notes(notes).get(number, "")
        return _ended_by_limit(task, note, workers) or Done(
            number, None, ended(task.component, _how_it_ended(str(caught)), note), note, 0.0, 0
        )
    except Exception as caught:
        # The pool's own message says only that something could not be pickled; its cause says what.
        reason = [line for line in str(caught.__cause__ or caught).splitlines() if line.strip(' "')][-1]
        return Done(number, None, _stuck(task, reason), trace_of(caught), 0.0, 0)


def _how_it_ended(message: str) -> str:
    found = {name: int(code) for name, code in _EXIT_CODE.findall(message)}
    # The pool ends the other workers by SIGTERM.
    name, code = next(((name, code) for name, code in found.items() if name != "SIGTERM"), ("SIGTERM", -15))
    if name == "EXIT":
        return f"ended its process with status {code}"
    return f"its process was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


def _stuck(task: Task, reason: str) -> str:
    return ended(
        task.component,
        f"cannot travel to or from a worker process ({reason}); hydra.launcher.backend={HERE} does without workers",
    )


def _parallel(
    tasks: Sequence[tuple[int, Task]], workers: Workers, notes: Path, one_by_one: bool = False
) -> Generator[Done, None, None]:
    run = partial(_guarded, parent=os.getpid(), notes=notes, time_limit=workers.time_limit)
    calls = ((number, task.component, task.function, task.arguments) for number, task in tasks)
    if workers.backend == HERE:
        return (run(*call) for call in calls)
    n_jobs, backend = workers.n_jobs, workers.backend
    if not n_jobs:
        raise ConfigError("hydra.launcher.n_jobs=0: expected a number of workers, or -1 for one a core")
    at_once: int | str = 1 if one_by_one else "3*n_jobs"
    settings: dict[str, Any] = {}
    if backend in _PROCESSES:
        settings = {"initializer": end_with, "initargs": (os.getpid(),), "temp_folder": str(scratch_for_arrays())}
    if backend == PROCESSES and (n_jobs == 1 or joblib.cpu_count() + 1 + n_jobs <= 1):
        # joblib takes 1 to mean this process. The second worker stays idle, so the first may use every core.
        n_jobs, at_once, settings = 2, 1, {**settings, "inner_max_num_threads": joblib.cpu_count()}
    try:
        with joblib.parallel_config(backend, **settings):
            pool = Parallel(n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=at_once)
    except ValueError as error:
        raise ConfigError(f"hydra.launcher.backend={backend}: {error}") from None
    return _outcomes(pool, run, calls)


def _outcomes(pool: Any, run: Callable[..., Done], calls: Iterator[tuple[Any, ...]]) -> Generator[Done, None, None]:
    resource_tracker.ensure_running()
    with held_back(signal.SIGINT):  # joblib starts its workers with the first tasks
        results = pool(delayed(run)(*call) for call in calls)
    for done in results:
        yield replace(done, value=pickle.loads(done.value.data)) if isinstance(done.value, _Packed) else done


@dataclass(frozen=True)
class _Packed:
    """A value on its way back: what cannot travel is found out where it was made."""

    data: bytes


def _guarded(
    number: int,
    component: str,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    *,
    parent: int,
    notes: Path,
    time_limit: float | None,
) -> Done:
    """Run one task and return its error as text: an exception object may not survive the way back."""
    own_process = os.getpid() != parent
    main_thread = threading.current_thread() is threading.main_thread()
    start = time.perf_counter()
    value, error, trace = None, None, ""
    with (
        watched(notes, number, time_limit) if own_process and main_thread else nullcontext(),
        # Threads share all that a process has.
        untouched() if main_thread else nullcontext(),
    ):
        try:
            value = _only_here(function, arguments)
        except BaseException as caught:
            if isinstance(caught, KeyboardInterrupt) and main_thread and not own_process:
                raise
            error, trace = described(caught, component), trace_of(caught)
    if own_process and error is None:
        try:
            value = _Packed(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        except Exception as caught:
            value, trace = None, trace_of(caught)
            error = _stuck(Task(None, function, (), component=component), f"pickle: {caught}")
    return Done(number, value, error, trace, time.perf_counter() - start, peak_memory_bytes())


def _only_here(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function; a child process that it left behind and that comes back here, too, ends here."""
    own = os.getpid()
    try:
        return function(*arguments)
    finally:
        if os.getpid() != own:
            os._exit(0)
