"""The smallest k that meets every floor within the budget, what forced it up, and what stops a larger one."""

import math

import pytest
from choose_scores import floor, policy, scores, variant

from runner.decisions.smallest_k import choose, excess, pareto_front
from runner.errors import ConfigError, InputError

# 30 queries are answered at rank 1; 10, of removed options, at rank 4: recall of all is 0.75, then 1 from k=4 on.
RANKS = [1] * 30 + [4] * 10
SLICES = {"change.removed": range(30, 40), "語言.中文": range(20)}
RUN = scores(RANKS, SLICES)
REMOVED = floor("change.removed")


def test_the_floor_of_a_slice_forces_k_up_where_the_mean_would_not() -> None:
    (choice,) = choose(policy(floor(), REMOVED), [variant(RUN)]).choices
    assert choice.chosen is not None
    assert choice.chosen.k == 5
    assert [each.rule.slice for each in choice.binding] == ["change.removed"]
    assert [point.feasible for point in choice.points] == [False, False, True, True]
    assert [point.quality.value for point in choice.points] == [0.75, 0.75, 1.0, 1.0]


def test_without_that_floor_the_smallest_k_is_chosen_and_nothing_binds() -> None:
    (choice,) = choose(policy(floor()), [variant(RUN)]).choices
    assert choice.chosen is not None
    assert (choice.chosen.k, choice.binding, choice.stop) == (1, (), None)


def test_of_several_floors_unmet_just_below_the_one_furthest_away_binds() -> None:
    # At k=3 recall of all is 0.75 and that of the slice 0.
    (choice,) = choose(policy(floor(least=0.95), REMOVED), [variant(RUN)]).choices
    assert [each.rule.slice for each in choice.binding] == ["change.removed", "all"]
    assert [each.shortfall for each in choice.binding] == [0.5, pytest.approx(0.2)]


def test_the_first_cost_beyond_the_budget_stops_a_larger_k() -> None:
    (choice,) = choose(policy(floor(), REMOVED, budget={"context_tokens": 800}), [variant(RUN)]).choices
    assert choice.chosen is not None and choice.stop is not None
    point, over = choice.stop
    assert (choice.chosen.k, point.k, over.rule.name, over.rule.limit) == (5, 10, "context_tokens", 800)
    assert over.value and over.value.value == 1000.0
    assert excess(over) == pytest.approx(0.25)


def test_a_budget_that_forbids_what_the_floor_asks_leaves_nothing_and_the_nearest_miss() -> None:
    # k=3 misses the floor by all of it; k=5 is over the budget by a quarter, k=10 by one and a half.
    selection = choose(policy(floor(), REMOVED, budget={"context_tokens": 400}), [variant(RUN)])
    (choice,) = selection.choices
    assert choice.chosen is None
    assert selection.cheapest is None
    assert (choice.nearest.k, choice.nearest.unmet) == (5, ())
    assert [each.rule.name for each in choice.nearest.over] == ["context_tokens"]
    assert choice.nearest.distance == (0, pytest.approx(0.25))


def test_a_cost_at_its_limit_is_within_it() -> None:
    (choice,) = choose(policy(floor(), REMOVED, budget={"context_tokens": 500}), [variant(RUN)]).choices
    assert choice.chosen is not None and choice.chosen.k == 5


@pytest.mark.parametrize(("name", "values"), [("latency_p95_ms", {"latency": 2.1}), ("reranked_pairs", {"pairs": 2.1})])
def test_every_cost_counts_at_every_k(name: str, values: dict[str, float]) -> None:
    (choice,) = choose(policy(floor(), budget={name: 2.0}), [variant(RUN, **values)]).choices
    assert choice.chosen is None
    assert [[each.rule.name for each in point.over] for point in choice.points] == [[name]] * 4


def test_a_cost_that_was_not_measured_is_never_within_a_limit() -> None:
    (choice,) = choose(policy(floor(), budget={"latency_p95_ms": 1000}), [variant(RUN, latency=None)]).choices
    assert choice.chosen is None
    assert excess(choice.nearest.over[0]) == math.inf
    (free,) = choose(policy(floor()), [variant(RUN, latency=None)]).choices
    assert free.chosen is not None


def test_a_floor_is_judged_at_every_k_whatever_k_its_rule_names_and_a_drop_does_not_count() -> None:
    fixed = {**REMOVED, "k": 10, "max_drop": 0.0}
    drop = {**floor("語言.中文"), "min": None, "max_drop": 0.1}
    # Without a baseline a drop is undecided, which would block here.
    (choice,) = choose(policy(floor(), fixed, drop, inconclusive="block"), [variant(RUN)]).choices
    assert choice.chosen is not None and choice.chosen.k == 5
    assert [each.k for each in choice.points[1].verdicts] == [3, 3]


