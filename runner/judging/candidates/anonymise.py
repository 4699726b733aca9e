"""Take what points to a person out of a text, by the rules of a file, and say which rules found something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from retrievers.digest import file_digest
from runner.errors import InputError, Problem
from runner.formats.reading import decode, id_fault, kind_of, read_bytes, unknown_keys
from runner.formats.strict_yaml import read_mapping

_KEYS = ("name", "pattern", "replacement")
_WHAT = "a file of anonymising rules (--rules)"


@dataclass(frozen=True)
class Rule:
    """pattern: what is looked for. replacement: what stands there instead, `\\1` being the pattern's first group."""

    name: str
    pattern: re.Pattern[str]
    replacement: str

    @property
    def may_be_slow(self) -> bool:
        """Whether an unbounded repeat stands inside another one, which on some texts takes exponential time."""
        return _nested(_parsed(self.pattern.pattern))


@dataclass(frozen=True)
class Anonymised:
    """text: what is left. rules: the names of those that replaced something, in their order."""

    text: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """rules: applied one after the other, each to what the ones before left. sha256: of their file."""

    rules: tuple[Rule, ...]
    path: str
    sha256: str

    @classmethod
    def read(cls, path: Path) -> "Rules":
        """Read a YAML file, `rules: [{name, pattern, replacement}]`.

        Raises InputError listing every fault with its line: unknown or missing keys, a name given twice, what is no
        regular expression, one that matches the empty string, a replacement that names a group which is not there.
        """
        data = read_bytes(path, _WHAT)
        problems: list[Problem] = []
        text = decode(data, problems)
        rules = _rules(text, problems) if text is not None else ()
        if problems:
            raise InputError.of(path, problems)
        return cls(rules, str(path), file_digest(path))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rules, in the order in which they are applied."""
        return tuple(rule.name for rule in self.rules)

    @property
    def slow(self) -> tuple[str, ...]:
        """The names of rules that may take very long on some texts."""
        return tuple(rule.name for rule in self.rules if rule.may_be_slow)

    def apply(self, text: str) -> Anonymised:
        """Anonymise one text."""
        applied = []
        for rule in self.rules:
            text, count = rule.pattern.subn(rule.replacement, text)
            if count:
                applied.append(rule.name)
        return Anonymised(text, tuple(applied))


def _rules(text: str, problems: list[Problem]) -> tuple[Rule, ...]:
    head = read_mapping(text, problems)
    if head is None:
        if not problems:
            problems.append(Problem(1, "expected `rules:` and a list of {name, pattern, replacement}"))
        return ()
    for key in head.values:
        problems.extend(Problem(head.lines[key], fault) for fault in unknown_keys({key: None}, ("rules",)))
    listed = head.values.get("rules")
    if not isinstance(listed, list) or not listed:
        found = f"found {kind_of(listed)}, " if "rules" in head.values else ""
        message = f"rules: {found}expected a list of {{name, pattern, replacement}}"
        problems.append(Problem(head.lines.get("rules"), message))
        return ()
    rules = []
    line_of: dict[str, int] = {}
    for values, lines in zip(listed, _lines(text), strict=True):
        faults = _faults(values)
        name = str(values.get("name", "")) if isinstance(values, dict) else ""
        if not faults and name in line_of:
            faults["name"] = f"name {name!r} is given twice, first in line {line_of[name]}"
        for key, fault in faults.items():
            problems.append(Problem(lines.get(key, lines[""]), f"rule {name!r}: {fault}" if name else fault))
        if not faults:
            line_of[name] = lines["name"]
            rules.append(Rule(name, re.compile(values["pattern"]), values["replacement"]))
    return tuple(rules)


def _lines(text: str) -> Iterator[dict[str, int]]:
    """For every rule the line of each of its keys; under "" the line on which it begins."""
    import yaml

    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    (listed,) = (value for key, value in node.value if key.value == "rules")
    for each in listed.value:
        pairs = each.value if isinstance(each, yaml.MappingNode) else []
        keys = {str(key.value): key.start_mark.line + 1 for key, _ in pairs}
        yield {**keys, "": each.start_mark.line + 1}


def _faults(values: Any) -> dict[str, str]:
    """What is wrong with a rule, by the key that is to be mended."""
    if not isinstance(values, dict):
        return {"": f"found {kind_of(values)}, expected {{name, pattern, replacement}}"}
    faults = {key: unknown_keys({key: None}, _KEYS)[0] for key in values if key not in _KEYS}
    faults |= {key: f"{key} is missing" for key in _KEYS if key not in values}
    if "name" in values and (fault := id_fault(values["name"])):
        faults["name"] = f"name {fault}"
    for key in ("pattern", "replacement"):
        if key in values and not isinstance(values[key], str):
            faults[key] = f"{key}: found {kind_of(values[key])}, expected text in single quotes"
    if "pattern" in faults or "pattern" not in values:
        return faults
    try:
        pattern = re.compile(values["pattern"])
    except (re.error, RecursionError, OverflowError) as error:
        return {**faults, "pattern": f"pattern: {values['pattern']!r} is no regular expression ({error})"}
    if _parsed(values["pattern"]).getwidth()[0] == 0:
        faults["pattern"] = f"pattern: {values['pattern']!r} matches the empty string, so it would match everywhere"
    if "replacement" in values and "replacement" not in faults:
        try:
            pattern.sub(values["replacement"], "")
        except (re.error, IndexError) as error:
            faults["replacement"] = f"replacement: {values['replacement']!r} cannot be used ({error})"
    return faults


def _parsed(pattern: str) -> Any:
    # Only the parser knows how little a pattern can match, and what repeats inside what.
    return import_module("re._parser").parse(pattern)


def _nested(parsed: Any, inside: bool = False) -> bool:
    endless = import_module("re._constants").MAXREPEAT
    for operation, value in parsed:
        repeats = str(operation) in ("MAX_REPEAT", "MIN_REPEAT") and value[1] is endless
        if repeats and inside:
            return True
        if any(_nested(inner, inside or repeats) for inner in _subpatterns(value)):
            return True
    return False


def _subpatterns(value: Any) -> Iterator[Any]:
    if hasattr(value, "getwidth"):
        yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _subpatterns(inner)
