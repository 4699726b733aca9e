"""What to judge for the queries that a run failed, with priorities by hand."""

import pytest
from candidate_world import pages, query, ranked_run, suite

from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.annotation.candidates.ranked_run import failing_candidates
from runner.errors import ConfigError
from runner.suites import JudgedQuery, Judgment, Span


def test_the_unjudged_above_the_first_relevant_one_are_to_be_judged_by_their_reciprocal_rank() -> None:
    judged = suite(JudgedQuery("q1", "limit", {"d": 1, "b": 0}, {"language": "en"}))
    run = ranked_run(judged, {"q1": "a b c d e"}, lost={"q1": "ranking"}, slices={"q1": ["language.en"]})
    first, second = failing_candidates(run, 10)
    assert [(each.id, each.priority) for each in (first, second)] == [("a", 1.0), ("c", 0.333333)]
    assert (first.query_id, first.text, first.kind, first.source) == ("q1", "limit", "failing", "human")
    assert first.fields == {"language": "en"}
    assert second.evidence == {
        "failing": {
            "run": "run-a",
            "k": 2,
            "lost_in": "ranking",
            "first_relevant_rank": None,
            "slices": ["language.en"],
            "rank": 3,
        }
    }
    assert second.why == "nobody has judged rank 3 of name of run-a, which lost this query in the ranking"


def test_a_query_that_does_not_fail_asks_for_nothing() -> None:
    judged = suite(query("q1", "b"), query("q2", "b"))
    run = ranked_run(judged, {"q1": "a b", "q2": "a c b"}, lost={"q2": "ranking"})
    assert {each.query_id for each in failing_candidates(run, 10)} == {"q2"}


def test_at_most_so_many_as_the_depth_are_taken_of_a_query() -> None:
    run = ranked_run(suite(query("q1", "z")), {"q1": "a b c d e"}, lost={"q1": "pool"})
    assert [each.id for each in failing_candidates(run, 3)] == ["a", "b", "c"]


@pytest.mark.parametrize("ranking", ["", "b c d"])
def test_where_nothing_unjudged_stands_above_the_question_itself_is_to_be_looked_at(ranking: str) -> None:
    judged = suite(JudgedQuery("q1", "limit", {"d": 1, "b": 0, "c": 0}))
    (only,) = failing_candidates(ranked_run(judged, {"q1": ranking}, lost={"q1": "pool"}), 10)
    assert (only.id, only.priority) == (None, 0.1)
    assert only.why.startswith("look at the question itself")


def test_a_label_that_no_person_has_confirmed_is_to_be_confirmed() -> None:
    judged = JudgedQuery.of_judgments(
        "q1", "limit", (Judgment("z", 1, "synthetic"), Judgment("b", 0, "click"), Judgment("c", 0))
    )
    run = ranked_run(suite(judged), {"q1": "a b c z"}, lost={"q1": "ranking"})
    found = {each.id: each for each in failing_candidates(run, 10)}
    assert {id_: (each.source, each.priority) for id_, each in found.items()} == {
        "a": ("human", 1.0),
        "b": ("click", 0.5),
        "z": ("synthetic", 0.5),
    }
    assert found["z"].evidence["failing"]["label"] == "synthetic"
    assert found["z"].why.startswith("only a synthetic label makes this relevant, which is not within 2 of")


def test_an_unconfirmed_label_is_asked_for_instead_of_the_question() -> None:
    judged = JudgedQuery.of_judgments("q1", "limit", (Judgment("z", 1, "click"), Judgment("a", 0)))
    found = failing_candidates(ranked_run(suite(judged), {"q1": "a"}, lost={"q1": "pool"}), 10)
    assert [(each.id, each.source) for each in found] == [("z", "click")]


def test_what_a_person_confirmed_beside_a_program_is_not_asked_again() -> None:
    judged = JudgedQuery.of_judgments(
        "q1", "limit", (Judgment("a", 0, "synthetic", "bot"), Judgment("a", 0, "human", "wei"), Judgment("z", 1))
    )
    found = failing_candidates(ranked_run(suite(judged), {"q1": "a z"}, lost={"q1": "ranking"}), 10)
    assert [each.id for each in found] == [None]


def test_a_query_of_a_program_has_judgments_of_a_program() -> None:
    judged = suite(query("q1", "z", source="synthetic"))
    found = failing_candidates(ranked_run(judged, {"q1": "a b z"}, lost={"q1": "ranking"}), 10)
    assert [(each.id, each.source) for each in found] == [("a", "synthetic"), ("b", "synthetic"), ("z", "synthetic")]


def test_a_suite_of_documents_is_asked_for_each_document_once() -> None:
    judged = suite(query("q1", "zh/額度.md"), unit="document")
    run = ranked_run(
        judged, {"q1": "en/limits.md#free en/limits.md#paid zh/額度.md#免費"}, lost={"q1": "ranking"}, pages_of=pages()
    )
    found = failing_candidates(run, 10)
    assert [(each.id, each.evidence["failing"]["rank"]) for each in found] == [("en/limits.md", 1)]


def test_a_span_was_judged_in_every_passage_that_shows_any_of_it() -> None:
    snapshot = pages()
    span = Span("en/limits.md", "A free account sends 100 requests.")
    judged = suite(JudgedQuery("q1", "limit", {span.id: 1}, spans={span.id: span}), unit="span")
    run = ranked_run(
        judged, {"q1": "zh/額度.md#免費 en/limits.md#free zh/額度.md#付費"}, lost={"q1": "ranking"}, pages_of=snapshot
    )
    assert [each.id for each in failing_candidates(run, 10)] == ["zh/額度.md#免費"]


def test_a_passage_that_shows_too_little_of_a_span_is_judged_but_not_relevant() -> None:
    snapshot = pages()
    text = next(each.text for each in snapshot.documents if each.id == "en/limits.md")
    free = next(each for each in snapshot.passages if each.id == "en/limits.md#free")
    # Ten characters at the end of one passage, a heading of six and a passage of eighteen, white space apart.
    span = Span("en/limits.md", start=free.end - 11, end=len(text))
    assert text[span.start :] == "0 requests.\n\n## Paid\n\nA paid one sends more.\n"
    judged = suite(JudgedQuery("q1", "limit", {span.id: 1}, spans={span.id: span}), unit="span", coverage=18 / 34)
    judgments = ExistingJudgments(judged, snapshot)
    said = judgments.of(judged.queries[0])
    assert said.people == {"en/limits.md#free", "en/limits.md#paid"}
    assert said.relevant == {"en/limits.md#paid"}


def test_words_that_the_snapshot_does_not_hold_say_nothing_of_its_passages() -> None:
    span = Span("en/limits.md", "words of another day")
    judged = suite(JudgedQuery("q1", "limit", {span.id: 1}, spans={span.id: span}), unit="span")
    assert ExistingJudgments(judged, pages()).of(judged.queries[0]).people == frozenset()


@pytest.mark.parametrize("unit", ["document", "span"])
def test_what_is_judged_by_something_else_than_passages_needs_a_snapshot(unit: str) -> None:
    with pytest.raises(ConfigError, match=f"judges the unit {unit}; name the snapshot .* snapshot=ID"):
        ExistingJudgments(suite(query("q1", "a"), unit=unit), None)


def test_a_depth_that_the_run_does_not_reach_is_refused() -> None:
    run = ranked_run(suite(query("q1", "a")), {"q1": "a"}, depth=5)
    run.refuse_shallow(5)
    with pytest.raises(ConfigError, match=r"depth=6 is deeper than run run-a goes \(5\)"):
        run.refuse_shallow(6)
