"""Read a YAML mapping with the line of every key, refusing keys given twice."""

from dataclasses import dataclass
from datetime import date, time
from typing import Any

from runner.errors import Problem


@dataclass(frozen=True)
class YamlMapping:
    """values: plain JSON values by key (dates become ISO text). lines: where each key of the top level is."""

    values: dict[str, Any]
    lines: dict[str, int]


def read_mapping(text: str, problems: list[Problem], first_line: int = 1) -> YamlMapping | None:
    """Parse YAML, note its faults, and return None if it is faulty or something else than a mapping.

    Faults are also a key given twice, one that is null, and more values or levels than a person writes. Empty text is
    an empty mapping. first_line: the line of the file on which the text begins.
    """
    import yaml

    from runner.files.bounded_yaml import BoundedLoader

    before = len(problems)
    loader = None
    try:
        loader = BoundedLoader(text)
        node: Any = loader.get_single_node()
        if node is None:
            return YamlMapping({}, {})
        if not isinstance(node, yaml.MappingNode):
            return None
        _note_repeated(node, problems, first_line)
        lines = {str(key.value): first_line + key.start_mark.line for key, _ in node.value}
        values = loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + mark.line if mark else first_line
        problems.append(Problem(line, f"not YAML ({getattr(error, 'problem', None) or 'unreadable character'})"))
        return None
    finally:
        if loader is not None:
            loader.dispose()
    plain: dict[str, Any] = {}
    for key, value in values.items():
        try:
            plain[key] = json_values(value)
        except ValueError as error:
            problems.append(Problem(lines.get(key, first_line), f"field {key!r}: {error}"))
    return YamlMapping(plain, lines) if len(problems) == before else None


def _note_repeated(node: Any, problems: list[Problem], first_line: int) -> None:
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                problems.append(Problem(first_line + key.start_mark.line, f"key {key.value!r} is given twice"))
            seen.add(str(key.value))
            _note_repeated(value, problems, first_line)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _note_repeated(value, problems, first_line)


def json_values(value: Any) -> Any:
    """A value of YAML or TOML as JSON has it, dates and times as text. Raises ValueError for what has no such form."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: json_values(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [json_values(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise ValueError(f"found {value}, expected a finite number")
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
        raise ValueError("holds half of a surrogate pair")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"found {type(value).__name__}, expected text, a number, true or false, a list or a mapping")
