"""Read a JSON array of objects with the line on which each object begins."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runner.errors import Problem
from runner.formats.reading import decode, kind_of, read_bytes
from runner.formats.strict_json import JsonFault, parse_json_at

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
