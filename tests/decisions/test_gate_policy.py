"""Reading a gate policy: every fault of it at once, with the rule's name, what was found and what was expected."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from decide_scores import rule

from runner.composition.policy_files import policy_of, read_policy
from runner.configuration.settings import conf_directory
from runner.errors import ConfigError, InputError
from runner.scoring.metric_names import DEFAULT_NAMES, POOL_RECALL

GOOD = {"name": "mine", "rules": [rule("floor", min=0.5)]}


def faults(**values: Any) -> list[str]:
    """The lines of the refusal, each a fault, after the first that counts them."""
    with pytest.raises(ConfigError) as error:
        policy_of({**GOOD, **values}, "mine.yaml")
    head, *lines = str(error.value).splitlines()
    assert head == f"mine.yaml: {len(lines)} problem{'s' if len(lines) > 1 else ''}"
    return [line.strip() for line in lines]


def fault_of(**values: Any) -> str:
    (only,) = faults(rules=[rule("floor", **{"min": 0.5, **values})])
    return only


@pytest.mark.parametrize("path", sorted((conf_directory() / "gate").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_policy_can_be_read(path: Path) -> None:
    policy = read_policy([f"gate={path.stem}"])
    assert policy and policy.name == path.stem


def test_what_a_rule_leaves_out_is_careful() -> None:
    (only,) = policy_of(GOOD, "mine.yaml").rules
    assert (only.severity, only.min_queries, only.confidence, only.sources) == ("block", 10, 0.95, ("human",))
    assert (only.k, only.slice, only.group) == (None, "all", "")


def test_a_rule_can_name_every_metric_that_is_scored() -> None:
    own = ("ndcg@10", "rbp(p=0.8)", "rbp(p=0.8)@10", "err", "bpref", "r_precision")
    for metric in (*DEFAULT_NAMES, POOL_RECALL, *own):
        (only,) = policy_of({**GOOD, "rules": [rule(metric=metric, min=0.5)]}, "mine.yaml").rules
        assert only.metric == metric
    (only,) = policy_of({**GOOD, "rules": [rule(metric="P@5", min=0.5)]}, "mine.yaml").rules
    assert only.metric == "precision@5"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"maximum": 1}, "rules.'floor'.maximum: Extra inputs are not permitted, found 1"),
        ({"metric": "recal"}, "rules.'floor'.metric: unknown metric 'recal'; did you mean 'recall'?"),
        ({"metric": "recall@0"}, "rules.'floor'.metric: metric 'recall@0': the cutoff must be at least 1"),
        ({"metric": "x"}, "rules.'floor'.metric: unknown metric 'x'; known: hit, recall, precision, ndcg, "),
        ({"min": 1.5}, "rules.'floor'.min: Input should be less than or equal to 1, found 1.5"),
        ({"max_drop": -0.1}, "rules.'floor'.max_drop: Input should be greater than or equal to 0, found -0.1"),
        ({"min": float("nan")}, "rules.'floor'.min: Input should be "),
        ({"min": True}, "rules.'floor'.min: Input should be a valid number, found True"),
        ({"min": "0.5"}, "rules.'floor'.min: Input should be a valid number, found '0.5'"),
        ({"k": 0}, "rules.'floor'.k: Input should be greater than or equal to 1, found 0"),
        ({"k": "5"}, "rules.'floor'.k: Input should be a valid integer, found '5'"),
        ({"k": True}, "rules.'floor'.k: Input should be a valid integer, found True"),
        ({"min_queries": 0}, "rules.'floor'.min_queries: Input should be greater than or equal to 1, found 0"),
        ({"confidence": 0.5}, "rules.'floor'.confidence: Input should be greater than 0.5, found 0.5"),
        ({"confidence": 1}, "rules.'floor'.confidence: Input should be less than 1, found 1"),
        ({"severity": "stop"}, "rules.'floor'.severity: Input should be 'block' or 'warn', found 'stop'"),
        ({"slice": ""}, "rules.'floor'.slice: String should have at least 1 character, found ''"),
        ({"sources": []}, "rules.'floor'.sources: Tuple should have at least 1 item"),
        ({"sources": ["humann"]}, "rules.'floor'.sources.0: Input should be 'human', 'synthetic' or 'click'"),
        ({"min": None}, "rules.'floor': rule 'floor' demands nothing; give it min, max_drop or both"),
    ],
)
def test_a_fault_of_a_rule_names_the_rule_and_what_was_found(values: dict[str, Any], message: str) -> None:
    assert fault_of(**values).startswith(message)


@pytest.mark.parametrize("sources", [["synthetic"], ["human", "synthetic"], ["click", "human"]])
def test_a_blocking_rule_may_count_human_judgments_only(sources: list[str]) -> None:
    message = fault_of(sources=sources)
    assert f"rule 'floor' blocks on judgments by {', '.join(sources)}; only human judgments may block" in message
    assert policy_of({**GOOD, "rules": [rule(min=0.5, sources=sources, severity="warn")]}, "mine.yaml")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rules": []}, "rules: Tuple should have at least 1 item"),
        ({"rules": 5}, "rules: Input should be a valid tuple, found 5"),
        ({"rules": [3]}, "rules.0: Input should be a valid dictionary or instance of Rule, found 3"),
        ({"rules": [{"metric": "recall", "min": 0.5}]}, "rules.0.name: Field required"),
        ({"rules": [rule("", min=0.5)]}, "rules.0.name: String should have at least 1 character, found ''"),
        ({"inconclusive": "ignore"}, "inconclusive: Input should be 'pass', 'warn' or 'block', found 'ignore'"),
        ({"resamples": 99}, "resamples: Input should be greater than or equal to 100, found 99"),
        ({"seed": -1}, "seed: Input should be greater than or equal to 0, found -1"),
        ({"seed": 1.5}, "seed: Input should be a valid integer, found 1.5"),
        ({"most_looks": 0}, "most_looks: Input should be greater than or equal to 1, found 0"),
        ({"rule": []}, "rule: Extra inputs are not permitted"),
        ({"name": 7}, "name: Input should be a valid string, found 7"),
        ({"budget": {"tokens": 5}}, "budget.tokens: Extra inputs are not permitted, found 5"),
        ({"budget": {"context_tokens": 0}}, "budget.context_tokens: Input should be greater than 0, found 0"),
    ],
)
def test_a_fault_of_the_policy_names_its_key(values: dict[str, Any], message: str) -> None:
    (only,) = faults(**values)
    assert only.startswith(message)


def test_names_that_are_given_twice_are_all_listed() -> None:
    names = ["a", "b", "a", "召回", "召回", "a"]
    (only,) = faults(rules=[rule(name, min=0.5) for name in names])
    assert only == "rules: rule names must differ, found a, 召回 more than once"


def test_all_faults_of_all_rules_are_listed_at_once() -> None:
    found = faults(
        rules=[rule("移除的選項", min=2), rule("fine", min=0.5), rule("metric", metric="x", min=0.5, k=0)], seed="x"
    )
    assert [fault.partition(":")[0] for fault in found] == [
        "rules.'移除的選項'.min",
        "rules.'metric'.k",
        "rules.'metric'.metric",
        "seed",
    ]


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, "utf-8")
    return f"gate={path}"


def test_a_policy_of_ones_own_is_read_from_its_file(tmp_path: Path) -> None:
    policy = read_policy([written(tmp_path, yaml.safe_dump(GOOD, allow_unicode=True))])
    assert policy == policy_of(GOOD, "mine.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1\n", "mine.yaml:1: expected the keys of a gate policy"),
        ("hello", "mine.yaml:1: expected the keys of a gate policy"),
        ("name: [\n", "mine.yaml:2: not YAML"),
        ("name: x\nname: y\nrules: []\n", "mine.yaml:2: key 'name' is given twice"),
        ("name: x\nrules:\n  - {name: a, metric: recall, min: .nan}\n", "found nan, expected a finite number"),
    ],
)
def test_a_file_that_is_no_policy_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_policy([written(tmp_path, text)])
    assert message in str(error.value)


def test_an_empty_file_lacks_its_rules_and_is_named_after_its_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read_policy([written(tmp_path, "")])
    assert str(error.value).splitlines()[1:] == ["  rules: Field required"]


def test_overrides_change_what_stands_beside_the_rules() -> None:
    policy = read_policy(["gate=release", "gate.seed=7", "gate.inconclusive=block", "gate.budget.context_tokens=null"])
    assert policy
    assert (policy.seed, policy.inconclusive, policy.budget.context_tokens) == (7, "block", None)


@pytest.mark.parametrize("nothing", ["gate=null", "gate=none", "gate="])
def test_no_policy_can_be_asked_for(nothing: str) -> None:
    assert read_policy([nothing]) is None


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("gate=relaese", "no gate policy 'relaese'; known: release"),
        ("gate", "cannot read the override 'gate'; a setting is written key=value"),
        ("k=5", "unknown setting 'k'; write gate=NAME or gate.KEY=VALUE"),
        ("gate.sed=1", "sed: Extra inputs are not permitted, found 1"),
        ("gate.seed=x", "seed: Input should be a valid integer, found 'x'"),
        ("gate.rules.0.k=3", "a rule is changed in a file of its own"),
        ("gate.rules[0].k=3", "a rule is changed in a file of its own"),
    ],
)
def test_an_override_that_cannot_be_used_is_refused_with_the_remedy(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_policy([override])
    assert message in str(error.value)
