"""The history beside a suite: what became of every judgment, what was proposed, and who answered what and when."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from runner.annotation.history.entry import RecordEntry, entry_faults, last_frozen, pending_in
from runner.errors import InputError, Problem
from runner.files.atomic import append_whole, replace_file
from runner.files.reading import json_lines, numbered_lines, read_bytes
from runner.files.strict_json import parse_json, sha256_of


def now() -> str:
    """The time as entries have it: ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class Reading:
    """What a record held when it was read. data: its bytes up to where it was written to its end."""

    data: bytes = b""
    entries: tuple[RecordEntry, ...] = ()


@dataclass(frozen=True)
class JudgmentRecord:
    """path: a file of one JSON object a line, only ever added to; it need not exist yet."""

    path: Path

    @classmethod
    def beside(cls, suite: Path) -> "JudgmentRecord":
        """The record of a suite, by the path of its YAML head: the same stem, `.record.jsonl`."""
        return cls(suite.with_name(f"{suite.stem}.record.jsonl"))

    def entries(self) -> tuple[RecordEntry, ...]:
        """Every event, oldest first. Raises InputError listing all faults but a torn last line, which is left out."""
        return self.read().entries

    def read(self, before: Reading | None = None) -> Reading:
        """The record as it is now; what it begins with, as of an earlier reading, is not read again.

        One event that stands in two lines, as a merge of two branches may leave it, is one. Raises InputError naming
        every faulty line.
        """
        data = _whole(read_bytes(self.path, "the record of a suite")) if self.path.is_file() else b""
        old = before if before and data.startswith(before.data) and before.data[-1:] in (b"", b"\n") else Reading()
        if data == old.data:
            return old
        found = {entry.id: entry for entry in old.entries}
        problems: list[Problem] = []
        earlier = old.data.count(b"\n")
        lines = ((earlier + n, text) for n, text in numbered_lines(data[len(old.data) :], problems))
        for line, row in json_lines(lines, problems, strict=False):
            faults = entry_faults(row, found)
            problems.extend(Problem(line, fault) for fault in faults)
            # What is faulty has an id, too, which may be answered.
            entry = RecordEntry(line, "", given=str(row.get("id", ""))) if faults else RecordEntry.of(line, row)
            found.setdefault(entry.id, entry)
        if problems:
            raise InputError.of(self.path, problems)
        return Reading(data, tuple(found.values()))

    def torn(self) -> str | None:
        """What to tell a person of a last line that was not written to its end, or None."""
        data = self.path.read_bytes() if self.path.is_file() else b""
        lost = data[len(_whole(data)) :]
        if not lost:
            return None
        shown = lost[:60].decode(errors="replace")
        return f"{self.path}: the last line was not written to its end and is left out ({shown!r}); answer it again"

    def append(self, what: str, **values: Any) -> RecordEntry:
        """Add one event with these values of an `Entry`, as `extend` does."""
        return self.extend([RecordEntry.of(0, {"what": what, **values})])[0]

    def extend(self, drafts: Sequence[RecordEntry]) -> tuple[RecordEntry, ...]:
        """Add events in order, all or none, safely on disk when this returns; `at` is now where it is not given.

        Raises InputError for an event that is not known, an answer to an entry that is not there, for taking back
        what was settled by freezing the suite since, and if it cannot be written.
        """
        if not drafts:
            return ()
        with alone(self.path):
            before = self.read()
            return self.write(self.checked(drafts, before), before).entries[-len(drafts) :]

    def checked(self, drafts: Sequence[RecordEntry], before: Reading) -> tuple[RecordEntry, ...]:
        """The entries that drafts become behind a reading, with numbers and times. Raises InputError as `extend`."""
        settled, at = last_frozen(before.entries), now()
        first = before.data.count(b"\n") + 1 + (before.data[-1:] not in (b"", b"\n"))
        entries = tuple(
            replace(draft, number=number, at=draft.at or at, given="") for number, draft in enumerate(drafts, first)
        )
        numbers = {entry.id: entry.number for entry in before.entries}
        faults = [fault for entry in entries for fault in entry_faults(entry.row(), numbers)]
        back = [numbers.get(entry.answers or "", settled + 1) for entry in entries if entry.what == "undone"]
        faults += [
            f"what line {number} says was settled when the suite was frozen; judge it anew instead"
            for number in back
            if number <= settled
        ]
        if faults:
            raise InputError(f"{self.path}: {'; '.join(faults[:3])}")
        return entries

    def write(self, entries: Sequence[RecordEntry], before: Reading) -> Reading:
        """Add checked entries behind a reading, by who holds the lock; return what the record then holds.

        Several are written by putting a whole file in place, so that a kill leaves all of them or none.
        """
        known = {entry.id for entry in before.entries}
        named = []
        for entry in entries:
            # Two may say the same at one and the same tick of the clock.
            id_ = sha256_of([entry.id, entry.number])[: len(entry.id)] if entry.id in known else entry.id
            named.append(replace(entry, given=id_))
            known.add(id_)
        start = "" if before.data[-1:] in (b"", b"\n") else "\n"
        added = (start + "".join(f"{entry.line}\n" for entry in named)).encode()
        if len(named) == 1 and self.path.is_file():
            _append(self.path, added)
        else:
            replace_file(self.path, before.data + added)
        return Reading(before.data + added, (*before.entries, *named))

    def pending(self) -> tuple[RecordEntry, ...]:
        """The proposals and losses that nobody has answered, oldest first."""
        return pending_in(self.entries())


def _whole(data: bytes) -> bytes:
    """The part of a record that was written to its end: what a kill tore off was never acknowledged."""
    end = data.rfind(b"\n") + 1
    if end == len(data):
        return data
    try:
        # A last line that lacks only its line end, as some editors leave it, is all there.
        return data if isinstance(parse_json(data[end:], strict=False), dict) else data[:end]
    except ValueError:
        return data[:end]


def _append(path: Path, data: bytes) -> None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND)
        try:
            held = path.read_bytes()
            whole = _whole(held)
            if len(whole) < len(held):
                os.ftruncate(handle, len(whole))
            append_whole(handle, data)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); nothing of it was kept") from None


# Whoever may write the suite may take the lock, whoever made it.
_FOR_ALL = 0o666


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file, a hidden one beside it, however its folder is reached.

    Raises InputError where none can be made, since the file could not be written either.
    """
    real = path.resolve()
    lock = FileLock(real.with_name(f".{real.name}.lock"), mode=_FOR_ALL)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        lock.release()
