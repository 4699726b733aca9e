"""Read JSON strictly: each key once, finite numbers of a length that can be kept, whole characters, a bounded depth."""

import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any, NoReturn

# Deeper nesting is no data that anybody wrote, and what walks over it would run out of stack.
DEEPEST = 100
# Python itself refuses to read more than 4,300 digits, and floats end at 308.
MOST_DIGITS = 300


class JsonFault(ValueError):
    """Why a text is not JSON that can be kept, in one line. position: the character where it is, if that is known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise JsonFault(f"key {next(key for key in keys if keys.count(key) > 1)!r} is given twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise JsonFault(f"{name} is not a number that can be kept; expected a finite one")


def _finite(text: str) -> float:
    number = float(text)
    # 1e999 is JSON, and an infinity in Python.
    return number if math.isfinite(number) else _no_constant(text)


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise JsonFault(f"a number of {len(text):,} digits cannot be kept; expected at most {MOST_DIGITS}")
    return int(text)


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
_FAST = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)


def parse_json(text: str | bytes, *, strict: bool = True) -> Any:
    """Read one JSON value and nothing after it; strict also refuses keys given twice, at about twice the time.

    Raises JsonFault, a ValueError, and UnicodeDecodeError, which is one too, for bytes that are not UTF-8.
    """
    if isinstance(text, bytes):
        text = text.decode()
    start = len(text) - len(text.lstrip(" \t\r\n"))
    value, end = parse_json_at(text, start, strict=strict)
    if text[end:].strip(" \t\r\n"):
        raise JsonFault(f"not JSON (Extra data at column {_column(text, end)})", end)
    return value


def parse_json_at(text: str, position: int, *, strict: bool = True) -> tuple[Any, int]:
    """Read the JSON value that begins at a position, and say where it ends. Raises JsonFault."""
    decoder = _STRICT if strict else _FAST
    try:
        value, end = decoder.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise JsonFault(f"not JSON ({error.msg} at column {error.colno})", error.pos) from None
    except RecursionError:
        raise _too_deep() from None
    if text.count("[", position, end) + text.count("{", position, end) > DEEPEST and _deeper(value, DEEPEST):
        raise _too_deep()
    if text.find("\\ud", position, end) >= 0 or text.find("\\uD", position, end) >= 0:
        _refuse_half_pairs(value)
    return value, end


def _too_deep() -> JsonFault:
    return JsonFault(f"JSON nested too deeply; expected at most {DEEPEST} levels of brackets")


def _deeper(value: Any, most: int) -> bool:
    """Whether lists and objects stand in each other more than so many levels deep."""
    level: list[Any] = [value]
    for _ in range(most + 1):
        held = [each for each in level if isinstance(each, list | dict)]
        if not held:
            return False
        level = [inner for each in held for inner in (each.values() if isinstance(each, dict) else each)]
    return True


def _refuse_half_pairs(value: Any) -> None:
    """Text may escape half a surrogate pair, which no UTF-8 file can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JsonFault("a \\ud... escape is half of a pair; expected whole characters") from None


def _column(text: str, position: int) -> int:
    return position - text.rfind("\n", 0, position)


def json_text(value: Any) -> str:
    """A JSON value as files of people and machines have it: indented, with a line end.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


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
