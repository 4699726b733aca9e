"""What a suite holds once the answers of its record are applied."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runner.errors import InputError
from runner.judging.history.entry import ANSWERS, WAITING, Entry, last_frozen, pending_in, standing
from runner.judging.history.items import Read, read_items
from runner.suites import JudgedQuery, Judgment, Span, Suite, settle


def replay(suite: Suite, entries: Sequence[Entry]) -> Suite:
    """Apply the standing answers to a suite; applying them again changes nothing.

    A query with an unanswered proposal or loss of a relevant judgment waits: it is `judged: false`, and what was
    carried over or answered for it stays in the record only until the last one is answered. What stands before the
    last freezing is in the suite already and left alone. Raises InputError for items that are no judgments, and for
    a query whose file holds judgments that waiting would lose.
    """
    since = last_frozen(entries)
    by_query: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.number > since and entry.query:
            by_query[entry.query].append(entry)
    standing_ = {entry.number for entry in standing(entries)}
    waiting = {entry.query for entry in pending_in(entries) if is_relevant(entry)}
    queries = {query.id: query for query in suite.queries}
    for id_, events in by_query.items():
        if not any(entry.what in (*WAITING, *ANSWERS) for entry in events):
            continue
        held = [entry for entry in events if entry.number in standing_]
        taken_back = [entry for entry in events if entry.number not in standing_]
        query = queries.get(id_) or _made(held)
        if query is None or (_made(events) and not _made(held)):
            queries.pop(id_, None)
            continue
        queries[id_] = _Replayed(suite, query, id_ in waiting).apply(held, taken_back)
    return replace(suite, queries=tuple(queries[id_] for id_ in sorted(queries)))


def is_relevant(entry: Entry) -> bool:
    """Whether a proposal or loss is about something relevant, without which its query would be an easier one."""
    return int((entry.old or {}).get("grade", 1)) > 0


def _made(entries: Iterable[Entry]) -> JudgedQuery | None:
    """The query that an answer brought along (`details.query`: text, history, fields), if one did."""
    for entry in entries:
        brought = entry.details.get("query")
        if isinstance(brought, Mapping) and entry.what in ANSWERS:
            return JudgedQuery(
                entry.query, str(brought.get("text", "")), {}, dict(brought.get("fields") or {}), judged=False,
                added=entry.at[:10] or None, history=tuple(brought.get("history") or ()),
            )  # fmt: skip
    return None


class _Replayed:
    """One query and what its record says of it."""

    def __init__(self, suite: Suite, query: JudgedQuery, waits: bool) -> None:
        self._suite, self._query, self._waits = suite, query, waits

    def apply(self, held: Sequence[Entry], taken_back: Sequence[Entry]) -> JudgedQuery:
        query = self._query
        told = [(entry, said, span) for entry in held for said, span in self._said(entry)]
        withdrawn = [said for entry in taken_back for said, _ in self._said(entry)]
        known = {variant for said in (*withdrawn, *(said for _, said, _ in told)) for variant in _variants(said)}
        own = [said for said in query.every_judgment if said not in known]
        replaced = [pair for entry in taken_back for pair in self._replaced(entry)]
        spans = {**query.spans, **{said.id: span for said, span in replaced if span}}
        spans.update({said.id: span for _, said, span in told if span})
        kept: list[Judgment] = []
        for said in (*(said for said, _ in replaced), *own):
            _take(kept, said)
        for entry, said, _ in told:
            if entry.what == "confirmed":
                _confirm(kept, said)
            else:
                _take(kept, said)
        # What is in the file keeps its place: the order of several judgments is part of a revision.
        order = {said: position for position, said in enumerate(query.every_judgment)}
        kept.sort(key=lambda said: order.get(said, len(order)))
        if self._waits:
            at_stake = {judgment.id for judgment in kept if judgment.grade > 0}
            if lost := [judgment.id for judgment in own if judgment.id in at_stake]:
                raise InputError(
                    f"{self._suite.path or self._suite.name}: query {query.id!r} waits for review, but judges "
                    f"{lost[0]!r}, which its record does not know; take it out, or answer what waits first"
                )
            kept = [judgment for judgment in kept if judgment.id not in at_stake]
        return self._of(tuple(kept), spans)

    def _of(self, kept: tuple[Judgment, ...], spans: Mapping[str, Span]) -> JudgedQuery:
        query = self._query
        named = {judgment.id for judgment in kept}
        changed = JudgedQuery.of_judgments(
            query.id, query.text, kept, source=query.source,
            spans={id_: span for id_, span in spans.items() if id_ in named},
            fields=query.fields, added=query.added, history=query.history,
            lines={id_: line for id_, line in query.lines.items() if id_ in named},
        )  # fmt: skip
        relevant = any(grade >= self._suite.min_grade for grade in changed.grades.values())
        # A query that nothing answered, and that something does now, is answerable.
        answerable = query.answerable or relevant
        judged = relevant and not self._waits if answerable else query.judged
        return replace(changed, judged=judged, answerable=answerable)

    def _replaced(self, entry: Entry) -> Sequence[Read]:
        """What the same annotator had said before: it holds again once the answer is taken back."""
        if entry.old is None or entry.what not in ("judged", "adjudicated", "imported"):
            return ()
        by = {(said.id, said.annotator) for said, _ in self._said(entry)}
        before = self._read((entry.old,), entry)
        return [(said, span) for said, span in before if (said.id, said.annotator) in by]

    def _read(self, items: Sequence[Mapping[str, Any]], entry: Entry) -> Sequence[Read]:
        where = f"{self._suite.path or self._suite.name}: entry {entry.number} of its record"
        return read_items(items, self._suite, self._query.source, where)

    def _said(self, entry: Entry) -> Sequence[Read]:
        if entry.what not in ("carried", *ANSWERS) or entry.what == "dropped":
            return ()
        read = self._read(entry.new, entry)
        if entry.what == "confirmed":
            # A person looked at the new text: what holds is their word, not the one about the old text.
            return [
                (replace(said, source="human", annotator=entry.by, at=entry.at or None, adjudicated=False,
                         note=said.note or entry.note), span)
                for said, span in read
            ]  # fmt: skip
        if entry.what == "carried":
            return read
        settles = entry.what == "adjudicated"
        return [
            (replace(said, annotator=said.annotator or entry.by, at=said.at or entry.at or None,
                     adjudicated=said.adjudicated or settles, note=said.note or entry.note), span)
            for said, span in read
        ]  # fmt: skip


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


def _variants(judgment: Judgment) -> tuple[Judgment, Judgment]:
    return judgment, replace(judgment, adjudicated=True)
