"""The bytes of a text file: unpacked where they are packed, and refused by name where they are no text at all."""

import gzip
import io
import zlib
from pathlib import Path

# Some kilobytes can unpack to more than a machine has.
MOST_UNPACKED = 4 * 1024**3
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NO_TEXT = (
    (b"%PDF-", "is a PDF; export its text first"),
    (b"PK\x03\x04", "is a ZIP archive or an office document; unpack it, or export its text"),
    (b"\xd0\xcf\x11\xe0", "is an office document; export its text first"),
    (b"\x89PNG", "is an image"),
    (b"\xff\xd8\xff", "is an image"),
    (b"SQLite format 3\0", "is an SQLite database"),
    (b"PAR1", "is a Parquet file; export it as text first"),
    (b"BZh", "is packed with bzip2; unpack it, or pack it with gzip"),
    (b"\xfd7zXZ\0", "is packed with xz; unpack it, or pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "is packed with Zstandard; unpack it, or pack it with gzip"),
)


class NotText(ValueError):
    """The file is no text; the message says what it is and what to do."""


def text_bytes(path: str | Path, most: int = MOST_UNPACKED) -> bytes:
    """Return the bytes of a file without a byte order mark, those of `path.gz` where only that is there.

    Raises NotText for what is no text, is damaged, or unpacks to more than `most` bytes; OSError as opening does.
    """
    return unpacked_text(packed_or_plain(path).read_bytes(), most).removeprefix(_BOM)


def unpacked_text(data: bytes, most: int = MOST_UNPACKED) -> bytes:
    """Return the bytes of a text, unpacked where they are packed. Raises NotText as `text_bytes` does."""
    if data.startswith(_GZIP):
        data = _unpacked(data, most)
    for mark, says in _NO_TEXT:
        if data.startswith(mark):
            raise NotText(says)
    return data


def packed_or_plain(path: str | Path) -> Path:
    """Return the path, or `path.gz` where only that is there."""
    place = Path(path)
    packed = place.with_name(f"{place.name}.gz")
    return packed if place.name and not place.exists() and packed.is_file() else place


def is_packed(path: str | Path) -> bool:
    """Return whether reading the file would unpack it."""
    place = packed_or_plain(path)
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def _unpacked(data: bytes, most: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NotText(f"is a damaged gzip file ({error}); copy it anew") from None
    if len(found) > most:
        raise NotText(f"unpacks to more than {most:,} bytes; split it")
    return found
