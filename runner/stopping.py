"""Being asked to stop, by Ctrl-C or SIGTERM: noted once, obeyed wherever it falls, and kept from child processes."""

import atexit
import multiprocessing.resource_tracker
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# A terminal and a wrapper such as `timeout` or `uv run` may both pass on what was asked for once.
_ONE_WISH = 0.5
_LOOK = 0.5
_AGAIN = 0.02
_watching = False
_asked: list[tuple[int, float]] = []
# Held back at the moment; what arrived meanwhile by another thread, which knows nothing of that.
_held: list[int] = []
_late: list[int] = []
_swallowed = threading.Event()


@contextmanager
def watched(to_the_end: bool = False) -> Iterator[None]:
    """Meanwhile, raise KeyboardInterrupt for the first signal, and end the process at once for the next.

    An exception may be swallowed where it falls: in a finalizer, where it is raised anew a moment later, or in an
    import that is guarded, where the next `obey` does. Outside the main thread, and within another `watched`, nothing
    is changed. to_the_end: the work is done afterwards, so that only a second signal cuts the end of the process short,
    and none changes its status once the interpreter has given its handlers back.
    """
    global _watching
    if _watching or threading.current_thread() is not threading.main_thread():
        yield
        return
    # A signal that whoever started this process had it ignore (nohup, a shell's background job) stays ignored.
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    taken = [number for number in _SIGNALS if before[number] is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, _note)
    if to_the_end:
        atexit.register(_hear_no_more, taken)  # so early that all else that is to be done at exit is done before
    _asked.clear()
    _late.clear()
    _swallowed.clear()
    hook, sys.unraisablehook = sys.unraisablehook, _raise_anew
    _watching = True
    try:
        yield
    finally:
        _watching = False
        sys.unraisablehook = hook
        for number in taken:
            signal.signal(number, _note_late if to_the_end else before[number])


def _note(number: int, frame: FrameType | None) -> None:
    if _swallowed.is_set():
        _swallowed.clear()
        raise KeyboardInterrupt
    if _is_first(number):
        if number in _held:
            _late.append(number)
        else:
            raise KeyboardInterrupt


def _note_late(number: int, frame: FrameType | None) -> None:
    _is_first(number)


def _hear_no_more(signals: list[signal.Signals]) -> None:
    for number in signals:
        signal.signal(number, signal.SIG_IGN)


def _is_first(number: int) -> bool:
    """Whether this signal is the first; the next one, unless it is the same wish, ends the process."""
    now = time.monotonic()
    if not _asked:
        _asked.append((number, now))
        return True
    if now - _asked[0][1] > _ONE_WISH:
        os._exit(status())
    return False


def _raise_anew(unraisable: "sys.UnraisableHookArgs") -> None:
    """Have an interrupt that fell into a finalizer, which cannot pass it on, fall again."""
    if _asked and issubclass(unraisable.exc_type, KeyboardInterrupt):
        _swallowed.set()
        again = threading.Timer(_AGAIN, os.kill, (os.getpid(), _asked[0][0]))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def obey() -> None:
    """Raise KeyboardInterrupt if this process was asked to stop while that was watched for."""
    if _watching and _asked:
        raise KeyboardInterrupt


def status() -> int:
    """The exit status of a process that was stopped, as shells count: 130 for Ctrl-C, 143 for SIGTERM."""
    return 128 + (_asked[0][0] if _asked else signal.SIGINT)


@contextmanager
def held_back(*signals: int) -> Iterator[None]:
    """Start processes that these signals (all that stop, unless named) never reach; here they come through afterwards.

    What is started inherits that they are blocked from its first moment on, also what is started later by threads
    begun meanwhile.
    """
    # When it is first needed, it is started, and would let the signals through again.
    multiprocessing.resource_tracker.ensure_running()
    held = signals or _SIGNALS
    here = threading.current_thread() is threading.main_thread()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    if here:
        _held.extend(held)
    try:
        yield
    finally:
        if here:
            del _held[-len(held) :]
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if here and _late and not _held:
            _late.clear()
            raise KeyboardInterrupt


def never_stop() -> None:
    """In a process that was started `held_back`: ignore every signal to stop, also in what it starts itself."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def end_with(parent: int) -> None:
    """In a worker process: leave Ctrl-C to the parent, whose process id this is, and end when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has the parent's handler, and joblib may end it so
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    threading.Thread(target=_end_with, args=(parent,), name="end-with-parent", daemon=True).start()


def _end_with(parent: int) -> None:
    # Linux could signal it, but does so when the thread ends that started the worker, which is no reason to end.
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)
