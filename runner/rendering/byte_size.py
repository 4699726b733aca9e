"""Sizes in bytes as people read and write them, in powers of 1,000."""

import re

_UNITS = ("B", "KB", "MB", "GB", "TB")
_WRITTEN = re.compile(r"(?P<number>\d+(\.\d+)?) ?(?P<unit>[kmgt]?b?)", re.IGNORECASE)


def byte_size(number: int) -> str:
    """Such as `812 B`, `1.2 MB` and `3.4 GB`."""
    size, unit = float(number), 0
    while size >= 999.95 and unit + 1 < len(_UNITS):
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{number} B"


def read_byte_size(text: str) -> int | None:
    """The number of bytes that `10GB`, `500 MB` or `0` says; None for anything else."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    power = " kmgt".index(found["unit"].lower().removesuffix("b") or " ")
    return round(float(found["number"]) * 1000.0**power)
