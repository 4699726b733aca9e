"""The points of a trend by hand: values at any k, what forbids joining two of them, and what has no value."""

import pytest
from decide_scores import Asked, found, lost
from trend_runs import accepted, trend

from runner.decisions.trend import Measure
from runner.errors import ConfigError

GOOD, HALF, BAD = [found(), found(), found(), found()], [found(), found(), lost(), lost()], [lost(), lost()]


def test_each_point_is_the_mean_over_the_queries_at_the_k_asked_for() -> None:
    # Found at ranks 1 and 4 of two relevant; found at rank 3; not found.
    asked = [Asked((1, 4), relevant=2), Asked((3,)), lost()]
    for k, expected in ((1, 0.5 / 3), (3, 1.5 / 3), (4, 2 / 3)):
        (point,) = trend([(accepted(1), asked)], k=k).points
        assert point.n == 3
        assert point.value is not None and point.value.value == pytest.approx(expected)


def test_a_metric_over_the_whole_depth_has_no_k() -> None:
    shown = trend([(accepted(1), [Asked((4,)), found()])], metric="mrr", k=1)
    assert shown.points[0].value is not None
    assert shown.points[0].value.value == pytest.approx((1 / 4 + 1) / 2)
    assert (shown.measure.depth_of_cut, str(shown.measure)) == (None, "mrr, all queries")
    assert str(trend([(accepted(1), GOOD)], k=3).measure) == "recall at k=3, all queries"


def test_a_slice_counts_its_own_queries_only() -> None:
    asked = [found("zh"), lost("zh"), lost("zh"), lost("zh"), found("en")]
    (point,) = trend([(accepted(1), asked)], group="zh").points
    assert (point.n, point.value and point.value.value) == (4, 0.25)


def test_the_interval_holds_the_mean_and_is_wider_at_a_higher_level_and_with_fewer_queries() -> None:
    def width(queries: list[Asked], **more: float) -> float:
        value = trend([(accepted(1), queries)], **more).points[0].value
        assert value is not None and value.low < value.value < value.high
        return value.high - value.low

    assert width(HALF * 10, level=0.8) < width(HALF * 10) < width(HALF * 10, level=0.99)
    assert width(HALF * 10) < width(HALF * 3)


def test_a_perfect_score_of_few_queries_is_not_certain() -> None:
    value = trend([(accepted(1), GOOD)]).points[0].value
    # Wilson: 4 / (4 + 1.96^2)
    assert value is not None and (value.low, value.high) == (pytest.approx(0.5101, abs=1e-4), 1.0)


@pytest.mark.parametrize(
    ("key", "now", "says"),
    [
        ("suite_revision", "rev2", "suite revision rev1 -> rev2"),
        ("snapshot", "snap2", "snapshot snap1 -> snap2 (same documents)"),
        ("unit", "span", "unit passage -> span"),
        ("metrics_version", "2", "metrics version 1 -> 2"),
    ],
)
def test_a_line_is_broken_where_what_is_measured_changes(key: str, now: str, says: str) -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2, **{key: now}), HALF), (accepted(3, **{key: now}), GOOD)])
    assert [list(map(str, point.changes)) for point in shown.points] == [[], [says], []]
    assert shown.segment_numbers == (0, 1, 1)
    assert shown.lines() == [[0], [1, 2]]


@pytest.mark.parametrize("metric", ["mrr", "map", "pool_recall"])
def test_a_metric_over_the_depth_is_another_one_at_another_depth(metric: str) -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2, depth="20"), HALF)], metric=metric)
    assert list(map(str, shown.points[1].changes)) == ["depth 10 -> 20"]
    assert shown.lines() == [[0], [1]]


@pytest.mark.parametrize("metric", ["hit", "recall", "precision", "ndcg", "judged"])
def test_a_metric_at_k_is_the_same_at_every_depth_that_reaches_it(metric: str) -> None:
    assert trend([(accepted(1), GOOD), (accepted(2, depth="20"), HALF)], metric=metric).lines() == [[0, 1]]


FIELD, DAYS, AS_OF = (f"slicing.freshness.{name}" for name in ("field", "days", "as_of"))
SLICED = {FIELD: "updated", DAYS: "[30, 90]", AS_OF: "null"}


