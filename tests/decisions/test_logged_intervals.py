"""Every mean in MLflow has an interval that holds it, by slice too, and shares of queries have Wilson's."""

from typing import Any

import pytest
from decide_office import Office
from engine_world import bm25

from runner.errors import ConfigError
from runner.scoring.metric_names import DEFAULT_NAMES

TwoRuns = tuple[Office, str, str]
MEANS = (*DEFAULT_NAMES, "pool_recall")
SLICES = ("language.en", "language.zh", "topic.limits", "topic.made up", "topic.removed")
INTERVALS = {"resamples": 500, "level": 0.95, "method": "percentile"}
# 1.96^2 of the 95% interval.
Z2 = 3.841458820694124


def metrics(office: Office, run_id: str) -> dict[str, float]:
    found: dict[str, float] = office.run(run_id).data.metrics
    return found


def bounds(values: dict[str, float]) -> dict[str, float]:
    ends = (".low", ".high", ".wilson_low", ".wilson_high")
    return {key: value for key, value in values.items() if key.partition("/")[0].endswith(ends)}


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("group", ["", *SLICES])
@pytest.mark.parametrize("metric", MEANS)
def test_every_mean_lies_within_its_interval(two_runs: TwoRuns, which: int, group: str, metric: str) -> None:
    values = metrics(two_runs[0], two_runs[which])
    tail = f"/{group}" if group else ""
    low, mean, high = (values[f"{metric}{end}{tail}"] for end in (".low", "", ".high"))
    assert 0 <= low <= mean <= high <= 1
    assert low < high


def test_each_mean_of_each_slice_has_an_interval_and_nothing_else_has(two_runs: TwoRuns) -> None:
    values = metrics(two_runs[0], two_runs[1])
    tails = ["", *(key.removeprefix("recall") for key in values if key.startswith("recall/"))]
    assert {f"/{group}" for group in SLICES} < set(tails)
    expected = {f"{metric}.{end}{tail}" for metric in MEANS for end in ("low", "high") for tail in tails}
    expected |= {f"hit.wilson_{end}{tail}" for end in ("low", "high") for tail in tails}
    assert set(bounds(values)) == expected


def test_hits_have_the_interval_of_wilson(two_runs: TwoRuns) -> None:
    values = metrics(two_runs[0], two_runs[1])
    # 40 of 50.
    centre = (40 + Z2 / 2) / (50 + Z2)
    half = (Z2 * (40 * 10 / 50 + Z2 / 4)) ** 0.5 / (50 + Z2)
    assert values["hit"] == pytest.approx(0.8)
    assert values["hit.wilson_low"] == pytest.approx(centre - half)
    assert values["hit.wilson_high"] == pytest.approx(centre + half)
    # All of ten and none of ten.
    assert values["hit.wilson_low/topic.removed"] == pytest.approx(10 / (10 + Z2))
    assert values["hit.wilson_high/topic.removed"] == 1
    assert values["hit.wilson_low/topic.made up"] == 0
    assert values["hit.wilson_high/topic.made up"] == pytest.approx(Z2 / (10 + Z2))


def test_identical_scores_still_have_an_interval_of_some_width(two_runs: TwoRuns) -> None:
    values = metrics(two_runs[0], two_runs[1])
    assert values["recall/topic.removed"] == 1
    assert values["recall.low/topic.removed"] == pytest.approx(10 / (10 + Z2), abs=1e-8)
    assert values["recall.high/topic.removed"] == 1


def test_the_counts_stand_beside_the_mean(two_runs: TwoRuns) -> None:
    values = metrics(two_runs[0], two_runs[1])
    # 30 English with 40 relevant, 10 Chinese, 10 made up; found are 30 and 10.
    assert (values["n"], values["recall_hits"], values["recall_relevant"]) == (50, 40, 60)
    assert (values["n/topic.removed"], values["recall_hits/topic.removed"]) == (10, 10)


def test_without_intervals_none_are_logged_and_the_means_are_the_same(office: Office) -> None:
    without, with_them = metrics(office, office.log(intervals=None)), metrics(office, office.log(intervals=INTERVALS))
    assert bounds(without) == {}
    assert len(bounds(with_them)) > 0
    assert {key: with_them[key] for key in MEANS} == {key: without[key] for key in MEANS}


def test_the_seed_of_the_run_decides_the_intervals(office: Office) -> None:
    one, again, other = (bounds(metrics(office, office.log(intervals=INTERVALS, seed=seed))) for seed in (13, 13, 14))
    assert one == again
    assert one != other
    wilson = [key for key in one if "wilson" in key]
    assert wilson and {key: one[key] for key in wilson} == {key: other[key] for key in wilson}


def test_a_higher_level_gives_wider_intervals(office: Office) -> None:
    narrow, wide = (metrics(office, office.log(intervals={**INTERVALS, "level": level})) for level in (0.8, 0.99))
    for key in ("recall", "ndcg", "hit", "recall/language.en"):
        name, _, group = key.partition("/")
        tail = f"/{group}" if group else ""
        assert wide[f"{name}.low{tail}"] < narrow[f"{name}.low{tail}"], key
        assert wide[f"{name}.high{tail}"] > narrow[f"{name}.high{tail}"], key
    assert wide["hit.wilson_low"] < narrow["hit.wilson_low"]


def test_bca_is_another_method(office: Office) -> None:
    plain, corrected = (
        bounds(metrics(office, office.log(intervals={**INTERVALS, "method": method})))
        for method in ("percentile", "bca")
    )
    assert plain.keys() == corrected.keys()
    assert plain != corrected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"resamples": 99}, "intervals.resamples: input should be greater than or equal to 100, found 99"),
        ({"level": 1.0}, "intervals.level: input should be less than 1, found 1.0"),
        ({"method": "normal"}, "intervals.method: input should be 'percentile' or 'bca', found 'normal'"),
        ({"resample": 500}, "intervals.resample"),
    ],
)
def test_settings_of_intervals_that_make_no_sense_are_refused(
    shared_office: Office, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        shared_office.settings(bm25(), intervals={**INTERVALS, **values})
    assert message in str(error.value)
