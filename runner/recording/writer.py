"""Which process writes a run, so that a later one can tell whether that is still at work."""

import os
import socket
from pathlib import Path


def this_writer() -> str:
    """This process as `host:id:start`; without the last where the system does not tell when a process started."""
    return ":".join([socket.gethostname(), str(os.getpid()), *_started(os.getpid())])


def is_gone(writer: str) -> bool:
    """Whether a writer was a process of this machine and has ended; False for what cannot be known.

    Its id may be another's by now: after a restart, or in a container, where each start hands out the same few.
    """
    host, _, rest = writer.partition(":")
    process, _, start = rest.partition(":")
    if host != socket.gethostname() or not process.isascii() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    found = _started(int(process))
    return found == ["ended"] or bool(start and found and found != [start])


def _started(process: int) -> list[str]:
    """When a process started, in ticks since the machine did; `ended` if it has, unnoticed by its parent.

    /proc/[id]/stat of Linux: after the name in brackets the state, and as the twentieth word from there the start.
    """
    try:
        words = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []
    return ["ended"] if words[0] in ("Z", "X") else [words[19]]
