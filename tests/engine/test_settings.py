"""Reading a composed configuration: every problem at once, each with its key, what was found and how to mend it."""

from typing import Any

import pytest
from engine_world import World, bm25
from omegaconf import OmegaConf

from runner.configuration.settings import Settings, home, plain, register_resolvers
from runner.errors import ConfigError


@pytest.fixture
def values(world: World) -> dict[str, Any]:
    return world.settings(bm25()).model_dump(mode="json")


def refusal(values: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(ConfigError) as error:
        Settings.of_plain({**values, **changes})
    return str(error.value)


@pytest.mark.parametrize("key", ["k", "depth", "pool"])
@pytest.mark.parametrize(
    ("found", "message"),
    [
        (0, "input should be greater than or equal to 1, found 0"),
        (-3, "input should be greater than or equal to 1, found -3"),
        ("01", "input should be a valid integer, found '01'"),
        (2.0, "input should be a valid integer, found 2.0"),
        (True, "input should be a valid integer, found True"),
        (None, "input should be a valid integer, found None"),
    ],
)
def test_a_count_is_a_whole_number_from_one(values: dict[str, Any], key: str, found: Any, message: str) -> None:
    assert refusal(values, **{key: found}) == f"{key}: {message}"


@pytest.mark.parametrize("key", ["k", "depth", "pool", "seed"])
def test_a_list_is_refused_with_how_to_sweep(values: dict[str, Any], key: str) -> None:
    assert refusal(values, **{key: [1, 3]}) == (
        f"{key}: a list is one job, not a sweep; write 1,3 without brackets and start with -m"
    )


def test_a_k_below_the_depth_of_the_rankings_is_refused_with_the_depth_it_needs(values: dict[str, Any]) -> None:
    assert refusal(values, k=200, depth=100) == "k=200 is deeper than the rankings (depth=100); add depth=200"
    assert Settings.of_plain({**values, "k": 100, "depth": 100}).k == 100


def test_a_seed_may_be_zero_and_not_less(values: dict[str, Any]) -> None:
    assert Settings.of_plain({**values, "seed": 0}).seed == 0
    assert refusal(values, seed=-1) == "seed: input should be greater than or equal to 0, found -1"


@pytest.mark.parametrize(
    ("key", "hint"),
    [("deph", "; did you mean 'depth'?"), ("retreiver", "; did you mean 'retriever'?"), ("檢索", ""), ("zzz", "")],
)
def test_an_unknown_setting_is_named_with_the_nearest_known(values: dict[str, Any], key: str, hint: str) -> None:
    assert refusal(values, **{key: 1}) == f"unknown setting {key!r}{hint}"


def test_an_unknown_setting_inside_a_section_is_named_with_its_path(values: dict[str, Any]) -> None:
    assert "latency.sampel" in refusal(values, latency={"sampel": 3})


def test_all_problems_are_listed_at_once(values: dict[str, Any]) -> None:
    problems = refusal(values, k=0, depth="10", cache="maybe", deph=1, latency={"sample": -1}).split("; ")
    assert [problem.partition(":")[0] for problem in problems if ":" in problem] == [
        "k",
        "depth",
        "cache",
        "latency.sample",
    ]
    assert any("unknown setting 'deph'" in problem for problem in problems)


def test_a_missing_setting_is_named(values: dict[str, Any]) -> None:
    del values["retriever"]
    assert "retriever: field required" in refusal(values)


@pytest.mark.parametrize("mode", ["on", "refresh", "off", "only"])
def test_the_modes_of_the_cache_are_known(values: dict[str, Any], mode: str) -> None:
    assert Settings.of_plain({**values, "cache": mode}).cache == mode


@pytest.mark.parametrize("mode", [False, "", "On", "readonly"])
def test_another_mode_of_the_cache_is_refused_with_the_known_ones(values: dict[str, Any], mode: Any) -> None:
    message = refusal(values, cache=mode)
    assert message.startswith("cache: ")
    assert message.endswith(f"found {mode!r}")
    assert all(f"'{known}'" in message for known in ("on", "refresh", "off", "only"))


def test_history_is_prepend_ignore_or_nothing(values: dict[str, Any]) -> None:
    assert Settings.of_plain({**values, "history": None}).history is None
    assert refusal(values, history="append").startswith("history: ")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("rbp(p=0.80), P@5", ("hit", "recall", "rbp(p=0.8)", "precision@5")),
        (["default", "AP"], ("hit", "recall", "precision", "ndcg", "judged", "mrr", "map")),
        # As YAML reads [err(max_grade=3,cut=1), my.F(a=1,b=2)].
        (["my.F(a=1", "b=2)", "err"], ("hit", "recall", "my.F(a=1,b=2)", "err")),
        ([], ("hit", "recall")),
    ],
)
def test_metrics_are_named_in_one_order_and_spelling(values: dict[str, Any], given: Any, read: Any) -> None:
    assert Settings.of_plain({**values, "metrics": given}).metrics == read
    assert Settings.of_plain({**values, "metrics": list(read)}).metrics == read


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["ndgc"], "metrics: unknown metric 'ndgc'; did you mean 'ndcg'?, found ['ndgc']"),
        ([3], "metrics: expected metrics like [recall, ndcg@10, rbp(p=0.8)], found [3]"),
        (None, "metrics: expected metrics like"),
        ("rbp", "metrics: metric 'rbp': give it p, like rbp(p=...)"),
    ],
)
def test_what_is_no_metric_is_refused(values: dict[str, Any], given: Any, message: str) -> None:
    assert refusal(values, metrics=given).startswith(message)


