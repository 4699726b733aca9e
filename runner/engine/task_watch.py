"""What is known of a task whose process ends: that it had begun, and where in its code it was.

A note is a file, named by the task's number, that is there as long as the task is under way. faulthandler writes
into it when the process crashes, or when the time limit ends it. Workers on another machine leave no notes.
"""

import faulthandler
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TIMEOUT = "Timeout ("


def take_notes(folder: Path) -> dict[int, str]:
    """What was written about each task that had begun and not ended, by its number; then forgotten."""
    found = {}
    for path in folder.iterdir():
        found[int(path.name)] = path.read_text("utf-8", "replace")
        path.unlink()
    return found


def is_timeout(note: str) -> bool:
    """Whether it was the time limit that ended a task."""
    return note.startswith(_TIMEOUT)


@contextmanager
def watched(folder: Path, number: int, time_limit: float | None) -> Iterator[None]:
    """Leave a note while a task is under way, and end this process when its time is up, whatever it is doing."""
    path = folder / str(number)
    try:
        file = path.open("w", encoding="utf-8")
    except OSError:
        yield
        return
    with file:
        faulthandler.enable(file)
        if time_limit is not None:
            faulthandler.dump_traceback_later(time_limit, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            faulthandler.disable()
            if sys.__stderr__ is not None:
                with suppress(OSError, ValueError):
                    faulthandler.enable(sys.__stderr__)
    path.unlink(missing_ok=True)
