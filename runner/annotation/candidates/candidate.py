"""A question and a passage that a person should look at, with the reason; and the file that lists them.

A candidate never says what is relevant.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from retrievers.script import same_id
from runner.errors import InputError, Problem
from runner.files.reading import (
    id_fault,
    json_lines,
    kind_of,
    length_fault,
    nfc,
    numbered_lines,
    read_bytes,
    unknown_keys,
)
from runner.suites import SOURCES, FieldValue, JudgedQuery

Kind = Literal["failing", "pooled", "clicked"]
KINDS: tuple[Kind, ...] = ("failing", "pooled", "clicked")
PRIORITY_DECIMALS = 6
_KEYS = (
    "query_id",
    "text",
    "history",
    "id",
    "source",
    "kind",
    "priority",
    "why",
    "evidence",
    "fields",
    "rules",
)


@dataclass(frozen=True)
class JudgmentCandidate:
    """id: the passage, or the document for a suite of documents; None where the question itself needs a look.

    source: the least trusted of where the question and what is known of the pair come from; it is not the source of a
    judgment. kind: the stronger reason where there are several. priority: 0 to 1. why: one sentence. evidence: by kind.
    rules: anonymising rules that changed the text. raw: whether the text stands as users wrote it, still to be
    anonymised. passage: the one to look at, where a suite judges something else. line: of the file it was read from.
    """

    query_id: str
    text: str
    history: tuple[str, ...]
    id: str | None
    source: str
    kind: Kind
    priority: float
    why: str
    evidence: Mapping[str, Any]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    raw: bool = False
    passage: str | None = None
    line: int | None = field(default=None, compare=False)

    @classmethod
    def about(
        cls,
        query: JudgedQuery,
        id_: str | None,
        label: str | None,
        kind: Kind,
        priority: float,
        why: str,
        evidence: Mapping[str, Any],
    ) -> "JudgmentCandidate":
        """A candidate for a query of a suite; label: the source of a judgment of this pair that no person has made."""
        source = max(query.source, label or query.source, key=SOURCES.index)
        details = {**evidence, "label": label} if label else evidence
        return cls(
            query.id,
            query.text,
            query.history,
            id_,
            source,
            kind,
            round(priority, PRIORITY_DECIMALS),
            why,
            {kind: details},
            dict(query.fields),
            raw=query.source == "click",
        )

    @classmethod
    def of_row(cls, row: Mapping[str, Any], line: int) -> "JudgmentCandidate":
        """A candidate from a row without faults; only query_id, text and kind have to be there."""
        return cls(
            same_id(row["query_id"]),
            nfc(row["text"]).strip(),
            tuple(nfc(turn).strip() for turn in row.get("history") or ()),
            same_id(row["id"]) if row.get("id") else None,
            row.get("source", "human"),
            row["kind"],
            float(row.get("priority", 0)),
            row.get("why") or "",
            row.get("evidence") or {},
            row.get("fields") or {},
            tuple(row.get("rules") or ()),
            line=line,
        )

    def row(self) -> dict[str, Any]:
        """The candidate as JSON values."""
        values = {name: getattr(self, name) for name in _KEYS}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def read_candidates(path: Path) -> tuple[JudgmentCandidate, ...]:
    """Read a file of candidates in its order, which is the one to judge them in.

    Raises InputError listing every fault by line.
    """
    problems: list[Problem] = []
    data = read_bytes(path, "a file of candidates, one JSON object a line")
    found = []
    for line, row in json_lines(numbered_lines(data, problems), problems):
        faults = _faults(row)
        problems.extend(Problem(line, fault) for fault in faults)
        if not faults:
            found.append(JudgmentCandidate.of_row(row, line))
    if not found and not problems:
        problems.append(Problem(None, "holds no candidate"))
    if problems:
        raise InputError.of(path, problems)
    return tuple(found)


def _faults(row: Mapping[str, Any]) -> list[str]:
    if "grade" in row or "relevant" in row:
        return ["says what is relevant, which a candidate must not; judged pairs are read by `import`"]
    faults = unknown_keys(row, _KEYS)
    if fault := id_fault(row.get("query_id")):
        faults.append(f"query_id {fault}")
    if row.get("id") is not None and (fault := id_fault(row["id"])):
        faults.append(f"id {fault}")
    if not isinstance(row.get("text"), str) or not row["text"].strip():
        faults.append(f"text: found {kind_of(row.get('text'))}, expected the question")
    elif fault := length_fault(row["text"]):
        faults.append(f"text: {fault}")
    for name, known in (("kind", KINDS), ("source", SOURCES)):
        if row.get(name, "human") not in known:
            faults.append(f"{name}: found {kind_of(row.get(name))}, expected one of {', '.join(known)}")
    priority = row.get("priority", 0)
    if isinstance(priority, bool) or not isinstance(priority, int | float) or not 0 <= priority <= 1:
        faults.append(f"priority: found {kind_of(priority)}, expected a number from 0 to 1")
    for name, kind, wanted in (
        ("why", str, "a sentence"),
        ("evidence", dict, "an object"),
        ("fields", dict, "an object"),
        ("history", list, "a list"),
        ("rules", list, "a list"),
    ):
        value = row.get(name)
        if value is not None and not isinstance(value, kind):
            faults.append(f"{name}: found {kind_of(value)}, expected {wanted}")
        elif isinstance(value, list) and not all(isinstance(each, str) for each in value):
            faults.append(f"{name}: expected strings only")
    return faults
