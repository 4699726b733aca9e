"""A suite that is being changed by answers: its record first, then, by replay, its file."""

import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from filelock import FileLock

from runner.errors import InputError
from runner.judging.history.atomic import replace_file
from runner.judging.history.entry import Entry
from runner.judging.history.record import Record
from runner.judging.history.replay import replay
from runner.judging.history.suite_file import SuiteFile, changed_lines
from runner.suites import Suite


class LiveSuite:
    """The suite of a file as its record has it. Several may work on one at once."""

    def __init__(self, file: SuiteFile) -> None:
        """Raise InputError for a frozen suite and for faults of its files; write what a kill left in the record."""
        self.file, self.record = file, Record.beside(file.path)
        self.suite = _not_frozen(file)
        self.entries: tuple[Entry, ...] = ()
        self._read = b""
        self.apply()

    def apply(self) -> None:
        """Bring the file to what the record says; a file that says so already is left alone."""
        name = sha256(str(self.file.path.absolute()).encode()).hexdigest()[:16]
        # Two may review at once: each writes what all have answered so far.
        with FileLock(Path(tempfile.gettempdir()) / f"runner-suite-{name}.lock"):
            entries = self.record.entries()
            head, data = self.file.path.read_bytes(), self.file.queries.read_bytes()
            # Reading, checking and replaying all of it after every key would be felt.
            touched: frozenset[str] | None = frozenset(entry.query for entry in entries[len(self.entries) :])
            if head + data != self._read or "" in (touched or ()):
                # Also where somebody has changed it by hand meanwhile.
                self.suite, touched = _not_frozen(self.file), None
            after = replay(self.suite, entries if touched is None else _about(touched, entries))
            lines = changed_lines(data, {query.id: query for query in self.suite.queries}, after)
            if lines != data:
                replace_file(self.file.queries, lines)
            self.suite, self.entries, self._read = after, entries, head + lines


def _about(queries: frozenset[str], entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.query in queries or entry.what == "frozen"]


def _not_frozen(file: SuiteFile) -> Suite:
    suite = file.read()
    if suite.frozen is not None:
        raise InputError(
            f"{file.path}: suite {suite.name!r} is frozen at revision {suite.frozen}; to make a new revision on "
            "purpose, take the line `frozen:` out of its head, and freeze it again afterwards: "
            f"python -m runner.judgments freeze {file.path} --why REASON"
        )
    return suite
