"""Answers to what waits, each safe on disk before the next is asked, and taken back one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.errors import InputError
from runner.judging.history.entry import Entry, last_frozen, standing
from runner.judging.history.items import item_of
from runner.judging.history.live_suite import LiveSuite
from runner.judging.history.record import now
from runner.judging.history.suite_file import SuiteFile
from runner.judging.reviewing.queue import Item, Target, Wanted, queue
from runner.suite_formats.head import SLICEABLE, names_in
from runner.suites import Judgment, Suite

_ANSWERED = ("confirmed", "dropped", "judged", "adjudicated")


@dataclass(frozen=True)
class Answer:
    """What a person said of an item. graded: what holds, with its grade; nothing drops what was proposed or gone."""

    graded: tuple[tuple[Target, int], ...]
    note: str = ""


class Review:
    """One person's work on a suite. Every answer goes to the record first and then, by replay, to the suite's file."""

    def __init__(self, live: LiveSuite, wanted: Wanted) -> None:
        self._live, self._wanted = live, wanted

    @property
    def suite(self) -> Suite:
        """The suite as it is now."""
        return self._live.suite

    def items(self) -> tuple[Item, ...]:
        """What is left to ask."""
        return queue(self.suite, self._live.entries, self._wanted)

    def answer(self, item: Item, answer: Answer) -> Entry:
        """Keep an answer."""
        query, by = item.query, self._wanted.annotator
        note = answer.note
        if item.candidate:
            note = " | ".join(part for part in (note, _origin(item)) if part)
        new = [
            item_of(Judgment(target.id, grade, annotator=by, note=note), target.span, query.source)
            for target, grade in answer.graded
        ]
        if not (new or item.entry):
            raise InputError(f"query {query.id!r}: an answer needs a grade; skip it to leave it open")
        what = "adjudicated" if item.kind == "disputed" else "judged"
        if item.entry:
            what = "confirmed" if new else "dropped"
        entry = self._live.record.append(
            what, query=query.id, old=item.entry.old if item.entry else None, new=new, by=by, note=note,
            similarity=item.entry.similarity if item.entry else None,
            answers=item.entry.number if item.entry else None, details=self._details(item),
        )  # fmt: skip
        self._live.apply()
        return entry

    def undo(self) -> Entry | None:
        """Take back this person's last answer, also of an earlier session; None if there is none left."""
        self._live.apply()
        since = last_frozen(self._live.entries)
        own = [
            entry
            for entry in standing(self._live.entries)
            if entry.what in _ANSWERED
            and entry.by == self._wanted.annotator
            and entry.number > since
            and "file" not in entry.details
        ]
        if not own:
            return None
        self._live.record.append("undone", query=own[-1].query, by=self._wanted.annotator, answers=own[-1].number)
        self._live.apply()
        return own[-1]

    def _details(self, item: Item) -> Mapping[str, Any]:
        if item.candidate is None:
            return {}
        if item.known:
            return {"candidate": item.candidate.kind}
        fields = declared_fields(self._live.file, item.candidate.fields)
        return {
            "candidate": item.candidate.kind,
            "query": {"text": item.query.text, "history": list(item.query.history), "fields": fields},
        }


def declared_fields(file: SuiteFile, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Those fields of a new query that the suite's head declares: with any other, it could not be read again."""
    values = file.values
    declared = {*names_in(_names(values.get("slices"))), *_names(values.get("fields"))}
    copied = dict(zip(SLICEABLE, ("human", now()[:10]), strict=True))
    return {name: value for name, value in {**copied, **fields}.items() if name in declared}


def _names(value: Any) -> Sequence[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _origin(item: Item) -> str:
    candidate = item.candidate
    if candidate is None:
        return ""
    return f"candidate ({candidate.kind}, {candidate.source})" + (f": {candidate.why}" if candidate.why else "")
