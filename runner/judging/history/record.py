"""The history beside a suite: what became of every judgment, what was proposed, and who answered what and when."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from runner.errors import InputError, Problem
from runner.formats.reading import json_lines, numbered_lines, read_bytes
from runner.judging.history.entry import Entry, entry_faults, last_frozen, pending_in


def now() -> str:
    """The time as entries have it: ISO 8601, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class Record:
    """path: a file of one JSON object a line, only ever appended to; it need not exist yet."""

    path: Path

    @classmethod
    def beside(cls, suite: Path) -> "Record":
        """The record of a suite, by the path of its YAML head: the same stem, `.record.jsonl`."""
        return cls(suite.with_name(f"{suite.stem}.record.jsonl"))

    def entries(self) -> tuple[Entry, ...]:
        """Every event, oldest first. Raises InputError listing all faults but a torn last line, which is left out."""
        data = read_bytes(self.path, "the record of a suite") if self.path.is_file() else b""
        problems: list[Problem] = []
        found: list[Entry] = []
        for line, row in json_lines(numbered_lines(_whole(data), problems), problems, strict=False):
            faults = entry_faults(row, len(found) + 1)
            problems.extend(Problem(line, fault) for fault in faults)
            found.append(Entry(0, "") if faults else Entry.of(row))
        if problems:
            raise InputError.of(self.path, problems)
        return tuple(found)

    def torn(self) -> str | None:
        """What to tell a person of a last line that was not written to its end, or None."""
        data = self.path.read_bytes() if self.path.is_file() else b""
        lost = data[len(_whole(data)) :]
        if not lost:
            return None
        shown = lost[:60].decode(errors="replace")
        return f"{self.path}: the last line was not written to its end and is left out ({shown!r}); answer it again"

    def append(
        self,
        what: str,
        *,
        query: str = "",
        old: Mapping[str, Any] | None = None,
        new: Sequence[Mapping[str, Any]] = (),
        similarity: float | None = None,
        by: str | None = None,
        at: str = "",
        note: str = "",
        answers: int | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Entry:
        """Add one event, safely on disk when this returns; `at` is now unless it is given.

        Raises InputError for an event that is not known, an answer to an entry that is not there, and for taking
        back what was settled by freezing the suite since.
        """
        draft = Entry(0, what, query, old, tuple(new), similarity, by, at, note, answers, details or {})
        return self.extend([draft])[0]

    def extend(self, drafts: Sequence[Entry]) -> tuple[Entry, ...]:
        """Add events in order, all or none, and return them numbered; `at` is now where it is not given.

        Raises InputError as `append` does.
        """
        if not drafts:
            return ()
        with _alone(self.path):
            before = self.entries()
            settled, at = last_frozen(before), now()
            entries = tuple(
                replace(draft, number=number, at=draft.at or at) for number, draft in enumerate(drafts, len(before) + 1)
            )
            faults = [fault for entry in entries for fault in entry_faults(entry.row(), entry.number)]
            faults += [
                f"entry {entry.answers} was settled when the suite was frozen; judge it anew instead"
                for entry in entries
                if entry.what == "undone" and entry.answers is not None and entry.answers <= settled
            ]
            if faults:
                raise InputError(f"{self.path}: {'; '.join(faults[:3])}")
            _append(self.path, "\n".join(entry.line for entry in entries))
        return entries

    def pending(self) -> tuple[Entry, ...]:
        """The proposals and losses that nobody has answered, oldest first."""
        return pending_in(self.entries())


def _alone(path: Path) -> FileLock:
    """A lock, since two may review at once; it stays out of the suite's folder, which is under version control."""
    name = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:16]
    return FileLock(Path(tempfile.gettempdir()) / f"runner-record-{name}.lock")


def _whole(data: bytes) -> bytes:
    """The part of a record that was written to its end: what a kill tore off was never acknowledged."""
    end = data.rfind(b"\n") + 1
    try:
        # A last line that lacks only its line end, as some editors leave it, is all there.
        return data if isinstance(json.loads(data[end:]), dict) else data[:end]
    except ValueError:
        return data[:end]


def _append(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        data = path.read_bytes()
        whole = _whole(data)
        if len(whole) < len(data):
            os.ftruncate(handle, len(whole))
        start = "" if not whole or whole.endswith(b"\n") else "\n"
        os.write(handle, f"{start}{line}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)
