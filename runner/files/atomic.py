"""Put a file in place whole, or not at all."""

import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from runner.errors import InputError
from runner.files.scratch import owned_folder


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
        raise InputError(f"{path}: cannot be written ({error.strerror}); name a place that can be") from None
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
        raise InputError(f"{path}: cannot be written ({error.strerror}); name a place that can be") from None


def place_folder(
    folder: Path, write: Callable[[Path], None], stands: Callable[[], bool], replace: bool = False
) -> None:
    """Have a folder appear with all that is written into it, or not at all; the folder around it is made.

    write: fills a draft. stands: whether another writer has put the same there meanwhile, and theirs will do.
    replace: take away what is there. Raises InputError where it cannot be put in place.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with owned_folder(folder.parent, ".making-") as making:
        draft = making / folder.name
        draft.mkdir()
        write(draft)
        try:
            if replace:
                shutil.rmtree(folder, ignore_errors=True)
            os.rename(draft, folder)
        except OSError as error:
            if not stands():
                raise InputError(f"{folder}: cannot be made ({error.strerror}); move what is there away") from None


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
