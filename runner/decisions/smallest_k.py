"""The smallest k at which a retriever meets every floor of a policy within its budget, and what kept it from less."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runner.decisions.gating import GateResult, judge, refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError
from runner.rendering.tabular import Tabular
from runner.rules.estimate import Estimate
from runner.rules.policy import Policy
from runner.rules.rule import Verdict
from runner.stats.intervals import bootstrap_intervals

if TYPE_CHECKING:
    import pandas as pd

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
class Point:
    """A variant at one k. costs: what was measured there, by name.

    verdicts: of every rule that can be judged there, blocking or not. unmet: the floors that stop it. over: the
    ceilings that do.
    """

    k: int
    n: int
    quality: Estimate
    verdicts: tuple[Verdict, ...]
    unmet: tuple[Verdict, ...]
    over: tuple[Verdict, ...]
    costs: Mapping[str, float]

    @property
    def floors(self) -> tuple[Verdict, ...]:
        """The verdicts of what asks for a larger k."""
        return tuple(each for each in self.verdicts if not each.rule.ceiling)

    @property
    def undecided(self) -> tuple[Verdict, ...]:
        """Blocking rules that can be neither passed nor failed here, where the policy lets that go."""
        return tuple(
            each
            for each in self.verdicts
            if each.rule.severity == "block"
            and each.outcome == "inconclusive"
            and each not in self.unmet
            and each not in self.over
        )

    @property
    def feasible(self) -> bool:
        """Whether no floor stops it and it is within the budget."""
        return not self.unmet and not self.over

    @property
    def distance(self) -> tuple[float, float]:
        """How far from feasible: demands that nothing is known of, then the sum of the misses as shares of limits."""
        misses = [excess(each) for each in (*self.over, *self.unmet)]
        return sum(math.isinf(miss) for miss in misses), sum(miss for miss in misses if not math.isinf(miss))


@dataclass(frozen=True)
class Choice:
    """What came of one variant; points by ascending k. chosen: the smallest feasible one, None if there is none."""

    variant: VariantScores
    points: tuple[Point, ...]
    chosen: Point | None

    @property
    def binding(self) -> tuple[Verdict, ...]:
        """The floors that forced k up: those still unmet at the k just below the chosen one, furthest first."""
        below = [point for point in self.points if self.chosen is not None and point.k < self.chosen.k]
        return tuple(sorted(below[-1].unmet, key=lambda each: each.shortfall, reverse=True)) if below else ()

    @property
    def stop(self) -> tuple[Point, Verdict] | None:
        """The first point past the chosen one that a ceiling forbids (past none: the first of all), with which."""
        after = [point for point in self.points if self.chosen is None or point.k > self.chosen.k]
        return next(((point, max(point.over, key=excess)) for point in after if point.over), None)

    @property
    def sure(self) -> Point | None:
        """The smallest feasible point at which every blocking floor is passed, none left undecided."""
        return next((point for point in self.points if point.feasible and not point.undecided), None)

    @property
    def nearest(self) -> Point:
        """The point that misses by least; a smaller k where two miss alike."""
        return min(self.points, key=lambda point: (point.distance, point.k))


@dataclass(frozen=True, repr=False)
class Selection(Tabular):
    """The choices of all variants of a sweep under one policy. metric: whose curve is shown."""

    policy: Policy
    metric: str
    choices: tuple[Choice, ...]

    @property
    def cheapest(self) -> Choice | None:
        """The feasible choice of the smallest k, then of the lowest latency, then of the shortest context."""
        feasible = [(choice.chosen, choice) for choice in self.choices if choice.chosen is not None]
        return min(feasible, key=lambda each: _price(each[0]))[1] if feasible else None

    @property
    def title(self) -> str:
        """What is chosen under which policy."""
        best = self.cheapest
        found = f"{best.variant.name} at k={best.chosen.k}" if best and best.chosen else "nothing is feasible"
        return f"{self.policy.name}: {found}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a variant and k: the metric with its interval, the costs, whether it is feasible and chosen."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "variant": choice.variant.name,
                    "k": point.k,
                    self.metric: point.quality.value,
                    "low": point.quality.low,
                    "high": point.quality.high,
                    **point.costs,
                    "feasible": point.feasible,
                    "chosen": point is choice.chosen,
                    "unmet": ", ".join(each.rule.name for each in (*point.unmet, *point.over)),
                }
                for choice in self.choices
                for point in choice.points
            ]
        )


def choose(policy: Policy, variants: Sequence[VariantScores], metric: str = "recall") -> Selection:
    """Find the smallest k of each variant.

    Every rule of the policy that needs no baseline, and its budget, is judged at every k of the sweep as the gate
    would judge it there, whatever `k` it names. A blocking floor is met where it would not stop the release and its
    value is not below it, so the policy says whether an undecided one is; what was not measured is within no limit;
    rules that only warn change nothing. Raises ConfigError for a policy without a blocking floor or with a rule that
    does not fit the runs, and InputError for variants that were not scored alike.
    """
    policy = policy.resolved()
    if not any(rule.severity == "block" and not rule.ceiling and rule.at(1) is not None for rule in policy.rules):
        raise ConfigError(
            f"gate {policy.name!r} has no blocking rule with a floor (min), so nothing decides how small k may be"
        )
    for other in variants[1:]:
        refuse_unlike(variants[0].scores, other.scores)
    return Selection(policy, metric, tuple(_choose(policy, variant, metric) for variant in variants))


def excess(verdict: Verdict) -> float:
    """How far a limit is missed, as a share of it; infinite where nothing can be said."""
    return verdict.shortfall / (verdict.rule.limit or 1.0)


def pareto_front(costs: Sequence[float], gains: Sequence[float]) -> list[int]:
    """Positions of the points that no other beats, by ascending cost.

    A point is beaten by one that costs no more and gains no less, and is better in either; of equals the first stands.
    """
    front: list[int] = []
    for position in sorted(range(len(costs)), key=lambda each: (costs[each], -gains[each], each)):
        if not front or gains[position] > gains[front[-1]]:
            front.append(position)
    return front


def _choose(policy: Policy, variant: VariantScores, metric: str) -> Choice:
    scores, ks = variant.scores, sorted(variant.costs)
    values = np.stack([scores.values(metric, k) for k in ks], axis=1)
    ends = bootstrap_intervals(
        values, scores.members("")[None], resamples=policy.resamples, level=_LEVEL, seed=policy.seed
    )
    points = []
    for column, k in enumerate(ks):
        result = judge(_rules_at(policy, k), scores, None, measurements=variant.costs[k])
        stops = _stops(result)
        quality = Estimate(float(values[:, column].mean()), float(ends.low[0, column]), float(ends.high[0, column]))
        unmet = tuple(each for each in stops if not each.rule.ceiling)
        over = tuple(each for each in stops if each.rule.ceiling)
        points.append(Point(k, len(values), quality, result.verdicts, unmet, over, variant.costs[k]))
    return Choice(variant, tuple(points), next((point for point in points if point.feasible), None))


def _rules_at(policy: Policy, k: int) -> Policy:
    judged = [rule for each in (*policy.rules, *policy.budget.rules) if (rule := each.at(k)) is not None]
    return policy.model_copy(update={"rules": tuple(judged)})


def _stops(result: GateResult) -> tuple[Verdict, ...]:
    """What would stop the release, and what is undecided on the wrong side: nobody would call that met."""
    blocking = result.blocking
    return tuple(
        each
        for each in result.verdicts
        if each in blocking
        or (
            each.rule.severity == "block"
            and each.outcome == "inconclusive"
            and (each.beyond or (each.rule.ceiling and each.lacking))
        )
    )


def _price(point: Point) -> tuple[float, float, float]:
    return point.k, point.costs.get(LATENCY, math.inf), point.costs.get("context_tokens", math.inf)
