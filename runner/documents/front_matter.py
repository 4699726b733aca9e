"""Split the block that may open a page, in YAML, TOML or JSON, from the page's own text."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.errors import Problem
from runner.files.strict_json import JsonFault, parse_json, parse_json_at
from runner.files.strict_yaml import json_values, read_mapping

_BLOCKS = (
    ("YAML", re.compile(r"---[ \t]*(?:yaml)?[ \t]*\n(?P<block>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")),
    ("TOML", re.compile(r"\+\+\+[ \t]*\n(?P<block>(?:.*\n)*?)\+\+\+[ \t]*(?:\n|\Z)")),
    ("TOML", re.compile(r"---[ \t]*toml[ \t]*\n(?P<block>(?:.*\n)*?)---[ \t]*(?:\n|\Z)")),
    ("JSON", re.compile(r"---[ \t]*json[ \t]*\n(?P<block>(?:.*\n)*?)---[ \t]*(?:\n|\Z)")),
)
# As Hugo writes it: an object of several lines without any fence.
_BARE = re.compile(r"\{[ \t]*\n")
_TOML_LINE = re.compile(r"\s*\(at line (?P<line>\d+), column \d+\)|\s*\(at end of document\)")
_ADVICE = {
    "YAML": "front matter is YAML between --- lines (put a blank line before a --- that is only a rule)",
    "TOML": "front matter between +++ lines is TOML",
    "JSON": "front matter is a JSON object",
}


@dataclass(frozen=True)
class FrontMatter:
    """fields: what the block says, as JSON values. body: the text after it."""

    body: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def split_front_matter(text: str, problems: list[Problem], *, only_yaml: bool = False) -> FrontMatter:
    """Take the block off the top of a page (line ends already LF).

    YAML stands between two `---` lines, TOML between `+++`, JSON as it is; `---toml` and `---json` work, too.
    A block that holds no mapping is text between two rules, and stays. One that cannot be read is noted as a problem.
    """
    for language, pattern in _BLOCKS[:1] if only_yaml else _BLOCKS:
        if match := pattern.match(text):
            faults: list[Problem] = []
            fields = _READ[language](match["block"], faults)
            problems.extend(Problem(fault.line, f"{fault.message}; {_ADVICE[language]}") for fault in faults)
            return FrontMatter(text) if fields is None else FrontMatter(text[match.end() :], fields)
    return FrontMatter(text) if only_yaml or not _BARE.match(text) else _bare_json(text, problems)


def _bare_json(text: str, problems: list[Problem]) -> FrontMatter:
    try:
        _, end = parse_json_at(text, 0, strict=False)
    except JsonFault:
        # A page may well begin with a brace.
        return FrontMatter(text)
    rest = re.compile(r"[ \t]*(?:\n|\Z)").match(text, end)
    fields = _json(text[:end], problems, first_line=1) if rest else None
    return FrontMatter(text) if rest is None or fields is None else FrontMatter(text[rest.end() :], fields)


def _yaml(block: str, faults: list[Problem]) -> Mapping[str, Any] | None:
    mapping = read_mapping(block, faults, first_line=2)
    return mapping.values if mapping else None


def _toml(block: str, faults: list[Problem]) -> Mapping[str, Any] | None:
    try:
        return {key: json_values(value) for key, value in tomllib.loads(block).items()}
    except tomllib.TOMLDecodeError as error:
        place = _TOML_LINE.search(str(error))
        line = 1 + int(place["line"] or 1) if place else 2
        faults.append(Problem(line, f"not TOML ({_TOML_LINE.sub('', str(error))})"))
    except ValueError as error:
        faults.append(Problem(2, str(error)))
    except RecursionError:
        faults.append(Problem(2, "TOML nested too deeply"))
    return None


def _json(block: str, faults: list[Problem], first_line: int = 2) -> Mapping[str, Any] | None:
    try:
        value = parse_json(block)
    except JsonFault as fault:
        faults.append(Problem(first_line + block.count("\n", 0, fault.position or 0), str(fault)))
        return None
    return value if isinstance(value, dict) else None


_READ: Mapping[str, Callable[[str, list[Problem]], Mapping[str, Any] | None]] = {
    "YAML": _yaml,
    "TOML": _toml,
    "JSON": _json,
}
