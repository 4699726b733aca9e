"""Answers that were served, with their citations, and the file that records them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from retrievers.ignorable import seen
from retrievers.script import same_id
from runner.errors import ConfigError, InputError, Problem
from runner.files.reading import id_fault, json_lines, kind_of, numbered_lines, read_bytes, unknown_keys

Kind = Literal["answer", "alert"]
KINDS: tuple[Kind, ...] = ("answer", "alert")


@dataclass(frozen=True, slots=True)
class Citation:
    """id: of a passage, or of a whole page. quotation: the words said to stand there, None if none were given."""

    id: str
    quotation: str | None = None


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """One record: the line it is on, and what was served.

    id: None if the record has none. snapshot: as it was written: a full id, the beginning of one, or a name.
    at: when it was served, in UTC; None if unknown. retrieved: ids that the answer could be made from.
    citations: none of them twice; repeated: how many more there were that say the same.
    """

    line: int
    id: str | None
    query_id: str
    snapshot: str
    at: datetime | None
    retrieved: tuple[str, ...]
    citations: tuple[Citation, ...]
    repeated: int = 0
    kind: Kind = "answer"
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the answer is called in a report."""
        return f"{self.kind} {self.id}" if self.id is not None else f"{self.kind} to {self.query_id}"


KEYS = ("answer_id", "query_id", "snapshot", "at", "retrieved", "cited", "quotation", "kind")
_DECLARE = "; declare a field to slice by with fields=, or one to leave unread with ignore="
_TIME = "a time with its offset, like 2026-09-30T14:00:00+00:00"


def read_answers(
    path: Path, snapshot: str | None = None, fields: Sequence[str] = (), ignored: Sequence[str] = ()
) -> tuple[ServedAnswer, ...]:
    """Read all records, in file order.

    snapshot: of records that name none. fields: further keys to keep. ignored: further keys to leave unread.
    Raises InputError with the faults of all lines, also for a file without any record, and ConfigError for a field
    that is one of the fixed keys or that no record has.
    """
    for name in (*fields, *ignored):
        if name in KEYS:
            raise ConfigError(f"{name!r} is a key that every record may have; fields= and ignore= name other ones")
    problems: list[Problem] = []
    answers: list[ServedAnswer] = []
    line_of: dict[str, int] = {}
    objects = 0
    for line, row in json_lines(numbered_lines(read_bytes(path, "records of answers"), problems), problems):
        objects += 1
        record = _Record(row, line, snapshot, tuple(fields), tuple(ignored))
        answer = record.answer()
        given = row.get("answer_id")
        if isinstance(given, str) and (first := line_of.setdefault(same_id(given), line)) != line:
            record.faults.append(f"answer_id {given!r} is given twice, first in line {first}")
        problems.extend(Problem(line, fault) for fault in record.faults)
        if answer is not None:
            answers.append(answer)
    if not objects and not problems:
        problems.append(Problem(None, "holds no record; expected a JSON object {query_id, retrieved, cited} a line"))
    if problems:
        raise InputError.of(path, problems)
    for name in fields:
        if all(answer.fields.get(name) is None for answer in answers):
            raise ConfigError(f"fields= names {name!r}, but no record of {path} has a value for it")
    return tuple(answers)


@dataclass
class _Record:
    """Reads one object; `faults` lists all that is wrong with it."""

    row: Mapping[str, Any]
    line: int
    snapshot: str | None
    fields: tuple[str, ...]
    ignored: tuple[str, ...]
    faults: list[str] = field(default_factory=list)

    def answer(self) -> ServedAnswer | None:
        row = self.row
        self.faults.extend(unknown_keys(row, (*KEYS, *self.fields, *self.ignored), _DECLARE))
        query_id = self._id("query_id")
        if query_id is None and row.get("query_id") is None:
            self.faults.append("query_id is missing")
        snapshot = self._id("snapshot") or self.snapshot
        if snapshot is None and row.get("snapshot") is None:
            self.faults.append("names no snapshot; add one, or give snapshot=ID for all records without")
        said = self._citations()
        # What says the same twice is one claim; counting it twice would weigh it twice.
        citations = tuple(dict.fromkeys(said))
        kind = row.get("kind", "answer")
        if kind not in KINDS:
            self.faults.append(f"kind: found {kind_of(kind)}, expected {' or '.join(KINDS)}")
        answer_id, at, retrieved, fields = self._id("answer_id"), self._at(), self._retrieved(), self._fields()
        if self.faults or query_id is None or snapshot is None:
            return None
        return ServedAnswer(
            self.line, answer_id, query_id, snapshot, at, retrieved, citations, len(said) - len(citations), kind, fields
        )

    def _id(self, key: str) -> str | None:
        value = self.row.get(key)
        if value is None:
            return None
        if fault := id_fault(value):
            self.faults.append(f"{key} {fault}")
            return None
        return same_id(str(value))

    def _at(self) -> datetime | None:
        value = self.row.get("at")
        if value is None:
            return None
        try:
            at = datetime.fromisoformat(value)
            moment = at.astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            self.faults.append(f"at: found {kind_of(value)}, expected {_TIME}")
            return None
        if at.tzinfo is None:
            # Guessing the zone would move an answer to the other side of a new snapshot.
            self.faults.append(f"at: {value!r} does not say its offset from UTC; expected {_TIME}")
            return None
        return moment

    def _retrieved(self) -> tuple[str, ...]:
        return tuple(same_id(id_) for id_ in self._list("retrieved") if self._fits("retrieved", id_))

    def _list(self, key: str) -> list[Any]:
        value = self.row.get(key)
        if isinstance(value, list):
            return value
        found = "is missing" if key not in self.row else f"found {kind_of(value)}"
        self.faults.append(f"{key}: {found}, expected a list of ids, which may be empty")
        return []

    def _fits(self, key: str, id_: Any) -> bool:
        fault = id_fault(id_)
        if fault:
            self.faults.append(f"{key}: id {fault}")
        return fault is None

    def _citations(self) -> list[Citation]:
        found = [citation for item in self._list("cited") if (citation := self._citation(item)) is not None]
        quotation = self._quotation(self.row.get("quotation"))
        if quotation is None:
            return found
        if len(found) != 1 or found[0].quotation is not None:
            self.faults.append(
                "quotation: beside `cited` it belongs to a single citation without one of its own; "
                'write {"id": ..., "quotation": ...} for each'
            )
            return found
        return [Citation(found[0].id, quotation)]

    def _citation(self, item: Any) -> Citation | None:
        values: Mapping[str, Any] = item if isinstance(item, Mapping) else {"id": item}
        self.faults.extend(f"cited: {fault}" for fault in unknown_keys(values, ("id", "quotation")))
        if not self._fits("cited", values.get("id")):
            return None
        return Citation(same_id(str(values["id"])), self._quotation(values.get("quotation")))

    def _quotation(self, value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, str) and seen(value).strip():
            return value.strip()
        found = "is empty" if isinstance(value, str) else f"found {kind_of(value)}"
        self.faults.append(f"quotation: {found}; expected words of the passage, or leave it out")
        return None

    def _fields(self) -> dict[str, Any]:
        fields = {name: self.row[name] for name in self.fields if self.row.get(name) is not None}
        for name, value in fields.items():
            listed = value if isinstance(value, list) else [value]
            if not all(isinstance(each, str | bool | int | float) for each in listed):
                self.faults.append(
                    f"field {name!r}: found {kind_of(value)}, expected text, a number, true or false, or a list of them"
                )
        return fields
