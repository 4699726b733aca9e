"""What a suite holds once the answers of its record are applied."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runner.annotation.history.entry import ANSWERS, WAITING, RecordEntry, last_frozen, pending_in, standing
from runner.annotation.history.items import Read, answered_by_several, judgments_by, read_items
from runner.errors import InputError
from runner.suites import JudgedQuery, Judgment, Span, Suite, settle


def replay(suite: Suite, entries: Sequence[RecordEntry]) -> Suite:
    """Apply the standing answers to a suite; applying them again changes nothing.

    A query with an unanswered proposal or loss of a relevant judgment waits: it is `judged: false`, and what was
    carried over or answered for it stays in the record only until the last one is answered. What stands before the
    last freezing is in the suite already and left alone, and what was taken out by hand since stays out. Raises
    InputError for items that are no judgments, and for a query whose file holds judgments that waiting would lose.
    """
    since = last_frozen(entries)
    by_query: dict[str, list[RecordEntry]] = defaultdict(list)
    for entry in entries:
        if entry.number > since and entry.query:
            by_query[entry.query].append(entry)
    standing_ = {entry.id for entry in standing(entries)}
    waiting = {entry.query for entry in pending_in(entries) if is_relevant(entry)}
    queries = {query.id: query for query in suite.queries}
    for id_, events in by_query.items():
        if not any(entry.what in (*WAITING, *ANSWERS) for entry in events):
            continue
        events = _since_deleted(events)
        held = [entry for entry in events if entry.id in standing_]
        taken_back = [entry for entry in events if entry.id not in standing_]
        query = queries.get(id_) or _made(held)
        if query is None or (_made(events) and not _made(held)):
            queries.pop(id_, None)
            continue
        queries[id_] = _Replayed(suite, query, id_ in waiting).apply(held, taken_back)
    return replace(suite, queries=tuple(queries[id_] for id_ in sorted(queries)))


def is_relevant(entry: RecordEntry) -> bool:
    """Whether a proposal or loss is about something relevant, without which its query would be an easier one."""
    return int((entry.old or {}).get("grade", 1)) > 0


def _since_deleted(events: list[RecordEntry]) -> list[RecordEntry]:
    """What came after somebody took a query that the record had made out of the file."""
    edited = [(number, entry) for number, entry in enumerate(events, 1) if entry.what == "edited"]
    return events[max((number for number, entry in edited if entry.details.get("deleted")), default=0) :]


def _made(entries: Iterable[RecordEntry]) -> JudgedQuery | None:
    """The query that an answer brought along (`details.query`: text, history, fields, source), if one did."""
    for entry in entries:
        brought = entry.details.get("query")
        if isinstance(brought, Mapping) and entry.what in ANSWERS:
            return JudgedQuery(
                entry.query,
                str(brought.get("text", "")),
                {},
                dict(brought.get("fields") or {}),
                judged=False,
                source=str(brought.get("source", "human")),
                added=entry.at[:10] or None,
                history=tuple(brought.get("history") or ()),
            )
    return None


class _Replayed:
    """One query and what its record says of it."""

    def __init__(self, suite: Suite, query: JudgedQuery, waits: bool) -> None:
        self._suite, self._query, self._waits = suite, query, waits

    def apply(self, held: Sequence[RecordEntry], taken_back: Sequence[RecordEntry]) -> JudgedQuery:
        query = self._query
        proposals = {entry.id: entry for entry in held if entry.what == "proposed"}
        given, removed = self._given(held, proposals)
        # All that the record may ever have put into the file, which is not the file's own.
        known: set[Judgment] = set()
        for entry in (*held, *taken_back):
            for judgment, _ in self._judgments_of(entry, proposals.get(entry.answers or "")):
                known.update((judgment, replace(judgment, adjudicated=True)))
        own = [judgment for judgment in query.every_judgment if judgment not in known or judgment in removed]
        replaced = [pair for entry in taken_back for pair in self._replaced(entry)]
        spans = {**query.spans, **{judgment.id: span for judgment, span in replaced if span}}
        spans.update({judgment.id: span for _, judgment, span in given if span})
        kept: list[Judgment] = []
        for judgment in (*(judgment for judgment, _ in replaced), *own):
            _take(kept, judgment)
        several = answered_by_several(held)
        for entry, judgment, _ in given:
            if entry.what == "confirmed" and entry.answers not in several:
                _confirm(kept, judgment)
            else:
                _take(kept, judgment)
        # What is in the file keeps its place: the order of several judgments is part of a revision.
        order = {_who(judgment): position for position, judgment in reversed([*enumerate(query.every_judgment)])}
        exact = {judgment: position for position, judgment in enumerate(query.every_judgment)}
        kept.sort(key=lambda judgment: exact.get(judgment, order.get(_who(judgment), len(exact))))
        if self._waits:
            at_stake = {judgment.id for judgment in kept if judgment.grade > 0}
            if lost := [judgment.id for judgment in own if judgment.id in at_stake]:
                raise InputError(
                    f"{self._suite.path or self._suite.name}: query {query.id!r} waits for review, but judges "
                    f"{lost[0]!r}, which its record does not know; take it out, or answer what waits first"
                )
            kept = [judgment for judgment in kept if judgment.id not in at_stake]
        return self._of(tuple(kept), spans, _answerable(query, held, taken_back))

    def _given(
        self, held: Sequence[RecordEntry], proposals: Mapping[str, RecordEntry]
    ) -> tuple[list[tuple[RecordEntry, Judgment, Span | None]], set[Judgment]]:
        """What the entries say but for what was taken out of the file by hand since; and what was taken out."""
        several = answered_by_several(held)
        given: list[tuple[RecordEntry, Judgment, Span | None]] = []
        out: set[Judgment] = set()
        for entry in held:
            if entry.what == "edited":
                gone = [judgment for judgment, _ in self._read(entry.details.get("removed", ()), entry)]
                given = [each for each in given if not any(_is_of(each[1], judgment) for judgment in gone)]
                out.update(gone)
            refused = proposals.get(entry.answers or "") if entry.answers in several else None
            given += [(entry, judgment, span) for judgment, span in self._judgments_of(entry, refused)]
        return given, out

    def _of(self, kept: tuple[Judgment, ...], spans: Mapping[str, Span], answerable: bool) -> JudgedQuery:
        query = self._query
        named = {judgment.id for judgment in kept}
        changed = JudgedQuery.of_judgments(
            query.id,
            query.text,
            kept,
            source=query.source,
            spans={id_: span for id_, span in spans.items() if id_ in named},
            fields=query.fields,
            added=query.added,
            history=query.history,
            lines={id_: line for id_, line in query.lines.items() if id_ in named},
        )
        relevant = any(grade >= self._suite.min_grade for grade in changed.grades.values())
        # A query that nothing answered, and that something does now, is answerable.
        if relevant or answerable or self._waits:
            return replace(changed, judged=relevant and not self._waits, answerable=True)
        return replace(changed, judged=query.judged or query.answerable, answerable=False)

    def _replaced(self, entry: RecordEntry) -> Sequence[Read]:
        """What the same annotator had said before: it holds again once the answer is taken back."""
        if entry.old is None or entry.what not in ("judged", "adjudicated", "imported"):
            return ()
        by = {(judgment.id, judgment.annotator) for judgment, _ in self._judgments_of(entry)}
        before = self._read((entry.old,), entry)
        return [(judgment, span) for judgment, span in before if (judgment.id, judgment.annotator) in by]

    def _read(self, items: Sequence[Mapping[str, Any]], entry: RecordEntry) -> Sequence[Read]:
        where = f"{self._suite.path or self._suite.name}: line {entry.number} of its record"
        return read_items(items, self._suite, self._query.source, where)

    def _judgments_of(self, entry: RecordEntry, refused: RecordEntry | None = None) -> Sequence[Read]:
        return judgments_by(entry, self._read, refused)


def _answerable(query: JudgedQuery, held: Sequence[RecordEntry], taken_back: Sequence[RecordEntry]) -> bool:
    """Whether anything may answer the query: until a person says that nothing does, or takes that back."""
    edited = max((number for number, entry in enumerate(held, 1) if entry.what == "edited"), default=0)
    if any(entry.what == "unanswerable" for entry in held[edited:]):
        return False
    return query.answerable or any(entry.what == "unanswerable" for entry in taken_back)


def _is_of(judgment: Judgment, removed: Judgment) -> bool:
    """Whether what an entry says is what was removed, or what the same person had said of it before."""
    if (judgment.id, judgment.annotator) != (removed.id, removed.annotator):
        return False
    return judgment.adjudicated == removed.adjudicated or replace(judgment, adjudicated=True) == removed


def _who(judgment: Judgment) -> tuple[str, str | None, bool]:
    return judgment.id, judgment.annotator, judgment.adjudicated


def _take(kept: list[Judgment], judgment: Judgment) -> None:
    """Add a judgment; of two by one annotator on one thing the later holds."""
    for position, other in enumerate(kept):
        same = (other.id, other.annotator) == (judgment.id, judgment.annotator)
        if same and not (other.adjudicated or judgment.adjudicated):
            kept[position] = judgment
            return
    if judgment not in kept:
        kept.append(judgment)


def _confirm(kept: list[Judgment], judgment: Judgment) -> None:
    """Add a confirmed judgment. Several old passages may have become one, which is as good as the best of them.

    So a higher grade that holds already stays, and a lower one, unless it is 0, is settled by the new one; a 0 is
    about the same text, and the two disagree.
    """
    holds = settle(kept).grades.get(judgment.id)
    if holds is None or holds == 0 < judgment.grade:
        _take(kept, judgment)
    elif holds < judgment.grade:
        kept.append(replace(judgment, adjudicated=True))
