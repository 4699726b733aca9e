"""What one removal shows of one slice: it fell and no other did, the old judgment was refused, the new one counts."""

from dataclasses import replace

import numpy as np

from runner.errors import RunnerError
from runner.scoring.evaluate import Evaluation
from runner.scoring.judgments import Floats
from runner.scoring.metrics.precision import Precision
from runner.selftest.check import (
    EXACT,
    FAILED,
    FOR_EACH_SLICE,
    NOT_APPLICABLE,
    NOTICED,
    REFUSE,
    REMOVE,
    UPDATE,
    Check,
)
from runner.selftest.reference_metrics import Counter, fell_behind
from runner.selftest.removal import RemovalOutcome
from runner.selftest.sandbox import Measurement, Unrankable
from runner.selftest.slice_membership import strangers


def most_lost(others: int) -> float:
    """What all the queries that need nothing of the removed may lose together: one query's worth in each thousand.

    When a passage goes, BM25's rarities and the ranks that a fusion reads shift, so that two others may trade places
    at the cut.
    """
    return max(1.0, others / 1000)


def nothing_to_lose(before: Measurement, group: str) -> list[Check]:
    """The checks of a slice that cannot fall any further."""
    means = before.evaluation.means[group]
    reason = f"none of its queries finds anything relevant in the first {before.evaluation.k}; try a larger k"
    return [Check(name, group, NOT_APPLICABLE, reason, means["recall"], n=int(means["n"])) for name in FOR_EACH_SLICE]


def verdicts(before: Measurement, group: str, outcome: RemovalOutcome) -> list[Check]:
    """The three checks of one slice."""
    return [_removed(before, group, outcome), _refused(group, outcome), _updated(before, group, outcome)]


def made_up_for(before: Measurement, group: str, outcome: RemovalOutcome) -> bool:
    """Whether a slice stayed where it was because other queries of it gained what those that need the removed lost."""
    if isinstance(outcome.gone, RunnerError):
        return False
    slices = before.judged.slices
    members = slices.members[slices.names.index(group)]
    needy = np.zeros(len(members), np.bool_)
    needy[sorted(outcome.removal.affected)] = True
    change = _changes(before.evaluation, outcome.gone.evaluation)["recall"]
    # By the queries' own scores: a mean that does not follow them is another matter.
    return bool(change[members].sum() >= 0 and change[members & needy].sum() < 0)


def tells_of_all(before: Measurement, outcome: RemovalOutcome) -> bool:
    """Whether the query that loses has nothing left that moved up and could make another metric rise."""
    if isinstance(outcome.gone, RunnerError):
        return True
    number, least = outcome.removal.query, before.judged.suite.min_grade
    old, new = (Counter(each).found(number) for each in (before, outcome.gone))
    return fell_behind(old, new, before.evaluation.k, least)


def _removed(before: Measurement, group: str, outcome: RemovalOutcome) -> Check:
    if isinstance(outcome.gone, RunnerError):
        return _unmeasured(REMOVE, before, group, outcome, outcome.gone)
    old, new = before.evaluation, outcome.gone.evaluation
    others = np.ones(len(before.judged.scored), np.bool_)
    others[sorted(outcome.removal.affected)] = False
    change = _changes(old, new)["recall"][others]
    lost = float(np.maximum(-change, 0.0).sum())
    seen = (
        f"needed by {len(outcome.removal.affected)}; of the {len(change)} others {(change < 0).sum()} fell "
        f"(by {lost:.3g} together), {(change > 0).sum()} rose"
    )
    loser = before.judged.scored[outcome.removal.query].id
    fault = strangers(before.judged, group)
    if not fault and (belied := _belied(old, new)):
        fault = f"means are not those of their queries: {belied}"
    if not fault and made_up_for(before, group, outcome):
        reason = f"whatever goes, other queries of the slice gain as much; {seen}"
        return replace(_check(REMOVE, before, group, outcome, new, reason), verdict=NOT_APPLICABLE)
    if not fault and not new.means[group]["recall"] < old.means[group]["recall"] - EXACT:
        fault = f"it did not fall, though query {loser!r} has to; {seen}"
    if not fault and tells_of_all(before, outcome):
        kept = _kept(before, outcome, new)
        fault = f"query {loser!r} lost something relevant, but {kept}; {seen}" if kept else ""
    elif not fault:
        seen += f"; what is left of query {loser!r} moved up, so that recall alone tells"
    if not fault and lost > most_lost(len(change)) + EXACT:
        fault = f"queries that need nothing of it lost more than {most_lost(len(change)):.3g} query's worth; {seen}"
    return _check(REMOVE, before, group, outcome, new, fault, seen)


