"""Many events at once in one write: importing a thousand answers must not read the record a thousand times."""

from collections.abc import Sequence
from dataclasses import replace

from runner.errors import InputError
from runner.judging.history.entry import Entry, entry_faults
from runner.judging.history.record import Record, _alone, _append, now


def append_all(record: Record, drafts: Sequence[Entry]) -> tuple[Entry, ...]:
    """Add events in order, all or none, and return them numbered; `at` is now where it is not given.

    Raises InputError as `Record.append` does.
    """
    if not drafts:
        return ()
    with _alone(record.path):
        first, at = len(record.entries()) + 1, now()
        entries = tuple(replace(draft, number=number, at=draft.at or at) for number, draft in enumerate(drafts, first))
        faults = [fault for entry in entries for fault in entry_faults(entry.row(), entry.number)]
        if faults:
            raise InputError(f"{record.path}: {'; '.join(faults[:3])}")
        _append(record.path, "\n".join(entry.line for entry in entries))
    return entries
