"""One event in the life of a suite's judgments, and which events hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from runner.files.nearest import did_you_mean
from runner.files.reading import kind_of, unknown_keys
from runner.files.strict_json import canonical_json, sha256_of
from runner.suites.judgment import is_time

# A proposal or a loss waits for an answer; an answer names it in `answers`.
WAITING = ("proposed", "gone")
ANSWERS = ("confirmed", "dropped", "judged", "adjudicated", "imported", "unanswerable")
EVENTS = ("migrated", "carried", *WAITING, *ANSWERS, "edited", "merged", "undone", "frozen")

_KINDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "what": (str,),
    "query": (str,),
    "old": (dict,),
    "new": (list,),
    "similarity": (float, int),
    "by": (str,),
    "at": (str,),
    "note": (str,),
    "answers": (str,),
    "details": (dict,),
    "found": (str,),
    "left": (str,),
}
_NAMES = {float: "a number", str: "a string", dict: "an object", list: "a list"}
_ID_DIGITS = 12


@dataclass(frozen=True)
class RecordEntry:
    """One event. number: its line in the record, from 1. query: whom it is about.

    old, new: items of `relevant` as a suite's file has them. similarity: 0 to 1, of an old text to its new one.
    answers: the id of the entry that this one answers or takes back. given: the id in its line. found, left: what the
    suite's file said of the query before and after (see `hand_edits`), where this is known.
    """

    number: int
    what: str
    query: str = ""
    old: Mapping[str, Any] | None = None
    new: tuple[Mapping[str, Any], ...] = ()
    similarity: float | None = None
    by: str | None = None
    at: str = ""
    note: str = ""
    answers: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    found: str | None = field(default=None, compare=False)
    left: str | None = field(default=None, compare=False)
    given: str = field(default="", compare=False)

    @classmethod
    def of(cls, number: int, row: Mapping[str, Any]) -> "RecordEntry":
        """Make an entry of an object without faults."""
        known = {key: value for key, value in row.items() if value is not None}
        given = known.pop("id", "")
        return cls(number, **{**known, "new": tuple(known.get("new", ()))}, given=given)

    @cached_property
    def id(self) -> str:
        """What answers call it, wherever its line stands: the beginning of its content's hash, as it was written."""
        return self.given or sha256_of(self._content())[:_ID_DIGITS]

    def row(self) -> dict[str, Any]:
        """The entry as JSON values, without what goes without saying."""
        return {"id": self.id, **self._content()}

    def _content(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("number", "given")}
        values["new"] = list(self.new)
        return {key: value for key, value in values.items() if value not in (None, "", [], {})}

    @property
    def line(self) -> str:
        """The entry as one line of the record, without its line end."""
        return canonical_json(self.row())


def standing(entries: Sequence[RecordEntry]) -> tuple[RecordEntry, ...]:
    """The entries that nobody has taken back, in order; taking an `undone` back restores what it undid."""
    undone: set[str] = set()
    kept = []
    for entry in reversed(entries):
        if undone and entry.id in undone:
            continue
        if entry.what == "undone" and entry.answers is not None:
            undone.add(entry.answers)
        kept.append(entry)
    return tuple(reversed(kept))


def pending_in(entries: Sequence[RecordEntry]) -> tuple[RecordEntry, ...]:
    """The proposals and losses without a standing answer, in order."""
    answered = {entry.answers for entry in standing(entries) if entry.what in ANSWERS}
    return tuple(entry for entry in entries if entry.what in WAITING and entry.id not in answered)


def last_frozen(entries: Sequence[RecordEntry]) -> int:
    """The number of the entry that froze the suite last, 0 for none: what stands before it is settled for good."""
    return max((entry.number for entry in entries if entry.what == "frozen"), default=0)


def entry_faults(row: Mapping[str, Any], earlier: Collection[str]) -> list[str]:
    """What is wrong with an object as the entry after those with the ids `earlier`, in words."""
    faults = unknown_keys(row, _KINDS)
    for key, value in row.items():
        if value is not None and key in _KINDS and (isinstance(value, bool) or not isinstance(value, _KINDS[key])):
            faults.append(f"{key}: found {kind_of(value)}, expected {_NAMES[_KINDS[key][0]]}")
    if faults:
        return faults
    what, answers = row.get("what"), row.get("answers")
    if what not in EVENTS:
        faults.append(f"what: found {kind_of(what)}, expected an event{did_you_mean(str(what), EVENTS)}")
    if row.get("at") and not is_time(row["at"]):
        faults.append(f"at: found {row['at']!r}, expected a time like 2026-09-30T14:00:00+00:00")
    if answers is not None and answers not in earlier:
        faults.append(f"answers: found {answers!r}, expected the id of an earlier entry; lines were taken out or moved")
    if what == "undone" and answers is None:
        faults.append("undoes no entry; name it in `answers`")
    if not all(isinstance(item, Mapping) for item in row.get("new") or ()):
        faults.append("new: expected judgments, {id, grade, ...}")
    return faults
