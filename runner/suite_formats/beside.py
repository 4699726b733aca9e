"""The suites that lie beside a suite's file, read just far enough to recognise their questions."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from runner.errors import InputError, Problem
from runner.files.reading import decode, json_lines, numbered_lines, read_bytes
from runner.files.strict_yaml import read_mapping
from runner.suites import HISTORY_MODES, JudgedQuery, Suite


def suites_beside(suite: Suite, roles: Collection[str]) -> tuple[Suite, ...]:
    """The suites of the own format and of some roles, not the suite's own, in the folder of its head.

    They hold ids, texts and earlier turns, nothing that is judged: a suite is recognised while its judgments are
    being worked on. Another head over the very same queries is another suite. Raises InputError for a file of queries
    that is not there or not one JSON object a line.
    """
    own = suite.head or suite.path
    found = []
    for head in sorted(Path(own).parent.glob("*.yaml")) if own else ():
        values = _head(head)
        if values is not None and values.get("role", "development") in roles:
            found.append(_suite(values, head))
    return tuple(found)


def _head(path: Path) -> Mapping[str, Any] | None:
    """What a YAML file says, or None where it is no suite's head."""
    if not path.is_file():
        return None
    data = read_bytes(path, "the YAML head of a suite")
    if b"name" not in data or b"unit" not in data:
        return None
    problems: list[Problem] = []
    text = decode(data, problems)
    mapping = read_mapping(text, problems) if text is not None else None
    if mapping is None or not isinstance(mapping.values.get("name"), str) or "unit" not in mapping.values:
        return None
    return mapping.values


def _suite(head: Mapping[str, Any], place: Path) -> Suite:
    problems: list[Problem] = []
    path = place.parent / str(head.get("queries") or f"{place.stem}.jsonl")
    data = read_bytes(path, f"the queries of suite {head['name']!r}, which lies beside")
    queries = []
    for line, row in json_lines(numbered_lines(data, problems), problems, strict=False):
        id_, text, history = row.get("query_id"), row.get("text"), row.get("history")
        if not isinstance(id_, str) or not isinstance(text, str | None):
            problems.append(Problem(line, "expected a query_id and a text, both strings"))
            continue
        turns = tuple(turn for turn in history if isinstance(turn, str)) if isinstance(history, list) else ()
        queries.append(JudgedQuery(same_id(id_), text or "", {}, history=turns))
    if problems:
        raise InputError.of(path, problems)
    role, history = str(head.get("role", "development")), head.get("history")
    mode = history if history in HISTORY_MODES else HISTORY_MODES[0]
    held = tuple(queries)
    return Suite(head["name"], role, str(head["unit"]), held, history_mode=mode, path=str(path), head=str(place))
