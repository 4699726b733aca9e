"""Answers to what waits, each safe on disk before the next is asked, and taken back one by one."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.history.entry import ANSWERS, RecordEntry, last_frozen, pending_in, standing
from runner.annotation.history.items import item_of
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.record import now
from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.review.queue import ReviewItem, Target, Wanted, queue
from runner.errors import InputError
from runner.suite_formats.head import SLICEABLE, names_in
from runner.suites import Judgment, Suite


@dataclass(frozen=True)
class GivenAnswer:
    """What a person said of an item. graded: what holds, with its grade; nothing drops what was proposed or gone.

    note: in their words. unanswerable: nothing answers the question at all.
    """

    graded: tuple[tuple[Target, int], ...]
    note: str = ""
    unanswerable: bool = False


class Review:
    """One person's work on a suite. Every answer goes to the record first and then, by replay, to the suite's file."""

    def __init__(self, live: LiveSuite, wanted: Wanted) -> None:
        self._live, self._wanted = live, wanted
        self._asked: tuple[Suite, Sequence[RecordEntry], tuple[ReviewItem, ...]] | None = None

    @property
    def suite(self) -> Suite:
        """The suite as it is now."""
        return self._live.suite

    def items(self) -> tuple[ReviewItem, ...]:
        """What is left to ask."""
        suite, entries = self.suite, self._live.entries
        if self._asked is None or self._asked[0] is not suite or self._asked[1] is not entries:
            self._asked = suite, entries, queue(suite, entries, self._wanted)
        return self._asked[2]

    def answer(self, item: ReviewItem, answer: GivenAnswer) -> RecordEntry:
        """Keep an answer; one to what somebody else has answered meanwhile is kept beside it."""
        return self._live.change(lambda suite, _: [self._draft(item, answer, suite)])[0]

    def _draft(self, item: ReviewItem, answer: GivenAnswer, suite: Suite) -> RecordEntry:
        query, by = item.query, self._wanted.annotator
        note = answer.note
        if item.candidate:
            note = " | ".join(part for part in (note, _origin(item.candidate)) if part)
        new = [
            item_of(Judgment(target.id, grade, annotator=by, note=note), target.span, query.source)
            for target, grade in answer.graded
        ]
        if not (new or item.entry or answer.unanswerable):
            raise InputError(f"query {query.id!r}: an answer needs a grade; skip it to leave it open")
        what = "unanswerable" if answer.unanswerable else "judged"
        if item.kind == "disputed":
            disputed = next((each.disputed for each in suite.queries if each.id == query.id), ())
            # What somebody has settled meanwhile is not settled anew without having been seen.
            what = "adjudicated" if any(target.id in disputed for target, _ in answer.graded) else "judged"
        waits = item.entry
        if waits:
            what = "confirmed" if new else "dropped"
        return RecordEntry(
            0,
            what,
            query.id,
            waits.old if waits else None,
            tuple(new),
            waits.similarity if waits else None,
            by,
            note=note,
            answers=waits.id if waits else None,
            details=self._details(item),
        )

    def others(self, item: ReviewItem) -> tuple[str, ...]:
        """Who else has answered an item of the record, by name."""
        if item.entry is None:
            return ()
        said = [entry for entry in standing(self._live.entries) if entry.answers == item.entry.id]
        return tuple(sorted({entry.by or "somebody" for entry in said if entry.by != self._wanted.annotator}))

    def outside(self, query: str) -> bool:
        """Whether nothing is known to answer a query, and nothing of it waits, so that it is in no mean."""
        return bool(out_of_means(self.suite, self._live.entries, [query]))

    def undo(self) -> RecordEntry | None:
        """Take back this person's last answer, also of an earlier session; None if there is none left."""
        taken_back: list[RecordEntry] = []

        def plan(_: Suite, entries: Sequence[RecordEntry]) -> Sequence[RecordEntry]:
            since = last_frozen(entries)
            own = (
                entry
                for entry in reversed(standing(entries))
                if entry.what in ANSWERS and entry.by == self._wanted.annotator and entry.number > since
            )
            taken_back.extend(islice(own, 1))
            return [
                RecordEntry(0, "undone", each.query, by=self._wanted.annotator, answers=each.id) for each in taken_back
            ]

        self._live.change(plan)
        return taken_back[0] if taken_back else None

    def _details(self, item: ReviewItem) -> Mapping[str, Any]:
        candidate = item.candidate
        if candidate is None:
            return {}
        details: dict[str, Any] = {"candidate": candidate.kind}
        if candidate.id is None and candidate.passage:
            details["passage"] = candidate.passage
        if not item.known:
            details["query"] = new_query(
                self._live.file, candidate.text, candidate.history, candidate.fields, candidate.source, candidate.rules
            )
        return details


def new_query(
    file: SuiteFile,
    text: str,
    history: Sequence[str],
    fields: Mapping[str, Any],
    source: str = "human",
    rules: Sequence[str] = (),
) -> Mapping[str, Any]:
    """A query that an answer brings along, as the record holds it. rules: that have anonymised its text."""
    own = declared_fields(file, fields, source)
    values = {"text": text, "history": list(history), "fields": own, "source": source, "rules": list(rules)}
    return {key: value for key, value in values.items() if value or key in ("text", "history", "fields")}


def out_of_means(suite: Suite, entries: Sequence[RecordEntry], queries: Collection[str]) -> tuple[str, ...]:
    """Those of some queries that are in no mean although nothing of them waits: nothing relevant to them is known."""
    waiting = {entry.query for entry in pending_in(entries)}
    asked = (query for query in suite.queries if query.id in queries)
    return tuple(query.id for query in asked if not query.judged and query.id not in waiting)


def declared_fields(file: SuiteFile, fields: Mapping[str, Any], source: str = "human") -> dict[str, Any]:
    """Those fields of a new query that the suite's head declares: with any other, it could not be read again."""
    values = file.values
    declared = {*names_in(_names(values.get("slices"))), *_names(values.get("fields"))}
    copied = dict(zip(SLICEABLE, (source, now()[:10]), strict=True))
    return {name: value for name, value in {**copied, **fields}.items() if name in declared}


def _names(value: Any) -> Sequence[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _origin(candidate: JudgmentCandidate) -> str:
    return f"candidate ({candidate.kind}, {candidate.source})" + (f": {candidate.why}" if candidate.why else "")
