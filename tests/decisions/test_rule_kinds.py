"""Each kind of rule: judged by hand at its limits, told in every report, and read from a policy by its name."""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal
from xml.etree import ElementTree

import numpy as np
import pytest
from decide_scores import Asked, found, lost, policy, rule, scores, stored
from omegaconf import OmegaConf

from runner import plugins
from runner.composition.policy_files import policy_of
from runner.composition.requests import compose_request, request_of
from runner.configuration.settings import Settings
from runner.decisions.gating import judge
from runner.decisions.smallest_k import VariantScores, choose
from runner.errors import ConfigError
from runner.reports.gate import gate_lines, gate_values, write_reports
from runner.rules.budget import Budget
from runner.rules.estimate import Estimate
from runner.rules.evidence import Evidence
from runner.rules.kinds import _import_all
from runner.rules.policy import Policy
from runner.rules.rule import KINDS, Rule, Verdict
from runner.stats.ratios import ratio_interval

ZH, EN = "language.zh-Hant", "language.en"


def verdict(run: Any, baseline: Any = None, costs: dict[str, float] | None = None, **values: Any) -> Verdict:
    (only,) = judge(policy({"name": "one", **values}), run, baseline, measurements=costs).verdicts
    return only


def ratio(**values: Any) -> dict[str, Any]:
    return {"kind": "ratio", "metric": "recall", "slice": ZH, "to": EN, "min": 0.8, **values}


def test_the_kinds_are_these() -> None:
    _import_all()
    assert {"budget", "drop", "floor", "ratio", "unjudged"} <= set(KINDS)


@pytest.mark.parametrize(("kind", "key"), [("floor", "min"), ("drop", "max_drop")])
def test_a_kind_that_is_named_judges_as_the_rule_that_names_none(kind: str, key: str) -> None:
    runs = scores([found()] * 30 + [lost()] * 4), scores([found()] * 34)
    named, plain = (verdict(*runs, metric="recall", **{key: 0.8}, **more) for more in ({"kind": kind}, {}))
    assert (named.outcome, named.reasons, named.notes, named.losers) == (
        plain.outcome,
        plain.reasons,
        plain.notes,
        plain.losers,
    )
    assert (named.value, named.difference, named.n, named.k) == (plain.value, plain.difference, plain.n, plain.k)


def test_a_rule_that_names_no_kind_is_stored_as_it_always_was() -> None:
    stored_rule = {
        "name": "recall holds",
        "metric": "recall",
        "k": None,
        "slice": "all",
        "min": 0.5,
        "max_drop": None,
        "min_queries": 10,
        "confidence": 0.95,
        "severity": "block",
        "sources": ["human"],
    }
    assert policy(rule(min=0.5)).model_dump(mode="json")["rules"] == [stored_rule]
    assert policy_of(policy(rule(min=0.5)).model_dump(mode="json"), "x").rules == policy(rule(min=0.5)).rules


def test_every_kind_is_read_again_from_what_is_stored() -> None:
    whole = policy(
        {"name": "a", "kind": "floor", "metric": "recall", "min": 0.5},
        {"name": "b", "kind": "drop", "metric": "ndcg", "max_drop": 0.1},
        {"name": "c", **ratio()},
        {"name": "d", "kind": "budget", "cost": "context_tokens", "max": 900},
        {"name": "e", "kind": "unjudged", "max": 0.5},
    )
    assert Policy.model_validate(json.loads(whole.model_dump_json())) == whole


# -- ratios ------------------------------------------------------------------------------------------------


def test_the_interval_of_a_ratio_is_that_of_its_formula() -> None:
    # Donner and Zou 2012: [ab - sqrt((ab)^2 - l1 u2 (2a - l1)(2b - u2))] / [u2 (2b - u2)], and the upper end alike.
    low, high = ratio_interval((0.4, 0.3, 0.5), (0.8, 0.7, 0.9))
    assert low == pytest.approx((0.32 - math.sqrt(0.32**2 - 0.3 * 0.9 * 0.5 * 0.7)) / (0.9 * 0.7))
    assert high == pytest.approx((0.32 + math.sqrt(0.32**2 - 0.5 * 0.7 * 0.3 * 0.9)) / (0.7 * 0.9))


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        ((0.5, 0.5, 0.5), (0.8, 0.8, 0.8), (0.625, 0.625)),
        ((0.0, 0.0, 0.1), (0.5, 0.4, 0.6), (0.0, 0.1 / 0.4)),
        ((0.5, 0.4, 0.6), (0.2, 0.0, 0.5), (None, math.inf)),
        # u2 = 2b, where the published form divides by 0.
        ((0.5, 0.4, 0.6), (0.5, 0.2, 1.0), (0.4 * 0.6 / 0.5, None)),
    ],
)
def test_the_interval_of_a_ratio_at_its_edges(one: Any, other: Any, ends: tuple[float | None, float | None]) -> None:
    for got, expected in zip(ratio_interval(one, other), ends, strict=True):
        assert expected is None or got == pytest.approx(expected, abs=0.05)
    low, high = ratio_interval(one, other)
    assert 0 <= low <= one[0] / other[0] <= high


