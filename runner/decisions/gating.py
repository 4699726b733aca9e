"""The verdict of a policy on a run: each rule passes, fails, or cannot be decided from so few queries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError, InputError
from runner.rules.policy import Policy, Rule
from runner.scoring.judgments import Floats
from runner.stats.intervals import bootstrap_intervals
from runner.stats.paired import TIE, paired_intervals
from runner.stats.power import minimum_detectable

Outcome = Literal["pass", "fail", "inconclusive"]
# Worst last: a rule's verdict is the worst of its demands.
_ORDER: Sequence[Outcome] = ("pass", "inconclusive", "fail")


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """What became of one rule.

    value: the candidate's mean. difference: candidate minus baseline, None without a baseline. reasons: one
    sentence a demand. notes: what a reader should know beside it. losers: ids of the queries that lost most.
    """

    rule: Rule
    k: int
    n: int
    outcome: Outcome
    value: Estimate | None
    baseline: float | None
    difference: Estimate | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    losers: tuple[str, ...] = ()


@dataclass(frozen=True)
class GateResult:
    """All verdicts of a policy on one run. blocked: whether the release must stop."""

    policy: Policy
    candidate: RunScores
    baseline: RunScores | None
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()

    @property
    def blocking(self) -> tuple[Verdict, ...]:
        """The verdicts that stop the release."""
        stops = {"fail", "inconclusive"} if self.policy.inconclusive == "block" else {"fail"}
        return tuple(each for each in self.verdicts if each.rule.severity == "block" and each.outcome in stops)

    @property
    def warnings(self) -> tuple[Verdict, ...]:
        """The verdicts that are not good but do not stop the release."""
        silent = self.policy.inconclusive == "pass"
        return tuple(
            each
            for each in self.verdicts
            if each not in self.blocking and (each.outcome == "fail" or (each.outcome == "inconclusive" and not silent))
        )

    @property
    def blocked(self) -> bool:
        """Whether any rule stops the release."""
        return bool(self.blocking)


def judge(
    policy: Policy,
    candidate: RunScores,
    baseline: RunScores | None,
    notes: Sequence[str] = (),
    earlier_slices: Sequence[str] = (),
) -> GateResult:
    """Judge a run by a policy, against a baseline scored on the same queries.

    earlier_slices: what the accepted baseline was sliced by, where `baseline` is a repetition of it.
    The same input gives the same verdict: resampling is seeded by the policy. Raises ConfigError for a rule
    that names an unknown slice, metric or k, and InputError for runs that were not scored alike.
    """
    if baseline is not None:
        refuse_unlike(candidate, baseline)
    earlier = {*earlier_slices, *(baseline.slices.names if baseline is not None else ())}
    problems = _unusable_rules(policy, candidate, baseline, earlier)
    if problems:
        raise ConfigError("\n".join([f"gate {policy.name!r} does not fit run {candidate.run.id}:", *problems]))
    verdicts = tuple(_judge_rule(rule, policy, candidate, baseline) for rule in policy.rules)
    return GateResult(policy, candidate, baseline, verdicts, tuple(notes))


def refuse_unlike(one: RunScores, other: RunScores) -> None:
    """Raise InputError naming the field in which two runs differ that must not differ between them."""
    for field in ("suite", "suite_revision", "unit", "min_grade", "metrics_version"):
        if one.run.params.get(field) != other.run.params.get(field):
            raise InputError(
                f"runs {one.run.id} and {other.run.id} differ in {field} ({one.run.params.get(field)} and "
                f"{other.run.params.get(field)}), so their scores cannot be set against each other; repeat one of "
                "them on the other's suite"
            )
    if one.query_ids != other.query_ids:
        raise InputError(f"runs {one.run.id} and {other.run.id} did not score the same queries")


def _unusable_rules(
    policy: Policy, candidate: RunScores, baseline: RunScores | None, earlier: Collection[str]
) -> list[str]:
    problems = []
    for rule in policy.rules:
        k = rule.k or candidate.k
        for scores in (candidate, baseline):
            if scores is not None and k > scores.depth:
                problems.append(f"  rule {rule.name!r}: k={k} is deeper than run {scores.run.id} goes ({scores.depth})")
        if rule.group and rule.group not in candidate.slices.names:
            if rule.group in earlier:
                problems.append(f"  rule {rule.name!r}: slice {rule.slice!r} has vanished since the baseline")
            else:
                known = ", ".join(candidate.slices.names) or "none"
                problems.append(f"  rule {rule.name!r}: unknown slice {rule.slice!r}; known: {known}")
    return problems


def _judge_rule(rule: Rule, policy: Policy, candidate: RunScores, baseline: RunScores | None) -> Verdict:
    k = rule.k or candidate.k
    trusted = candidate.members(rule.group) & np.isin(candidate.sources, rule.sources)
    counted = trusted & candidate.settled
    n = int(counted.sum())
    values = candidate.values(rule.metric, k)[counted]
    notes = [*_small_sample_notes(n), *_disputed_notes(int(trusted.sum()) - n)]
    earlier = baseline.values(rule.metric, k)[counted] if baseline is not None else values
    if not (np.isfinite(values).all() and np.isfinite(earlier).all()):
        return Verdict(rule, k, n, "fail", None, None, None, ("a score is missing or not a number",), tuple(notes))
    if n < rule.min_queries:
        unjudged = int((candidate.members(rule.group) & ~trusted).sum())
        others = f" ({unjudged} more are not judged by {' or '.join(rule.sources)})" if unjudged else ""
        reason = f"{n} of at least {rule.min_queries} queries{others}"
        value = Estimate(float(values.mean()), 0.0, 1.0) if n else None
        return Verdict(rule, k, n, "inconclusive", value, None, None, (reason,), tuple(notes))
    value = _estimate(values, rule, policy)
    outcomes: list[Outcome] = []
    reasons: list[str] = []
    if rule.min is not None:
        outcome: Outcome = "pass" if value.low >= rule.min else "fail" if value.high < rule.min else "inconclusive"
        outcomes.append(outcome)
        reasons.append(f"{rule.metric} {_shown(value)} against a floor of {rule.min:.3f}")
    before: float | None = None
    difference: Estimate | None = None
    losers: tuple[str, ...] = ()
    if rule.max_drop is not None:
        if baseline is None:
            outcomes.append("inconclusive")
            reasons.append("no baseline is accepted for this suite; accept one with python -m runner.accept RUN_ID")
        else:
            before = float(earlier.mean())
            difference = _difference(values - earlier, rule, policy)
            outcomes.append(_judge_drop(difference, rule.max_drop))
            reasons.append(f"changed by {_shown(difference, sign=True)}, allowed {-rule.max_drop:+.3f}")
            losers = _losers(candidate.query_ids, counted, values - earlier)
            notes += _power_notes(values - earlier, rule.max_drop)
    worst = max(outcomes, key=_ORDER.index)
    return Verdict(rule, k, n, worst, value, before, difference, tuple(reasons), tuple(notes), losers)


def _judge_drop(difference: Estimate, allowed: float) -> Outcome:
    if difference.low >= -allowed:
        return "pass"
    return "fail" if difference.high < -allowed else "inconclusive"


def _estimate(values: Floats, rule: Rule, policy: Policy) -> Estimate:
    members = np.ones((1, len(values)), np.bool_)
    ends = bootstrap_intervals(values[:, None], members, resamples=policy.resamples, level=rule.level, seed=policy.seed)
    return Estimate(float(values.mean()), float(ends.low[0, 0]), float(ends.high[0, 0]))


def _difference(differences: Floats, rule: Rule, policy: Policy) -> Estimate:
    differences = np.where(np.abs(differences) < TIE, 0.0, differences)
    if not differences.any():
        # Not one query changed: there is no drop to be unsure of.
        return Estimate(0.0, 0.0, 0.0)
    members = np.ones((1, len(differences)), np.bool_)
    ends = paired_intervals(
        differences[:, None], members, resamples=policy.resamples, level=rule.level, seed=policy.seed
    )
    # Where no query lost there is no drop either: a gain may not turn a pass into doubt.
    low = float(ends.low[0, 0]) if differences.min() < 0 else max(float(ends.low[0, 0]), 0.0)
    return Estimate(float(differences.mean()), low, float(ends.high[0, 0]))


def _losers(ids: Sequence[str], counted: NDArray[np.bool_], differences: Floats) -> tuple[str, ...]:
    order = np.argsort(differences, kind="stable")
    lost = [number for number in order[:5] if differences[number] < 0]
    numbers = np.flatnonzero(counted)[lost]
    return tuple(ids[number] for number in numbers)


def _small_sample_notes(n: int) -> list[str]:
    return [f"with {n} queries one query moves the mean by {1 / n:.3f}"] if 0 < n < 30 else []


def _disputed_notes(disputed: int) -> list[str]:
    if not disputed:
        return []
    queries = "1 query is" if disputed == 1 else f"{disputed} queries are"
    return [f"{queries} left out: annotators disagree and nobody has adjudicated (python -m runner.judgments review)"]


def _power_notes(differences: Floats, allowed: float) -> list[str]:
    if len(differences) < 2:
        return []
    spread = np.array([[float(differences.std(ddof=1))]])
    least = float(minimum_detectable(spread, np.array([len(differences)]))[0, 0])
    if least <= allowed or not spread.any():
        return []
    if not np.isfinite(least):
        return [f"a drop of {allowed:.3f} is finer than {len(differences)} queries can show at all"]
    return [f"a drop of {allowed:.3f} is finer than this slice can show ({least:.3f} at 80% power)"]


def _shown(estimate: Estimate, sign: bool = False) -> str:
    form = "+.3f" if sign else ".3f"
    return f"{estimate.value:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"
