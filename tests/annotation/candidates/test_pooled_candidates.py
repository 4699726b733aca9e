"""Pooling the rankings of runs: priorities by hand, disagreement first, unlike runs refused."""

from itertools import pairwise

import pytest
from candidate_world import pages, query, ranked_run, suite

from runner.annotation.candidates.ranked_run import alike, pooled_candidates
from runner.errors import ConfigError, InputError
from runner.suites import JudgedQuery, Judgment

JUDGED = suite(JudgedQuery("q1", "額度", {"rel": 1, "no": 0}))


def pool(*rankings: str, depth: int = 10) -> dict[str | None, float]:
    runs = [ranked_run(JUDGED, {"q1": ranking}, id_=f"run-{number}") for number, ranking in enumerate(rankings)]
    return {each.id: each.priority for each in pooled_candidates(runs, depth)}


@pytest.mark.parametrize(
    ("first", "second", "priority"),
    [
        ("x", "a b", 0.75),  # 1 and none: mean 1/2, difference 1
        ("x", "a x", 0.625),  # 1 and 2: mean 3/4, difference 1/2
        ("x", "x", 0.5),  # 1 and 1: mean 1, difference 0
        ("a x", "b a", 0.375),  # 2 and none: mean 1/4, difference 1/2
        ("a x", "a x", 0.25),  # 2 and 2: mean 1/2, difference 0
        ("a b c x", "b", 0.1875),  # 4 and none: mean 1/8, difference 1/4
    ],
)
def test_the_priority_of_two_runs(first: str, second: str, priority: float) -> None:
    assert pool(first, second)["x"] == priority
    assert pool(second, first)["x"] == priority


def test_the_priority_of_three_runs_grows_with_how_many_rank_it() -> None:
    found = pool("x y", "x y", "z")
    # x: 1, 1, none. z: 1 once. y: 2, 2, none.
    assert found == {"x": 0.833333, "z": 0.666667, "y": round((1 / 3 + 1 / 2) / 2, 6)}


def test_what_runs_disagree_on_goes_before_what_they_agree_on_at_the_same_height() -> None:
    assert pool("apart", "other")["apart"] > pool("shared", "shared")["shared"]


def test_what_a_person_has_judged_is_left_out_whatever_the_grade() -> None:
    assert set(pool("rel no x", "no y rel")) == {"x", "y"}


def test_the_pool_ends_at_the_depth() -> None:
    assert set(pool("a b c", "d e f", depth=2)) == {"a", "b", "d", "e"}
    # c is within the depth of one run only, so it counts as not ranked by the other.
    assert pool("c", "a b c", depth=2)["c"] == 0.75


def test_the_evidence_names_every_run_with_its_rank() -> None:
    runs = [ranked_run(JUDGED, {"q1": ranking}, id_=id_) for id_, ranking in (("one", "a x"), ("two", "b"))]
    found = {each.id: each for each in pooled_candidates(runs, 5)}
    assert found["x"].evidence == {
        "pooled": {"ranks": {"one": 2, "two": None}, "depth": 5, "reciprocal_rank_sum": 0.5, "disagreement": 0.5}
    }
    assert found["x"].why == "1 of 2 runs rank it within 5 (at 2); nobody has judged it"
    assert (found["x"].kind, found["x"].text) == ("pooled", "額度")


def test_an_unconfirmed_label_is_pooled_with_its_source() -> None:
    judged = JudgedQuery.of_judgments("q1", "limit", (Judgment("x", 1, "synthetic"), Judgment("y", 1)))
    runs = [ranked_run(suite(judged), {"q1": "x y"}, id_=id_) for id_ in ("one", "two")]
    (only,) = pooled_candidates(runs, 5)
    assert (only.id, only.source, only.evidence["pooled"]["label"]) == ("x", "synthetic", "synthetic")
    assert only.why.endswith("only a synthetic label says anything of it")


def test_documents_are_pooled_once_each_at_their_first_rank() -> None:
    judged = suite(query("q1", "none"), unit="document")
    ranking = "en/limits.md#free en/limits.md#paid zh/額度.md#免費"
    runs = [ranked_run(judged, {"q1": ranking}, id_=id_, pages_of=pages()) for id_ in ("one", "two")]
    assert {each.id: each.priority for each in pooled_candidates(runs, 2)} == {"en/limits.md": 0.5, "zh/額度.md": 0.25}


def test_priorities_lie_between_0_and_1_and_fall_with_the_rank() -> None:
    found = pool(" ".join(f"p{number}" for number in range(50)), "a", depth=50)
    falling = [found[f"p{number}"] for number in range(50)]
    assert all(0 < after < before <= 1 for before, after in pairwise(falling))


@pytest.mark.parametrize("field", ["suite", "suite_revision", "unit", "snapshot", "history"])
def test_runs_that_cannot_be_pooled_are_refused_by_the_name_of_the_field(field: str) -> None:
    one = ranked_run(JUDGED, {"q1": "a"}, id_="one")
    two = ranked_run(JUDGED, {"q1": "a"}, id_="two", **{field: "other"})
    with pytest.raises(InputError, match=f"runs one and two differ in {field} .* and other"):
        pooled_candidates([one, two], 1)


def test_runs_of_other_queries_are_refused() -> None:
    one = ranked_run(JUDGED, {"q1": "a"}, id_="one")
    two = ranked_run(suite(query("q2", "a")), {"q2": "a"}, id_="two")
    with pytest.raises(InputError, match="did not rank the same queries"):
        pooled_candidates([one, two], 1)


@pytest.mark.parametrize("ids", [[], ["one"], ["one", "one"], ["one", "two", "one"]])
def test_fewer_than_two_different_runs_are_refused(ids: list[str]) -> None:
    runs = [ranked_run(JUDGED, {"q1": "a"}, id_=id_) for id_ in ids]
    with pytest.raises(ConfigError, match="two or more different runs"):
        pooled_candidates(runs, 1)


def test_a_depth_that_one_of_the_runs_does_not_reach_is_refused() -> None:
    runs = [ranked_run(JUDGED, {"q1": "a"}, id_=id_, depth=depth) for id_, depth in (("one", 100), ("two", 5))]
    with pytest.raises(ConfigError, match="deeper than run two"):
        pooled_candidates(runs, 10)


def test_runs_that_rank_alike_are_noted() -> None:
    runs = [ranked_run(JUDGED, {"q1": ranking}, id_=id_) for id_, ranking in (("a", "x"), ("b", "y"), ("c", "x"))]
    assert alike(runs) == ["runs a and c rank every query alike, so they agree by themselves"]
    assert alike(runs[:2]) == []
