"""Freeze a suite: its file says at which revision, its record why, and a copy keeps it for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.annotation.history.entry import RecordEntry, pending_in
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.suite_file import SuiteFile
from runner.errors import InputError, RunnerError
from runner.files.atomic import replace_file
from runner.suites import Suite

_MOST_NAMED = 5


@dataclass(frozen=True)
class Frozen:
    """revision: of the suite now. before: what its file said. copy: the kept queries. changed: whether it was new."""

    revision: str
    before: str | None
    copy: Path
    changed: bool


def freeze(file: SuiteFile, *, why: str = "", by: str | None = None) -> Frozen:
    """Write the suite's revision into its head, and into its record who froze it and why.

    What a kill kept out of the file is written first, and nobody can answer meanwhile. Raises RunnerError while
    judgments wait or are disputed; InputError for a suite that was frozen at another revision, when no reason is given.
    """
    live = LiveSuite(file, by=by, thawed=True)
    with live.held():
        return _frozen(live, why, by)


def _frozen(live: LiveSuite, why: str, by: str | None) -> Frozen:
    file, suite, entries = live.file, live.suite, live.entries
    _refuse_unsettled(file, suite, entries)
    last = next((entry for entry in reversed(entries) if entry.what == "frozen"), None)
    before = suite.frozen or (str(last.details["after"]) if last else None)
    if before is not None and before != suite.revision and not why:
        raise InputError(
            f"{file.path}: suite {suite.name!r} was frozen at revision {before}, its content is now {suite.revision}; "
            "say why it changes: why=REASON"
        )
    copy = keep_copy(file, suite)
    changed = suite.frozen != suite.revision
    if changed:
        # The record first: a kill before the head is written leaves a suite that can be frozen again.
        if not (last and last is entries[-1] and last.details.get("after") == suite.revision):
            details = {"before": before, "after": suite.revision}
            stated = {key: each for key, each in details.items() if each}
            live.note(RecordEntry(0, "frozen", by=by, note=why, details=stated))
        file.freeze(suite.revision)
    return Frozen(suite.revision, before, copy, changed)


def keep_copy(file: SuiteFile, suite: Suite) -> Path:
    """Copy the queries to `<stem>.revisions/<revision>.jsonl`, with a head that reads them; what is there stays.

    Raises InputError if the copy that is there is not this revision.
    """
    folder = file.path.with_name(f"{file.path.stem}.revisions")
    queries = folder / f"{suite.revision}.jsonl"
    head = folder / f"{suite.revision}.yaml"
    data = file.head_with({"frozen": suite.revision, "queries": queries.name})
    if not queries.exists():
        replace_file(queries, file.queries.read_bytes())
    if not head.exists():
        replace_file(head, data)
    # Reading refuses a copy that somebody changed.
    SuiteFile(head).read()
    return queries


def _refuse_unsettled(file: SuiteFile, suite: Suite, entries: Sequence[RecordEntry]) -> None:
    review = f"python -m runner judgments review {file.path}"
    waiting = pending_in(entries)
    if waiting:
        raise RunnerError(
            f"{file.path}: {_count(len(waiting), 'judgment waits', 'judgments wait')} for review: {review}"
        )
    disputed = [query.id for query in suite.queries if query.disputed]
    if disputed:
        shown = ", ".join(map(repr, disputed[:_MOST_NAMED])) + (", ..." if len(disputed) > _MOST_NAMED else "")
        raise RunnerError(
            f"{file.path}: annotators disagree in {_count(len(disputed), 'query', 'queries')} ({shown}); settle it: "
            f"{review} only=disputed"
        )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
