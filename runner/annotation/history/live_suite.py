"""A suite that is being changed by answers: its record first, then, by replay, its file."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.hand_edits import by_id, edits, marked
from runner.annotation.history.record import JudgmentRecord, Reading, alone
from runner.annotation.history.replay import replay
from runner.annotation.history.suite_file import SuiteFile, SuiteLines
from runner.errors import InputError
from runner.files.atomic import write_draft
from runner.files.reading import read_bytes
from runner.suites import Suite

Plan = Callable[[Suite, Sequence[RecordEntry]], Sequence[RecordEntry]]


class LiveSuite:
    """The suite of a file as its record has it. Several may work on one at once."""

    def __init__(self, file: SuiteFile, *, by: str | None = None, thawed: bool = False) -> None:
        """Write what a kill left in the record, and note there what was changed by hand or merged (`edited`).

        by: who is at work. thawed: take a frozen suite, too, which else is an InputError, as are faults of its files.
        """
        self.file, self.record = file, JudgmentRecord.beside(file.path)
        self._by, self._thawed = by, thawed
        self._reading = Reading()
        self.edited: tuple[RecordEntry, ...] = ()
        self._files: tuple[bytes, bytes] | None = None
        with self.held():
            pass

    @property
    def entries(self) -> tuple[RecordEntry, ...]:
        """The record as it was read last."""
        return self._reading.entries

    def apply(self) -> None:
        """Bring the file to what the record says; a file that says so already is left alone."""
        with self.held():
            pass

    def change(self, plan: Plan) -> tuple[RecordEntry, ...]:
        """Record what a plan makes of the suite as it is now, and write it, all or nothing.

        Nobody else writes meanwhile. Raises InputError as `Record.extend` does, and what the plan raises.
        """
        with self.held():
            drafts = plan(self.suite, self.entries)
            return self.note(*drafts) if drafts else ()

    def note(self, *drafts: RecordEntry) -> tuple[RecordEntry, ...]:
        """Record events, and write the suite, while it is held. Raises InputError as `Record.extend` does."""
        entries = self.record.checked(drafts, self._reading)
        touched = frozenset(entry.query for entry in entries)
        after = replay(self.suite, [*_about(touched, self.entries), *entries])
        self._save(after, marked(entries, self.suite, after))
        return self.entries[-len(entries) :]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from writing, and the suite and its entries as they are on disk now."""
        with alone(self.record.path):
            try:
                self._refresh()
                yield
            except BaseException:
                # Whatever it was, the next one begins from what the disk says.
                self._files = None
                raise

    def _refresh(self) -> None:
        before, self._reading = self._reading, self.record.read(self._reading)
        interrupted = self.file.draft.exists()
        files = _bytes_of(self.file)
        entries: Sequence[RecordEntry] = self.entries
        # Reading, checking and replaying all of it after every key would be felt.
        if self._files == files and not interrupted and self._reading.data.startswith(before.data):
            touched = frozenset(entry.query for entry in self.entries[len(before.entries) :])
            entries = _about(touched, self.entries) if "" not in touched else entries
        else:
            self.suite = self.file.read_thawed() if self._thawed else _not_frozen(self.file)
            self._files, self._lines = files, SuiteLines.of(files[1])
        after, drafts = edits(self.suite, entries, interrupted=interrupted)
        if drafts:
            noted = self.record.checked([replace(draft, by=self._by) for draft in drafts], self._reading)
            self._reading = self.record.write(marked(noted, self.suite, after), self._reading)
            self.edited += self.entries[-len(noted) :]
        self._save(after)
        self.file.draft.unlink(missing_ok=True)

    def _save(self, after: Suite, entries: Sequence[RecordEntry] = ()) -> None:
        """Put entries into the record and the suite into its file. A kill between the two leaves the file's draft."""
        lines = self._lines.changed(by_id(self.suite), after)
        head, data = self._files or (b"", b"")
        changed = lines is not self._lines and lines.data != data
        if changed:
            data = lines.data
            write_draft(self.file.draft, data, self.file.queries)
        try:
            if entries:
                self._reading = self.record.write(entries, self._reading)
        except InputError:
            self.file.draft.unlink(missing_ok=True)
            raise
        if changed:
            os.replace(self.file.draft, self.file.queries.resolve())
        self._files = head, data
        self.suite, self._lines = after, lines


def _bytes_of(file: SuiteFile) -> tuple[bytes, bytes]:
    head = read_bytes(file.path, "the YAML head of a suite")
    return head, file.queries.read_bytes() if file.queries.is_file() else b""


def _about(queries: frozenset[str], entries: Sequence[RecordEntry]) -> list[RecordEntry]:
    return [entry for entry in entries if entry.query in queries or entry.what == "frozen"]


def _not_frozen(file: SuiteFile) -> Suite:
    suite = file.read()
    if suite.frozen is not None:
        raise InputError(
            f"{file.path}: suite {suite.name!r} is frozen at revision {suite.frozen}; to make a new revision on "
            "purpose, take the line `frozen:` out of its head, and freeze it again afterwards: "
            f"python -m runner judgments freeze {file.path} why=REASON"
        )
    return suite