def test_the_interval_of_a_ratio_holds_the_true_one_as_often_as_it_says() -> None:
    generator, held = np.random.default_rng(3), 0
    for _ in range(200):
        a, b = generator.random(120) < 0.6, generator.random(120) < 0.75
        means = [(x.mean(), x.mean() - e, x.mean() + e) for x in (a, b) for e in [1.645 * x.std(ddof=1) / 120**0.5]]
        low, high = ratio_interval(*[tuple(map(float, each)) for each in means])  # type: ignore[misc]
        held += low <= 0.6 / 0.75 <= high
    assert 165 <= held <= 195  # 90% of 200, give or take 3.5 deviations


@pytest.mark.parametrize(("hits", "outcome"), [(200, "pass"), (168, "inconclusive"), (100, "fail")])
def test_a_slice_is_held_to_a_share_of_another(hits: int, outcome: str) -> None:
    run = scores([found(ZH)] * hits + [lost(ZH)] * (200 - hits) + [found(EN)] * 190 + [lost(EN)] * 10)
    seen = verdict(run, **ratio(min=0.85))
    assert seen.outcome == outcome
    assert seen.value and seen.value.value == pytest.approx(hits / 200 / 0.95)
    assert f"recall {hits / 200:.3f} of {ZH} against 0.950 of {EN}, a ratio of " in seen.reasons[0]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([found(ZH)] * 9 + [found(EN)] * 50, f"{ZH}: 9 of at least 10 queries"),
        ([found(ZH)] * 50 + [found(EN)] * 9, f"{EN}: 9 of at least 10 queries"),
        ([found(ZH)] * 20 + [lost(EN)] * 20, "there is no ratio to 0"),
    ],
)
def test_a_ratio_is_undecided_where_either_slice_tells_nothing(asked: list[Asked], reason: str) -> None:
    seen = verdict(scores(asked), **ratio())
    assert seen.outcome == "inconclusive"
    assert reason in seen.reasons[0]


def test_a_ratio_without_a_bound_is_null_in_json() -> None:
    result = judge(policy({"name": "r", **ratio()}), scores([found(ZH)] * 12 + [found(EN)] * 12), None)
    boundless = replace(result.verdicts[0], value=Estimate(1.5, 0.5, math.inf))
    values = gate_values(replace(result, verdicts=(boundless,)))
    assert values["verdicts"][0]["value"] == {"value": 1.5, "low": 0.5, "high": None}


def test_both_slices_of_a_ratio_have_to_be_there() -> None:
    with pytest.raises(ConfigError, match=r"rule 'one': unknown slice 'language.fr'; known: language\.zh"):
        verdict(scores([found(ZH)] * 20), **ratio(to="language.fr"))


# -- budgets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "outcome"), [(199.0, "pass"), (200.0, "pass"), (200.5, "fail"), (None, "inconclusive")]
)
def test_a_gate_holds_a_run_to_a_budget(value: float | None, outcome: str) -> None:
    costs = {} if value is None else {"latency_p95_ms": value}
    seen = verdict(scores([found()] * 3), costs=costs, kind="budget", cost="latency_p95_ms", max=200)
    assert seen.outcome == outcome
    assert "200" in seen.reasons[0]


def test_a_gate_reads_what_the_run_logged_and_reports_it_like_any_other_rule(tmp_path: Path) -> None:
    run = stored("new")
    run.metrics["context_tokens"] = 1834.4
    rules = [rule(min=0.5), {"name": "short", "kind": "budget", "cost": "context_tokens", "max": 1500}]
    result = judge(policy(*rules), scores([found()] * 20, run), None)
    assert (result.blocked, [each.rule.name for each in result.blocking]) == (True, ["short"])
    text = "\n".join(gate_lines(result))
    assert "FAIL         short: context_tokens k=5 all (n=20, block)" in text
    assert "context_tokens 1,834 against a limit of 1,500" in text
    write_reports(result, tmp_path)
    assert "| short | context_tokens, k=5 | all | 20 | 1,834 | - | - |" in (tmp_path / "gate.md").read_text("utf-8")
    failure = ElementTree.parse(tmp_path / "gate.xml").getroot().find(".//failure")
    assert failure is not None and "1,834" in str(failure.get("message"))
    values = json.loads((tmp_path / "gate.json").read_text("utf-8"))["verdicts"][1]
    assert (values["metric"], values["slice"], values["value"]["value"]) == ("context_tokens", "all", 1834.4)


