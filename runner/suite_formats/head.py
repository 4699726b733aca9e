"""What a suite says about itself, checked the same way whatever the format."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.errors import ConfigError
from runner.files.nearest import did_you_mean
from runner.files.reading import id_fault, kind_of
from runner.suites import CROSSING, DERIVED_FIELDS, HISTORY_MODES, MISSING, ROLES, UNITS, JudgedQuery, Suite

_CHOICES: Mapping[str, tuple[str, ...]] = {"role": ROLES, "unit": UNITS, "history": HISTORY_MODES, "missing": MISSING}
_LONGEST_NAME = 500
# Keys of a query that are also worth slicing by.
SLICEABLE = ("source", "added")


def head_faults(values: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with the given keys (name, role, unit, history, missing, snapshot, ...), by key."""
    faults: dict[str, str] = {}
    for key, value in values.items():
        fault = _fault(key, value)
        if fault:
            faults[key] = fault
    return faults


def _fault(key: str, value: Any) -> str | None:
    if key in _CHOICES and value not in _CHOICES[key]:
        choices = ", ".join(_CHOICES[key])
        return f"{key}: found {kind_of(value)}, expected one of {choices}"
    if key == "name" and (fault := id_fault(value)):
        return f"name {fault}"
    if key == "name" and len(str(value)) > _LONGEST_NAME:
        return f"name: found {len(str(value)):,} characters, expected at most {_LONGEST_NAME}, as MLflow keeps them"
    if key == "name" and "'" in str(value):
        return f"name: found {value!r}, expected no quote in it: MLflow cannot search for one"
    if key == "snapshot" and value is not None and (not isinstance(value, str) or not value.strip()):
        return f'snapshot: found {kind_of(value)}, expected an id in quotes, like "0123456789abcdef"'
    if key in ("documents", "frozen") and value is not None and not _is_digest(value):
        return f'{key}: found {kind_of(value)}, expected 8 to 64 hex digits in quotes, like "0123456789abcdef"'
    if key == "coverage" and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1):
        return f"coverage: found {kind_of(value)}, expected a share above 0 and up to 1"
    if key == "min_grade" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        return f"min_grade: found {kind_of(value)}, expected a whole number from 1"
    if key in ("slices", "fields"):
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each.strip() for each in value):
            return f"{key}: found {kind_of(value)}, expected a list of field names"
        if len(set(value)) < len(value):
            return f"{key}: a name is given twice"
    return None


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{8,64}", value) is not None


def refuse_bad_head(values: Mapping[str, Any]) -> None:
    """Raise ConfigError for settings that came from the configuration instead of from a file."""
    faults = head_faults(values)
    if faults:
        raise ConfigError("; ".join(f"suite.{fault}" for fault in faults.values()))


def refuse_bad_settings(settings: Any, name: str, **more: Any) -> None:
    """Raise ConfigError for what the configuration says of a suite, under these keys too."""
    keys = ("role", "unit", "min_grade", "missing", "snapshot")
    refuse_bad_head({"name": name, **{key: getattr(settings, key) for key in keys}, **more})


def suite_of(
    settings: Any, name: str, queries: tuple[JudgedQuery, ...], path: Path, slices: tuple[str, ...] = ()
) -> Suite:
    """The suite of these queries; settings: a reader with the keys that every format has, such as role and unit."""
    return Suite(
        name,
        settings.role,
        settings.unit,
        queries,
        settings.snapshot,
        slices,
        settings.min_grade,
        path=str(path),
        missing=settings.missing,
    )


def names_in(slices: Iterable[str]) -> tuple[str, ...]:
    """The field names that slices and crossings are made of, without the derived ones."""
    parts = {part.strip() for name in slices for part in name.split(CROSSING)}
    return tuple(sorted(parts - set(DERIVED_FIELDS)))


def slice_faults(slices: Sequence[str], queries: Sequence[JudgedQuery]) -> list[str]:
    """One message for every declared slice whose field no query has."""
    known = {name for query in queries for name, value in query.fields.items() if value not in (None, "", [])}
    return [
        f"slice field {name!r} is declared, but no query has it{did_you_mean(name, known)}"
        for name in names_in(slices)
        if name not in known
    ]
