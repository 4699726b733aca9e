"""A process of its own that writes to MLflow.

Importing MLflow and opening its store take longer than a sweep over cached rankings takes to score. A recorder
does both while the sweep is composed and planned, and writes runs while the next ones are scored. It is the only
writer, serves requests in the order they were made, and ends with the process that started it.
"""

import multiprocessing
import os
import pickle
import queue
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from runner.errors import RunnerError, StoreGone
from runner.rendering.console import guarded_output
from runner.stopping import held_back, never_stop, obey

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Lock, Semaphore

    from runner.configuration.settings import TrackingSettings
    from runner.tracking.tracker import RunRecord

# What leaves something half-written when it is cut short.
_WRITING = ("log", "keep_snapshot")
# How long a run that is being written when everything stops may take to become whole.
_PATIENCE = 10.0
_LOOK = 0.2


class _Reply(NamedTuple):
    number: int
    value: Any
    error: BaseException | None


class Recorder:
    """Takes requests without waiting and hands out their results in order."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        # A queue and not a pipe: while the other side is still importing, a pipe would fill up and block.
        self._requests: Queue[bytes] = context.Queue()
        # Held there while something is written; whoever holds it here may end that process.
        self._writing: Lock = context.Lock()
        # Released once, when what has not been begun is to be dropped.
        self._stop: Semaphore = context.Semaphore(0)
        replies, there = context.Pipe(duplex=False)
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(self._requests, there, self._writing, self._stop), name="recorder", daemon=True
        )
        with held_back():
            self._process.start()
        there.close()
        # Read by a thread, so that no interrupt falls between the halves of a message.
        self._replies: queue.SimpleQueue[_Reply | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(replies, self._replies), name="replies", daemon=True).start()
        self._waiting: dict[int, Pending] = {}
        self._asked = 0
        self._abandoned = False

    def ask(self, settings: "TrackingSettings", method: str, *arguments: Any) -> "Pending":
        """Request a call of a `Tracker` method (or the value of a property); the result may be fetched later.

        Raises what pickling raises for arguments that cannot travel, and StoreGone if the recorder has ended.
        """
        number = self._asked = self._asked + 1
        # Pickled here: the queue would do it in a thread, where a failure would only be printed.
        request = pickle.dumps((number, settings, method, arguments))
        if not self._process.is_alive():
            raise self._gone()
        pending = self._waiting[number] = Pending(self)
        self._requests.put(request)
        return pending

    def settle(self, wanted: "Pending") -> None:
        """Take in replies up to the wanted one. Raises KeyboardInterrupt when the sweep is to stop."""
        while not wanted.settled:
            obey()
            try:
                reply = self._replies.get(timeout=_LOOK)
            except queue.Empty:
                continue
            if reply is not None:
                self._waiting.pop(reply.number).enter(reply.value, reply.error)
                continue
            gone = self._gone()
            for pending in self._waiting.values():
                pending.enter(None, gone)
            self._waiting.clear()

    def abandon(self) -> None:
        """End it when the run that is being written is whole, or takes too long; what has not been begun is dropped."""
        self._abandoned = True
        self._stop.release()
        end = time.monotonic() + _PATIENCE
        while self._process.is_alive() and time.monotonic() < end and not self._writing.acquire(timeout=_LOOK):
            pass
        self._end()

    def close(self) -> None:
        """End it. Every answer that anybody waits for is in by now."""
        if self._waiting:
            self.abandon()
        else:
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._requests.cancel_join_thread()

    def _gone(self) -> StoreGone:
        if self._abandoned:
            return StoreGone("not written: the sweep was stopped")
        self._process.join(timeout=1)
        return StoreGone(
            f"the process that writes to MLflow ended before its time (exit code {self._process.exitcode}); what was "
            "computed is in the cache, resume=true skips the runs that were finished"
        )


def _read(pipe: Connection, replies: "queue.SimpleQueue[_Reply | None]") -> None:
    """Pass replies on until the other side has ended, and say so with None."""
    try:
        while True:
            replies.put(_Reply(*pipe.recv()))
    except Exception:  # its end, maybe in the middle of a message
        replies.put(None)


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


@guarded_output()
def _serve(requests: "Queue[bytes]", replies: Connection, writing: "Lock", stop: "Semaphore") -> None:
    """Answer requests one after the other, until the parent ends this process or is gone."""
    never_stop()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from runner.tracking.mlflow_store import import_client
    from runner.tracking.tracker import Tracker

    import_client()
    trackers: dict[TrackingSettings, Tracker] = {}
    while True:
        number, settings, method, arguments = pickle.loads(requests.get())
        tracker = trackers.setdefault(settings, Tracker(settings))
        if stop.acquire(block=False):
            return
        with writing if method in _WRITING else nullcontext():
            # Told before it may be ended, so that what is written is known to be.
            replies.send((number, *_answer(tracker, method, arguments)))


def _answer(tracker: Any, method: str, arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    try:
        found = getattr(tracker, method)
        return (found(*arguments) if callable(found) else found), None
    except Exception as error:
        return None, _travelling(error)


def _travelling(error: Exception) -> BaseException:
    """The error itself if it survives the way, else its words."""
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

    def log_soon(self, record: "RunRecord") -> Callable[[], str]:
        """See `Tracker.log_soon`."""
        return self._recorder.ask(self.settings, "log", record).result