def test_the_section_budget_is_for_choose_alone() -> None:
    run = stored("new")
    run.metrics["context_tokens"] = 1834.4
    result = judge(policy(rule(min=0.5), budget={"context_tokens": 10}), scores([found()] * 20, run), None)
    assert (result.blocked, len(result.verdicts)) == (False, 1)


# -- what nobody has judged --------------------------------------------------------------------------------


def test_the_unjudged_share_of_what_is_shown_is_limited() -> None:
    # One of the first 5 is judged, so 0.8 is not.
    run = scores([found()] * 30)
    assert verdict(run, kind="unjudged", max=0.95).outcome == "pass"
    failed = verdict(run, kind="unjudged", max=0.5)
    assert failed.outcome == "fail"
    assert failed.value and failed.value.value == pytest.approx(0.8)
    assert failed.reasons[0].startswith("unjudged 0.800 [")
    # At k=1 everything is judged.
    assert verdict(run, kind="unjudged", max=0.5, k=1).outcome == "pass"
    assert verdict(scores([found()] * 3), kind="unjudged", max=0.9).outcome == "inconclusive"


# -- choosing k by them ------------------------------------------------------------------------------------


def chosen(*rules: dict[str, Any], asked: list[Asked], **values: Any) -> Any:
    costs = {k: {"context_tokens": 100.0 * k} for k in (1, 3, 5, 10)}
    selection = choose(
        policy(rule("all of them", min=0.5), *rules, **values), [VariantScores("v", scores(asked), costs)]
    )
    return selection.choices[0]


def test_a_budget_as_a_rule_bounds_k_as_the_section_does() -> None:
    late = [Asked((4,))] * 40
    by_rule = {"name": "short", "kind": "budget", "cost": "context_tokens", "max": 600}
    choice = chosen(by_rule, asked=late)
    assert (choice.chosen.k, choice.stop[0].k, choice.stop[1].rule.name) == (5, 10, "short")
    assert chosen({**by_rule, "max": 400}, asked=late).chosen is None
    assert chosen({**by_rule, "max": 400, "severity": "warn"}, asked=late).chosen.k == 5


def test_a_ratio_forces_k_up() -> None:
    asked = [found(EN)] * 40 + [Asked((3,), slices=(ZH,))] * 40
    choice = chosen({"name": "keeps up", **ratio()}, asked=asked, inconclusive="block")
    assert choice.chosen.k == 3
    assert [each.rule.name for each in choice.binding] == ["keeps up", "all of them"]


def test_an_unjudged_share_keeps_k_down() -> None:
    choice = chosen({"name": "known", "kind": "unjudged", "max": 0.5}, asked=[found()] * 40)
    assert choice.chosen.k == 1
    assert choice.stop[0].k == 3
    assert [point.feasible for point in choice.points] == [True, False, False, False]


def test_a_drop_of_its_own_kind_is_not_asked_where_there_is_no_baseline() -> None:
    choice = chosen({"name": "drop", "kind": "drop", "metric": "recall", "max_drop": 0.1}, asked=[found()] * 40)
    assert [each.rule.name for each in choice.points[0].verdicts] == ["all of them"]


# -- faults and kinds of one's own -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "flor"}, "rules.'one': unknown kind of rule 'flor'; known: budget, "),
        ({"kind": "floor", "metric": "recall"}, "rules.'one'.min: Field required"),
        ({"kind": "drop", "metric": "recall", "min": 0.5, "max_drop": 0.1}, "rules.'one'.min: Extra inputs are not"),
        ({"kind": "budget", "cost": "money", "max": 5}, "rules.'one'.cost: Input should be 'context_tokens', "),
        ({"kind": "budget", "cost": "context_tokens", "max": 0}, "rules.'one'.max: Input should be greater than 0"),
        ({"kind": "unjudged", "max": 1.5}, "rules.'one'.max: Input should be less than or equal to 1, found 1.5"),
        ({"_target_": "nowhere.Rule"}, "rules.'one': cannot import 'nowhere.Rule' (No module named 'nowhere')"),
        ({"_target_": "pathlib.Path"}, "rules.'one': pathlib.Path is no subclass of runner.rules.rule.Rule"),
        ({"_target_": "runner.rules.floor.Floor", "metric": "recall"}, "rules.'one'.min: Field required"),
    ],
)
def test_a_fault_names_the_rule_and_the_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        policy({"name": "one", **values})
    assert str(error.value).splitlines()[1].strip().startswith(message)


