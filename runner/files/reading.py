"""Read text and JSON lines strictly: every fault is kept with its line instead of being guessed around."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from retrievers.ignorable import seen
from retrievers.text_file import NotText, text_bytes
from runner.errors import InputError, Problem
from runner.files.nearest import did_you_mean
from runner.files.strict_json import JsonFault, parse_json, parse_json_at

# Grades are gains: a larger one is a slip of the keyboard, and would drown every other.
HIGHEST_GRADE = 1_000_000
# A question of more characters is a document that got into the wrong file, and would keep a retriever for minutes.
LONGEST_QUESTION = 1_000_000
_KINDS = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}


def read_bytes(path: Path, what: str) -> bytes:
    """The content of a text file, unpacked where it is gzip, without its byte order mark.

    Where only `path.gz` is there, that is read. Raises InputError, saying what was expected, if it cannot be read.
    """
    try:
        return text_bytes(path)
    except NotText as error:
        raise InputError(f"{path}: {error}; expected {what}") from None
    except FileNotFoundError:
        raise InputError(f"{path}: not found; expected {what}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; expected {what}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); expected {what}") from None


def decode(data: bytes, problems: list[Problem], line: int = 1) -> str | None:
    """Decode UTF-8, or note the line of the first bad byte and return None. `line` is where the data begins."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        byte = f"0x{data[error.start]:02x}"
        old = "UTF-16" if line == 1 and data.startswith((b"\xff\xfe", b"\xfe\xff")) else "OLD"
        problems.append(Problem(at, f"byte {byte} is not UTF-8; convert the file (iconv -f {old} -t UTF-8)"))
        return None


def numbered_lines(data: bytes, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1; a line that is not UTF-8 is noted and left out."""
    for number, raw in enumerate(data.split(b"\n"), 1):
        text = decode(raw, problems, number)
        if text is not None and text.strip():
            yield number, text.removesuffix("\r")


def json_lines(
    lines: Iterable[tuple[int, str]], problems: list[Problem], *, strict: bool = True
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse one object a line. strict also notes keys given twice, at about twice the time."""
    for number, text in lines:
        try:
            value = parse_json(text, strict=strict)
        except JsonFault as fault:
            problems.append(Problem(number, str(fault)))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.append(Problem(number, f"found {kind_of(value)}, expected a JSON object {{...}} on every line"))


def kind_of(value: Any) -> str:
    """Name a JSON value for an error message, with the value itself where it is short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    kind = _KINDS.get(type(value), type(value).__name__)
    shown = repr(value) if isinstance(value, str) else str(value)
    return kind if isinstance(value, list | dict) or len(shown) > 60 else f"{kind} {shown}"


def id_fault(value: Any) -> str | None:
    """Say what makes a value unfit as an id, or None. Ids are strings, not empty, of one line, not padded.

    Characters that nobody sees do not count: `same_id` leaves them out.
    """
    if not isinstance(value, str):
        fix = f'; write "{value}"' if isinstance(value, int) and not isinstance(value, bool) else ""
        return f"found {kind_of(value)}, expected a string{fix}"
    value = seen(value)
    if not value.strip():
        return "is empty"
    if value != value.strip():
        return f"{value!r} has white space at its ends"
    if not value.isprintable() and any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in value):
        return f"{value!r} holds a control character (tab, line end, ...)"
    return None


def length_fault(text: str) -> str | None:
    """Say so when the text of a question is longer than any question, or None."""
    if len(text) <= LONGEST_QUESTION:
        return None
    return f"found {len(text):,} characters, expected a question of at most {LONGEST_QUESTION:,}; is it a document?"


def nfc(text: str) -> str:
    """The composed form of a text."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def unknown_keys(found: Mapping[str, Any], known: Iterable[str], fix: str = "") -> list[str]:
    """One message for every key that is not known."""
    words = list(known)
    return [f"unknown field {key!r}{did_you_mean(key, words)}{fix}" for key in found if key not in words]


_SPACE = re.compile(r"[ \t\r\n]*")


def read_array(path: Path, problems: list[Problem], what: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) for each item, noting whatever is not an object.

    Reading stops at the first fault of the JSON itself, since nothing after it can be told apart.
    Raises InputError when the file cannot be read at all.
    """
    text = decode(read_bytes(path, what), problems)
    if text is None:
        return
    position = _skip(text, 0)
    line = 1 + text.count("\n", 0, position)
    if not text.startswith("[", position):
        problems.append(Problem(line, f"expected {what}, which begins with ["))
        return
    counted, position = position, _skip(text, position + 1)
    while not text.startswith("]", position):
        line, counted = line + text.count("\n", counted, position), position
        try:
            value, end = parse_json_at(text, position)
        except JsonFault as fault:
            at = position if fault.position is None else fault.position
            problems.append(Problem(1 + text.count("\n", 0, at), str(fault)))
            return
        if not isinstance(value, dict):
            problems.append(Problem(line, f"found {kind_of(value)}, expected {what}"))
        else:
            yield line, value
        position = _skip(text, end)
        if text.startswith(",", position):
            position = _skip(text, position + 1)
        elif not text.startswith("]", position):
            problems.append(Problem(1 + text.count("\n", 0, position), "expected , or ] after an item of the array"))
            return
    rest = _skip(text, position + 1)
    if rest < len(text):
        problems.append(Problem(1 + text.count("\n", 0, rest), "expected nothing after the closing ]"))


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
