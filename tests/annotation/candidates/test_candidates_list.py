"""One list out of several sources: anonymised, the same put together, the most urgent first."""

from dataclasses import replace

import pytest
from candidate_world import query, ranked_run, suite

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.candidate import JudgmentCandidate
from runner.annotation.candidates.candidate_list import ranked_list
from runner.annotation.candidates.ranked_run import failing_candidates, up_to_date
from runner.errors import ConfigError

ONE = JudgmentCandidate("q1", "limit", (), "p", "human", "failing", 0.5, "why", {"failing": {"rank": 2}})


def test_the_most_urgent_comes_first_then_the_query_then_the_passage(default_rules: Rules) -> None:
    given = [
        replace(ONE, query_id=query_id, id=id_, priority=priority)
        for query_id, id_, priority in [("b", "p", 0.5), ("a", "q", 0.5), ("a", None, 0.5), ("z", "z", 0.9)]
    ]
    found = ranked_list(given, default_rules)
    assert [(each.query_id, each.id) for each in found] == [("z", "z"), ("a", None), ("a", "q"), ("b", "p")]
    assert ranked_list(reversed(given), default_rules) == found


def test_every_kind_has_its_turn_however_high_its_priorities_are(default_rules: Rules) -> None:
    given = [replace(ONE, id=f"f{number}", priority=0.9 - number / 10) for number in range(4)]
    given += [replace(ONE, id=f"p{number}", kind="pooled", priority=0.95 - number / 10) for number in range(3)]
    given += [replace(ONE, id=f"c{number}", kind="clicked", priority=0.002 - number / 1000) for number in range(2)]
    found = ranked_list(given, default_rules)
    assert [each.id for each in found] == ["p0", "f0", "c0", "p1", "f1", "c1", "p2", "f2", "f3"]
    assert [each.priority for each in found[:3]] == [0.95, 0.9, 0.002]
    assert ranked_list(reversed(given), default_rules) == found


def test_a_pair_of_several_kinds_stands_where_the_best_of_them_puts_it(default_rules: Rules) -> None:
    given = [replace(ONE, id=id_, kind="pooled", priority=priority) for id_, priority in [("a", 0.9), ("b", 0.5)]]
    given += [replace(ONE, id=id_, kind="clicked", priority=priority) for id_, priority in [("b", 0.2), ("c", 0.1)]]
    found = ranked_list(given, default_rules)
    # b is the second of the pool, but the first of the clicks.
    assert [(each.id, each.priority) for each in found] == [("a", 0.9), ("b", 0.6), ("c", 0.1)]
    given[1] = replace(ONE, id="b", kind="pooled", priority=0.0)
    given.append(replace(ONE, id="a2", kind="pooled", priority=0.8))
    assert [each.id for each in ranked_list(given, default_rules)] == ["a", "b", "a2", "c"]


def test_neither_a_worse_place_in_another_kind_nor_a_weaker_reason_pulls_a_pair_down(default_rules: Rules) -> None:
    clicks = [replace(ONE, id=id_, kind="clicked", priority=priority) for id_, priority in [("c", 0.3), ("a", 0.1)]]
    given = [replace(ONE, id="a", priority=0.9), replace(ONE, id="b", priority=0.5), *clicks]
    given.append(replace(ONE, id="a", priority=0.1))
    # a is the first of what failed, b the second; c is the first of the clicks, a the second.
    assert [each.id for each in ranked_list(given, default_rules)] == ["a", "c", "b"]


def test_several_reasons_for_one_pair_are_one_row(default_rules: Rules) -> None:
    pooled = replace(ONE, kind="pooled", priority=0.75, why="pool", evidence={"pooled": {"depth": 5}})
    clicked = replace(
        ONE, kind="clicked", priority=0.2, why="click", source="click", evidence={"clicked": {"clicks": 1}}
    )
    (only,) = ranked_list([ONE, clicked, pooled], default_rules)
    # 1 - 1/2 * 1/4 * 4/5
    assert only.priority == 0.9
    assert (only.kind, only.source, only.why) == ("pooled", "click", "pool; why; click")
    assert only.evidence == {"pooled": {"depth": 5}, "failing": {"rank": 2}, "clicked": {"clicks": 1}}


