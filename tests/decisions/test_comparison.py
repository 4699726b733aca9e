"""Runs set against each other: differences, wins and ties, failures and parameters, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from decide_scores import Asked, found, lost, scores, stored

from runner.decisions.comparison import Comparison, ComparisonOptions, ComparisonRow, Pair, changed_params, compare
from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError, InputError
from runner.scoring.metric_names import DEFAULT_NAMES, POOL_RECALL
from runner.stats.paired import holm

METRICS = (*DEFAULT_NAMES, POOL_RECALL)
# Ranks in A and in B of the only relevant item of five queries; 0 for not found.
RANKS = {"q1": (1, 1), "q2": (1, 2), "q3": (7, 1), "q4": (2, 0), "q5": (0, 0)}


def run(column: int, name: str, **params: str) -> RunScores:
    asked = [
        Asked(
            (ranks[column],) if ranks[column] else (),
            slices=("language.zh-Hant",) if id_ in ("q3", "q5") else ("language.en",),
            id=id_,
            text="額度是多少？" if id_ == "q3" else f"text of {id_}",
            # What q5 needs was in B's pool.
            in_pool=1.0 if column and id_ == "q5" else None,
        )
        for id_, ranks in RANKS.items()
    ]
    return scores(asked, stored(name, **params))


def line(pair: Pair, metric: str, group: str = "") -> ComparisonRow:
    return next(each for each in pair.lines if (each.metric, each.group) == (metric, group))


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare([run(0, "a"), run(1, "b")])


@pytest.fixture(scope="module")
def pair(comparison: Comparison) -> Pair:
    return comparison.pairs[0]


@pytest.mark.parametrize(
    ("metric", "group", "n", "first", "second", "wins_ties_losses"),
    [
        ("recall", "", 5, 3 / 5, 3 / 5, (1, 3, 1)),
        ("hit", "", 5, 3 / 5, 3 / 5, (1, 3, 1)),
        ("precision", "", 5, 3 / 25, 3 / 25, (1, 3, 1)),
        # A: 1 + 1 + 1/7 + 1/2; B: 1 + 1/2 + 1.
        ("mrr", "", 5, (2.5 + 1 / 7) / 5, 2.5 / 5, (1, 2, 2)),
        ("map", "", 5, (2.5 + 1 / 7) / 5, 2.5 / 5, (1, 2, 2)),
        ("recall", "language.en", 3, 1, 2 / 3, (0, 2, 1)),
        ("recall", "language.zh-Hant", 2, 0, 1 / 2, (1, 1, 0)),
        ("pool_recall", "", 5, 4 / 5, 4 / 5, (1, 3, 1)),
    ],
)
def test_a_line_has_both_means_and_who_won(
    pair: Pair, metric: str, group: str, n: int, first: float, second: float, wins_ties_losses: tuple[int, int, int]
) -> None:
    seen = line(pair, metric, group)
    assert (seen.n, seen.first, seen.second) == (n, pytest.approx(first), pytest.approx(second))
    assert seen.difference == pytest.approx(second - first)
    assert (seen.wins, seen.ties, seen.losses) == wins_ties_losses
    assert seen.low <= seen.difference <= seen.high


def test_there_is_one_line_a_metric_and_slice(pair: Pair) -> None:
    groups = ("", "language.en", "language.zh-Hant")
    assert {(each.metric, each.group) for each in pair.lines} == {(m, g) for m in METRICS for g in groups}
    assert len(pair.lines) == len(METRICS) * len(groups)


def test_two_changes_against_each_other_prove_nothing(pair: Pair) -> None:
    # One win of 1 and one loss of 1: each of the four sign patterns is as far from 0, p = 1.
    assert line(pair, "recall").p == 1
    # One change alone: both patterns are as extreme.
    assert line(pair, "recall", "language.en").p == 1


def test_six_changes_to_one_side_have_the_p_of_all_sign_patterns() -> None:
    before, after = scores([lost()] * 6, stored("a")), scores([found()] * 6, stored("b"))
    seen = line(compare([before, after]).pairs[0], "recall")
    assert seen.p == pytest.approx(2 / 2**6)
    assert seen.adjusted == pytest.approx(2 / 2**6)


def test_failing_queries_are_told_apart_with_their_ranks_and_where_they_were_lost(pair: Pair) -> None:
    (both,), (only_first,), (only_second,) = pair.both_fail, pair.only_first_fails, pair.only_second_fails
    assert (both.query_id, both.first_rank, both.second_rank) == ("q5", 0, 0)
    assert (both.first_lost, both.second_lost) == ("pool", "ranking")
    # Rank 7 is below k=5: in the pool, lost in the ranking.
    assert (only_first.query_id, only_first.text) == ("q3", "額度是多少？")
    assert (only_first.first_rank, only_first.first_lost) == (7, "ranking")
    assert (only_first.second_rank, only_first.second_lost) == (1, "")
    assert (only_second.query_id, only_second.first_lost, only_second.second_lost) == ("q4", "", "pool")
    assert (only_second.first_rank, only_second.second_rank) == (2, 0)


def test_a_deeper_cut_moves_queries_out_of_the_failing() -> None:
    deeper = compare([run(0, "a"), run(1, "b")], ComparisonOptions(k=7))
    (pair,) = deeper.pairs
    assert (deeper.k, [each.query_id for each in pair.only_first_fails]) == (7, [])
    assert line(pair, "recall").first == pytest.approx(4 / 5)
    # Over the whole depth, so whatever the cut.
    assert line(pair, "mrr").first == pytest.approx((2.5 + 1 / 7) / 5)
    assert [note for note in pair.notes if "k=7" in note] == [
        "name of a was logged at k=5; its rankings are cut at k=7 here",
        "name of b was logged at k=5; its rankings are cut at k=7 here",
    ]


def test_the_first_runs_k_counts_and_another_is_noted() -> None:
    comparison = compare([run(0, "a"), run(1, "b", k="10")])
    assert comparison.k == 5
    assert "name of b was logged at k=10; its rankings are cut at k=5 here" in comparison.pairs[0].notes


@pytest.mark.parametrize("k", [0, -1, 11])
def test_a_k_outside_the_rankings_is_refused(k: int) -> None:
    with pytest.raises(ConfigError, match=f"k={k} is outside the rankings of run a, which go to depth 10"):
        compare([run(0, "a"), run(1, "b")], ComparisonOptions(k=k))


def test_a_shallower_second_run_is_named() -> None:
    with pytest.raises(ConfigError, match="k=8 is outside the rankings of run b, which go to depth 7"):
        compare([run(0, "a"), run(1, "b", depth="7")], ComparisonOptions(k=8))


def test_one_run_is_not_compared() -> None:
    with pytest.raises(InputError, match="at least two runs"):
        compare([run(0, "a")])


def test_a_run_named_twice_is_not_compared_with_itself() -> None:
    with pytest.raises(InputError, match="a run is named twice"):
        compare([run(0, "a"), run(1, "b"), run(0, "a")])


def test_a_run_and_its_repetition_differ_in_nothing() -> None:
    (pair,) = compare([run(0, "a"), run(0, "again")]).pairs
    for seen in pair.lines:
        assert (seen.difference, seen.low, seen.high, seen.p, seen.adjusted) == (0, 0, 0, 1, 1)
        assert (seen.wins, seen.ties, seen.losses) == (0, seen.n, 0)
    assert pair.changed == {}


def test_holm_corrects_over_the_slices_and_runs_that_were_compared_and_over_nothing_else() -> None:
    base = [found(f"part.{number % 3}") for number in range(60)]
    worse = [replace(each, ranks=() if number < 12 else (1,)) for number, each in enumerate(base)]
    worst = [replace(each, ranks=() if number < 30 else (1,)) for number, each in enumerate(base)]
    runs = [scores(asked, stored(name)) for asked, name in ((base, "a"), (worse, "b"), (worst, "c"))]
    pairs = compare(runs).pairs
    for metric in METRICS:
        lines = [each for pair in pairs for each in pair.lines if each.metric == metric]
        # Two runs against the first, over all queries and three slices.
        assert len(lines) == 2 * 4
        assert [each.adjusted for each in lines] == pytest.approx(holm([each.p for each in lines]).tolist(), abs=1e-15)
        assert all(each.p <= each.adjusted <= 1 for each in lines)


def test_three_runs_are_each_set_against_the_first() -> None:
    comparison = compare([run(0, "a"), run(1, "b"), run(0, "c")])
    assert [pair.second.run.id for pair in comparison.pairs] == ["b", "c"]
    assert comparison.pairs[0].lines[0].first == comparison.pairs[1].lines[0].first
    assert all(each.difference == 0 for each in comparison.pairs[1].lines)


def test_the_same_input_gives_the_same_numbers_and_another_seed_others() -> None:
    asked = [Asked((1 + number % 9,), 1) for number in range(80)]
    other = [Asked((1 + number % 7,), 1) for number in range(80)]

    def lines(seed: int) -> tuple[ComparisonRow, ...]:
        return (
            compare([scores(asked, stored("a")), scores(other, stored("b"))], ComparisonOptions(seed=seed))
            .pairs[0]
            .lines
        )

    assert lines(1) == lines(1)
    assert lines(1) != lines(2)


def test_slices_that_only_one_run_has_are_left_out() -> None:
    both = compare([scores([found("a.x", "a.y")] * 3, stored("a")), scores([found("a.x")] * 3, stored("b"))])
    assert {each.group for each in both.pairs[0].lines} == {"", "a.x"}


def test_a_difference_smaller_than_one_query_says_so() -> None:
    before = scores([Asked((1, 2), 2)] * 10, stored("a"))
    after = scores([Asked((1,), 2)] + [Asked((1, 2), 2)] * 9, stored("b"))
    (pair,) = compare([before, after]).pairs
    # Half of what one query needs, over ten queries: 0.05 against 0.1.
    assert line(pair, "recall").difference == pytest.approx(-0.05)
    assert line(pair, "recall").below_one_query
    assert not line(pair, "hit").below_one_query  # nothing changed


def test_fewer_than_six_queries_can_show_no_difference_at_all(pair: Pair) -> None:
    assert np.isinf(line(pair, "recall", "language.zh-Hant").detectable)
    assert "with 5 queries one query moves a mean by 0.200" in pair.notes


def test_other_snapshots_may_be_compared_and_are_noted() -> None:
    (pair,) = compare([run(0, "a"), run(1, "b", snapshot="snap2")]).pairs
    assert pair.notes[0] == "the snapshots differ (snap1 and snap2); every judged passage exists in both"
    assert pair.changed == {"snapshot": ("snap1", "snap2")}


def test_a_look_at_a_holdout_suite_is_noted() -> None:
    (pair,) = compare([run(0, "a", suite_role="holdout"), run(1, "b", suite_role="holdout")]).pairs
    assert "this is a holdout suite: every look makes it less of one" in pair.notes


def test_only_parameters_that_differ_are_listed_and_none_that_follow_from_others() -> None:
    before = {
        "stage.bm25.k1": "1.2",
        "stage.bm25.b": "0.75",
        "retriever_hash": "x",
        "snapshot.passages": "1",
        "slicing.freshness.as_of": "null",
        "gone": "1",
    }
    after = {
        "stage.bm25.k1": "0.9",
        "stage.bm25.b": "0.75",
        "retriever_hash": "y",
        "snapshot.passages": "2",
        "slicing.freshness.as_of": "2026-09-30",
        "new": "詞",
    }
    assert changed_params(before, after) == {
        "gone": ("1", "-"),
        "new": ("-", "詞"),
        "stage.bm25.k1": ("1.2", "0.9"),
    }