def _kept(before: Measurement, outcome: RemovalOutcome, new: Evaluation) -> str:
    """Metrics in which the query that lost something gained, or in which it had to lose and did not."""
    old, number = before.evaluation, outcome.removal.query
    # Of spans, precision counts the passages that show any: one may go and two that show another together come.
    known = [each for each in old.metrics if each.when_lost != "unknown"]
    if before.judged.suite.unit == "span":
        known = [each for each in known if not isinstance(each, Precision)]
    changes = {name: float(change[number]) for name, change in _changes(old, new).items()}
    rose = [each.of_query for each in known if changes[each.of_query] > 0]
    # A cutoff of its own may lie above what went, or so far below that something else came.
    fall = [each for each in known if each.when_lost == "falls" and each.cutoff is None]
    stayed = [each.of_query for each in fall if changes[each.of_query] == 0]
    said = (("rose", rose), ("did not fall", stayed))
    return " and ".join(f"{', '.join(names)} {verb}" for verb, names in said if names)


def _changes(old: Evaluation, new: Evaluation) -> dict[str, Floats]:
    """By metric, the change of each query, zero where it is one of rounding only, float64 [queries]."""
    changes = {name: new.values[name] - old.values[name] for name in old.values}
    return {name: np.where(np.abs(change) > EXACT, change, 0.0) for name, change in changes.items()}


def _belied(old: Evaluation, new: Evaluation) -> str:
    """Means of slices that moved otherwise than their queries did, each with both; three at most."""
    found = []
    changes = _changes(old, new)
    for metric in old.metrics:
        mean, change = str(metric), changes[metric.of_query]
        for name, members in zip(old.judged.slices.names, old.judged.slices.members, strict=True):
            moved, queries = new.means[name][mean] - old.means[name][mean], float(change[members].mean())
            if abs(moved - queries) > EXACT:
                found.append(f"{mean} of {name} moved by {moved:.3g}, its queries by {queries:.3g}")
    return ", ".join(found[:3])


def _refused(group: str, outcome: RemovalOutcome) -> Check:
    verdict = FAILED if outcome.unrefused else NOTICED
    reason = "; ".join(outcome.unrefused) or outcome.refusal
    return Check(REFUSE, group, verdict, reason, n=outcome.refused, what=outcome.removal.targets)


def _updated(before: Measurement, group: str, outcome: RemovalOutcome) -> Check:
    if isinstance(outcome.back, RunnerError):
        return _unmeasured(UPDATE, before, group, outcome, outcome.back)
    old, new = before.evaluation, outcome.back
    changes = _changes(old, new)
    differing = np.flatnonzero(np.any([change != 0 for change in changes.values()], axis=0))
    revision = before.judged.suite.revision
    # Where the new id sorts elsewhere, a tie at the cut may fall the other way: one query may differ.
    allowed = 0 if outcome.in_order else 1
    fault = ""
    if outcome.revision == revision:
        fault = f"the revision is still {revision}"
    elif len(differing) > allowed:
        names = ", ".join(name for name, change in changes.items() if change.any())
        fault = f"{len(differing)} queries did not come back to what they were in {names}"
    elif belied := _belied(old, new):
        fault = f"means are not those of their queries: {belied}"
    seen = f"revision {revision} -> {outcome.revision}, every query as before in every metric"
    return _check(UPDATE, before, group, outcome, new, fault, seen)


def _check(
    name: str, before: Measurement, group: str, outcome: RemovalOutcome, new: Evaluation, fault: str, seen: str = ""
) -> Check:
    means = before.evaluation.means[group]
    return Check(
        name,
        group,
        FAILED if fault else NOTICED,
        fault or seen,
        means["recall"],
        new.means[group]["recall"],
        int(means["n"]),
        outcome.removal.targets,
    )


def _unmeasured(name: str, before: Measurement, group: str, outcome: RemovalOutcome, error: RunnerError) -> Check:
    # A retriever that cannot rank another snapshot, of recorded rankings say, says nothing of the instrument.
    verdict = NOT_APPLICABLE if isinstance(error, Unrankable) else FAILED
    means = before.evaluation.means[group]
    return Check(
        name,
        group,
        verdict,
        str(error).splitlines()[0],
        means["recall"],
        n=int(means["n"]),
        what=outcome.removal.targets,
    )
