"""Judged questions in BEIR's layout: queries.jsonl and a TSV file of judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrievers.script import same_id
from runner.errors import InputError, Problem
from runner.files.reading import id_fault, json_lines, kind_of, length_fault, nfc, numbered_lines, read_bytes
from runner.suite_formats.head import names_in, refuse_bad_settings, slice_faults, suite_of
from runner.suite_formats.qrels import (
    BEIR_LAYOUT,
    AskedQuery,
    join_judgments,
    names,
    note_repeated,
    read_qrels,
    refuse_bad_choices,
)
from runner.suite_formats.query_row import field_fault
from runner.suites import FieldValue, Suite


@dataclass(frozen=True)
class BeirSuite:
    """path: the folder with queries.jsonl. qrels: a split (`test` is qrels/test.tsv) or the path of a TSV file.

    fields: keys of a query's metadata to keep; slices are kept too. negative: what a grade below 0 is (`error`, or
    `zero`: judged, not relevant). no_relevant: what a query with judgments but no relevant item is (`error`, or `skip`:
    unjudged). missing: what a relevant item that the documents lack is (`error`, or `skip`: left out and counted).
    Queries without judgments are kept as unjudged.
    """

    path: str | Path
    qrels: str | Path = "test"
    name: str | None = None
    role: str = "development"
    unit: str = "document"
    min_grade: int = 1
    snapshot: str | None = None
    slices: Sequence[str] = ()
    fields: Sequence[str] = ()
    negative: str = "error"
    no_relevant: str = "error"
    missing: str = "error"

    def read(self) -> Suite:
        """Return the suite, queries sorted by id; raises InputError listing every fault of both files."""
        folder, slices = Path(self.path), names(self.slices)
        name = self.name or folder.resolve().name
        refuse_bad_settings(self, name, slices=slices, fields=names(self.fields))
        refuse_bad_choices(self.negative, self.no_relevant)
        queries_path, qrels_path = folder / "queries.jsonl", self._qrels_path(folder)
        problems: dict[Path, list[Problem]] = {queries_path: [], qrels_path: []}
        wanted = {*names(self.fields), *names_in(slices)}
        asked = _read_queries(queries_path, wanted, problems[queries_path])
        judged = read_qrels(qrels_path, BEIR_LAYOUT, self.negative, problems[qrels_path])
        queries = join_judgments(
            asked,
            judged,
            min_grade=self.min_grade,
            no_relevant=self.no_relevant,
            query_problems=problems[queries_path],
            qrels_problems=problems[qrels_path],
        )
        if not any(problems.values()):
            problems[queries_path].extend(Problem(None, fault) for fault in slice_faults(slices, queries))
        if any(problems.values()):
            raise InputError.of_files(problems)
        return suite_of(self, name, queries, qrels_path, slices)

    def _qrels_path(self, folder: Path) -> Path:
        given = Path(self.qrels)
        return given if given.suffix or len(given.parts) > 1 else folder / "qrels" / f"{given}.tsv"


def _read_queries(path: Path, wanted: set[str], problems: list[Problem]) -> dict[str, AskedQuery]:
    data = read_bytes(path, "the queries.jsonl of a BEIR folder (suite.path names the folder)")
    asked: dict[str, AskedQuery] = {}
    for line, row in json_lines(numbered_lines(data, problems), problems):
        faults = _faults(row, wanted)
        problems.extend(Problem(line, fault) for fault in faults)
        id_ = row.get("_id")
        if id_fault(id_) or note_repeated(same_id(str(id_)), line, asked, problems):
            continue
        text = row.get("text")
        # A faulty query keeps its id, so that its judgments are not called unknown as well.
        shown = nfc(text).strip() if isinstance(text, str) else "?"
        asked[same_id(str(id_))] = AskedQuery(shown, line, {} if faults else _fields(row, wanted))
    return asked


def _faults(row: Mapping[str, Any], wanted: set[str]) -> list[str]:
    faults = []
    if "_id" not in row:
        faults.append(f"_id is missing; found the keys {', '.join(row) or '(none)'}")
    elif fault := id_fault(row["_id"]):
        faults.append(f"_id {fault}")
    if not isinstance(row.get("text"), str):
        faults.append(f"text: found {kind_of(row.get('text'))}, expected a string")
    elif fault := length_fault(row["text"]):
        faults.append(f"text: {fault}")
    if not isinstance(row.get("metadata") or {}, dict):
        faults.append(f"metadata: found {kind_of(row['metadata'])}, expected an object")
        return faults
    for name, value in _fields(row, wanted).items():
        if fault := field_fault(value):
            faults.append(f"field {name!r}: {fault}")
    return faults


def _fields(row: Mapping[str, Any], wanted: set[str]) -> dict[str, FieldValue]:
    every = {**row, **(row.get("metadata") or {})}
    return {name: every[name] for name in sorted(wanted) if name in every}
