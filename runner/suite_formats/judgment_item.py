"""The judgments of one query in the own format: ids or spans, with a grade and where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from retrievers.ignorable import seen
from retrievers.script import same_id
from runner.files.reading import HIGHEST_GRADE, id_fault, kind_of, nfc, unknown_keys
from runner.suites import SOURCES, Judgment, Span
from runner.suites.judgment import is_time

_SAID = ("grade", "source", "annotator", "at", "note", "adjudicated")
_SPAN = ("document", "quote", "start", "end")


@dataclass
class JudgmentReader:
    """Collects the judgments of one query, and in `faults` all that is wrong with them.

    unit: what they judge. min_grade: the grade of an item that names none. source: that of an item that names none.
    """

    unit: str
    min_grade: int
    source: str
    judgments: list[Judgment] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    _who: set[tuple[str, str | None]] = field(default_factory=set)

    def take(self, item: Any) -> None:
        """Read one item: an id, or an object with the id or the span, and what is known of it."""
        before = len(self.faults)
        values: Mapping[str, Any] = item if isinstance(item, Mapping) else {"id": item}
        id_ = self._span(item, values) if self.unit == "span" else self._id(values)
        said = self._said(values)
        if id_ is None or said is None or len(self.faults) > before:
            return
        judgment = Judgment(id_, **said)
        who = (id_, judgment.annotator)
        if who in self._who and not judgment.adjudicated:
            by = f" by {judgment.annotator!r}" if judgment.annotator else ""
            self.faults.append(f"{id_!r} is given twice{by}; several annotators each need their name in `annotator`")
            return
        if not judgment.adjudicated:
            self._who.add(who)
        self.judgments.append(judgment)

    def _id(self, values: Mapping[str, Any]) -> str | None:
        self.faults.extend(unknown_keys(values, ("id", *_SAID)))
        if fault := id_fault(values.get("id")):
            self.faults.append(f"id {fault}")
            return None
        return same_id(str(values["id"]))

    def _span(self, item: Any, values: Mapping[str, Any]) -> str | None:
        if not isinstance(item, Mapping):
            self.faults.append(
                f"found {kind_of(item)}, expected a span: {{document, quote}} or {{document, start, end}}"
            )
            return None
        self.faults.extend(unknown_keys(values, (*_SPAN, *_SAID)))
        if fault := id_fault(values.get("document")):
            self.faults.append(f"document {fault}")
            return None
        quote = values.get("quote")
        if quote is not None and (not isinstance(quote, str) or not seen(quote).strip()):
            self.faults.append(f"quote: found {kind_of(quote)}, expected words of the document")
            return None
        ends = [values.get("start"), values.get("end")]
        for name, end in zip(("start", "end"), ends, strict=True):
            if end is not None and (not isinstance(end, int) or isinstance(end, bool) or end < 0):
                self.faults.append(f"{name}: found {kind_of(end)}, expected a number of characters from 0")
                return None
        if quote is None and None in ends:
            self.faults.append("names neither a quote nor both start and end")
            return None
        if quote is not None and ends[1] is not None:
            self.faults.append("has a quote, so where it ends is known; leave `end` out")
            return None
        span = Span(same_id(str(values["document"])), None if quote is None else nfc(seen(quote)).strip(), *ends)
        self.spans[span.id] = span
        return span.id

    def _said(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        grade = values.get("grade", self.min_grade)
        number = isinstance(grade, int | float) and not isinstance(grade, bool)
        if not number or not 0 <= grade <= HIGHEST_GRADE or grade != int(grade):
            self.faults.append(f"grade: found {kind_of(grade)}, expected a whole number from 0 to {HIGHEST_GRADE:,}")
            return None
        source = values.get("source", self.source)
        if "source" in values and source not in SOURCES:
            self.faults.append(f"source: found {kind_of(source)}, expected one of {', '.join(SOURCES)}")
        annotator = values.get("annotator")
        if annotator is not None and (fault := id_fault(annotator)):
            self.faults.append(f"annotator {fault}")
        note = values.get("note", "")
        if not isinstance(note, str):
            self.faults.append(f"note: found {kind_of(note)}, expected a string")
        adjudicated = values.get("adjudicated", False)
        if not isinstance(adjudicated, bool):
            self.faults.append(f"adjudicated: found {kind_of(adjudicated)}, expected true or false")
        return {
            "grade": int(grade),
            "source": source,
            "annotator": annotator,
            "at": self._at(values.get("at")),
            "note": note,
            "adjudicated": adjudicated,
        }

    def _at(self, value: Any) -> str | None:
        if value is None or (isinstance(value, str) and is_time(value)):
            return value
        self.faults.append(f"at: found {kind_of(value)}, expected a time like 2026-09-30T14:00:00+00:00")
        return None
