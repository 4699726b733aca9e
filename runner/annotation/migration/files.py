"""The files of a migrated suite: written all or nothing, never over something else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.annotation.history.entry import ANSWERS, RecordEntry, pending_in, standing
from runner.annotation.history.record import JudgmentRecord
from runner.annotation.history.replay import replay
from runner.annotation.history.suite_file import SuiteFile, changed_lines
from runner.annotation.migration.migrate import Migration
from runner.errors import InputError
from runner.files.atomic import replace_file

_OF_A_SNAPSHOT = re.compile(r"(.+)-[0-9a-f]{8}")


@dataclass(frozen=True)
class Written:
    """answers: how many review has given there since; None where the files were written just now."""

    path: Path
    answers: int | None = None


def target_of(source: Path, snapshot: str, out: Path | None) -> Path:
    """The YAML head of the migrated suite: `out`, or beside the old one with the beginning of the snapshot's id.

    Raises InputError where that is no YAML file, or is the old suite itself.
    """
    target = out or source.with_name(f"{_stem(source)}-{snapshot[:8]}.yaml")
    if target.suffix not in (".yaml", ".yml"):
        raise InputError(f"{target}: expected the name of a YAML head, like {target.stem}.yaml")
    if target.resolve() == source.resolve():
        raise InputError(f"{target}: is the old suite, which stays as it was; name another file with out=FILE")
    return target


def refuse_unfinished(file: SuiteFile) -> None:
    """Raise InputError for a suite with judgments that wait, or with answers that are not in its file yet."""
    entries = JudgmentRecord.beside(file.path).entries()
    if waiting := pending_in(entries):
        raise InputError(
            f"{file.path}: {len(waiting)} judgments wait for review since the last migration (first: query "
            f"{waiting[0].query!r}); answer them first: python -m runner judgments review {file.path}"
        )
    suite = file.read()
    if replay(suite, entries).revision != suite.revision:
        raise InputError(
            f"{file.path}: its record holds answers that the file does not; write them first: "
            f"python -m runner judgments review {file.path}"
        )


def write_migration(migration: Migration, source: SuiteFile, target: Path) -> Written:
    """Write head, queries and record, the head last: without it there is no suite.

    The same migration written before is left alone, answers and all. Raises InputError for anything else that is
    already there.
    """
    queries = target.with_suffix(".jsonl")
    record = JudgmentRecord.beside(target)
    entries = _with_paths(migration.entries, source, target)
    before = {query.id: query for query in migration.old.queries}
    lines = changed_lines(source.queries.read_bytes(), before, migration.new)
    new = migration.new
    changes = {"snapshot": new.snapshot, "documents": new.documents, "frozen": None, "queries": queries.name}
    head = source.head_with(changes)
    if target.exists():
        return Written(target, _answers(SuiteFile(target), entries, head, migration))
    fresh = "".join(f"{entry.line}\n" for entry in entries).encode()
    # A kill may have left the first of the three.
    if queries.exists() and queries.read_bytes() != lines:
        raise _occupied(queries)
    if record.path.exists() and not _same(record.entries(), entries):
        raise _occupied(record.path)
    replace_file(record.path, fresh)
    replace_file(queries, lines)
    replace_file(target, head)
    return Written(target)


def _stem(source: Path) -> str:
    named = _OF_A_SNAPSHOT.fullmatch(source.stem)
    migrated = [entry.details for entry in JudgmentRecord.beside(source).entries()[:1] if entry.what == "migrated"]
    if named and migrated and source.stem.endswith(str(migrated[0].get("to"))[:8]):
        return named[1]
    return source.stem


def _with_paths(entries: Sequence[RecordEntry], source: SuiteFile, target: Path) -> tuple[RecordEntry, ...]:
    try:
        shown = source.path.resolve().relative_to(target.resolve().parent).as_posix()
    except ValueError:
        shown = source.path.name
    first = entries[0]
    return (replace(first, details={**first.details, "old_path": shown}), *entries[1:])


def _answers(existing: SuiteFile, entries: Sequence[RecordEntry], head: bytes, migration: Migration) -> int:
    """How many answers the files hold that this migration once wrote; InputError if it did not write them."""
    there = JudgmentRecord.beside(existing.path).entries()
    if not _same(there[: len(entries)], entries):
        raise _occupied(existing.path)
    if existing.head_with({"frozen": None}) != head:
        raise _occupied(existing.path)
    wanted = replay(migration.new, there)
    if existing.read_thawed().revision not in (wanted.revision, migration.new.revision):
        raise _occupied(existing.path)
    return sum(entry.what in ANSWERS for entry in standing(there[len(entries) :]))


def _same(there: Sequence[RecordEntry], wanted: Sequence[RecordEntry]) -> bool:
    """Whether two records say the same, whoever wrote them and when."""
    return [replace(entry, by=None, at="") for entry in there] == [replace(each, by=None, at="") for each in wanted]


def _occupied(path: Path) -> InputError:
    return InputError(
        f"{path}: is already there and is not what this migration makes; name another with out=FILE, or move it away"
    )
