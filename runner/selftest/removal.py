"""One removal carried out: the evidence goes, comes back under another id, and is judged again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from runner.errors import RunnerError
from runner.scoring.evaluate import Evaluation
from runner.selftest.perturbations import moved, new_mark, renamed, without
from runner.selftest.refusal import gone_judgments, unrefused
from runner.selftest.removal_choice import Removal
from runner.selftest.sandbox import Measurement, Sandbox

T = TypeVar("T")


@dataclass(frozen=True)
class RemovalOutcome:
    """What a removal did, for every slice that shares it.

    gone: the old judgments on the snapshot without it; back: the judgments led to the new ids; or why that could not be
    measured. unrefused: what was wrong with how the old judgments were taken, one line each. refusal: the first line
    that named one. refused: how many judgments there are of what went. revision: of the suite with the new ids.
    in_order: whether every passage kept its place among the ids, so that ties fall as before.
    """

    removal: Removal
    gone: Measurement | RunnerError
    back: Evaluation | RunnerError
    unrefused: tuple[str, ...]
    refusal: str
    refused: int
    revision: str
    in_order: bool


def carry_out(sandbox: Sandbox, before: Measurement, removal: Removal) -> RemovalOutcome:
    """Make both altered snapshots, store and read them, hold the old judgments against them, and measure."""
    suite, snapshot, evidence = before.judged.suite, before.job.stage.snapshot, removal.evidence
    mark = new_mark(snapshot, "moved")
    lacking, other = without(snapshot, evidence), moved(snapshot, evidence, mark)
    updated = renamed(suite, evidence, mark, other)
    faults, refusals = [], []
    for how, altered in (("removed", lacking), ("renamed", other)):
        fault, refusal = unrefused(sandbox, suite, altered, evidence)
        faults += [f"{how}: {fault}"] if fault else []
        refusals += [refusal] if refusal else []
    return RemovalOutcome(
        removal,
        _measured(lambda: sandbox.measure_gone(sandbox.stored(lacking), before)),
        _measured(lambda: sandbox.measure(sandbox.stored(other), sandbox.written(updated)).evaluation),
        tuple(faults),
        refusals[0] if refusals else "",
        len(gone_judgments(suite, evidence)),
        updated.revision,
        other.passages_for_retrieval().texts == snapshot.passages_for_retrieval().texts,
    )


def _measured(measure: Callable[[], T]) -> T | RunnerError:
    try:
        return measure()
    except RunnerError as error:
        return error
