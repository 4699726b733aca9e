"""Folders for what is not kept: gone with its process, or if that was killed, when the next one starts."""

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from runner.errors import ConfigError

_PREFIX = "retrieval-runner-"
# Locked as long as its maker lives; by a process id alone, a newer process could be taken for that one.
_LOCK = ".owner"
# A folder without a lock is one that is just being made, or whose maker was killed in that moment.
_MAKING_SECONDS = 3600
_ROOM = 2 << 30
# joblib has a process note what it makes there, in ASCII and in lines of at most 512 bytes.
_LONGEST = 250


@cache
def scratch() -> Path:
    """The folder of this process in the temporary directory."""
    return _of_process(Path(tempfile.gettempdir()))


@cache
def scratch_for_arrays() -> Path:
    """The folder of this process for what is shared with workers: in memory where there is room, as joblib has it.

    Raises ConfigError if there is no place for it whose path joblib can note.
    """
    for place in _places_for_arrays():
        if str(place).isascii() and len(str(place)) <= _LONGEST and os.access(place, os.W_OK):
            return scratch() if place == Path(tempfile.gettempdir()) else _of_process(place)
    raise ConfigError(
        f"{tempfile.gettempdir()}: worker processes share arrays in a temporary folder whose path has only ASCII "
        f"characters, at most {_LONGEST}; name one in the variable JOBLIB_TEMP_FOLDER, or set "
        "hydra.launcher.backend=sequential"
    )


def _places_for_arrays() -> Iterator[Path]:
    named, memory = os.environ.get("JOBLIB_TEMP_FOLDER"), Path("/dev/shm")
    if named:
        yield Path(named)
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= _ROOM:
        yield memory
    yield Path(tempfile.gettempdir())
    yield from (Path("/tmp"), Path("/var/tmp"))


def stand_in_home() -> None:
    """Give a process that has no home folder, as a container's user without an entry, one that goes with it."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = str(scratch())


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """A folder within that of this process, gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=scratch(), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def owned_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder in a parent, gone when the block ends; folders of that prefix whose makers are dead go first."""
    folder, lock = _make(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _of_process(parent: Path) -> Path:
    folder, _ = _make(parent, _PREFIX)
    maker = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == maker else None)
    return folder


def _make(parent: Path, prefix: str) -> tuple[Path, int]:
    for found in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            _sweep_up(found)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    # Under its name only when it is locked: nobody may find it free before.
    draft = folder / f"{_LOCK}.new"
    lock = os.open(draft, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(draft, folder / _LOCK)
    return folder, lock


def _sweep_up(folder: Path) -> None:
    """Remove a folder of this user's whose maker is dead."""
    state = folder.lstat()
    if folder.is_symlink() or not folder.is_dir() or state.st_uid != os.getuid():
        return
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        if time.time() - state.st_mtime > _MAKING_SECONDS:
            shutil.rmtree(folder)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)
