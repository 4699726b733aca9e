"""Candidates: what somebody should judge. A candidate never says what is relevant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from runner.errors import MOST_LISTED, InputError, Problem
from runner.formats.nearest_ids import nearest_ids
from runner.formats.reading import id_fault, json_lines, kind_of, nfc, numbered_lines, read_bytes, unknown_keys
from runner.snapshots import Snapshot
from runner.suites import SOURCES, FieldValue, Suite

KINDS = ("failing", "pooled", "clicked")
_KEYS = (
    "query_id", "text", "history", "id", "source", "kind", "priority", "why", "evidence", "fields", "rules",
)  # fmt: skip


@dataclass(frozen=True)
class CandidateRow:
    """A question, and a passage that somebody should look at for it (id None: none is known yet).

    source: where the pair comes from; it is not the source of a judgment. priority: 0 to 1. why: one sentence.
    passage: the passage to look at, where the suite judges something else than passages.
    """

    query_id: str
    text: str
    id: str | None
    kind: str
    source: str = "human"
    priority: float = 0.0
    why: str = ""
    history: tuple[str, ...] = ()
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    passage: str | None = None
    line: int | None = field(default=None, compare=False)


def read_candidates(path: Path) -> tuple[CandidateRow, ...]:
    """Read a file of candidates, the most urgent first. Raises InputError listing every fault by line."""
    problems: list[Problem] = []
    data = read_bytes(path, "a file of candidates, one JSON object a line")
    found = []
    for line, row in json_lines(numbered_lines(data, problems), problems):
        faults = _faults(row)
        problems.extend(Problem(line, fault) for fault in faults)
        if not faults:
            found.append(_candidate(row, line))
    if not found and not problems:
        problems.append(Problem(None, "holds no candidate"))
    if problems:
        raise InputError.of(path, problems)
    return tuple(sorted(found, key=lambda each: -each.priority))


def _candidate(row: Mapping[str, Any], line: int) -> CandidateRow:
    return CandidateRow(
        nfc(row["query_id"]), nfc(row["text"]).strip(), nfc(row["id"]) if row.get("id") else None, row["kind"],
        row.get("source", "human"), float(row.get("priority") or 0), row.get("why") or "",
        tuple(nfc(turn).strip() for turn in row.get("history") or ()), row.get("fields") or {}, None, line,
    )  # fmt: skip


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
    for name, known in (("kind", KINDS), ("source", SOURCES)):
        if row.get(name, "human") not in known:
            faults.append(f"{name}: found {kind_of(row.get(name))}, expected one of {', '.join(known)}")
    priority = row.get("priority", 0)
    if isinstance(priority, bool) or not isinstance(priority, int | float) or not 0 <= priority <= 1:
        faults.append(f"priority: found {kind_of(priority)}, expected a number from 0 to 1")
    for name, kind, wanted in (("why", str, "a sentence"), ("fields", dict, "an object"), ("history", list, "a list")):
        if row.get(name) is not None and not isinstance(row[name], kind):
            faults.append(f"{name}: found {kind_of(row[name])}, expected {wanted}")
    if isinstance(row.get("history"), list) and not all(isinstance(turn, str) for turn in row["history"]):
        faults.append("history: expected strings only")
    return faults


def fitted(candidates: Sequence[CandidateRow], snapshot: Snapshot, suite: Suite, path: str) -> tuple[CandidateRow, ...]:
    """The candidates of a file, which mostly name passages, as a suite of documents, passages or spans judges them.

    A document stands for its passages; which words of a passage a span is, a person has to say. Raises InputError
    for a holdout, which nothing seen may enter, and naming every passage that the snapshot does not hold, by line.
    """
    if suite.role == "holdout":
        raise InputError(
            f"{path}: suite {suite.name!r} is a holdout; candidates come from what was seen, so they belong into "
            "another suite"
        )
    document_of = {passage.id: passage.document for passage in snapshot.passages}
    if suite.unit == "document":
        document_of |= {document.id: document.id for document in snapshot.documents}
    missing = [each for each in candidates if each.id is not None and each.id not in document_of]
    if missing:
        hints = nearest_ids([str(each.id) for each in missing[:MOST_LISTED]], snapshot.units("passage"))
        problems = []
        for each in missing:
            near = ", ".join(map(repr, hints.get(str(each.id), ())))
            message = f"snapshot {snapshot.id} holds no passage {each.id!r}{f'; nearest: {near}' if near else ''}"
            problems.append(Problem(each.line, message))
        raise InputError.of(path, problems)
    if suite.unit == "passage":
        return tuple(candidates)
    return tuple(
        replace(each, id=document_of.get(each.id or "") if suite.unit == "document" else None, passage=each.id)
        for each in candidates
    )