@pytest.mark.parametrize(
    "group", ["freshness.0-30 days", "freshness x language.0-30 days x en", "language x freshness.en x 0-30 days"]
)
@pytest.mark.parametrize(
    ("now", "says"),
    [
        ({AS_OF: "2026-09-30"}, ["freshness as_of null -> 2026-09-30"]),
        ({FIELD: "published"}, ["freshness field updated -> published"]),
        # The window stands in the slice's name, so it is the same one.
        ({DAYS: "[30, 365]"}, []),
    ],
)
def test_a_slice_by_age_is_another_one_where_ages_are_counted_otherwise(
    group: str, now: dict[str, str], says: list[str]
) -> None:
    asked = [found(group), lost(group)]
    shown = trend([(accepted(1, **SLICED), asked), (accepted(2, **{**SLICED, **now}), asked)], group=group)
    assert list(map(str, shown.points[1].changes)) == says
    assert shown.lines() == ([[0], [1]] if says else [[0, 1]])


@pytest.mark.parametrize("group", ["", "language.en", "topic.freshness"])
def test_how_ages_are_counted_is_nothing_to_other_slices(group: str) -> None:
    asked = [found("language.en", "topic.freshness")]
    runs = [(accepted(1, **SLICED), asked), (accepted(2, **{**SLICED, AS_OF: "2026-09-30"}), asked)]
    assert trend(runs, group=group).lines() == [[0, 1]]


def test_a_run_that_does_not_say_how_it_counted_ages_is_not_joined_with_one_that_does() -> None:
    asked = [found("freshness.0-30 days")]
    shown = trend(
        [(accepted(1), asked), (accepted(2), asked), (accepted(3, **SLICED), asked)], group=asked[0].slices[0]
    )
    assert list(map(str, shown.points[2].changes)) == [
        "freshness field not logged -> updated",
        "freshness as_of not logged -> null",
    ]
    assert shown.lines() == [[0, 1], [2]]


@pytest.mark.parametrize("params", [{"retriever": "hybrid"}, {"k": "10"}, {"suite_role": "development"}])
def test_a_line_goes_on_where_only_the_configuration_changes(params: dict[str, str]) -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2, **params), HALF)])
    assert (shown.segment_numbers, shown.lines()) == ((0, 0), [[0, 1]])


def test_going_back_to_an_earlier_snapshot_is_a_break_too() -> None:
    runs = [(accepted(number, snapshot=snapshot), GOOD) for number, snapshot in enumerate(("a", "b", "a"), 1)]
    assert trend(runs).lines() == [[0], [1], [2]]


def test_several_changes_at_once_are_all_named_and_documents_are_told_apart_from_their_cut() -> None:
    moved = accepted(2, suite_revision="rev2", snapshot="0123456789abcdef", documents_sha256="docs2")
    shown = trend([(accepted(1), GOOD), (moved, GOOD)])
    assert list(map(str, shown.points[1].changes)) == ["suite revision rev1 -> rev2", "snapshot snap1 -> 01234567"]
    assert [point.documents_changed for point in shown.points] == [None, True]
    recut = trend([(accepted(1), GOOD), (accepted(2, snapshot="snap2"), GOOD)])
    assert [point.documents_changed for point in recut.points] == [None, False]


def test_what_was_taken_back_is_a_point_of_no_line() -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2, undone=True), BAD), (accepted(3), HALF)])
    assert shown.lines() == [[0, 2]]
    assert [point.accepted.undone for point in shown.points] == [None, "2026-10-31T09:30:00.000000+00:00", None]


def test_a_run_without_the_slice_stays_without_a_value_and_says_why() -> None:
    shown = trend([(accepted(1), GOOD), (accepted(2), [found("zh"), lost("zh")])], group="zh")
    first, second = shown.points
    assert (first.n, first.value) == (0, None) and "unknown slice 'zh'" in first.missing
    assert (second.n, second.value and second.value.value, second.missing) == (2, 0.5, "")
    assert shown.lines() == [[1]]


def test_where_no_run_has_a_value_the_reason_is_the_error() -> None:
    with pytest.raises(
        ConfigError, match=r"no accepted run of suite 'core' has recall at k=5, 中文: unknown slice '中文'"
    ):
        trend([(accepted(1), [found("zh")])], group="中文")
    with pytest.raises(ConfigError, match=r"has recall at k=11, all queries: k=11 is outside the rankings"):
        trend([(accepted(1), GOOD)], k=11)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"metric": "accuracy"}, "unknown metric 'accuracy'; known: hit, recall"),
        ({"k": 0}, "k must be at least 1, found 0"),
        ({"level": 1.0}, "the level must lie between 0 and 1, found 1.0"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is_read(values: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Measure(**values)  # type: ignore[arg-type]


def test_of_several_acceptances_of_a_run_the_last_counts() -> None:
    assert (accepted(7, verdict="blocked").at[:10], accepted(7, verdict="blocked").verdict) == ("2026-10-07", "blocked")
