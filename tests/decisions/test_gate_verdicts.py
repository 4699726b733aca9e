"""What a gate says of a run: computed by hand at the limits, the same each time, and never fooled by a mean."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decide_scores import Asked, found, lost, policy, rule, scores, stored

from runner.decisions.gating import GateResult, judge
from runner.decisions.run_scores import RunScores
from runner.reports.gate import gate_values
from runner.rules.rule import Verdict

RARE = "change_type.option_removed"
# One-sided 95% is one end of the two-sided 90% interval: z = 1.6449, z^2 = 2.7055.
Z2 = 2.7055434540954146


def verdict(new_run: RunScores, baseline: RunScores | None = None, **values: Any) -> Verdict:
    (only,) = judge(policy(rule(**values)), new_run, baseline).verdicts
    return only


def outcomes(result: GateResult) -> list[str]:
    return [each.outcome for each in result.verdicts]


def everyday() -> list[Asked]:
    """300 queries, each tenth of them about a removed option; every second one finds half of what is relevant."""
    return [
        Asked((1,), 1 + number % 2, (RARE,) if number % 10 == 0 else ("change_type.none",)) for number in range(300)
    ]


def without_the_rare() -> list[Asked]:
    return [replace(each, ranks=()) if RARE in each.slices else each for each in everyday()]


RELEASE = (
    rule("mean", min=0.5, max_drop=0.15),
    rule("removed options", slice=RARE, max_drop=0.1),
    rule("the rest", slice="change_type.none", max_drop=0.1),
)


def test_a_run_against_itself_passes_with_each_of_200_seeds() -> None:
    new_run, baseline = scores(everyday(), stored("a")), scores(everyday(), stored("b"))
    results = [judge(policy(*RELEASE, seed=seed), new_run, baseline) for seed in range(200)]
    assert sum(result.blocked for result in results) == 0
    assert {outcome for result in results for outcome in outcomes(result)} == {"pass"}


def test_a_run_against_itself_passes_though_not_the_least_drop_is_allowed() -> None:
    seen = verdict(scores(everyday()), scores(everyday()), max_drop=0)
    assert (seen.outcome, seen.difference and vars(seen.difference)) == ("pass", {"value": 0, "low": 0, "high": 0})


def test_a_lost_slice_blocks_with_every_seed_while_the_mean_is_within_its_allowance() -> None:
    new_run, baseline = scores(without_the_rare(), stored("a")), scores(everyday(), stored("b"))
    for seed in range(50):
        result = judge(policy(*RELEASE, seed=seed), new_run, baseline)
        assert outcomes(result) == ["pass", "fail", "pass"], seed
        assert [each.rule.name for each in result.blocking] == ["removed options"]


def test_a_verdict_says_by_how_much_and_which_queries_lost_most() -> None:
    result = judge(policy(*RELEASE), scores(without_the_rare()), scores(everyday()))
    mean, slice_, _ = result.verdicts
    # 30 of 300 queries, all of them with one relevant item, went from 1 to 0.
    assert mean.difference and mean.difference.value == pytest.approx(-0.1)
    assert slice_.difference and slice_.difference.value == -1
    assert (slice_.n, slice_.baseline, slice_.value and slice_.value.value) == (30, 1, 0)
    assert slice_.losers == ("q000", "q010", "q020", "q030", "q040")


def test_three_queries_decide_nothing() -> None:
    seen = verdict(scores([lost()] * 3), scores([found()] * 3), min=0.9, max_drop=0.0)
    assert (seen.outcome, seen.reasons[0]) == ("inconclusive", "3 of at least 10 queries")
    assert seen.reasons[1].startswith("their mean is ") and "min_queries" in seen.reasons[1]


@pytest.mark.parametrize(
    ("floor", "outcome"), [(0.0, "pass"), (0.88, "pass"), (0.8809, "inconclusive"), (1.0, "inconclusive")]
)
def test_twenty_of_twenty_found_hold_a_floor_up_to_wilsons_lower_end(floor: float, outcome: str) -> None:
    # 20 / (20 + z^2) = 0.88084
    seen = verdict(scores([found()] * 20), min=floor)
    assert seen.outcome == outcome
    assert seen.value and (seen.value.low, seen.value.high) == (pytest.approx(20 / (20 + Z2), abs=1e-8), 1)


@pytest.mark.parametrize(
    ("floor", "outcome"), [(0, "pass"), (0.1, "inconclusive"), (0.1191, "inconclusive"), (0.1192, "fail"), (1, "fail")]
)
def test_none_of_twenty_found_fail_a_floor_from_wilsons_upper_end_on(floor: float, outcome: str) -> None:
    # z^2 / (20 + z^2) = 0.11916
    assert verdict(scores([lost()] * 20), min=floor).outcome == outcome


@pytest.mark.parametrize(("allowed", "outcome"), [(0.1, "fail"), (0.83, "fail"), (0.84, "inconclusive"), (1.0, "pass")])
def test_twenty_of_twenty_lost_are_a_drop_of_one_known_to_newcombes_interval(allowed: float, outcome: str) -> None:
    # -1 + sqrt(2) z^2 / (20 + z^2) = -0.83149
    assert verdict(scores([lost()] * 20), scores([found()] * 20), max_drop=allowed).outcome == outcome


def test_a_gain_is_no_drop() -> None:
    seen = verdict(scores([found()] * 20), scores([lost()] * 20), max_drop=0)
    assert (seen.outcome, seen.losers) == ("pass", ())


def test_a_rule_with_a_floor_and_a_drop_is_as_bad_as_the_worse_of_both() -> None:
    good, bad = scores([found()] * 20), scores([lost()] * 20)
    assert verdict(good, good, min=0.5, max_drop=0.1).outcome == "pass"
    assert verdict(good, good, min=0.95, max_drop=0.1).outcome == "inconclusive"
    assert verdict(bad, bad, min=0.5, max_drop=0.1).outcome == "fail"
    assert verdict(good, bad, min=0.95, max_drop=0.1).outcome == "inconclusive"


def test_more_confidence_turns_a_pass_into_a_question() -> None:
    new_run = scores([found()] * 20)
    assert verdict(new_run, min=0.85, confidence=0.95).outcome == "pass"
    # z = 2.3263: 20 / (20 + 5.4119) = 0.787
    assert verdict(new_run, min=0.85, confidence=0.99).outcome == "inconclusive"


def test_a_rule_looks_at_its_own_k() -> None:
    new_run = scores([Asked((4,))] * 20)
    assert (verdict(new_run, min=0.5, k=3).outcome, verdict(new_run, min=0.5, k=4).outcome) == ("fail", "pass")
    # The run's own k is 5.
    assert (verdict(new_run, min=0.5).k, verdict(new_run, min=0.5).outcome) == (5, "pass")


@pytest.mark.parametrize(
    ("metric", "value"),
    [("hit", 1), ("recall", 0.5), ("precision", 0.2), ("mrr", 0.25), ("map", 0.125), ("pool_recall", 0.5)],
)
def test_every_metric_can_be_ruled_on(metric: str, value: float) -> None:
    # One of two relevant items, at rank 4 of k=5.
    seen = verdict(scores([Asked((4,), 2)] * 20), metric=metric, min=value / 2)
    assert seen.value and seen.value.value == pytest.approx(value)


@pytest.mark.parametrize(("least", "outcome"), [(19, "pass"), (20, "pass"), (21, "inconclusive")])
def test_a_slice_has_to_be_as_large_as_the_rule_asks(least: int, outcome: str) -> None:
    seen = verdict(scores([found(RARE)] * 20 + [found()]), slice=RARE, min=0.5, min_queries=least)
    assert (seen.outcome, seen.n) == (outcome, 20)


def test_one_query_is_judged_where_the_rule_asks_for_no_more() -> None:
    alone, gone = scores([found()]), scores([lost()])
    assert verdict(alone, alone, max_drop=0.1, min_queries=1).outcome == "pass"
    # n = 1: -1 + sqrt(2) z^2 / (1 + z^2) = 0.03, so that one query proves nothing.
    assert verdict(gone, alone, max_drop=0.1, min_queries=1).outcome == "inconclusive"


def test_a_drop_finer_than_the_slice_can_show_is_said() -> None:
    before = scores([found(), lost()] * 20)
    after = scores([lost(), found()] * 2 + [found(), lost()] * 18)
    (note,) = verdict(after, before, max_drop=0.01).notes
    assert note.startswith("a drop of 0.010 is finer than this slice can show (")
    few = [verdict(scores([lost(), *[found()] * 4]), scores([found()] * 5), max_drop=0.1, min_queries=5)]
    assert few[0].notes == (
        "with 5 queries one query moves the mean by 0.200",
        "a drop of 0.100 is finer than 5 queries can show at all",
    )


def test_only_human_judgments_count_in_a_blocking_rule() -> None:
    new_run = scores([found(RARE, source="synthetic")] * 20 + [found(RARE)] * 4)
    seen = verdict(new_run, slice=RARE, min=0.5)
    assert (seen.outcome, seen.n) == ("inconclusive", 4)
    assert seen.reasons[0] == "4 of at least 10 queries (20 more are not judged by human)"


def test_synthetic_judgments_can_neither_raise_nor_lower_a_human_mean() -> None:
    made_up = [lost(source="synthetic")] * 50 + [lost(source="click")] * 50
    seen = verdict(scores([found()] * 20 + made_up), min=0.8)
    assert (seen.outcome, seen.n, seen.value and seen.value.value) == ("pass", 20, 1)


def test_a_warning_may_count_other_sources_and_still_does_not_block() -> None:
    new_run = scores([lost(source="synthetic")] * 20 + [found()] * 20)
    result = judge(policy(rule(min=0.8, severity="warn", sources=["synthetic"])), new_run, None)
    assert (outcomes(result), result.blocked, len(result.warnings)) == (["fail"], False, 1)


@pytest.mark.parametrize("broken", ["candidate", "baseline"])
@pytest.mark.parametrize("number", [20, 3])
def test_a_value_that_is_not_a_number_fails_however_undecided_rules_are_taken(broken: str, number: int) -> None:
    whole, hole = scores([found()] * number), scores([found(in_pool=np.nan)] + [found()] * (number - 1))
    runs = (hole, whole) if broken == "candidate" else (whole, hole)
    judged = judge(policy(rule(metric="pool_recall", max_drop=0.5), inconclusive="pass"), *runs)
    assert (outcomes(judged), judged.blocked) == (["fail"], True)
    assert judged.verdicts[0].reasons == ("a score is missing or not a number",)


def test_a_hole_in_another_slice_does_not_fail_a_rule() -> None:
    new_run = scores([found(RARE, in_pool=np.nan)] + [found("change_type.none")] * 20)
    assert verdict(new_run, metric="pool_recall", slice="change_type.none", min=0.5).outcome == "pass"


def test_without_a_baseline_a_drop_is_undecided_and_a_floor_is_not() -> None:
    result = judge(policy(rule("drop", max_drop=0.1), rule("floor", min=0.5)), scores([found()] * 20), None)
    assert outcomes(result) == ["inconclusive", "pass"]
    assert "accept one with python -m runner accept RUN_ID" in result.verdicts[0].reasons[0]


@pytest.mark.parametrize(("mode", "blocked", "warnings"), [("pass", False, 0), ("warn", False, 1), ("block", True, 0)])
def test_the_policy_says_what_an_undecided_blocking_rule_does(mode: str, blocked: bool, warnings: int) -> None:
    result = judge(policy(rule(min=0.5), inconclusive=mode), scores([found()] * 3), None)
    assert (result.blocked, len(result.warnings)) == (blocked, warnings)


@pytest.mark.parametrize("mode", ["pass", "warn", "block"])
def test_a_warning_never_blocks(mode: str) -> None:
    rules = (rule("bad", min=0.9, severity="warn"), rule("few", min=0.5, slice=RARE, severity="warn"))
    result = judge(policy(*rules, inconclusive=mode), scores([lost()] * 20 + [lost(RARE)]), None)
    assert (outcomes(result), result.blocked) == (["fail", "inconclusive"], False)
    assert "bad" in [each.rule.name for each in result.warnings]


def test_the_mean_may_fall_within_its_allowance() -> None:
    before = scores([found()] * 200)
    after = scores([lost()] * 10 + [found()] * 190)
    # -0.05, give or take 1.645 sqrt(0.05 x 0.95 / 200) = 0.025
    assert verdict(after, before, max_drop=0.1).outcome == "pass"
    assert verdict(after, before, max_drop=0.05).outcome == "inconclusive"
    assert verdict(after, before, max_drop=0.02).outcome == "fail"


ONE_VERDICT = """
import json, sys
sys.path.insert(0, {support!r})
from decide_scores import policy, rule, scores, Asked
from runner.reports.gate import gate_values
from runner.decisions.gating import judge
before = scores([Asked((1 + n % 7,), 1 + n % 3, ("a.x",) if n % 4 else ("a.y",)) for n in range(200)])
after = scores([Asked((1 + n % 5,), 1 + n % 3, ("a.x",) if n % 4 else ("a.y",)) for n in range(200)])
rules = [rule(f"{{m}} {{s}}", metric=m, slice=s, min=0.4, max_drop=0.02) for m in ("recall", "ndcg", "map") for s in
         ("all", "a.x", "a.y")]
