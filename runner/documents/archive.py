"""Open the ZIP archives that EPUB and office documents are, within bounds."""

import io
import zipfile

from runner.errors import InputError

# Some kilobytes can unpack to more than a machine has.
_MOST_UNPACKED = 512 * 1024**2


def open_archive(data: bytes, what: str) -> zipfile.ZipFile:
    """The archive in these bytes. Raises InputError, saying what was expected, for what is none or unpacks too far."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        size = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise InputError(f"is no whole archive ({error}); expected {what}") from None
    if size > _MOST_UNPACKED:
        raise InputError(f"unpacks to {size:,} bytes, more than {_MOST_UNPACKED:,}; expected {what}")
    return archive
