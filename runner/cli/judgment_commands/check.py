"""`check SUITE [snapshot=ID]`: does everything that a suite judges exist in a snapshot, and what is still open?"""

import sys
from collections import Counter
from collections.abc import Iterator

from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.hand_edits import edits
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.review.passage_texts import judged_snapshot
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, listed, named_suite
from runner.engine.inputs import snapshot_store
from runner.errors import InputError
from runner.snapshots import Snapshot
from runner.suites import SOURCES, Suite
from runner.suites.by_position import refuse_by_position
from runner.suites.leak import HOLDOUT, merged
from runner.workflows.clean_holdout import leak_error, leaks_of


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    snapshot: str | None = setting("id, beginning of it, or name; default: that of the suite", None, metavar="ID")


def run(asked: Asked) -> int:
    """Check: 0 the suite fits, also with open judgments; 2 it does not."""
    place = asked.place()
    file = named_suite(asked.suite)
    store = snapshot_store(place.store)
    suite = file.read()
    snapshot = judged_snapshot(store, suite, asked.snapshot)
    refuse_by_position(suite, snapshot)
    if suite.role == HOLDOUT:
        collections = [made.collection for made in store.history() if made.id == snapshot.id] or [""]
        leaks = merged(leak for name in collections for leak in leaks_of(suite, place.store, name))
        if leaks:
            raise InputError(leak_error(suite, leaks))
    record = JudgmentRecord.beside(file.path)
    entries = record.entries()
    print(f"{suite.name}: fits snapshot {snapshot.id}")
    for line in (*_counts(suite), *_missing(suite, snapshot), *_open(suite, entries, interrupted=file.draft.exists())):
        print(f"  {line}")
    if torn := record.torn():
        print(f"warning: {torn}", file=sys.stderr)
    return 0


def _counts(suite: Suite) -> Iterator[str]:
    pairs = sum(len(query.grades) for query in suite.queries)
    said = [judgment for query in suite.queries for judgment in query.every_judgment]
    frozen = ", frozen" if suite.frozen else ""
    yield f"revision {suite.revision}{frozen}, role {suite.role}, unit {suite.unit}"
    yield (
        f"{len(suite.queries)} queries: {len(suite.scored())} scored, {len(suite.unanswerable())} unanswerable, "
        f"{len(suite.unjudged())} unjudged or waiting"
    )
    if unjudged := suite.unjudged():
        yield f"unjudged or waiting: {listed([query.id for query in unjudged])}"
    by_source = Counter(judgment.source for judgment in said)
    sources = ", ".join(f"{by_source[source]} {source}" for source in SOURCES if by_source[source]) or "none"
    people = len({judgment.annotator for judgment in said if judgment.annotator})
    yield f"{pairs} judged pairs, {len(said)} judgments by {people} named annotators: {sources}"


def _missing(suite: Suite, snapshot: Snapshot) -> Iterator[str]:
    held = suite.held(snapshot)
    if held.missing:
        ids = listed(list(dict.fromkeys(id_ for _, id_ in held.missing)))
        yield f"{len(held.missing)} judgments of what the snapshot does not hold, in no score: {ids}"
    if held.emptied:
        yield f"unjudged for that, since nothing relevant is left: {listed(list(held.emptied))}"


def _open(suite: Suite, entries: tuple[RecordEntry, ...], *, interrupted: bool) -> Iterator[str]:
    disputed = [query for query in suite.queries if query.disputed]
    pairs = sum(len(query.disputed) for query in disputed)
    if pairs:
        ids = listed([query.id for query in disputed])
        yield f"{pairs} disputed pairs, in no gate until they are adjudicated, in queries: {ids}"
    adjudicated = sum(judgment.adjudicated for query in suite.queries for judgment in query.judgments)
    if adjudicated:
        yield f"{adjudicated} adjudicated"
    pending = pending_in(entries)
    waiting = Counter(entry.what for entry in pending)
    if waiting:
        ids = listed(list(dict.fromkeys(entry.query for entry in pending)))
        yield f"{waiting['proposed']} proposed and {waiting['gone']} gone wait for review, in queries: {ids}"
    after, edited = edits(suite, entries, interrupted=interrupted)
    if edited:
        ids = listed([entry.query for entry in edited])
        yield f"changed by hand or merged since the last answer, which the next review notes in the record: {ids}"
    if after.revision != suite.revision:
        yield "the record holds answers that the file does not; review writes them"


main = Command(
    "judgments check",
    Asked,
    run,
    example="core snapshot=2026-09",
    statuses="0 the suite fits, also with open judgments; 2 it does not, or bad input",
)

if __name__ == "__main__":
    main()
