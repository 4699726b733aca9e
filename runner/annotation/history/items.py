"""Judgments as items of `relevant`, the form that a suite's file and its record share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runner.annotation.history.entry import ANSWERS, WAITING, RecordEntry, standing
from runner.errors import ConfigError, InputError, Problem
from runner.files.reading import HIGHEST_GRADE
from runner.suite_formats.judgment_item import JudgmentReader
from runner.suites import Judgment, Span, Suite

Read = tuple[Judgment, Span | None]


def item_of(judgment: Judgment, span: Span | None, source: str) -> dict[str, Any]:
    """The item of one judgment; `source` is that of its query, which goes without saying."""
    named = {"id": judgment.id} if span is None else span.content()
    return {**named, "grade": judgment.grade, **judgment.provenance(source)}


def read_items(items: Iterable[Mapping[str, Any]], suite: Suite, source: str, where: str) -> list[Read]:
    """The judgments that items of a record stand for, with their spans. Raises InputError listing every fault."""
    reader = JudgmentReader(suite.unit, suite.min_grade, source)
    for item in items:
        reader.take(item)
    if reader.faults:
        raise InputError.of(where, [Problem(None, fault) for fault in reader.faults])
    return [(judgment, reader.spans.get(judgment.id)) for judgment in reader.judgments]


ReadItems = Callable[[Sequence[Mapping[str, Any]], RecordEntry], Sequence[Read]]


def judgments_by(entry: RecordEntry, read: ReadItems, refused: RecordEntry | None = None) -> list[Read]:
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


def _signed(judgment: Judgment, entry: RecordEntry) -> Judgment:
    if entry.what == "carried":
        return judgment
    signed = replace(
        judgment,
        annotator=judgment.annotator or entry.by,
        at=judgment.at or entry.at or None,
        note=judgment.note or entry.note,
        adjudicated=judgment.adjudicated or entry.what == "adjudicated",
    )
    if entry.what != "confirmed":
        return signed
    # A person looked at the new text: what holds is their word, not the one about the old text.
    return replace(signed, source="human", annotator=entry.by or judgment.annotator, adjudicated=False)


def answered_by_several(entries: Sequence[RecordEntry]) -> Mapping[str, RecordEntry]:
    """The proposals and losses, by id, with more than one standing answer, not all of them no: each is its own word."""
    waiting = {entry.id: entry for entry in entries if entry.what in WAITING}
    answers: dict[str, list[str]] = {}
    for entry in standing(entries):
        if entry.what in ANSWERS and entry.answers in waiting:
            answers.setdefault(entry.answers, []).append(entry.what)
    return {id_: waiting[id_] for id_, whats in answers.items() if len(whats) > 1 and {*whats} != {"dropped"}}


def highest_grade(suite: Suite, entries: Sequence[RecordEntry], asked: int | None) -> int:
    """The highest grade that may be given: the one asked for, else the highest that the suite or its past used.

    Raises ConfigError for one with which nothing could be relevant.
    """
    if asked is not None:
        if not suite.min_grade <= asked <= HIGHEST_GRADE:
            raise ConfigError(f"grades: found {asked}, expected a number from {suite.min_grade} to {HIGHEST_GRADE:,}")
        return asked
    used = [judgment.grade for query in suite.queries for judgment in query.every_judgment]
    past = [int(entry.old.get("grade", 0)) for entry in entries if entry.old]
    return max(suite.min_grade, *used, *past)
