"""Put a file in place whole, or not at all."""

import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from runner.errors import InputError


def replace_file(path: Path, data: bytes) -> None:
    """Write beside the file, flush to disk, and put it in the file's place; the folder is made.

    Raises InputError if it cannot be written; what was there stays.
    """
    real = path.resolve()
    draft = real.with_name(f".{real.name}.{uuid.uuid4().hex}")
    try:
        write_draft(draft, data, path)
        os.replace(draft, real)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        with suppress(OSError):
            draft.unlink()


def write_draft(draft: Path, data: bytes, path: Path) -> None:
    """Write what will take the place of a file, flushed to disk, with that file's permissions; the folder is made.

    Raises InputError if it cannot be written; nothing of it is left then.
    """
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            draft.chmod(path.stat().st_mode & 0o777)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def append_whole(file: int, data: bytes) -> None:
    """Write data behind what an open file holds, and flush it to the disk.

    Raises OSError, as of a full disk; the file then ends where it ended before.
    """
    size, written = os.fstat(file).st_size, 0
    try:
        while written < len(data):
            written += os.write(file, data[written:])
        os.fsync(file)
    except BaseException:
        # What another writer has added behind it meanwhile is not ours to take away.
        if os.fstat(file).st_size == size + written:
            os.ftruncate(file, size)
        raise


def replace_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write texts and bytes under their names in a folder, each file whole or not at all; the folder is made.

    Raises InputError if one cannot be written.
    """
    for name, data in files.items():
        replace_file(folder / name, data.encode() if isinstance(data, str) else data)
