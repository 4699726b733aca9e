"""Which run is the accepted baseline of a suite: tags on the runs themselves, with their history kept."""

import getpass
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from runner.errors import InputError
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run

_OF, _STATE = "baseline_of", "baseline_state"
# One tag a decision: MLflow cuts a long value without a word, and a list of decisions would grow into that.
_HISTORY = "baseline_history."
_LONGEST_REASON = 1000
ACCEPTED, _UNDONE = "accepted", "undone"


@dataclass(frozen=True)
class Event:
    """One decision about a run: accepted or undone, when, by whom, why, and the gate's verdict at that time."""

    what: str
    at: str
    who: str
    why: str
    verdict: str


def baseline_key(params: Mapping[str, str]) -> str:
    """What a run can be the baseline of: its suite, by name and unit, whatever the revision."""
    return f"{params['suite']}/{params['unit']}"


def same_dataset(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two runs are of one dataset, by its name; what was derived from a path once had no digits behind it."""
    names = sorted((one.get("dataset", ""), other.get("dataset", "")), key=len)
    return names[0] == names[1] or bool(re.fullmatch(re.escape(names[0]) + "-[0-9a-f]{6}", names[1]))


def accepted_runs(tracker: Tracker, key: str) -> list["Run"]:
    """Accepted runs of a suite and unit in the tracker's experiment, the one that counts first."""
    runs = tracker.finished({_OF: key, _STATE: ACCEPTED})
    return sorted(runs, key=lambda run: history_of(run)[-1].at, reverse=True)


def decided_runs(tracker: Tracker, key: str) -> list["Run"]:
    """Runs of a suite and unit, in any experiment, that were ever a baseline; those taken back too."""
    return tracker.finished({_OF: key}, anywhere=True)


def history_of(run: "Run") -> list[Event]:
    """Every decision about a run, oldest first."""
    kept = {key: value for key, value in run.data.tags.items() if key.startswith(_HISTORY)}
    return [Event(**json.loads(kept[key])) for key in sorted(kept)]


def decisions(tracker: Tracker, key: str) -> list[tuple[str, Event]]:
    """Every decision about a suite and unit with the id of its run, newest first; those taken back too."""
    found = [(run.info.run_id, event) for run in tracker.finished({_OF: key}) for event in history_of(run)]
    return sorted(found, key=lambda decision: decision[1].at, reverse=True)


def accept(tracker: Tracker, run: "Run", why: str) -> Event:
    """Make a finished run the baseline of its suite from now on.

    Raises InputError for a run that is not a finished, scored job, and for a reason that is too long to keep.
    """
    if run.data.tags.get("kind") != "run" or run.info.status != "FINISHED":
        raise InputError(f"run {run.info.run_id} is not a finished, scored job, so it cannot be a baseline")
    return _decide(tracker, run, ACCEPTED, why)


def undo(tracker: Tracker, run: "Run", why: str) -> "Run | None":
    """Take a baseline back; return the one that counts again, None if there is none left."""
    key = baseline_key(run.data.params)
    standing = accepted_runs(tracker, key)
    if run.info.run_id not in [each.info.run_id for each in standing]:
        raise InputError(f"run {run.info.run_id} is not an accepted baseline of {key}")
    _decide(tracker, run, _UNDONE, why)
    rest = [each for each in accepted_runs(tracker, key) if same_dataset(each.data.params, run.data.params)]
    return rest[0] if rest else None


def _decide(tracker: Tracker, run: "Run", what: str, why: str) -> Event:
    if len(why) > _LONGEST_REASON:
        raise InputError(f"the reason has {len(why)} characters, at most {_LONGEST_REASON} are kept; link to the rest")
    run = tracker.client.get_run(run.info.run_id)
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    event = Event(what, now, _user(), why, run.data.tags.get("gate", "not gated"))
    tags = {
        f"{_HISTORY}{len(history_of(run)):04}": json.dumps(asdict(event), ensure_ascii=False),
        _OF: baseline_key(run.data.params),
        _STATE: what,
    }
    tracker.add(run.info.run_id, {}, tags)
    return event


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
