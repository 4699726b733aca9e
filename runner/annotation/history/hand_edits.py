"""What somebody changed in a suite's file by hand, told from answers that a kill or a merge kept out of it.

Every entry that changes a query says how the file judged it before and after (`found`, `left`). A file that judges it
as the last entry left it lacks only what was not written yet. One that judges it otherwise was changed by hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.annotation.history.entry import RecordEntry, last_frozen
from runner.annotation.history.items import item_of
from runner.annotation.history.replay import replay
from runner.files.strict_json import sha256_of
from runner.suites import JudgedQuery, Suite

_DIGITS = 12
_ABSENT = "absent"


def mark(query: JudgedQuery | None) -> str:
    """A hash of how a file judges a query; its text and fields are not the record's business."""
    if query is None:
        return _ABSENT
    row = query.row()
    return sha256_of([row["relevant"], query.judged, query.answerable])[:_DIGITS]


def marked(entries: Sequence[RecordEntry], before: Suite, after: Suite) -> tuple[RecordEntry, ...]:
    """The entries with what each found in the file and left there; of several about one query the first and last."""
    found, left = by_id(before), by_id(after)
    first = {entry.query: position for position, entry in reversed([*enumerate(entries)])}
    last = {entry.query: position for position, entry in enumerate(entries)}
    return tuple(
        replace(
            entry,
            found=mark(found.get(entry.query)) if entry.query and first[entry.query] == position else None,
            left=mark(left.get(entry.query)) if entry.query and last[entry.query] == position else None,
        )
        for position, entry in enumerate(entries)
    )


def edits(
    suite: Suite, entries: Sequence[RecordEntry], *, interrupted: bool = False
) -> tuple[Suite, tuple[RecordEntry, ...]]:
    """The suite once the entries are applied to its file, and drafts that note what was changed by hand, or merged.

    The drafts are applied, too. interrupted: a kill has come between the record and the file.
    """
    after = replay(suite, entries)
    now, then = by_id(suite), by_id(after)
    changed = [id_ for id_ in {**now, **then} if now.get(id_) is not then.get(id_)]
    if not changed:
        return after, ()
    since = last_frozen(entries)
    events: dict[str, list[RecordEntry]] = {id_: [] for id_ in changed}
    for entry in entries:
        if entry.number > since and entry.query in events:
            events[entry.query].append(entry)
    noted = (_noted(id_, now.get(id_), then.get(id_), events[id_], interrupted) for id_ in changed)
    drafts = [draft for draft in noted if draft]
    if not drafts:
        return after, ()
    last = entries[-1].number if entries else 0
    numbered = [replace(draft, number=last + place) for place, draft in enumerate(drafts, 1)]
    return replay(suite, [*entries, *numbered]), tuple(drafts)


def _noted(
    id_: str, now: JudgedQuery | None, then: JudgedQuery | None, events: Sequence[RecordEntry], interrupted: bool
) -> RecordEntry | None:
    """What the record has to say of a query that its file judges otherwise than the record does, if anything."""
    found = mark(now)
    ends: list[str] = []
    for entry in events:
        if entry.what in ("edited", "merged"):
            ends.clear()
        # Of branches that were merged each has an end, and the file may be that of either.
        if entry.found in ends:
            ends.remove(entry.found)
        if entry.left:
            ends.append(entry.left)
    if not ends or found == mark(then):
        return None
    if found in ends:
        note = "merged from branches, whose answers are all kept"
        return RecordEntry(0, "merged", id_, note=note) if len(ends) > 1 else None
    if interrupted and found in {entry.found for entry in events}:
        return None
    return _edited(id_, now, then)


def _edited(id_: str, now: JudgedQuery | None, then: JudgedQuery | None) -> RecordEntry:
    """A note of what the file lacks of what it should hold."""
    if now is None or then is None:
        return RecordEntry(0, "edited", id_, note="taken out of the file by hand", details={"deleted": True})
    held = set(now.every_judgment)
    removed = [item_of(each, then.spans.get(each.id), then.source) for each in then.every_judgment if each not in held]
    return RecordEntry(0, "edited", id_, note="changed in the file by hand", details={"removed": removed})


def by_id(suite: Suite) -> Mapping[str, JudgedQuery]:
    """The queries of a suite by their ids."""
    return {query.id: query for query in suite.queries}
