"""Add to the end of a file: all of it, or nothing."""

import os


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
