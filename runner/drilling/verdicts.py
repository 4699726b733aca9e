"""What one removal shows of one slice: it fell and no other did, the old judgment was refused, the new one counts."""

from dataclasses import replace

import numpy as np

from runner.drilling.bench import Measurement, Unrankable
from runner.drilling.carrying_out import Outcome
from runner.drilling.declared import strangers
from runner.drilling.exercise import (
    EXACT,
    FAILED,
    FOR_EACH_SLICE,
    NOT_APPLICABLE,
    NOTICED,
    REFUSE,
    REMOVE,
    UPDATE,
    Exercise,
)
from runner.errors import RunnerError
from runner.scoring.evaluate import Evaluation


def most_lost(others: int) -> float:
    """What all the queries that need nothing of the removed may lose together: one query's worth in each thousand.

    When a passage goes, BM25's rarities and the ranks that a fusion reads shift, so that two others may trade places
    at the cut.
    """
    return max(1.0, others / 1000)


def nothing_to_lose(before: Measurement, group: str) -> list[Exercise]:
    """The exercises of a slice that cannot fall any further."""
    means = before.evaluation.means[group]
    reason = f"none of its queries finds anything relevant in the first {before.evaluation.k}; try a larger k"
    return [
        Exercise(name, group, NOT_APPLICABLE, reason, means["recall"], n=int(means["n"])) for name in FOR_EACH_SLICE
    ]


def verdicts(before: Measurement, group: str, outcome: Outcome) -> list[Exercise]:
    """The three exercises of one slice."""
    return [_removed(before, group, outcome), _refused(group, outcome), _updated(before, group, outcome)]


def made_up_for(before: Measurement, group: str, outcome: Outcome) -> bool:
    """Whether a slice stayed where it was because other queries of it gained what those that need the removed lost."""
    if isinstance(outcome.gone, RunnerError):
        return False
    slices = before.judged.slices
    members = slices.members[slices.names.index(group)]
    needy = np.zeros(len(members), np.bool_)
    needy[sorted(outcome.removal.touched)] = True
    change = outcome.gone.values["recall"] - before.evaluation.values["recall"]
    # By the queries' own scores: a mean that does not follow them is another matter.
    return bool(change[members].sum() >= -EXACT and change[members & needy].sum() < -EXACT)


def _removed(before: Measurement, group: str, outcome: Outcome) -> Exercise:
    if isinstance(outcome.gone, RunnerError):
        return _unmeasured(REMOVE, before, group, outcome, outcome.gone)
    old, new = before.evaluation, outcome.gone
    change = new.values["recall"] - old.values["recall"]
    others = np.ones(len(change), np.bool_)
    others[sorted(outcome.removal.touched)] = False
    change = np.where(np.abs(change) > EXACT, change, 0.0)[others]
    lost = float(np.maximum(-change, 0.0).sum())
    seen = (
        f"needed by {len(outcome.removal.touched)}; of the {len(change)} others {(change < 0).sum()} fell "
        f"(by {lost:.3g} together), {(change > 0).sum()} rose"
    )
    if fault := strangers(before.judged, group):
        return _exercise(REMOVE, before, group, outcome, new, fault)
    if belied := _belied(old, new):
        return _exercise(REMOVE, before, group, outcome, new, f"means are not those of their queries: {belied}")
    if made_up_for(before, group, outcome):
        reason = f"whatever goes, other queries of the slice gain as much; {seen}"
        return replace(_exercise(REMOVE, before, group, outcome, new, reason), verdict=NOT_APPLICABLE)
    if not new.means[group]["recall"] < old.means[group]["recall"] - EXACT:
        loser = before.judged.scored[outcome.removal.query].id
        return _exercise(REMOVE, before, group, outcome, new, f"it did not fall, though query {loser!r} has to; {seen}")
    if lost > most_lost(len(change)) + EXACT:
        fault = f"queries that need nothing of it lost more than {most_lost(len(change)):.3g} query's worth; {seen}"
        return _exercise(REMOVE, before, group, outcome, new, fault)
    return _exercise(REMOVE, before, group, outcome, new, "", seen)


def _belied(old: Evaluation, new: Evaluation) -> str:
    """Slices whose mean moved otherwise than their queries did, each with both."""
    change = new.values["recall"] - old.values["recall"]
    rows = zip(old.judged.slices.names, old.judged.slices.members, strict=True)
    moves = (
        (name, new.means[name]["recall"] - old.means[name]["recall"], change[members].mean()) for name, members in rows
    )
    return ", ".join(
        f"{name} moved by {mean:.3g}, its queries by {queries:.3g}"
        for name, mean, queries in moves
        if abs(mean - queries) > EXACT
    )


def _refused(group: str, outcome: Outcome) -> Exercise:
    verdict = FAILED if outcome.unrefused else NOTICED
    reason = "; ".join(outcome.unrefused) or outcome.refusal
    removal = outcome.removal
    return Exercise(REFUSE, group, verdict, reason, n=len(removal.touched), what=removal.targets)


def _updated(before: Measurement, group: str, outcome: Outcome) -> Exercise:
    if isinstance(outcome.back, RunnerError):
        return _unmeasured(UPDATE, before, group, outcome, outcome.back)
    old, new = before.evaluation, outcome.back
    differing = np.flatnonzero(np.abs(new.values["recall"] - old.values["recall"]) > EXACT)
    revision = before.judged.suite.revision
    # Where the new id sorts elsewhere, a tie at the cut may fall the other way: one query may differ.
    allowed = 0 if outcome.in_order else 1
    fault = ""
    if outcome.revision == revision:
        fault = f"the revision is still {revision}"
    elif len(differing) > allowed:
        fault = f"{len(differing)} queries did not come back to what they were"
    elif belied := _belied(old, new):
        fault = f"means are not those of their queries: {belied}"
    seen = f"revision {revision} -> {outcome.revision}, every query as before"
    return _exercise(UPDATE, before, group, outcome, new, fault, seen)


def _exercise(
    name: str, before: Measurement, group: str, outcome: Outcome, new: Evaluation, fault: str, seen: str = ""
) -> Exercise:
    means = before.evaluation.means[group]
    return Exercise(
        name, group, FAILED if fault else NOTICED, fault or seen, means["recall"], new.means[group]["recall"],
        int(means["n"]), outcome.removal.targets,
    )  # fmt: skip


def _unmeasured(name: str, before: Measurement, group: str, outcome: Outcome, error: RunnerError) -> Exercise:
    # A retriever that cannot rank another snapshot, of recorded rankings say, says nothing of the instrument.
    verdict = NOT_APPLICABLE if isinstance(error, Unrankable) else FAILED
    means = before.evaluation.means[group]
    return Exercise(
        name, group, verdict, str(error).splitlines()[0], means["recall"], n=int(means["n"]),
        what=outcome.removal.targets,
    )  # fmt: skip
