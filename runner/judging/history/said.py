"""What an entry of a record says: judgments, and whose word each is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runner.judging.history.entry import ANSWERS, WAITING, Entry, standing
from runner.judging.history.items import Read
from runner.suites import Judgment

ReadItems = Callable[[Sequence[Mapping[str, Any]], Entry], Sequence[Read]]


def said_by(entry: Entry, read: ReadItems, refused: Entry | None = None) -> list[Read]:
    """The judgments of one entry. read: turns items into judgments.

    refused: the proposal to which this entry says no while somebody else says yes, so that it is a grade of 0.
    """
    if entry.what == "dropped" and refused:
        return [
            (Judgment(judgment.id, 0, annotator=entry.by, at=entry.at or None, note=entry.note), span)
            for judgment, span in read(refused.new, refused)
        ]
    if entry.what not in ("carried", *ANSWERS) or entry.what == "dropped":
        return []
    return [(_signed(judgment, entry), span) for judgment, span in read(entry.new, entry)]


def _signed(judgment: Judgment, entry: Entry) -> Judgment:
    if entry.what == "carried":
        return judgment
    signed = replace(
        judgment, annotator=judgment.annotator or entry.by, at=judgment.at or entry.at or None,
        note=judgment.note or entry.note, adjudicated=judgment.adjudicated or entry.what == "adjudicated",
    )  # fmt: skip
    if entry.what != "confirmed":
        return signed
    # A person looked at the new text: what holds is their word, not the one about the old text.
    return replace(signed, source="human", annotator=entry.by or judgment.annotator, adjudicated=False)


def answered_by_several(entries: Sequence[Entry]) -> Mapping[str, Entry]:
    """The proposals and losses, by id, with more than one standing answer, not all of them no: each is its own word."""
    waiting = {entry.id: entry for entry in entries if entry.what in WAITING}
    answers: dict[str, list[str]] = {}
    for entry in standing(entries):
        if entry.what in ANSWERS and entry.answers in waiting:
            answers.setdefault(entry.answers, []).append(entry.what)
    return {id_: waiting[id_] for id_, whats in answers.items() if len(whats) > 1 and {*whats} != {"dropped"}}
