"""One writer at a time for a suite and its record."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from runner.errors import InputError

# Whoever may write the suite may take the lock, whoever made it.
_FOR_ALL = 0o666


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file, a hidden one beside it, however its folder is reached.

    Raises InputError where none can be made, since the file could not be written either.
    """
    real = path.resolve()
    lock = FileLock(real.with_name(f".{real.name}.lock"), mode=_FOR_ALL)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        lock.release()