def test_of_several_reasons_of_one_kind_the_strongest_counts(default_rules: Rules) -> None:
    weaker = replace(ONE, priority=0.1, evidence={"failing": {"rank": 10}})
    for given in ([ONE, weaker], [weaker, ONE]):
        (only,) = ranked_list(given, default_rules)
        assert (only.priority, only.evidence) == (0.5, ONE.evidence)


def test_what_users_wrote_is_anonymised_with_its_earlier_turns(default_rules: Rules) -> None:
    judged = suite(query("q1", "z", text="寄到 wei@example.com", history=("打 0912-345-678",), source="click"))
    found = failing_candidates(ranked_run(judged, {"q1": "a"}, lost={"q1": "pool"}), 1)
    first = ranked_list(found, default_rules)[0]
    assert (first.text, first.history) == ("寄到 <email>", ("打 <phone>",))
    assert first.rules == ("e-mail", "phone, Taiwanese mobile")


def test_what_people_of_the_team_wrote_is_left_as_it_is(default_rules: Rules) -> None:
    judged = suite(query("q1", "z", text="write to wei@example.com"))
    found = failing_candidates(ranked_run(judged, {"q1": "a"}, lost={"q1": "pool"}), 1)
    (only,) = ranked_list(found, default_rules)
    assert (only.text, only.rules) == ("write to wei@example.com", ())


def test_queries_that_become_one_are_one_under_the_first_id(default_rules: Rules) -> None:
    judged = suite(
        query("q2", "z", text="Mail a@x.com?", source="click"),
        query("q1", "z", text="mail b@y.org", source="click"),
        query("q3", "z", text="mail b@y.org", source="click", history=("x",)),
    )
    lost = dict.fromkeys(("q1", "q2", "q3"), "pool")
    found = failing_candidates(ranked_run(judged, {"q1": "a b z", "q2": "b z", "q3": "b z"}, lost=lost), 5)
    rows = {(each.query_id, each.id): each.priority for each in ranked_list(found, default_rules)}
    # b stands at rank 2 for one of the two and at rank 1 for the other; q3 is a follow-up, so another question.
    assert rows == {
        ("q1", "a"): 1.0,
        ("q1", "b"): 1.0,
        ("q1", "z"): 0.5,
        ("q3", "b"): 1.0,
        ("q3", "z"): 0.5,
    }


def test_two_queries_of_the_same_words_stay_two_where_nothing_was_taken_out(default_rules: Rules) -> None:
    judged = suite(query("q1", "z", text="limit"), query("q2", "z", text="limit"))
    found = failing_candidates(ranked_run(judged, {"q1": "a", "q2": "a"}, lost={"q1": "pool", "q2": "pool"}), 1)
    assert {each.query_id for each in ranked_list(found, default_rules)} == {"q1", "q2"}


def test_what_has_been_judged_since_the_run_counts() -> None:
    scored = suite(query("q1", "z"), query("q2", "z"), query("q3", "z"))
    now = suite(query("q1", "z", "a"), query("q2", "z", "a", text="another question"))
    updated = {each.id: set(each.grades) for each in up_to_date(scored, now).queries}
    assert updated == {"q1": {"a", "z"}, "q2": {"z"}, "q3": {"z"}}
    assert up_to_date(scored, None) is scored


def test_a_suite_of_another_unit_is_refused() -> None:
    with pytest.raises(ConfigError, match="judges the unit document, the run was scored by passage"):
        up_to_date(suite(query("q1", "z")), suite(query("q1", "z"), unit="document"))