OWN = '''
from typing import Literal
from runner.rules.rule import Rule
from runner.rules.estimate import Estimate
from runner.rules.rule import Verdict

class Answered(Rule):
    """At least so many queries are asked at all."""
    kind: Literal["answered"] = "answered"
    least: int

    @property
    def measure(self):
        return "queries"

    @property
    def limit(self):
        return float(self.least)

    def judge(self, evidence):
        asked = len(evidence.run.query_ids)
        estimate = Estimate.exact(float(asked))
        reason = f"{asked} queries of {self.least}"
        return Verdict(self, evidence.run.k, asked, estimate.against_floor(self.least), estimate, reasons=(reason,))
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "rules_of_mine.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "rules_of_mine.Answered"
    KINDS.pop("answered", None)
    sys.modules.pop("rules_of_mine", None)


def test_a_rule_of_ones_own_is_named_with_its_class(own: str) -> None:
    rules = policy({"name": "asked", "_target_": own, "least": 30}, rule(min=0.1))
    result = judge(rules, scores([found()] * 20), None)
    assert "FAIL         asked: queries k=5 all (n=20, block)" in "\n".join(gate_lines(result))
    assert chosen({"name": "asked", "_target_": own, "least": 30}, asked=[found()] * 40).chosen.k == 1
    with pytest.raises(ConfigError, match=r"rules\.'asked'\.least: Input should be a valid integer"):
        policy({"name": "asked", "_target_": own, "least": "many"})


def test_a_policy_with_a_rule_of_ones_own_is_stored_as_it_is_written(own: str) -> None:
    written = policy({"name": "asked", "_target_": own, "least": 30}).model_dump(mode="json")
    assert written["rules"] == [{"name": "asked", "severity": "block", "_target_": own, "least": 30}]
    assert policy_of(written, "x").resolved().rules[0].limit == 30


def test_a_policy_that_is_only_read_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "harmful_rules.py").write_text(f"open({str(tmp_path / 'OWNED')!r}, 'w')\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    values = {"name": "x", "rules": [{"name": "one", "_target_": "harmful_rules.Rule", "least": 3}]}
    read = Settings.model_fields["gate"].rebuild_annotation().__args__[0].model_validate(values)
    assert not (tmp_path / "OWNED").exists()
    assert read.model_dump(mode="json")["rules"][0] == {
        "name": "one",
        "severity": "block",
        "_target_": "harmful_rules.Rule",
        "least": 3,
    }


def test_a_kind_of_an_installed_package_is_known_by_its_name(
    own: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "rules_of_mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rules-of-mine\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[retrieval_runner.rules]\nanswered = rules_of_mine:Answered\n", "utf-8")
    plugins.installed.cache_clear()
    try:
        (only,) = policy({"name": "asked", "kind": "answered", "least": 30}).rules
        assert (type(only).__name__, only.limit) == ("Answered", 30)
        with pytest.raises(ConfigError, match="known: answered, budget, drop"):
            policy({"name": "asked", "kind": "anwsered"})
    finally:
        plugins.installed.cache_clear()


class _Own(Rule):
    kind: ClassVar[Literal["x"]] = "x"


def test_a_class_without_a_field_kind_is_registered_under_no_name() -> None:
    assert _Own not in KINDS.values()
    assert Budget(name="b", cost="context_tokens", max=5).judge(Evidence(scores([found("a")]))).value is None
    assert Estimate.exact(0.5).against_ceiling(0.5) == "pass"


def test_an_own_rule_that_cannot_be_imported_is_refused_before_anything_is_computed() -> None:
    settings = compose_request(["gate=release"]).settings.model_dump(mode="json")
    settings["gate"]["rules"] = [{"name": "one", "_target_": "nowhere.Rule"}]
    with pytest.raises(ConfigError, match=r"gate: 1 problem\n  rules\.'one': cannot import 'nowhere\.Rule'"):
        request_of(OmegaConf.create(settings), ())


@pytest.mark.parametrize("kind", [["floor"], {"floor": 1}, None, 5])
def test_a_kind_is_a_name(kind: Any) -> None:
    values = {"name": "p", "rules": [{"name": "n", "kind": kind, "metric": "recall", "min": 0.5}]}
    with pytest.raises(ConfigError, match="expected the name of a kind of rule"):
        policy_of(values, "p.yaml")
