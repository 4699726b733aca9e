"""The smallest k at which a retriever meets every floor of a policy within its budget, and what kept it from less."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.decisions.gating import Estimate, GateResult, Verdict, judge, refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError
from runner.rules.policy import Policy
from runner.stats.intervals import bootstrap_intervals

COSTS = ("context_tokens", "latency_p95_ms", "reranked_pairs")
LATENCY = "latency_p95_ms"
# Of the intervals shown beside the curve; a rule is judged by a level of its own.
_LEVEL = 0.95


@dataclass(frozen=True)
class VariantScores:
    """A variant to choose k for: its scores, which reach every k, and its costs by k of the sweep, then by name.

    A cost that was not measured is left out.
    """

    name: str
    scores: RunScores
    costs: Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class Cost:
    """What a run takes at one k, and the most it may; None where it was not measured or has no limit."""

    name: str
    value: float | None
    limit: float | None

    @property
    def within(self) -> bool:
        """Whether the budget allows it; what was not measured cannot be shown to be allowed."""
        return self.limit is None or (self.value is not None and self.value <= self.limit)

    @property
    def excess(self) -> float:
        """How far over the limit, as a share of it; infinite where it was not measured."""
        if self.within or self.limit is None:
            return 0.0
        return math.inf if self.value is None else self.value / self.limit - 1


@dataclass(frozen=True)
class Point:
    """A variant at one k. verdicts: of every floor, blocking or not. unmet: those that stop it. costs: all three."""

    k: int
    n: int
    quality: Estimate
    verdicts: tuple[Verdict, ...]
    unmet: tuple[Verdict, ...]
    costs: tuple[Cost, ...]

    @property
    def over(self) -> tuple[Cost, ...]:
        """The costs that the budget does not allow."""
        return tuple(cost for cost in self.costs if not cost.within)

    @property
    def undecided(self) -> tuple[Verdict, ...]:
        """Blocking floors that can be neither passed nor failed here, where the policy lets that go."""
        return tuple(
            each
            for each in self.verdicts
            if each.rule.severity == "block" and each.outcome == "inconclusive" and each not in self.unmet
        )

    @property
    def feasible(self) -> bool:
        """Whether no floor stops it and it is within the budget."""
        return not self.unmet and not self.over

    def cost(self, name: str) -> float | None:
        """What one cost amounts to here."""
        return next(cost.value for cost in self.costs if cost.name == name)

    @property
    def distance(self) -> tuple[float, float]:
        """How far from feasible: demands that nothing is known of, then the sum of the misses as shares of limits."""
        misses = [cost.excess for cost in self.over]
        misses += [shortfall(each) / (each.rule.min or 1.0) for each in self.unmet]
        return sum(math.isinf(miss) for miss in misses), sum(miss for miss in misses if not math.isinf(miss))


@dataclass(frozen=True)
class Choice:
    """What came of one variant; points by ascending k. chosen: the smallest feasible one, None if there is none."""

    candidate: VariantScores
    points: tuple[Point, ...]
    chosen: Point | None

    @property
    def binding(self) -> tuple[Verdict, ...]:
        """The floors that forced k up: those still unmet at the k just below the chosen one, furthest first."""
        below = [point for point in self.points if self.chosen is not None and point.k < self.chosen.k]
        return tuple(sorted(below[-1].unmet, key=shortfall, reverse=True)) if below else ()

    @property
    def stop(self) -> tuple[Point, Cost] | None:
        """The first point past the chosen one that the budget forbids (past none: the first of all), with the cost."""
        after = [point for point in self.points if self.chosen is None or point.k > self.chosen.k]
        return next(((point, max(point.over, key=lambda cost: cost.excess)) for point in after if point.over), None)

    @property
    def sure(self) -> Point | None:
        """The smallest feasible point at which every blocking floor is passed, none left undecided."""
        return next((point for point in self.points if point.feasible and not point.undecided), None)

    @property
    def nearest(self) -> Point:
        """The point that misses by least; a smaller k where two miss alike."""
        return min(self.points, key=lambda point: (point.distance, point.k))


@dataclass(frozen=True)
class Selection:
    """The choices of all variants of a sweep under one policy. metric: whose curve is shown."""

    policy: Policy
    metric: str
    choices: tuple[Choice, ...]

    @property
    def cheapest(self) -> Choice | None:
        """The feasible choice of the smallest k, then of the lowest latency, then of the shortest context."""
        feasible = [(choice.chosen, choice) for choice in self.choices if choice.chosen is not None]
        return min(feasible, key=lambda each: _price(each[0]))[1] if feasible else None


def choose(policy: Policy, candidates: Sequence[VariantScores], metric: str = "recall") -> Selection:
    """Find the smallest k of each variant.

    Every floor (`min`) of the policy is judged at every k of the sweep, as the gate would judge it there, whatever
    `k` its rule names; `max_drop` does not count. A blocking floor is met where it would not stop the release and its
    mean is not below it, so the policy says whether an undecided one is; floors that only warn change nothing.
    Raises ConfigError for a policy without a blocking floor or with a rule that does not fit the runs, and
    InputError for variants that were not scored alike.
    """
    if not any(rule.severity == "block" and rule.min is not None for rule in policy.rules):
        raise ConfigError(
            f"gate {policy.name!r} has no blocking rule with a floor (min), so nothing decides how small k may be"
        )
    for other in candidates[1:]:
        refuse_unlike(candidates[0].scores, other.scores)
    return Selection(policy, metric, tuple(_choose(policy, candidate, metric) for candidate in candidates))


def shortfall(verdict: Verdict) -> float:
    """How far a floor is missed in units of its metric; infinite where there are too few queries to say."""
    if verdict.value is None or verdict.rule.min is None or verdict.n < verdict.rule.min_queries:
        return math.inf
    # One that fails misses by its mean; one that cannot be decided, by the lower end of its interval.
    reached = verdict.value.value if verdict.outcome == "fail" else verdict.value.low
    return max(verdict.rule.min - reached, 0.0)


def pareto_front(costs: Sequence[float], gains: Sequence[float]) -> list[int]:
    """Positions of the points that no other beats, by ascending cost.

    A point is beaten by one that costs no more and gains no less, and is better in either; of equals the first stands.
    """
    front: list[int] = []
    for position in sorted(range(len(costs)), key=lambda each: (costs[each], -gains[each], each)):
        if not front or gains[position] > gains[front[-1]]:
            front.append(position)
    return front


def _choose(policy: Policy, candidate: VariantScores, metric: str) -> Choice:
    scores, ks = candidate.scores, sorted(candidate.costs)
    values = np.stack([scores.values(metric, k) for k in ks], axis=1)
    ends = bootstrap_intervals(
        values, scores.members("")[None], resamples=policy.resamples, level=_LEVEL, seed=policy.seed
    )
    points = []
    for column, k in enumerate(ks):
        result = judge(_floors_at(policy, k), scores, None)
        costs = (Cost(name, candidate.costs[k].get(name), getattr(policy.budget, name)) for name in COSTS)
        quality = Estimate(float(values[:, column].mean()), float(ends.low[0, column]), float(ends.high[0, column]))
        points.append(Point(k, len(values), quality, result.verdicts, _unmet(result), tuple(costs)))
    return Choice(candidate, tuple(points), next((point for point in points if point.feasible), None))


def _unmet(result: GateResult) -> tuple[Verdict, ...]:
    """What would stop the release, and what is undecided with its mean below the floor: nobody would call that met."""
    below = {
        each.rule.name
        for each in result.verdicts
        if each.rule.severity == "block" and each.outcome == "inconclusive" and _below(each)
    }
    stops = {each.rule.name for each in result.blocking} | below
    return tuple(each for each in result.verdicts if each.rule.name in stops)


def _below(verdict: Verdict) -> bool:
    """Whether the mean of enough queries to tell lies below the floor."""
    if verdict.value is None or verdict.rule.min is None or verdict.n < verdict.rule.min_queries:
        return False
    return verdict.value.value < verdict.rule.min


def _floors_at(policy: Policy, k: int) -> Policy:
    floors = [rule.model_copy(update={"k": k, "max_drop": None}) for rule in policy.rules if rule.min is not None]
    return policy.model_copy(update={"rules": tuple(floors)})


def _price(point: Point) -> tuple[float, float, float]:
    latency, tokens = point.cost(LATENCY), point.cost("context_tokens")
    return point.k, math.inf if latency is None else latency, math.inf if tokens is None else tokens
