"""Content hashes of the files a retriever reads, so that a cache key follows the bytes and not the name."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from retrievers.base import RetrievalError

Stamp = tuple[str, int, int]


def stamp(path: str | Path) -> Stamp:
    """Return (absolute path, size, mtime in ns): equal stamps are taken to mean equal content.

    Raises RetrievalError where there is no such file.
    """
    found = Path(path).expanduser()
    if not found.is_file():
        raise RetrievalError(f"{found}: found no file, expected a readable one; mend the path in the configuration")
    status = found.stat()
    return str(found.resolve()), status.st_size, status.st_mtime_ns


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file as hex, read once a process for each (path, size, mtime).

    Raises RetrievalError where there is no such file.
    """
    return _digest(stamp(path))


def joint_digest(root: Path, files: Iterable[Path]) -> str:
    """Return one SHA-256 over files below `root`: their names there, and their contents."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.relative_to(root).as_posix()}\0{file_digest(file)}\n".encode())
    return total.hexdigest()


@lru_cache(maxsize=4096)
def _digest(stamped: Stamp) -> str:
    with open(stamped[0], "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
