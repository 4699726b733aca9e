"""What cannot be set against each other, and rules that do not fit a run, are refused by name before any verdict."""

from collections.abc import Callable
from typing import Any

import pytest
from decide_scores import found, policy, rule, scores, stored

from runner.decisions.comparison import compare
from runner.decisions.gating import judge
from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError, InputError


def gate(one: RunScores, other: RunScores) -> Any:
    return judge(policy(rule(min=0.5)), one, other)


def side_by_side(one: RunScores, other: RunScores) -> Any:
    return compare([one, other])


@pytest.mark.parametrize("decide", [gate, side_by_side])
@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("suite", ("core", "holdout")),
        ("suite_revision", ("rev1", "rev2")),
        ("unit", ("passage", "document")),
        ("min_grade", ("1", "2")),
        ("metrics_version", ("1", "2")),
    ],
)
def test_runs_that_were_not_scored_alike_are_refused_naming_the_field(
    decide: Callable[[RunScores, RunScores], Any], field: str, values: tuple[str, str]
) -> None:
    one, other = (scores([found()] * 20, stored(f"run-{value}", **{field: value})) for value in values)
    with pytest.raises(InputError) as error:
        decide(one, other)
    message = str(error.value)
    assert f"differ in {field} ({values[0]} and {values[1]})" in message
    assert all(f"run-{value}" in message for value in values)


@pytest.mark.parametrize("decide", [gate, side_by_side])
def test_runs_that_scored_other_queries_are_refused(decide: Callable[[RunScores, RunScores], Any]) -> None:
    one, other = scores([found()] * 20, stored("a")), scores([found()] * 21, stored("b"))
    with pytest.raises(InputError, match="runs a and b did not score the same queries"):
        decide(one, other)


@pytest.mark.parametrize("field", ["snapshot", "documents_sha256", "k", "retriever", "depth"])
def test_what_a_run_is_free_to_change_is_not_refused(field: str) -> None:
    one, other = scores([found()] * 20, stored("a")), scores([found()] * 20, stored("b", **{field: "11"}))
    assert not gate(one, other).blocked
    assert side_by_side(one, other).pairs


def refusal(*rules: dict[str, Any], new_run: RunScores, baseline: RunScores | None = None) -> list[str]:
    with pytest.raises(ConfigError) as error:
        judge(policy(*rules), new_run, baseline)
    head, *lines = str(error.value).splitlines()
    assert head == f"gate 'by hand' does not fit run {new_run.run.id}:"
    return [line.strip() for line in lines]


def test_an_unknown_slice_is_refused_with_the_known_ones() -> None:
    new_run = scores([found("language.zh-Hant"), found("language.en")] * 10)
    assert refusal(rule("中文", slice="language.zh", min=0.5), new_run=new_run) == [
        "rule '中文': unknown slice 'language.zh'; known: language.en, language.zh-Hant"
    ]
    assert refusal(rule(slice="x.y", min=0.5), new_run=scores([found()] * 20)) == [
        "rule 'recall holds': unknown slice 'x.y'; known: none"
    ]


def test_a_slice_that_vanished_since_the_baseline_is_refused_as_such() -> None:
    new_run, baseline = scores([found("a.x")] * 20), scores([found("a.x", "a.y")] * 20)
    assert refusal(rule(slice="a.y", min=0.5), new_run=new_run, baseline=baseline) == [
        "rule 'recall holds': slice 'a.y' has vanished since the baseline"
    ]


def test_a_slice_that_is_new_since_the_baseline_is_judged_on_the_candidates_members() -> None:
    new_run, baseline = scores([found("a.x", "a.y")] * 20), scores([found("a.x")] * 20)
    (verdict,) = judge(policy(rule(slice="a.y", max_drop=0.1)), new_run, baseline).verdicts
    assert (verdict.outcome, verdict.n) == ("pass", 20)


def test_a_k_below_the_end_of_the_rankings_is_refused_for_both_runs() -> None:
    new_run, baseline = scores([found()] * 20, stored("a")), scores([found()] * 20, stored("b", depth="5"))
    assert refusal(rule(k=11, min=0.5), new_run=new_run) == ["rule 'recall holds': k=11 is deeper than run a goes (10)"]
    assert refusal(rule(k=6, min=0.5), new_run=new_run, baseline=baseline) == [
        "rule 'recall holds': k=6 is deeper than run b goes (5)"
    ]
    assert judge(policy(rule(k=10, min=0.5)), new_run, None).verdicts[0].k == 10


def test_all_rules_that_do_not_fit_are_listed_at_once() -> None:
    rules = [rule("one", k=99, min=0.5), rule("two", slice="a.b", min=0.5), rule("good", min=0.5)]
    assert [line.partition(":")[0] for line in refusal(*rules, new_run=scores([found()] * 20))] == [
        "rule 'one'",
        "rule 'two'",
    ]
