"""The suites that lie beside a suite's file, read just far enough to recognise their questions."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runner.errors import InputError, Problem
from runner.formats.reading import decode, json_lines, nfc, numbered_lines, read_bytes
from runner.formats.strict_yaml import read_mapping
from runner.suites import JudgedQuery, Suite


def suites_beside(suite: Suite, roles: Iterable[str] | None = None) -> tuple[Suite, ...]:
    """The other suites of the own format in the folder of a suite's file, only those of some roles if given.

    They hold ids, texts and earlier turns, nothing that is judged: a suite is recognised while its judgments are
    being worked on. Raises InputError for a file of queries that is not there or not one JSON object a line.
    """
    if not suite.path:
        return ()
    own = Path(suite.path)
    found = []
    for head in sorted(own.parent.glob("*.yaml")):
        values = _head(head)
        if values is None or (roles is not None and values.get("role", "development") not in roles):
            continue
        queries = head.parent / str(values.get("queries") or f"{head.stem}.jsonl")
        if queries.resolve() == own.resolve() and values["name"] == suite.name:
            continue
        found.append(_suite(values, queries))
    return tuple(found)


def _head(path: Path) -> Mapping[str, Any] | None:
    """What a YAML file says, or None where it is no suite's head."""
    problems: list[Problem] = []
    text = decode(read_bytes(path, "the YAML head of a suite"), problems)
    mapping = read_mapping(text, problems) if text is not None else None
    if mapping is None or not isinstance(mapping.values.get("name"), str) or "unit" not in mapping.values:
        return None
    return mapping.values


def _suite(head: Mapping[str, Any], path: Path) -> Suite:
    problems: list[Problem] = []
    data = read_bytes(path, f"the queries of suite {head['name']!r}, which lies beside")
    queries = []
    for line, row in json_lines(numbered_lines(data, problems), problems, strict=False):
        id_, text, history = row.get("query_id"), row.get("text"), row.get("history")
        if not isinstance(id_, str) or not isinstance(text, str | None):
            problems.append(Problem(line, "expected a query_id and a text, both strings"))
            continue
        turns = tuple(turn for turn in history if isinstance(turn, str)) if isinstance(history, list) else ()
        queries.append(JudgedQuery(nfc(id_), text or "", {}, history=turns))
    if problems:
        raise InputError.of(path, problems)
    role = str(head.get("role", "development"))
    return Suite(head["name"], role, str(head["unit"]), tuple(queries), path=str(path))
