"""Judgments in the two public layouts: BEIR's three columns and TREC's four."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retrievers.script import same_id
from runner.errors import MOST_LISTED, ConfigError, Problem
from runner.files.nearest import nearest_ids
from runner.files.reading import HIGHEST_GRADE, id_fault, numbered_lines, read_bytes
from runner.suites import FieldValue, JudgedQuery

# How files head the columns of grades and of queries, in letters alone.
_GRADES = ("score", "relevance", "rel", "relevant", "relevancy", "grade", "label", "judgment", "judgement", "rating")
_QUERIES = ("query", "queryid", "qid", "topic", "topicid", "question", "questionid")
NEGATIVE = ("error", "zero")
NO_RELEVANT = ("error", "skip")


@dataclass(frozen=True)
class Layout:
    """columns: their names. separator None: any white space. query, unit: positions; the grade is the last column."""

    columns: tuple[str, ...]
    separator: str | None
    query: int
    unit: int


BEIR_LAYOUT = Layout(("query-id", "corpus-id", "score"), "\t", 0, 1)
TREC_LAYOUT = Layout(("query", "iteration", "document", "grade"), None, 0, 2)


@dataclass
class QueryQrels:
    """The judgments of one query: grade and line by judged id."""

    grades: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class AskedQuery:
    """A query before its judgments are known, and the line it stands on."""

    text: str
    line: int
    fields: Mapping[str, FieldValue] = field(default_factory=dict)


def refuse_bad_choices(negative: str, no_relevant: str) -> None:
    """Raise ConfigError for settings outside the known ones."""
    for name, value, known in (("negative", negative, NEGATIVE), ("no_relevant", no_relevant, NO_RELEVANT)):
        if value not in known:
            raise ConfigError(f"suite.{name} must be one of {', '.join(known)}, found {value!r}")


def read_qrels(path: Path, layout: Layout, negative: str, problems: list[Problem]) -> dict[str, QueryQrels]:
    """Read judgments by query id, noting every bad row and every pair judged twice.

    Grades are whole numbers (`1.0` too). negative: `zero` takes grades below 0 as judged, not relevant.
    """
    data = read_bytes(path, f"judgments in columns {', '.join(layout.columns)} (suite.qrels)")
    found: dict[str, QueryQrels] = {}
    first = True
    for line, text in numbered_lines(data, problems):
        cells = [cell.strip() for cell in text.split(layout.separator)]
        header, first = first and _is_header(cells), False
        if header:
            continue
        if len(cells) != len(layout.columns):
            kind = "tab-separated" if layout.separator else "space-separated"
            expected = f"{len(layout.columns)} {kind} ones ({', '.join(layout.columns)})"
            problems.append(Problem(line, f"found {len(cells)} columns, expected {expected}"))
            continue
        grade = _grade(cells[-1], negative)
        if isinstance(grade, str):
            problems.append(Problem(line, grade))
        faults = [
            f"{layout.columns[at]} {fault}" for at in (layout.query, layout.unit) if (fault := id_fault(cells[at]))
        ]
        problems.extend(Problem(line, fault) for fault in faults)
        if faults or isinstance(grade, str):
            continue
        query_id, unit_id = same_id(cells[layout.query]), same_id(cells[layout.unit])
        judged = found.setdefault(query_id, QueryQrels())
        if unit_id in judged.grades:
            message = f"query {query_id!r} and {unit_id!r} are judged twice, first in line {judged.lines[unit_id]}"
            problems.append(Problem(line, f"{message} (grades {judged.grades[unit_id]} and {grade}); keep one"))
            continue
        judged.grades[unit_id] = grade
        judged.lines[unit_id] = line
    if not found and not problems:
        problems.append(Problem(None, "holds no judgment; expected at least one row"))
    return found


def _is_header(cells: Sequence[str]) -> bool:
    """Whether a first row names columns: it holds no grade, but one of the words that head them."""
    words = [re.sub(r"[\W_]+", "", cell.lower()) for cell in cells]
    return _number(cells[-1]) is None and (words[-1] in _GRADES or words[0] in _QUERIES)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _grade(text: str, negative: str) -> int | str:
    try:
        number = float(text)
        grade = int(number)
    except (ValueError, OverflowError):
        return f"grade: found {text!r:.60}, expected a whole number"
    if grade != number:
        return f"grade: found {text:.60}, expected a whole number"
    if grade < 0 and negative == "error":
        return f"grade: found {text}, which is negative; to take it as judged, not relevant, set suite.negative=zero"
    if grade > HIGHEST_GRADE:
        return f"grade: found {text:.60}, expected at most {HIGHEST_GRADE:,}"
    return max(grade, 0)


def join_judgments(
    asked: Mapping[str, AskedQuery],
    qrels: Mapping[str, QueryQrels],
    *,
    min_grade: int,
    no_relevant: str,
    query_problems: list[Problem],
    qrels_problems: list[Problem],
    needs_text: bool = True,
) -> tuple[JudgedQuery, ...]:
    """Lay judgments over queries, sorted by id.

    A query without any judgment, or (no_relevant `skip`) without a relevant item, is unjudged: kept, counted, in no
    mean. Notes judgments of unknown queries, and judged queries without text or (no_relevant `error`) relevant item.
    """
    unknown = sorted(qrels.keys() - asked.keys(), key=lambda query_id: min(qrels[query_id].lines.values()))
    hints = nearest_ids(unknown[:MOST_LISTED], sorted(asked), 1)
    for query_id in unknown:
        lines = qrels[query_id].lines.values()
        rows = f"{len(lines)} rows" if len(lines) > 1 else "1 row"
        hint = f"; nearest: {hints[query_id][0]!r}" if hints.get(query_id) else ""
        qrels_problems.append(Problem(min(lines), f"query {query_id!r} is not among the queries ({rows}){hint}"))
    queries = []
    for query_id in sorted(asked):
        query, judged = asked[query_id], qrels.get(query_id, QueryQrels())
        relevant = any(grade >= min_grade for grade in judged.grades.values())
        if judged.grades and not query.text and needs_text:
            query_problems.append(Problem(query.line, f"query {query_id!r} is judged, but its text is empty"))
        if judged.grades and not relevant and no_relevant == "error":
            message = f"query {query_id!r} has no relevant item (none with grade >= {min_grade})"
            fix = "judge one, or count such queries as unjudged with suite.no_relevant=skip"
            qrels_problems.append(Problem(min(judged.lines.values()), f"{message}; {fix}"))
        queries.append(
            JudgedQuery(query_id, query.text, judged.grades, query.fields, judged=relevant, lines=judged.lines)
        )
    return tuple(queries)


def note_repeated(id_: str, line: int, asked: Mapping[str, AskedQuery], problems: list[Problem]) -> bool:
    """Note a query id that is there already; True if it was."""
    if id_ not in asked:
        return False
    problems.append(Problem(line, f"query {id_!r} is given twice, first in line {asked[id_].line}"))
    return True


def names(values: Iterable[str]) -> tuple[str, ...]:
    """Plain strings, also from a list that a configuration library made."""
    return tuple(str(value) for value in values)
