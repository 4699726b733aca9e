"""One query of the own format, as a JSON object, turned into a judged query or into a list of faults."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from retrievers.script import same_id
from runner.files.reading import id_fault, kind_of, length_fault, nfc, unknown_keys
from runner.suite_formats.head import SLICEABLE
from runner.suite_formats.judgment_item import JudgmentReader
from runner.suites import SOURCES, FieldValue, JudgedQuery, settle

_KEYS = ("query_id", "text", "relevant", "answerable", "judged", "source", "added", "history", "fields")

_DECLARE = "; a field of your own has to be declared in `slices` or `fields`"


@dataclass(frozen=True)
class RowRules:
    """field_names: what may stand beside the fixed keys. needs_text False: only ids are scored, so no text is asked."""

    min_grade: int = 1
    field_names: Collection[str] = ()
    needs_text: bool = True
    more_keys: tuple[str, ...] = ()
    unit: str = "passage"


@dataclass
class QueryRow:
    """Reads one object; `faults` lists all that is wrong with it."""

    row: Mapping[str, Any]
    line: int
    rules: RowRules
    faults: list[str] = field(default_factory=list)

    def query(self) -> JudgedQuery | None:
        """The query, or None if there is any fault."""
        rules, row = self.rules, self.row
        known = (*_KEYS, *rules.more_keys, *rules.field_names)
        self.faults.extend(unknown_keys(row, known, _DECLARE))
        if "query_id" not in row:
            self.faults.append("query_id is missing")
        elif fault := id_fault(row["query_id"]):
            self.faults.append(f"query_id {fault}")
        judged, answerable = self._flag("judged"), self._flag("answerable")
        text = nfc(self._typed("text", str, "a string", "")).strip()
        if fault := length_fault(text):
            self.faults.append(f"text: {fault}")
        if judged and not text and rules.needs_text:
            self.faults.append("text is missing or empty; a judged query needs one")
        source, added = self._source(), self._added()
        said = JudgmentReader(rules.unit, rules.min_grade, source)
        for item in self._typed("relevant", list, "a list of ids or {id, grade}", []):
            said.take(item)
        self.faults.extend(f"relevant: {fault}" for fault in said.faults)
        grades = settle(said.judgments).grades
        relevant = sum(grade >= rules.min_grade for grade in grades.values())
        if relevant and not (judged and answerable):
            says = "answerable" if judged else "judged"
            self.faults.append(f"has {relevant} relevant items, but says {says}: false")
        if judged and answerable and not relevant and not self.faults:
            bar = f"none with grade >= {rules.min_grade}"
            self.faults.append(f"no relevant item ({bar}); add one, or say answerable: false or judged: false")
        fields = self._fields()
        # A written-out `fields` object is complete: a suite that was stored must come back as it was.
        if "fields" not in row:
            copies = zip(SLICEABLE, (source, added), strict=True)
            fields.update({name: value for name, value in copies if name in rules.field_names and value is not None})
        history = self._history()
        if self.faults:
            return None
        return JudgedQuery.of_judgments(
            same_id(row["query_id"]),
            text,
            tuple(said.judgments),
            source=source,
            spans=said.spans,
            fields=fields,
            answerable=answerable,
            judged=judged,
            added=added,
            history=history,
            lines=dict.fromkeys(grades, self.line),
        )

    def _typed(self, key: str, kind: type, wanted: str, default: Any) -> Any:
        value = self.row.get(key)
        if value is None:
            return default
        if not isinstance(value, kind):
            self.faults.append(f"{key}: found {kind_of(value)}, expected {wanted}")
            return default
        return value

    def _flag(self, key: str) -> bool:
        return bool(self._typed(key, bool, "true or false", True))

    def _source(self) -> str:
        source = self._typed("source", str, f"one of {', '.join(SOURCES)}", "human")
        if source not in SOURCES:
            self.faults.append(f"source: found {source!r}, expected one of {', '.join(SOURCES)}")
        return str(source)

    def _added(self) -> str | None:
        added = self._typed("added", str, "a date like 2026-09-30", None)
        try:
            return added and date.fromisoformat(added).isoformat()
        except ValueError:
            self.faults.append(f"added: found {added!r}, expected a date like 2026-09-30")
            return None

    def _history(self) -> tuple[str, ...]:
        turns = self._typed("history", list, "a list of earlier turns, oldest first", [])
        if not all(isinstance(turn, str) for turn in turns):
            self.faults.append("history: expected strings only")
            return ()
        if fault := length_fault("".join(turns)):
            self.faults.append(f"history: {fault}")
        return tuple(nfc(turn).strip() for turn in turns)

    def _fields(self) -> dict[str, FieldValue]:
        inner = self._typed("fields", dict, "an object of names and values", {})
        self.faults.extend(unknown_keys(inner, self.rules.field_names, _DECLARE))
        fields = dict(inner)
        for name in self.rules.field_names:
            if name in self.row and name not in _KEYS:
                if name in inner:
                    self.faults.append(f"field {name!r} is both beside and inside `fields`; keep one")
                fields[name] = self.row[name]
        for name, value in fields.items():
            if fault := field_fault(value):
                self.faults.append(f"field {name!r}: {fault}")
        return {name: nfc(value) if isinstance(value, str) else value for name, value in fields.items()}


def field_fault(value: Any) -> str | None:
    """Say what makes a value unfit to slice by, or None."""
    if value is None or isinstance(value, str | bool | int | float):
        return None
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return None
    return f"found {kind_of(value)}, expected text, a number, true or false, or a list of strings"
