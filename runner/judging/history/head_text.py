"""Change single keys in the text of a suite's YAML head; comments, order and everything else stay as they are."""

import json
from collections.abc import Mapping
from typing import Any

from runner.errors import InputError, Problem
from runner.formats.strict_yaml import read_mapping


def with_keys(text: str, changes: Mapping[str, str | None], where: str) -> str:
    """The text with each key set to a string, or taken out for None; a new key follows the last that is there.

    Raises InputError, naming `where`, for a head that is not written as `key: value` lines.
    """
    before = _values(text)
    for key, value in changes.items():
        if before is not None and before.get(key) != value:
            text = _changed(text, key, value)
    wanted = None if before is None else {**before, **changes}
    after = _values(text)
    if wanted is None or after is None or after != {key: each for key, each in wanted.items() if each is not None}:
        raise InputError(
            f"{where}: {' and '.join(changes)} cannot be changed in this head; write it as `key: value` lines"
        )
    return text


def _values(text: str) -> dict[str, Any] | None:
    problems: list[Problem] = []
    found = read_mapping(text, problems)
    return None if found is None else {key: value for key, value in found.values.items() if value is not None}


def _changed(text: str, key: str, value: str | None) -> str:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        # The change before this one did not fit; the caller sees what came of it.
        return text
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    # JSON strings are YAML strings too, and cannot turn into numbers or dates.
    line = f"{key}: {json.dumps(value, ensure_ascii=False)}"
    for name, held in pairs:
        if name.value == key:
            start = text.rfind("\n", 0, name.start_mark.index) + 1
            end = held.end_mark.index if held.end_mark.index > held.start_mark.index else name.end_mark.index
            end = max(end, name.end_mark.index)
            # What stands behind a value on its line speaks of the old one.
            after = text.find("\n", end)
            after = len(text) if after < 0 else after
            if value is None:
                return text[:start] + text[after + 1 :]
            return text[:start] + line + ("\r" if text[after - 1 : after] == "\r" else "") + text[after:]
    if value is None or not pairs:
        return text
    end = text.find("\n", pairs[-1][1].end_mark.index - 1)
    newline = "\r\n" if "\r\n" in text else "\n"
    if end < 0:
        return f"{text}{newline}{line}{newline}"
    return f"{text[: end + 1]}{line}{newline}{text[end + 1 :]}"
