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
from collections.abc import Callable, Mapping
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
        self._requests: Queue[Any] = context.Queue()
        self._replies, there = context.Pipe(duplex=False)
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(self._requests, there), name="recorder", daemon=True
        )
        self._process.start()
        there.close()
        self._waiting: deque[Pending] = deque()

    def ask(self, settings: "TrackingSettings", method: str, *arguments: Any) -> "Pending":
        """Request a call of a `Tracker` method (or the value of a property); the result may be fetched later."""
        pending = Pending(self)
        self._waiting.append(pending)
        self._requests.put((settings, method, arguments))
        return pending

    def settle(self, wanted: "Pending") -> None:
        """Read replies up to the wanted one."""
        from runner.errors import RunnerError

        while not wanted.settled:
            try:
                value, error = self._replies.recv()
            except (EOFError, OSError):
                value, error = None, RunnerError("the process that writes to MLflow ended before its time")
            self._waiting.popleft().enter(value, error)

    def close(self) -> None:
        """Let it finish what was asked, and wait for it; with every answer in, nothing is left to finish."""
        if not self._waiting:
            self._process.terminate()
        self._requests.put(None)
        self._process.join(timeout=60)
        self._requests.cancel_join_thread()


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
    """Have a recorder stand by from now on; the next `take_recorder` gets it."""
    _standing.append(Recorder())


def take_recorder() -> Recorder | None:
    """The recorder that stands by, or None where nobody started one."""
    return _standing[-1] if _standing else None


def dismiss_recorder() -> None:
    """End the recorder that stands by, if there is one, when it has written everything."""
    while _standing:
        _standing.pop().close()


def _serve(requests: "Queue[Any]", replies: Connection) -> None:
    """Answer requests one after the other, until there are no more or the parent is gone."""
    # The person's Ctrl-C is for the parent, which then says how to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from runner.recording.mlflow_store import import_client
    from runner.recording.tracking import Tracker

    import_client()
    trackers: dict[TrackingSettings, Tracker] = {}
    while (request := requests.get()) is not None:
        settings, method, arguments = request
        tracker = trackers.setdefault(settings, Tracker(settings))
        replies.send(_answer(tracker, method, arguments))


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

    def end_abandoned_soon(self) -> Callable[[], int]:
        """See `Tracker.end_abandoned_soon`."""
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
