"""One event in the life of a suite's judgments, and which events hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.formats.canonical import canonical_json
from runner.formats.reading import did_you_mean, kind_of, unknown_keys

# A proposal or a loss waits for an answer; an answer names it in `answers`.
WAITING = ("proposed", "gone")
ANSWERS = ("confirmed", "dropped", "judged", "adjudicated", "imported")
EVENTS = ("migrated", "carried", *WAITING, *ANSWERS, "undone", "frozen")

_KINDS: Mapping[str, tuple[type, ...]] = {
    "number": (int,), "what": (str,), "query": (str,), "old": (dict,), "new": (list,), "similarity": (float, int),
    "by": (str,), "at": (str,), "note": (str,), "answers": (int,), "details": (dict,),
}  # fmt: skip
_NAMES = {int: "a whole number", float: "a number", str: "a string", dict: "an object", list: "a list"}


@dataclass(frozen=True)
class Entry:
    """One event. number: its line in the record, from 1. query: whom it is about.

    old, new: items of `relevant` as a suite's file has them. similarity: 0 to 1, of an old text to its new one.
    answers: the entry that this one answers or takes back.
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
    answers: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Entry":
        """Make an entry of an object without faults."""
        known = {key: value for key, value in row.items() if value is not None}
        return cls(**{**known, "new": tuple(known.get("new", ()))})

    def row(self) -> dict[str, Any]:
        """The entry as JSON values, without what goes without saying."""
        values = {**vars(self), "new": list(self.new)}
        return {key: value for key, value in values.items() if value not in (None, "", [], {})}

    @property
    def line(self) -> str:
        """The entry as one line of the record, without its line end."""
        return canonical_json(self.row())


def standing(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that nobody has taken back, in order; taking an `undone` back restores what it undid."""
    undone: set[int] = set()
    kept = []
    for entry in reversed(entries):
        if entry.number in undone:
            continue
        if entry.what == "undone" and entry.answers is not None:
            undone.add(entry.answers)
        kept.append(entry)
    return tuple(reversed(kept))


def pending_in(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The proposals and losses without a standing answer, in order."""
    answered = {entry.answers for entry in standing(entries) if entry.what in ANSWERS}
    return tuple(entry for entry in entries if entry.what in WAITING and entry.number not in answered)


def last_frozen(entries: Sequence[Entry]) -> int:
    """The number of the entry that froze the suite last, 0 for none: what stands before it is settled for good."""
    return max((entry.number for entry in entries if entry.what == "frozen"), default=0)


def entry_faults(row: Mapping[str, Any], number: int) -> list[str]:
    """What is wrong with an object as the entry of this number, in words."""
    faults = unknown_keys(row, _KINDS)
    for key, value in row.items():
        if value is not None and key in _KINDS and (isinstance(value, bool) or not isinstance(value, _KINDS[key])):
            faults.append(f"{key}: found {kind_of(value)}, expected {_NAMES[_KINDS[key][0]]}")
    if faults:
        return faults
    what, answers = row.get("what"), row.get("answers")
    if what not in EVENTS:
        faults.append(f"what: found {kind_of(what)}, expected an event{did_you_mean(str(what), EVENTS)}")
    if row.get("number") != number:
        faults.append(f"number: found {kind_of(row.get('number'))}, expected {number}; lines were taken out or moved")
    if answers is not None and not 0 < answers < number:
        faults.append(f"answers: found {answers}, expected an earlier entry")
    if what == "undone" and answers is None:
        faults.append("undoes no entry; name it in `answers`")
    if not all(isinstance(item, Mapping) for item in row.get("new") or ()):
        faults.append("new: expected judgments, {id, grade, ...}")
    return faults
