"""Carry a suite's judgments from one snapshot to another: what is certain by itself, what is not to a person."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.items import item_of
from runner.annotation.history.record import now
from runner.annotation.history.replay import is_relevant
from runner.annotation.migration.pair import Follower, JudgedPair, Outcome, pairs_of
from runner.annotation.migration.passage_follower import DocumentFollower, PassageFollower
from runner.annotation.migration.span_follower import SpanFollower
from runner.errors import InputError
from runner.rendering.progress import progress_bar
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Judgment, Suite

FOLLOWERS: Mapping[str, type[PassageFollower] | type[DocumentFollower] | type[SpanFollower]] = {
    "passage": PassageFollower,
    "document": DocumentFollower,
    "span": SpanFollower,
}


@dataclass(frozen=True)
class Migration:
    """old, new: the suites. entries: the new one's record, its head line first."""

    old: Suite
    new: Suite
    entries: tuple[RecordEntry, ...]

    @cached_property
    def judgments(self) -> Counter[str]:
        """How many judged pairs were carried, proposed, gone or dropped; one that was carried in part is proposed."""
        outcomes: dict[tuple[str, str], str] = {}
        for entry in self.entries[1:]:
            key = (entry.query, _name(entry.old or {}))
            if outcomes.get(key) != "proposed":
                outcomes[key] = entry.what
        return Counter(outcomes.values())

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """The ids of queries that are in no mean until review has answered what was relevant to them."""
        return tuple(sorted({entry.query for entry in pending_in(self.entries) if is_relevant(entry)}))

    @property
    def whole(self) -> bool:
        """Whether everything was carried."""
        return not pending_in(self.entries)


def migrate(suite: Suite, old: Snapshot, new: Snapshot, *, by: str | None = None, at: str | None = None) -> Migration:
    """Follow every judgment of a suite on `old` to `new`.

    Provenance stays with what is carried. Raises InputError if the suite does not fit the old snapshot: pinned to
    another, or judging what it does not hold (and says so if it fits the new one instead).
    """
    _refuse_wrong_order(suite, old, new)
    follower: Follower = FOLLOWERS[suite.unit](old, new)
    at = at or now()
    entries: list[RecordEntry] = []
    queries = []
    held = suite.held(old)
    for query in progress_bar(held.queries, desc="judgments"):
        moved, events = _moved(query, follower)
        queries.append(moved)
        entries += [replace(event, number=0, by=by, at=at) for event in events]
    for query, id_ in held.missing:
        [pair] = [each for each in pairs_of(query) if each.id == id_]
        outcome = Outcome("gone", similarity=0.0, why=f"not in snapshot {old.id}")
        entries.append(replace(_event(pair, outcome, (), outcome.why, what="dropped"), number=0, by=by, at=at))
    migrated = _pinned(replace(suite, queries=tuple(queries), frozen=None, path=""), new)
    details = {"from": old.id, "to": new.id, "old_revision": suite.revision, "new_revision": migrated.revision}
    head = RecordEntry(1, "migrated", by=by, at=at, details=details)
    numbered = (replace(entry, number=number) for number, entry in enumerate(entries, 2))
    migrated.check(new)
    return Migration(suite, migrated, (head, *numbered))


def _pinned(suite: Suite, snapshot: Snapshot) -> Suite:
    """Passages depend on how pages are cut; documents and spans on the pages alone."""
    if suite.unit == "passage":
        return replace(suite, snapshot=snapshot.id, documents=None)
    return replace(suite, snapshot=None, documents=snapshot.documents_sha256[:16])


