"""A passage there twice, or returned twice: no score may rise above 1."""

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np

from runner.scoring.evaluate import Evaluation
from runner.selftest.check import DUPLICATE, EXACT, FAILED, NOT_APPLICABLE, NOTICED, REPEAT, Check
from runner.selftest.evidence import EvidencePart
from runner.selftest.perturbations import copied, new_mark, pinned, with_copies
from runner.selftest.sandbox import Measurement, Sandbox, Stale, Unrankable, doubled


def duplicate(sandbox: Sandbox, before: Measurement, evidence: Sequence[EvidencePart]) -> Check:
    """Add copies of judged passages under other ids, unjudged and then judged as well, and look at every score."""
    suite, snapshot, what = before.judged.suite, before.job.stage.snapshot, tuple(part.id for part in evidence)
    mark = new_mark(snapshot, "copy")
    twice = copied(snapshot, evidence, mark)
    suites = (pinned(suite, twice), with_copies(suite, evidence, mark, twice))
    try:
        measured = [sandbox.measure(twice, each).evaluation for each in suites]
    except (Stale, Unrankable) as error:
        verdict = FAILED if isinstance(error, Stale) else NOT_APPLICABLE
        return Check(DUPLICATE, "", verdict, str(error).splitlines()[0], what=what)
    return _bounded(DUPLICATE, before.evaluation, measured, what)


def repeat(sandbox: Sandbox, before: Measurement) -> Check:
    """Return every passage of every ranking twice, and look at every score."""
    again = sandbox.score(before.judged, doubled(before.rankings), doubled(before.candidates))
    return _bounded(REPEAT, before.evaluation, [again], ())


def _bounded(name: str, before: Evaluation, after: Sequence[Evaluation], targets: Sequence[str]) -> Check:
    high, place = max(found for each in after for found in scores(each) if isfinite(found[0]))
    bad = [f"{where} is {value:.4g}" for each in after for value, where in scores(each) if not _sound(value)]
    reason = (
        "; ".join(bad[:3])
        or f"none of {sum(1 for each in after for _ in scores(each)):,} scores is above 1; highest: {place}"
    )
    n, verdict = len(before.judged.scored), FAILED if bad else NOTICED
    highest = max(value for value, _ in scores(before) if isfinite(value))
    return Check(name, "", verdict, reason, highest, high, n, tuple(targets))


def _sound(value: float) -> bool:
    return -EXACT <= value <= 1 + EXACT  # false for NaN


def scores(evaluation: Evaluation) -> Iterator[tuple[float, str]]:
    """Every score with what it is: each metric's largest over queries, each mean of each slice, every k of each curve.

    The curves of slices are of recall. A metric that is not a number anywhere is not one here either.
    """
    for metric, values in evaluation.values.items():
        yield float(np.max(values, initial=0.0)), f"{metric} of a query"
    names = [*map(str, evaluation.metrics), "recall_micro"]
    for group, means in evaluation.means.items():
        yield from ((means[name], f"{name} of {group or 'all'}") for name in names if name in means)
    for metric, values in evaluation.curve.items():
        yield from ((float(value), f"{metric} at {k}") for k, value in zip(evaluation.ks, values, strict=True))
    for group, row in zip(evaluation.judged.slices.names, evaluation.slice_recall, strict=True):
        yield from ((float(value), f"recall of {group} at {k}") for k, value in zip(evaluation.ks, row, strict=True))
