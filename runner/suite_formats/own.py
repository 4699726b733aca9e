"""The own format: a YAML head beside a file of queries, one JSON object a line."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from retrievers.text_file import packed_or_plain
from runner.errors import InputError, Problem
from runner.files.reading import decode, json_lines, numbered_lines, read_bytes, unknown_keys
from runner.files.strict_json import canonical_json
from runner.files.strict_yaml import YamlMapping, read_mapping
from runner.suite_formats.head import head_faults, names_in, slice_faults
from runner.suite_formats.query_row import QueryRow, RowRules
from runner.suites import JudgedQuery, Suite
from runner.suites.suite import COVERAGE

_KEYS = (
    "name",
    "role",
    "unit",
    "snapshot",
    "documents",
    "frozen",
    "coverage",
    "slices",
    "fields",
    "min_grade",
    "history",
    "missing",
    "queries",
    "texts",
    "about",
)
_HEAD = "suite.yaml"
_QUERIES = "queries.jsonl"
_TEXTS = ("required", "optional")


@dataclass(frozen=True)
class OwnSuite:
    """path: the YAML head. Its `queries` names the JSONL file relative to it; without, the one of the same stem."""

    path: str | Path

    def read(self, *, thawed: bool = False) -> Suite:
        """Return the suite, queries sorted by id; thawed: also one that was changed since it was frozen.

        Raises InputError listing every fault of both files: unknown or missing keys, wrong types, bad grades and ids,
        ids given twice, no relevant item, no text, bytes that are not UTF-8, declared slices that no query has.
        """
        path = Path(self.path)
        head_problems: list[Problem] = []
        head = _read_head(path, head_problems)
        values = head.values
        queries_path = path.parent / str(values.get("queries") or f"{path.stem}.jsonl")
        problems: dict[Path, list[Problem]] = {path: head_problems, queries_path: []}
        slices = _names(values.get("slices"))
        min_grade = values.get("min_grade", 1)
        rules = RowRules(
            min_grade if isinstance(min_grade, int) and min_grade >= 1 else 1,
            (*names_in(slices), *_names(values.get("fields"))),
            values.get("texts", "required") == "required",
            unit=str(values.get("unit")),
        )
        queries: tuple[JudgedQuery, ...] = ()
        if packed_or_plain(queries_path).is_file():
            queries = read_queries(queries_path, rules, problems[queries_path])
        else:
            message = f"the file of queries, {queries_path}, is not there (key `queries`, relative to this head)"
            head_problems.append(Problem(head.lines.get("queries"), message))
        if not any(problems.values()):
            line = head.lines.get("slices")
            head_problems.extend(Problem(line, fault) for fault in slice_faults(slices, queries))
        if any(problems.values()):
            raise InputError.of_files(problems)
        suite = Suite(
            name=values["name"],
            role=values.get("role", "development"),
            unit=values["unit"],
            queries=queries,
            snapshot=values.get("snapshot"),
            slices=slices,
            min_grade=min_grade,
            history_mode=values.get("history", "prepend"),
            path=str(queries_path),
            documents=values.get("documents"),
            coverage=float(values.get("coverage", COVERAGE)),
            frozen=values.get("frozen"),
            head=str(path),
            missing=values.get("missing", "error"),
        )
        if not thawed and suite.frozen not in (None, suite.revision):
            raise InputError.of(path, [Problem(head.lines.get("frozen"), _thawed(suite, path))])
        return suite


def _thawed(suite: Suite, path: Path) -> str:
    return (
        f"suite {suite.name!r} is frozen at revision {suite.frozen}, its content is now {suite.revision}; take the "
        f"change back, or make it a revision on purpose: python -m runner judgments freeze {path} why=REASON"
    )


def read_queries(path: Path, rules: RowRules, problems: list[Problem]) -> tuple[JudgedQuery, ...]:
    """Read the queries of a JSONL file, sorted by id, noting every fault with its line."""
    data = read_bytes(path, "a file of queries, one JSON object a line")
    return collect_queries(json_lines(numbered_lines(data, problems), problems), rules, problems)


def collect_queries(rows: Any, rules: RowRules, problems: list[Problem]) -> tuple[JudgedQuery, ...]:
    """Turn (line, object) pairs into queries sorted by id, noting every fault and every id given twice."""
    queries: dict[str, JudgedQuery] = {}
    line_of: dict[str, int] = {}
    for line, row in rows:
        reader = QueryRow(row, line, rules)
        query = reader.query()
        problems.extend(Problem(line, fault) for fault in reader.faults)
        # A faulty query also takes its id, so that a second one with the same id is noted at once.
        id_ = same_id(row["query_id"]) if isinstance(row.get("query_id"), str) else None
        if id_ and id_ in line_of:
            problems.append(Problem(line, f"query_id {id_!r} is given twice, first in line {line_of[id_]}"))
        elif id_:
            line_of[id_] = line
        if query:
            queries[query.id] = query
    if not line_of and not problems:
        problems.append(Problem(None, "holds no query; expected at least one"))
    return tuple(queries[id_] for id_ in sorted(queries))


def write_own(suite: Suite, directory: Path) -> Path:
    """Write a suite as suite.yaml and queries.jsonl; reading them back gives the same revision."""
    directory.mkdir(parents=True, exist_ok=True)
    head = {
        "name": suite.name,
        "role": suite.role,
        "unit": suite.unit,
        "snapshot": suite.snapshot,
        "documents": suite.documents,
        "coverage": suite.coverage,
        "slices": list(suite.slices),
        "fields": sorted({name for query in suite.queries for name in query.fields}),
        "min_grade": suite.min_grade,
        "history": suite.history_mode,
        "missing": suite.missing,
        "queries": _QUERIES,
        "texts": "required" if all(query.text for query in suite.scored() + suite.unanswerable()) else "optional",
    }
    # JSON strings are YAML strings too, and cannot turn into numbers or dates.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items()]
    target = directory / _HEAD
    target.write_text("".join(lines), encoding="utf-8", newline="\n")
    rows = []
    for query in suite.queries:
        rows.append(canonical_json(query.row()) + "\n")
    (directory / _QUERIES).write_text("".join(rows), encoding="utf-8", newline="\n")
    return target


def _read_head(path: Path, problems: list[Problem]) -> YamlMapping:
    text = decode(read_bytes(path, "the YAML head of a suite (suite.path)"), problems)
    head = read_mapping(text, problems) if text is not None else None
    if head is None:
        if not problems:
            problems.append(Problem(1, "expected `key: value` lines (name, unit, role, ...), the head of a suite"))
        raise InputError.of(path, problems)
    values, lines = head.values, head.lines
    for key in values:
        if key not in _KEYS:
            problems.append(Problem(lines[key], unknown_keys({key: None}, _KEYS)[0]))
    for key in ("name", "unit"):
        if key not in values:
            problems.append(Problem(None, f"{key} is missing"))
    problems.extend(Problem(lines.get(key), fault) for key, fault in head_faults(values).items())
    if values.get("texts", "required") not in _TEXTS:
        problems.append(Problem(lines["texts"], f"texts: expected one of {', '.join(_TEXTS)}"))
    if not isinstance(values.get("queries", ""), str):
        problems.append(Problem(lines["queries"], "queries: expected a file name relative to this head"))
    return head


def _names(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def read_own(directory: str | Path) -> Suite:
    """Read what `write_own` wrote; the revision is the same.

    Raises InputError as `OwnSuite.read` does, and for a head that names its queries otherwise: it may come from
    somebody else, and name any file of this machine.
    """
    path = Path(directory) / _HEAD
    head = _read_head(path, [])
    if head.values.get("queries") != _QUERIES:
        message = f"queries: found {head.values.get('queries')!r}, expected {_QUERIES}, the file beside it"
        raise InputError.of(path, [Problem(head.lines.get("queries"), message)])
    return OwnSuite(path).read()