print(json.dumps(gate_values(judge(policy(*rules, resamples=2000), after, before)), sort_keys=True))
"""


def _judged_with(threads: int) -> str:
    script = ONE_VERDICT.format(support=str(Path(__file__).parent / "support"))
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **dict.fromkeys(names, str(threads))},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


def test_the_same_input_gives_the_same_verdict_to_the_last_digit_with_one_thread_and_with_two() -> None:
    first = _judged_with(1)
    assert first == _judged_with(1) == _judged_with(2)
    assert len({each["outcome"] for each in json.loads(first)["verdicts"]}) > 1


def test_another_seed_moves_the_ends_and_not_the_values() -> None:
    new_run = scores([Asked((1 + number % 7,), 1 + number % 3) for number in range(60)])
    one, other = (
        gate_values(judge(policy(rule(min=0.4), seed=seed), new_run, None))["verdicts"][0]["value"] for seed in (1, 2)
    )
    assert one["value"] == other["value"]
    assert (one["low"], one["high"]) != (other["low"], other["high"])
    assert one["low"] == pytest.approx(other["low"], abs=0.03)


@pytest.mark.parametrize("gains", [1, 2, 5])
def test_a_gain_never_turns_a_pass_into_doubt(gains: int) -> None:
    half = Asked((1,), relevant=2)
    before = scores([half] * 11)
    after = scores([Asked((1, 2), relevant=2)] * gains + [half] * (11 - gains), stored("run-b"))
    (only,) = judge(policy(rule(max_drop=0.0)), after, before).verdicts
    assert only.outcome == "pass"
    assert only.difference is not None
    assert only.difference.low == 0.0


def test_disputed_judgments_decide_nothing_and_are_counted() -> None:
    asked = [found("a") for _ in range(12)] + [lost("a", settled=False) for _ in range(12)]
    result = judge(policy(rule(min=0.9, min_queries=10)), scores(asked), None)
    verdict = result.verdicts[0]
    assert (verdict.n, verdict.value and verdict.value.value) == (12, 1.0)
    assert any("12 queries are left out: annotators disagree" in note for note in verdict.notes)
    few = judge(policy(rule(min=0.9, min_queries=13)), scores(asked), None).verdicts[0]
    assert few.outcome == "inconclusive"
