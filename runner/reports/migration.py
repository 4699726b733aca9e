"""What a migration did, as lines for the terminal: counts, what is held back, the first proposals side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

from runner.alignment.word_diff import word_diff
from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.items import read_items
from runner.annotation.migration.migrate import Migration
from runner.annotation.review.passage_texts import PassageTexts
from runner.rendering.visible import one_line, visible
from runner.reports.wording import excerpt, in_brackets
from runner.scoring.slices import CROSSING, slice_queries
from runner.snapshots import Snapshot
from runner.suites import Suite

_MOST_SLICES = 12
_MOST_PROPOSALS = 3
# Characters around a change that are worth showing, and of a changed text in all.
_AROUND = 30
_LONGEST = 500


def migration_lines(migration: Migration, old: Snapshot, new: Snapshot) -> Iterator[str]:
    """Everything that a person wants to know before going on, but for where it was written."""
    counts, queries = migration.judgments, len(migration.old.queries)
    yield f"{migration.old.name}: {queries} queries, {sum(counts.values())} judgments, {old.id} -> {new.id}"
    asked = {what: {entry.query for entry in migration.entries if entry.what == what} for what in _EXPLAINED}
    for what, meaning in _EXPLAINED.items():
        if counts[what] or what != "dropped":
            yield f"  {what:<9} {counts[what]:>6}  in {len(asked[what])} queries: {meaning}"
    yield from _why(migration)
    yield from _held_back(migration)
    yield from _unanswered(migration.old)
    pending = pending_in(migration.entries)
    before, after = PassageTexts(old, migration.old.unit), PassageTexts(new, migration.old.unit)
    proposals = sorted((entry for entry in pending if entry.what == "proposed"), key=lambda entry: not _grade(entry))
    for entry in proposals[:_MOST_PROPOSALS]:
        yield ""
        yield from _side_by_side(entry, migration, before, after)
    if len(proposals) > _MOST_PROPOSALS:
        yield f"... and {len(proposals) - _MOST_PROPOSALS} more proposals"


_EXPLAINED: Mapping[str, str] = {
    "carried": "the same text",
    "proposed": "a person has to look",
    "gone": "to be judged again",
    "dropped": "not relevant, and now part of what is",
}


def _why(migration: Migration) -> Iterator[str]:
    reasons: dict[tuple[str, str], int] = {}
    for entry in migration.entries[1:]:
        # What follows a semicolon is of one entry only.
        key = (entry.what, entry.note.partition(";")[0])
        reasons[key] = reasons.get(key, 0) + 1
    if reasons:
        listed = sorted(reasons.items(), key=lambda each: (list(_EXPLAINED).index(each[0][0]), -each[1], each[0]))
        yield "  because: " + "; ".join(f"{what} {number} ({note})" for (what, note), number in listed)


def _held_back(migration: Migration) -> Iterator[str]:
    waiting = set(migration.waiting)
    scored = migration.old.scored()
    if not waiting:
        return
    yield f"  {len(waiting)} of {len(scored)} scored queries wait for review and are in no mean until then"
    slices = slice_queries(scored, migration.old.slices, min_grade=migration.old.min_grade)
    held = []
    for name, members in zip(slices.names, slices.members, strict=True):
        ids = [query.id for query, member in zip(scored, members, strict=True) if member]
        number = sum(id_ in waiting for id_ in ids)
        if number and name.partition(".")[0] in migration.old.slices:
            held.append((CROSSING in name, -number / len(ids), -number, name, len(ids)))
    width = max((len(name) for *_, name, _ in held), default=0)
    for *_, number, name, size in sorted(held)[:_MOST_SLICES]:
        yield f"    {name:<{width}}  {-number} of {size}"
    if len(held) > _MOST_SLICES:
        yield f"    ... and {len(held) - _MOST_SLICES} more slices"


def _unanswered(suite: Suite) -> Iterator[str]:
    if unanswerable := len(suite.unanswerable()):
        some = "it" if unanswerable == 1 else "some of them"
        yield f"  {_kept(unanswerable, 'unanswerable')}; the new documents may answer {some}"
    if unjudged := len(suite.unjudged()):
        yield f"  {_kept(unjudged, 'unjudged')}"


def _kept(number: int, kind: str) -> str:
    return f"{number} {kind} {'query was kept as it is' if number == 1 else 'queries were kept as they are'}"


def _side_by_side(entry: RecordEntry, migration: Migration, before: PassageTexts, after: PassageTexts) -> Iterator[str]:
    query = next(query for query in migration.old.queries if query.id == entry.query)
    yield f"{one_line(query.id)}: {one_line(query.text, 100)}  (grade {_grade(entry)}, {entry.note})"
    old_name, old_text = _shown(entry.old or {}, migration.old, query.source, before)
    for position, item in enumerate(entry.new):
        name, text = _shown(item, migration.new, query.source, after)
        yield f"  {one_line(old_name, 120)} -> {one_line(name, 120)}" + _alike(entry, position)
        yield f"    {changed_words(old_text, text)}"


def _shown(item: Mapping[str, Any], suite: Suite, source: str, texts: PassageTexts) -> tuple[str, str]:
    ((judgment, span),) = read_items([item], suite, source, suite.path or suite.name)
    shown = texts.find(judgment.id, span)
    return judgment.id, shown.text if shown else ""


def _alike(entry: RecordEntry, position: int) -> str:
    if "shares" in entry.details:
        return f"  holds {_percent(entry.details['shares'][position])} of it"
    each = entry.details.get("similarities")
    similarity = each[position] if each else entry.similarity
    return "" if similarity is None else f"  {_percent(similarity)} alike"


def _percent(share: float) -> str:
    """Rounded down: only what is the same is 100% alike."""
    return f"{int(share * 100)}%"


def _grade(entry: RecordEntry) -> int:
    return int((entry.old or {}).get("grade", 1))


def changed_words(old: str, new: str) -> str:
    """Two texts as one line: `[-only the old-]`, `{+only the new+}`, and a little of what both have around them."""
    return visible(in_brackets(excerpt(word_diff(old, new), _AROUND, _LONGEST)))
