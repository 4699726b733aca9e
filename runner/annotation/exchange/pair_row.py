"""One row of the exchange form: a query, a judged thing, and what somebody said about the two, if anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from retrievers.script import same_id
from runner.files.reading import id_fault, kind_of, length_fault, nfc, unknown_keys
from runner.suite_formats.judgment_item import JudgmentReader
from runner.suites import SOURCES, FieldValue, Judgment, Span

SPAN_COLUMNS = ("document", "quote", "start", "end")
_SAID = ("grade", "annotator", "at", "note", "source", "adjudicated")
COLUMNS = (
    "query_id",
    "text",
    "history",
    "id",
    *SPAN_COLUMNS,
    "passage_title",
    "passage_text",
    "old_text",
    *_SAID,
    "kind",
    "fields",
    "query_source",
)
# Written only where some row has them; the others always, so that every file shows what there is to fill in.
_OPTIONAL = ("history", *SPAN_COLUMNS, "old_text", "adjudicated", "fields", "query_source")


@dataclass(frozen=True)
class PairRow:
    """query_id and id: the pair. grade None: nobody has judged it, and the row waits for an answer.

    passage_title, passage_text: what is judged, for the reader. old_text: what was judged before it changed. kind: why
    the row is there. fields, query_source: of a query that the suite does not hold yet. line: of its file, or the row
    of a spreadsheet.
    """

    query_id: str
    id: str
    text: str = ""
    history: tuple[str, ...] = ()
    span: Span | None = None
    grade: int | None = None
    annotator: str | None = None
    at: str | None = None
    note: str = ""
    source: str = "human"
    adjudicated: bool = False
    kind: str = ""
    passage_title: str = ""
    passage_text: str = ""
    old_text: str = ""
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)
    query_source: str = "human"

    @property
    def judgment(self) -> Judgment | None:
        """What was said, or None if nothing was."""
        if self.grade is None:
            return None
        return Judgment(self.id, self.grade, self.source, self.annotator, self.at, self.note, self.adjudicated)

    def values(self) -> dict[str, Any]:
        """The row as JSON values, every column but the optional ones that are empty, in the order of `COLUMNS`."""
        named = self.span.content() if self.span else {"id": self.id}
        values: dict[str, Any] = {
            "query_id": self.query_id,
            "text": self.text,
            "history": list(self.history),
            "id": None,
            **dict.fromkeys(SPAN_COLUMNS),
            **named,
            "passage_title": self.passage_title,
            "passage_text": self.passage_text,
            "old_text": self.old_text,
            "grade": self.grade,
            "annotator": self.annotator,
            "at": self.at,
            "note": self.note,
            "source": self.source,
            "adjudicated": self.adjudicated,
            "kind": self.kind,
            "fields": dict(self.fields),
            "query_source": None if self.query_source == "human" else self.query_source,
        }
        left_out = ("id",) if self.span else ()
        return {
            key: value
            for key, value in values.items()
            if key not in left_out and not (key in _OPTIONAL and value in (None, "", [], {}, False))
        }


def pair_row(values: Mapping[str, Any], line: int | None, faults: list[str]) -> PairRow | None:
    """Read one row from JSON values; None if anything is wrong with it, which `faults` then says."""
    before = len(faults)
    faults.extend(unknown_keys(values, COLUMNS))
    if fault := id_fault(values.get("query_id")):
        faults.append(f"query_id {fault}")
    texts = {
        name: _text(values, name, faults) for name in ("text", "passage_title", "passage_text", "old_text", "kind")
    }
    if fault := length_fault(texts["text"]):
        faults.append(f"text: {fault}")
    history = values.get("history") or []
    if not isinstance(history, list) or not all(isinstance(turn, str) for turn in history):
        faults.append(f"history: found {kind_of(history)}, expected a list of earlier turns")
    fields = values.get("fields") or {}
    if not isinstance(fields, dict):
        faults.append(f"fields: found {kind_of(fields)}, expected an object of names and values")
    query_source = values.get("query_source") or "human"
    if query_source not in SOURCES:
        faults.append(f"query_source: found {kind_of(query_source)}, expected one of {', '.join(SOURCES)}")
    judgment, span = _judgment(values, faults)
    if judgment is None or len(faults) > before:
        return None
    return PairRow(
        same_id(values["query_id"]),
        judgment.id,
        nfc(texts["text"]),
        tuple(map(nfc, history)),
        span,
        None if values.get("grade") is None else judgment.grade,
        judgment.annotator,
        judgment.at,
        judgment.note,
        judgment.source,
        judgment.adjudicated,
        texts["kind"],
        texts["passage_title"],
        texts["passage_text"],
        texts["old_text"],
        fields,
        line,
        query_source,
    )


def _text(values: Mapping[str, Any], name: str, faults: list[str]) -> str:
    value = values.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        faults.append(f"{name}: found {kind_of(value)}, expected a string")
        return ""
    return value


def _judgment(values: Mapping[str, Any], faults: list[str]) -> tuple[Judgment | None, Span | None]:
    named = {name: values[name] for name in ("id", *SPAN_COLUMNS) if values.get(name) is not None}
    if "id" in named and len(named) > 1:
        faults.append("names both an id and a span; keep one of them")
        return None, None
    # What nobody has graded is read like a judgment, so that a wrong id or name in it is found, too.
    said = {name: values[name] for name in _SAID if values.get(name) is not None}
    reader = JudgmentReader("span" if "document" in named else "passage", 1, "human")
    reader.take({**named, "grade": 0, **said})
    faults.extend(reader.faults)
    judgment = next(iter(reader.judgments), None)
    return judgment, reader.spans.get(judgment.id) if judgment else None
