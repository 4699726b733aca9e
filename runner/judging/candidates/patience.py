"""End a search that would take for ever: some patterns need exponential time on some texts."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


class TookTooLong(Exception):
    """A search was ended."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TookTooLong once what is inside has used so many seconds of processor time.

    Python's `re` looks for signals while it searches. Where there is no such timer (Windows, another thread than the
    main one) nothing is ended.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise TookTooLong
