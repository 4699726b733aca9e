"""One way to write a value as JSON, so that equal values have equal hashes."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def canonical_json(value: Any) -> str:
    """Write a JSON value with sorted keys, no white space and no escapes beyond the required ones.

    Raises ValueError for NaN and infinities, TypeError for anything that JSON does not know.
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_of(value: Any) -> str:
    """The sha256 of a JSON value, as 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def sha256_of_lines(lines: Iterable[str]) -> str:
    """The sha256 of lines joined with, and ended by, line feeds: what `sha256sum` prints for that file."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()
