"""A process of its own that writes to MLflow.

Importing MLflow and opening its store take longer than a sweep over cached rankings takes to score. A recorder
does both while the sweep is composed and planned, and writes runs while the next ones are scored. It is the only
writer, serves requests in the order they were made, and ends with the process that started it.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess
    from multiprocessing.queues import Queue

    from runner.config import TrackingSettings
    from runner.recording.tracking import Record

_standing: list["Recorder"] = []


class Recorder:
    """Takes requests without waiting and hands out their results in order."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        # A queue and not a pipe: while the other side is still importing, a pipe would fill up and block.
        self._requests: Queue[bytes | None] = context.Queue()
        self._abandoned = context.Event()
        self._replies, there = context.Pipe(duplex=False)
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(self._requests, there, self._abandoned), name="recorder", daemon=True
        )
        with _no_interrupt():
            self._process.start()
        there.close()
        self._waiting: deque[Pending] = deque()

    def ask(self, settings: "TrackingSettings", method: str, *arguments: Any) -> "Pending":
        """Request a call of a `Tracker` method (or the value of a property); the result may be fetched later.

        Raises what pickling raises for arguments that cannot travel, and RunnerError if the recorder has ended.
        """
        # Pickled here: the queue would do it in a thread, where a failure would only be printed.
        request = pickle.dumps((settings, method, arguments))
        if not self._process.is_alive():
            raise self._ended()
        pending = Pending(self)
        self._waiting.append(pending)
        self._requests.put(request)
        return pending

    def settle(self, wanted: "Pending") -> None:
        """Read replies up to the wanted one."""
        while not wanted.settled:
            try:
                value, error = self._replies.recv()
            except (EOFError, OSError):
                value, error = None, self._ended()
            self._waiting.popleft().enter(value, error)

    def abandon(self) -> None:
        """Have it drop what has not been begun, and wait until it has ended what was."""
        self._abandoned.set()
        while self._waiting:
            self.settle(self._waiting[-1])

    def close(self) -> None:
        """End it. Every answer that anybody waits for is in by now."""
        try:
            if self._waiting and self._process.is_alive():
                self.abandon()
        finally:
            self._process.terminate()
            self._process.join(timeout=10)
            self._requests.cancel_join_thread()

    def _ended(self) -> Exception:
        from runner.errors import RunnerError

        self._process.join(timeout=1)
        return RunnerError(
            f"the process that writes to MLflow ended before its time (exit code {self._process.exitcode}); what was "
            "computed is in the cache, resume=true skips the runs that were finished"
        )


class Pending:
    """A result to come."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.settled = False
        self._value: Any = None
        self._error: BaseException | None = None

    def enter(self, value: Any, error: BaseException | None) -> None:
        """Take in the result."""
        self.settled, self._value, self._error = True, value, error

    def result(self) -> Any:
        """Wait for the result. Raises what the call raised."""
        self._recorder.settle(self)
        if self._error is not None:
            raise self._error
        return self._value


def start_recorder() -> None:
    """Have a recorder stand by from now on; `standing_recorder` hands it out."""
    _standing.append(Recorder())


def standing_recorder() -> Recorder | None:
    """The recorder that stands by, or None where nobody started one."""
    return _standing[-1] if _standing else None


def dismiss_recorder() -> None:
    """End the recorder that stands by, if there is one, when it has written everything."""
    while _standing:
        _standing.pop().close()


def _serve(requests: "Queue[bytes | None]", replies: Connection, abandoned: Any) -> None:
    """Answer requests one after the other, until the parent is gone."""
    # The person's Ctrl-C is for the parent, which then says how to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from runner.errors import RunnerError
    from runner.recording.mlflow_store import import_client
    from runner.recording.tracking import Tracker

    import_client()
    trackers: dict[TrackingSettings, Tracker] = {}
    while (request := requests.get()) is not None:
        if abandoned.is_set():
            replies.send((None, RunnerError("not written: the sweep was stopped")))
            continue
        settings, method, arguments = pickle.loads(request)
        tracker = trackers.setdefault(settings, Tracker(settings))
        replies.send(_answer(tracker, method, arguments))


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Let a process started meanwhile ignore Ctrl-C from its first moment on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(tracker: Any, method: str, arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    try:
        found = getattr(tracker, method)
        return (found(*arguments) if callable(found) else found), None
    except Exception as error:
        return None, _travelling(error)


def _travelling(error: Exception) -> BaseException:
    """The error itself if it survives the way, else its words."""
    from runner.errors import RunnerError

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RunnerError(str(error) or type(error).__name__)
    return error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class RecordedTracker:
    """What a sweep asks of a `Tracker`, answered by the recorder."""

    def __init__(self, recorder: Recorder, settings: "TrackingSettings") -> None:
        self._recorder = recorder
        self.settings = settings

    def _ask(self, method: str, *arguments: Any) -> Any:
        return self._recorder.ask(self.settings, method, *arguments).result()

    @property
    def experiment_id(self) -> str:
        """The experiment's id."""
        return str(self._ask("experiment_id"))

    def abandon(self) -> None:
        """See `Tracker.abandon`."""
        self._recorder.abandon()

    def open_soon(self) -> Callable[[], int]:
        """See `Tracker.open_soon`."""
        return self._recorder.ask(self.settings, "end_abandoned").result

    def finished(self, tags: Mapping[str, str], anywhere: bool = False) -> list[Any]:
        """See `Tracker.finished`."""
        return list(self._ask("finished", tags, anywhere))

    def count(self, tags: Mapping[str, str], most: int) -> int:
        """See `Tracker.count`."""
        return int(self._ask("count", tags, most))

    def keep_snapshot(self, id_: str, folder: Path) -> None:
        """See `Tracker.keep_snapshot`."""
        self._ask("keep_snapshot", id_, folder)

    def log_soon(self, record: "Record") -> Callable[[], str]:
        """See `Tracker.log_soon`."""
        return self._recorder.ask(self.settings, "log", record).result