def test_the_curve_ends_where_the_rankings_end(values: dict[str, Any]) -> None:
    settings = Settings.of_plain({**values, "k": 1, "depth": 10, "curve": [1, 5, 10, 11, 100]})
    assert settings.curve_within_depth() == (1, 5, 10)


def test_a_value_of_the_curve_is_named_by_its_place(values: dict[str, Any]) -> None:
    assert refusal(values, curve=[1, 0]) == "curve.1: input should be greater than or equal to 1, found 0"


def test_settings_cannot_be_changed(values: dict[str, Any]) -> None:
    settings = Settings.of_plain(values)
    with pytest.raises(ValueError, match="frozen"):
        settings.k = 5  # type: ignore[misc]


def test_settings_read_back_as_they_were_written(values: dict[str, Any]) -> None:
    assert Settings.of_plain(values) == Settings.of_plain(Settings.of_plain(values).model_dump(mode="json"))


def test_hydras_own_section_is_left_out(values: dict[str, Any]) -> None:
    assert Settings.read(OmegaConf.create({**values, "hydra": {"job": {"num": 1}}})) == Settings.of_plain(values)


def test_interpolations_are_resolved_before_reading(values: dict[str, Any]) -> None:
    config = OmegaConf.create({**values, "k": 4, "pool": "${k}", "retriever": {**bm25(), "k1": "${seed}"}})
    settings = Settings.read(config)
    assert (settings.pool, settings.retriever["k1"]) == (4, 13)


def test_a_mandatory_value_that_is_missing_is_named_with_the_remedy(values: dict[str, Any]) -> None:
    config = OmegaConf.create({**values, "corpus": {"path": "???"}})
    with pytest.raises(ConfigError, match=r"^corpus\.path has no value; add corpus\.path=\.\.\. to the command$"):
        Settings.read(config)


def test_every_mandatory_value_that_is_missing_is_named_at_once(values: dict[str, Any]) -> None:
    config = OmegaConf.create(
        {**values, "corpus": {"path": "???"}, "suite": {"topics": "???", "qrels": ["???"]}, "chunker": "${corpus}"}
    )
    with pytest.raises(ConfigError) as error:
        Settings.read(config)
    for missing in ("corpus.path", "suite.topics", "suite.qrels.0"):
        assert f"{missing} has no value" in str(error.value)
    assert "chunker" not in str(error.value)


def test_an_interpolation_that_leads_nowhere_is_named(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"^suite\.path: .*dataset\.suites.* not found"):
        Settings.read(OmegaConf.create({**values, "suite": {"path": "${dataset.suites}/core.yaml"}}))


def test_plain_leaves_a_plain_mapping_alone(values: dict[str, Any]) -> None:
    assert plain(values) == values


def test_home_is_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path / "there"))
    assert home() == (tmp_path / "there").resolve()
    register_resolvers()
    assert OmegaConf.create({"store": "${runner.home:}/mlruns"}).store == f"{(tmp_path / 'there').resolve()}/mlruns"


@pytest.mark.parametrize(
    ("path", "stem"), [("docs/手冊.jsonl", "手冊"), ("/data/nfcorpus/", "nfcorpus"), ("/", "dataset"), ("", "dataset")]
)
def test_a_dataset_is_named_after_its_path(path: str, stem: str) -> None:
    register_resolvers()
    assert OmegaConf.create({"path": path, "name": "${runner.stem:${path}}"}).name == stem
