"""`import SUITE FILE`: what was judged elsewhere becomes part of a suite, once."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runner.annotation.exchange.importing import Import, Importer
from runner.annotation.exchange.pair_files import PairFile, read_pairs
from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.items import highest_grade
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.review.passage_texts import PassageTexts, judged_snapshot
from runner.annotation.review.review import new_query, out_of_means
from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.cli.judgment_commands.named_suite import SUITE_HELP, annotator_name, listed, named_suite, whoever
from runner.engine.inputs import snapshot_store
from runner.errors import ConfigError, InputError
from runner.suites import Suite

_TOLD = {
    "new": "new judgments",
    "changed": "changed grades",
    "confirmed": "proposals answered",
    "dropped": "gone and dropped",
    "unchanged": "known already",
    "older": "older than what is known, left out",
    "partial": "of a proposal that is not graded whole, left out",
    "ungraded": "without a grade",
}


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = words("SUITE", SUITE_HELP)
    file: Path = words("FILE", "FILE.jsonl, FILE.csv, or FILE.json of Label Studio")
    annotator: tuple[str, ...] = setting(
        "whose judgments these are, where the file does not say; or USER=NAME for each user of Label Studio",
        (),
        metavar="NAME",
    )
    snapshot: str | None = setting("the snapshot that was judged; default: the suite's own", None, metavar="ID")
    grades: int | None = setting("grades go from 0 to N; default: the suite's highest", None)


def run(asked: Asked) -> int:
    """Import the file: 0 done, 2 bad input, and then nothing is changed."""
    place = asked.place()
    file = named_suite(asked.suite)
    names, annotator = _names(asked.annotator)
    live = LiveSuite(file, by=annotator or whoever())
    read = read_pairs(asked.file)
    rows = _named_rows(read, names, annotator, asked.file)
    try:
        texts = PassageTexts(judged_snapshot(snapshot_store(place.store), live.suite, asked.snapshot), live.suite.unit)
    except InputError:
        if asked.snapshot:
            raise
        texts = None
    highest = highest_grade(live.suite, live.entries, asked.grades)
    outside: set[str] = set()
    found = Import((), {})

    def plan(suite: Suite, entries: Sequence[RecordEntry]) -> Sequence[RecordEntry]:
        nonlocal found
        importer = Importer(suite, entries, path=str(asked.file), highest=highest, annotator=annotator, texts=texts)
        outside.update(out_of_means(suite, entries, {row.query_id for row in rows}))
        found = importer.plan(rows, _new_queries(rows, suite, file))
        return found.drafts

    live.change(plan)
    for line in (*_told(found, read), *_open(live, {draft.query for draft in found.drafts} - outside, asked.suite)):
        print(line)
    print(f"{asked.suite} is at revision {live.suite.revision}")
    return 0


def _names(given: Sequence[str]) -> tuple[Mapping[str, str], str | None]:
    """Users of Label Studio with their names, and the name for rows that have none."""
    names = dict(each.partition("=")[::2] for each in given if "=" in each)
    plain = [each for each in given if "=" not in each]
    if len(plain) > 1:
        raise ConfigError(f"annotator: found {len(plain)} names, expected one, or USER=NAME for each user")
    for name in (*plain, *names.values()):
        annotator_name(name)
    return names, plain[0] if plain else None


def _named_rows(read: PairFile, names: Mapping[str, str], annotator: str | None, path: Path) -> Sequence[PairRow]:
    """The rows with the names of Label Studio's users, which it may know by number only."""
    known = {person: names.get(person) or names.get(person.removeprefix("user ")) for person in read.people}
    used = {name for name in names if name in read.people or f"user {name}" in read.people}
    if unknown := sorted(set(names) - used):
        people = ", ".join(read.people) or "nobody"
        raise InputError(f"{path}: annotator={unknown[0]}=...: no such user; annotated by {people}")
    nameless = [person for person, name in known.items() if name is None]
    if annotator and len(nameless) == 1:
        known[nameless[0]] = annotator
    elif annotator and nameless:
        each = ",".join(f"{person.removeprefix('user ')}=NAME" for person in nameless)
        raise InputError(
            f"{path}: is the work of {len(nameless)} people, not of {annotator!r} alone; name them: annotator={each}"
        )
    return [replace(row, annotator=known.get(row.annotator or "") or row.annotator) for row in read.rows]


def _new_queries(rows: Sequence[PairRow], suite: Suite, file: SuiteFile) -> Mapping[str, Mapping[str, Any]]:
    """The queries of the rows that the suite does not hold yet, as the record has them."""
    held = {query.id for query in suite.queries}
    first: dict[str, PairRow] = {}
    fields: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.query_id not in held:
            first.setdefault(row.query_id, row)
            fields[row.query_id] = {**row.fields, **fields.get(row.query_id, {})}
    return {
        id_: new_query(file, row.text.strip(), row.history, fields[id_], row.query_source) for id_, row in first.items()
    }


def _open(live: LiveSuite, touched: Collection[str], named: str) -> Iterator[str]:
    """What somebody has to look at after the import."""
    disputed = [query.id for query in live.suite.queries if query.disputed]
    if disputed:
        command = f"python -m runner judgments review {shlex.quote(named)} only=disputed"
        yield f"queries on which annotators disagree now: {listed(disputed)}; settle them: {command}"
    if left := out_of_means(live.suite, live.entries, touched):
        yield f"in no mean now, since nothing relevant to them is known: {listed(left)}"


def _told(found: Import, read: PairFile) -> list[str]:
    counts = [f"{_TOLD[name]}: {found.counts[name]}" for name in _TOLD if name in found.counts]
    if read.skipped:
        counts.append(f"skipped by their annotators: {read.skipped}")
    return counts or ["nothing to import"]


main = Command(
    "judgments import",
    Asked,
    run,
    example="core pairs.csv annotator=wei",
    statuses="0 done; 2 bad input, and then nothing is changed",
)

if __name__ == "__main__":
    main()
