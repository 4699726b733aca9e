"""One removal carried out: the evidence goes, comes back under another id, and is judged again."""

from collections.abc import Callable
from dataclasses import dataclass

from runner.drilling.altered import moved, new_names, pinned, renamed, target_unit, without
from runner.drilling.bench import Bench, Measurement
from runner.drilling.removal import Removal
from runner.errors import InputError, RunnerError
from runner.scoring.evaluate import Evaluation
from runner.snapshots import Snapshot


@dataclass(frozen=True)
class Outcome:
    """What a removal did, for every slice that shares it.

    gone: the old judgments on the snapshot without it; back: the judgments led to the new ids; or why that could not be
    measured. unrefused: what was wrong with how the old judgments were taken, one line each. refusal: the first line
    of the error that named them. revision: of the suite with the new ids. in_order: whether every passage kept its
    place among the ids, so that ties fall as before.
    """

    removal: Removal
    gone: Evaluation | RunnerError
    back: Evaluation | RunnerError
    unrefused: tuple[str, ...]
    refusal: str
    revision: str
    in_order: bool


def carry_out(bench: Bench, before: Measurement, removal: Removal) -> Outcome:
    """Make both altered snapshots, hold the old judgments against them, and measure."""
    suite, snapshot = before.judged.suite, before.job.stage.snapshot
    unit = target_unit(suite)
    lacking = without(snapshot, unit, removal.targets)
    names = new_names(snapshot, unit, removal.targets, "moved")
    other = moved(snapshot, unit, names)
    updated = renamed(suite, names, other)
    faults, refusals = [], []
    for how, altered in (("removed", lacking), ("renamed", other)):
        fault, refusal = _taken(bench, before, altered, removal)
        faults += [f"{how}: {fault}"] if fault else []
        refusals += [refusal] if refusal else []
    return Outcome(
        removal,
        _measured(lambda: bench.measure_gone(lacking, before)),
        _measured(lambda: bench.measure(other, updated)),
        tuple(faults),
        refusals[0] if refusals else "",
        updated.revision,
        _places(other, {new: old for old, new in names.items()}) == _places(snapshot, {}),
    )


def _taken(bench: Bench, before: Measurement, altered: Snapshot, removal: Removal) -> tuple[str, str]:
    """How judgments of what is not there were taken: what is wrong with that, or else the refusal that names them."""
    try:
        # Pinned to the altered snapshot, or the pin would refuse it before anything judged is looked for.
        bench.plan(altered, pinned(before.judged.suite, altered))
    except InputError as error:
        if any(repr(target) in str(error) for target in removal.targets):
            return "", str(error).splitlines()[0]
        return f"refused, but without naming it ({error})", ""
    except Exception as error:
        return f"not refused; it would break later ({type(error).__name__}: {error})", ""
    return "not refused; it would be reported as a miss", ""


def _measured(measure: Callable[[], Measurement]) -> Evaluation | RunnerError:
    try:
        return measure().evaluation
    except RunnerError as error:
        return error


def _places(snapshot: Snapshot, old: dict[str, str]) -> list[tuple[str, int, int, str]]:
    return [(old.get(each.document, each.document), each.start, each.end, each.title) for each in snapshot.passages]