def test_a_floor_that_only_warns_is_shown_and_changes_nothing() -> None:
    (choice,) = choose(policy(floor(), {**REMOVED, "severity": "warn"}), [variant(RUN)]).choices
    assert choice.chosen is not None and choice.chosen.k == 1
    assert [each.outcome for each in choice.chosen.verdicts] == ["pass", "fail"]


@pytest.mark.parametrize(("treatment", "chosen"), [("pass", 1), ("warn", 1), ("block", None)])
def test_the_policy_says_what_too_few_queries_do(treatment: str, chosen: int | None) -> None:
    few = floor("change.removed", min_queries=11)
    (choice,) = choose(policy(floor(), few, inconclusive=treatment), [variant(RUN)]).choices
    assert (choice.chosen.k if choice.chosen else None) == chosen
    assert choice.sure is None
    if chosen:
        assert [each.rule.slice for each in choice.points[0].undecided] == ["change.removed"]
    else:
        assert choice.nearest.k == 1
        assert choice.nearest.unmet[0].shortfall == math.inf


def test_where_an_undecided_floor_is_let_go_the_k_from_which_all_are_passed_is_told() -> None:
    # 12 of 20 at k=1: the interval holds 0.6. At k=3 all 20 are found.
    run = scores([1] * 12 + [2] * 8)
    (choice,) = choose(policy(floor(least=0.6)), [variant(run)]).choices
    assert choice.chosen is not None and choice.sure is not None
    assert (choice.chosen.k, choice.sure.k) == (1, 3)


def test_a_metric_that_does_not_depend_on_k_is_met_at_every_k_or_at_none() -> None:
    for least, chosen in ((0.5, 1), (0.95, None)):
        rule = {**floor(least=least), "metric": "mrr"}
        (choice,) = choose(policy(rule), [variant(RUN)]).choices
        assert (choice.chosen.k if choice.chosen else None) == chosen


def test_the_cheapest_has_the_smallest_k_then_the_lowest_latency() -> None:
    slow, quick = variant(RUN, "slow", latency=9.0), variant(RUN, "quick", latency=1.0)
    late = variant(scores([2] * 40, SLICES), "late", latency=0.1)
    untimed = variant(RUN, "untimed", latency=None)
    best = choose(policy(floor()), [untimed, late, slow, quick]).cheapest
    assert best is not None and best.variant.name == "quick"


def test_a_variant_that_meets_no_floor_does_not_stand_in_the_way_of_another() -> None:
    lost = variant(scores([0] * 40, SLICES), "lost")
    selection = choose(policy(floor(), REMOVED), [lost, variant(RUN)])
    assert [choice.chosen is None for choice in selection.choices] == [True, False]
    assert selection.cheapest is selection.choices[1]


def test_the_same_runs_give_the_same_choice() -> None:
    demands = policy(floor(least=0.7), REMOVED)
    one, two = (choose(demands, [variant(RUN)]) for _ in range(2))
    assert one.choices[0].points == two.choices[0].points


def test_a_policy_without_a_blocking_floor_is_refused() -> None:
    for rule in ({**floor(), "severity": "warn"}, {**floor(), "min": None, "max_drop": 0.1}):
        with pytest.raises(ConfigError, match="no blocking rule with a floor"):
            choose(policy(rule), [variant(RUN)])


def test_an_unknown_slice_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"change\.gone.*known: change\.removed, 語言\.中文"):
        choose(policy(floor("change.gone")), [variant(RUN)])


def test_variants_of_different_suites_are_refused() -> None:
    other = variant(scores(RANKS, SLICES, suite_revision="r2"), "other")
    with pytest.raises(InputError, match="suite_revision"):
        choose(policy(floor()), [variant(RUN), other])


# -- the Pareto front --------------------------------------------------------------------------------------


def test_the_front_is_what_nothing_beats() -> None:
    # (1, .5) is beaten by (1, .6); (3, .6) by (1, .6); (4, .7) by (2, .8).
    assert pareto_front([1, 1, 3, 2, 4, 9], [0.5, 0.6, 0.6, 0.8, 0.7, 0.9]) == [1, 3, 5]


def test_of_equals_the_first_stands_and_a_single_point_is_its_own_front() -> None:
    assert pareto_front([2, 2], [0.5, 0.5]) == [0]
    assert pareto_front([2], [0.0]) == [0]
    assert pareto_front([], []) == []