def _refuse_wrong_order(suite: Suite, old: Snapshot, new: Snapshot) -> None:
    try:
        suite.check(old)
    except InputError as error:
        where = suite.path or f"suite {suite.name}"
        try:
            suite.check(new)
        except InputError:
            if suite.snapshot in (None, old.id) and suite.documents in (None, old.documents_sha256[:16]):
                raise error from None
            pinned = f"snapshot {suite.snapshot}" if suite.snapshot else f"the documents {suite.documents}"
            carried = f"is pinned to {pinned}; give that with from=, not {old.id}"
            raise InputError(f"{suite.head or where}: {carried}") from None
        raise InputError(
            f"{where}: fits snapshot {new.id} (to=), not {old.id} (from=); exchange from= and to=?"
        ) from None


def _moved(query: JudgedQuery, follower: Follower) -> tuple[JudgedQuery, list[RecordEntry]]:
    """The query with what was carried, and an entry without a number for every outcome."""
    followed = [(pair, outcome) for pair in pairs_of(query) for outcome in follower.follow(pair)]
    winners = _winners(followed)
    relevant = {id_ for id_, pair in winners.items() if pair.grade > 0}
    kept: list[Judgment] = []
    spans = {}
    events: list[RecordEntry] = []
    for pair, outcome in followed:
        if outcome.what == "carried":
            successors = [successor for successor in outcome.successors if winners[successor.id] is pair]
            spans.update({successor.id: successor.span for successor in successors if successor.span})
            carried = [replace(each, id=successor.id) for successor in successors for each in pair.judgments]
            kept += carried
            where = {successor.id: successor.span for successor in successors}
            items = tuple(item_of(each, where[each.id], query.source) for each in carried)
            events.append(_event(pair, outcome, items, outcome.why if items else _HELD_BY_BETTER))
            continue
        # What holds something relevant is not irrelevant, whatever else it holds.
        successors = [successor for successor in outcome.successors if pair.grade > 0 or successor.id not in relevant]
        if outcome.successors and not successors:
            events.append(_event(pair, outcome, (), _HELD_BY_BETTER, what="dropped"))
            continue
        proposed = ((Judgment(each.id, pair.grade, query.source), each.span) for each in successors)
        items = tuple(item_of(*each, query.source) for each in proposed)
        events.append(_event(pair, outcome, items, outcome.why))
    waits = any(event.what in ("proposed", "gone") and is_relevant(event) for event in events)
    if waits:
        at_stake = {judgment.id for judgment in kept if judgment.grade > 0}
        kept = [judgment for judgment in kept if judgment.id not in at_stake]
    named = {judgment.id for judgment in kept}
    moved = JudgedQuery.of_judgments(
        query.id,
        query.text,
        tuple(kept),
        source=query.source,
        spans={id_: span for id_, span in spans.items() if id_ in named},
        fields=query.fields,
        answerable=query.answerable,
        judged=query.judged and not waits,
        added=query.added,
        history=query.history,
    )
    return moved, events


_HELD_BY_BETTER = "the new one holds something of a higher grade, which counts"


def _winners(followed: Iterable[tuple[JudgedPair, Outcome]]) -> dict[str, JudgedPair]:
    """For every new id the pair whose judgments it gets: of several old ones in one new one, the best."""
    winners: dict[str, JudgedPair] = {}
    for pair, outcome in followed:
        if outcome.what == "carried":
            for successor in outcome.successors:
                if successor.id not in winners or pair.grade > winners[successor.id].grade:
                    winners[successor.id] = pair
    return winners


def _event(
    pair: JudgedPair, outcome: Outcome, items: Sequence[Mapping[str, Any]], note: str, what: str | None = None
) -> RecordEntry:
    details = dict(outcome.details)
    if len(pair.judgments) > 1:
        details["judgments"] = [item_of(each, pair.span, pair.query.source) for each in pair.judgments]
    if pair.id in pair.query.disputed:
        details["disputed"] = True
    return RecordEntry(
        0, what or outcome.what, pair.query.id, pair.item, tuple(items), outcome.similarity, note=note, details=details
    )


def _name(item: Mapping[str, Any]) -> str:
    return str({key: item.get(key) for key in ("id", "document", "quote", "start", "end")})
