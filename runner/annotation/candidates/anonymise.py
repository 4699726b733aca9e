"""Take what points to a person out of a text, by the rules of a file, and say which rules found something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.digest import file_digest
from runner.annotation.candidates.rule import AnonymisingRule, NormalizedText, TookTooLong, at_most
from runner.errors import InputError, Problem
from runner.files.reading import decode, id_fault, kind_of, read_bytes, unknown_keys
from runner.files.strict_yaml import read_mapping

_REQUIRED = ("name", "pattern", "replacement")
_KEYS = (*_REQUIRED, "keep")
_WHAT = "a file of anonymising rules (rules=)"
# Seconds of processor time for one rule on one text, a thousand times what the shipped rules need.
_PATIENCE = 2.0
_BOUND = "a repeat inside a repeat, like (a+)+b, does that: make the inner one possessive, like (a++)+b"
# What matches nothing somewhere in here would match nothing nearly everywhere.
_PROBE = "".join(map(chr, range(32, 127))) + "字，字\n"


@dataclass(frozen=True)
class Anonymised:
    """text: what is left. rules: the names of those that replaced something, in their order."""

    text: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """rules: applied one after the other, each to what the ones before left. sha256: of their file."""

    rules: tuple[AnonymisingRule, ...]
    path: str
    sha256: str

    @classmethod
    def read(cls, path: Path) -> "Rules":
        """Read a YAML file, `rules: [{name, pattern, replacement, keep: [pattern, ...]}]`, `keep` being optional.

        Raises InputError listing every fault with its line: unknown or missing keys, a name given twice, what is no
        regular expression, one that matches the empty string or asks for a character that no normalized text holds, a
        replacement that names a group which is not there.
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
        """Anonymise one text. Raises InputError for a rule that does not come to an end on it."""
        applied = []
        read = NormalizedText.of(text)
        for rule in self.rules:
            try:
                with at_most(_PATIENCE):
                    replaced = rule.replaced(read)
            except TookTooLong:
                raise InputError(
                    f"{self.path}: rule {rule.name!r} came to no end within {_PATIENCE:g} s on a text of "
                    f"{len(read.text):,} characters; {_BOUND}"
                ) from None
            if replaced is not None:
                applied.append(rule.name)
                read = NormalizedText.of(replaced)
        return Anonymised(read.given, tuple(applied))


def _rules(text: str, problems: list[Problem]) -> tuple[AnonymisingRule, ...]:
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
            keep = tuple(map(re.compile, values.get("keep", ())))
            rules.append(AnonymisingRule(name, re.compile(values["pattern"]), values["replacement"], keep))
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
    faults |= {key: f"{key} is missing" for key in _REQUIRED if key not in values}
    if "name" in values and (fault := id_fault(values["name"])):
        faults["name"] = f"name {fault}"
    for key in ("pattern", "replacement"):
        if key in values and not isinstance(values[key], str):
            faults[key] = f"{key}: found {kind_of(values[key])}, expected text in single quotes"
    keep = values.get("keep", [])
    if not isinstance(keep, list) or not all(isinstance(each, str) for each in keep):
        faults["keep"] = f"keep: found {kind_of(keep)}, expected a list of patterns in single quotes"
    elif fault := next(filter(None, map(_pattern_fault, keep)), None):
        faults["keep"] = f"keep: {fault}"
    if "pattern" in faults or "pattern" not in values:
        return faults
    if fault := _pattern_fault(values["pattern"]):
        faults["pattern"] = f"pattern: {fault}"
    elif "replacement" in values and "replacement" not in faults:
        try:
            re.compile(values["pattern"]).sub(values["replacement"], "")
        except (re.error, IndexError) as error:
            faults["replacement"] = f"replacement: {values['replacement']!r} cannot be used ({error})"
    return faults


def _pattern_fault(pattern: str) -> str | None:
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"{pattern!r} is no regular expression ({error})"
    try:
        with at_most(_PATIENCE):
            empty = compiled.search("") or any(not match[0] for match in compiled.finditer(_PROBE))
    except TookTooLong:
        return f"{pattern!r} comes to no end on a text of {len(_PROBE)} characters; {_BOUND}"
    if empty:
        return f"{pattern!r} matches the empty string, so it would match everywhere"
    for character in pattern:
        if (normalized := NormalizedText.of(character).text) != character:
            return f"{pattern!r} holds {character!r}, which is read as {normalized!r} in every text; write that"
    return None
