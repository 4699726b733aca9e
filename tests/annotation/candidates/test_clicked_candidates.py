"""From a click log to candidates: anonymised, put together, against what is judged and what exists."""

from pathlib import Path

import pytest
from candidate_world import log, pages, query, shown, suite

from runner.annotation.candidates.anonymise import Rules
from runner.annotation.candidates.clicked import clicked_candidates
from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.suites import JudgedQuery, Judgment

HEADER = "query,passage_id,rank,clicked"


def test_a_clicked_pair_is_a_candidate_with_the_evidence_and_no_relevance(tmp_path: Path, default_rules: Rules) -> None:
    header = f"{HEADER},session,at"
    rows = ["額度,p,2,1,s1,2026-11-01", "額度,p,4,0,s2,2026-11-30", "額度,q,1,0,s1,", "x,q,2,0,s3,", "x,q,4,0,s3,"]
    found = clicked_candidates(log(tmp_path, *rows, header=header), default_rules)
    (only,) = found.candidates
    assert (only.text, only.id, only.source, only.kind, only.history, only.fields) == (
        "額度",
        "p",
        "click",
        "clicked",
        (),
        {},
    )
    # Rank 2: one of two is clicked, rank 4: none of two.
    assert only.evidence["clicked"] == {
        "impressions": 2,
        "clicks": 1,
        "ctr": 0.5,
        "mean_rank": 3.0,
        "expected_clicks": 0.5,
        "ratio": 2.0,
        "interval": [0.0506, 11.1433],
        "viewers": 2,
        "first": "2026-11-01",
        "last": "2026-11-30",
    }
    assert only.priority == pytest.approx(0.050636 / 1.050636 * 2 / 12, abs=1e-6)
    assert only.why == "1 of 2 impressions were clicked, where their ranks alone give 0.5"


def test_texts_that_become_one_question_are_one_and_the_rules_are_recorded(
    tmp_path: Path, default_rules: Rules
) -> None:
    rows = ["mail a@x.com bounces,p,1,1", "Mail b@y.org bounces?,p,1,1", "MAIL  c@z.net bounces,p,1,0"]
    rows += ["mail a@x.com bounces,p,1,0"]
    found = clicked_candidates(log(tmp_path, *rows), default_rules)
    (only,) = found.candidates
    assert only.text == "mail <email> bounces"
    assert only.rules == ("e-mail",)
    assert only.evidence["clicked"]["impressions"] == 4
    assert found.counts["texts"] == 3
    assert found.counts["questions"] == 1


def test_an_id_of_the_log_stays_where_it_and_the_question_stand_for_each_other(
    tmp_path: Path, default_rules: Rules
) -> None:
    rows = ["one,p,1,1,q-1", "One?,p,1,1,q-1", "two,p,1,1,q-2", "two,p,1,1,q-3", "three,p,1,1,q-4", "four,p,1,1,q-4"]
    rows += ["five,p,1,1,", "six,p,1,1,wei@example.com", "seven,p,1,1,held"]
    held = ExistingJudgments(suite(query("held", "p", text="something else")), None)
    found = clicked_candidates(log(tmp_path, *rows, header=f"{HEADER},query_id"), default_rules, [held])
    ids = {each.text.casefold().strip("?"): each.query_id for each in found.candidates}
    assert ids.pop("one") == "q-1"
    assert all(id_.startswith("click-") and len(id_) == 18 for id_ in ids.values())
    assert len(set(ids.values())) == 6


def test_the_id_of_a_question_does_not_change_with_the_rest_of_the_log(tmp_path: Path, default_rules: Rules) -> None:
    alone = clicked_candidates(log(tmp_path, "額度？,p,1,1"), default_rules).candidates[0]
    among = clicked_candidates(log(tmp_path, "other,p,1,1", "額度,p,1,1"), default_rules).candidates
    assert alone.query_id in [each.query_id for each in among]


def test_a_question_of_the_suite_keeps_its_id_and_fields_and_what_people_judged_is_left_out(
    tmp_path: Path, default_rules: Rules
) -> None:
    judged = ExistingJudgments(suite(query("q1", "p", text="What is the limit?", fields={"language": "en"})), None)
    found = clicked_candidates(
        log(tmp_path, "what is the limit,p,1,1", "what is the limit,q,2,1"), default_rules, [judged]
    )
    (only,) = found.candidates
    assert (only.query_id, only.id, only.text, only.source) == ("q1", "q", "What is the limit?", "click")
    assert only.fields == {"language": "en"}
    assert found.counts["clicked pairs judged already"] == 1


def test_what_only_a_program_or_clicks_have_judged_is_still_a_candidate(tmp_path: Path, default_rules: Rules) -> None:
    judged = JudgedQuery.of_judgments("q1", "limit", (Judgment("p", 1, "synthetic"), Judgment("q", 1)))
    found = clicked_candidates(log(tmp_path, "limit,p,1,1"), default_rules, [ExistingJudgments(suite(judged), None)])
    assert found.candidates[0].evidence["clicked"]["label"] == "synthetic"


def test_a_follow_up_is_not_taken_for_the_question_of_the_same_words(tmp_path: Path, default_rules: Rules) -> None:
    judged = ExistingJudgments(suite(query("q1", "p", text="and on Team?", history=("limits?",))), None)
    found = clicked_candidates(log(tmp_path, "and on Team?,p,1,1"), default_rules, [judged])
    assert found.candidates[0].query_id.startswith("click-")


def test_a_question_that_users_wrote_is_recognised_though_the_suite_holds_it_in_full(
    tmp_path: Path, default_rules: Rules
) -> None:
    confirmed = JudgedQuery.of_judgments("q1", "mail a@x.com", (Judgment("p", 1, "human"),), source="click")
    found = clicked_candidates(
        log(tmp_path, "mail b@y.org,p,1,1"), default_rules, [ExistingJudgments(suite(confirmed), None)]
    )
    assert found.candidates == ()


def test_clicks_on_what_does_not_exist_are_counted_and_said(tmp_path: Path, default_rules: Rules) -> None:
    rows = [*shown("a", "p", 1, 3, 1), *shown("a", "gone", 2, 5, 2), *shown("b", "away", 3, 1, 0)]
    found = clicked_candidates(log(tmp_path, *rows), default_rules, existing={"p", "q"})
    assert [each.id for each in found.candidates] == ["p"]
    assert found.counts["passages that do not exist"] == 2
    assert found.counts["events of passages that do not exist"] == 6
    assert (
        "6 events name 2 passages that the snapshot does not hold, and are left out: 'gone', 'away'" in found.notes[0]
    )


def test_without_a_snapshot_nothing_is_called_missing(tmp_path: Path, default_rules: Rules) -> None:
    found = clicked_candidates(log(tmp_path, "a,p,1,1"), default_rules)
    assert found.counts["passages that do not exist"] == 0
    assert not any("does not hold" in note for note in found.notes)


def test_events_of_other_snapshots_are_counted_and_said(tmp_path: Path, default_rules: Rules) -> None:
    rows = ["a,p,1,1,0123", "a,p,1,1,0123456789abcdef", "a,p,1,1,ffff", "a,p,1,1,"]
    found = clicked_candidates(
        log(tmp_path, *rows, header=f"{HEADER},snapshot"), default_rules, snapshot="0123456789abcdef"
    )
    assert found.counts["events of other snapshots"] == 1
    assert "1 events come from another snapshot" in found.notes[0]


def test_a_suite_of_documents_is_asked_for_the_document(tmp_path: Path, default_rules: Rules) -> None:
    snapshot = pages()
    judged = suite(query("q1", "zh/額度.md", text="limit"), unit="document")
    rows = ["limit,en/limits.md#free,1,1", "limit,zh/額度.md#免費,2,1"]
    found = clicked_candidates(log(tmp_path, *rows), default_rules, [ExistingJudgments(judged, snapshot)])
    assert [(each.query_id, each.id) for each in found.candidates] == [("q1", "en/limits.md")]


def test_columns_that_are_not_used_are_said(tmp_path: Path, default_rules: Rules) -> None:
    found = clicked_candidates(log(tmp_path, "a,p,1,1,web", header=f"{HEADER},channel"), default_rules)
    assert found.notes[0] == "columns of the click log that are not used: channel"


def test_questions_without_fields_are_counted_and_the_fields_they_lack_are_named(
    tmp_path: Path, default_rules: Rules
) -> None:
    held = suite(query("q1", "z", text="limit"), slices=("language", "language x kind", "source", "freshness"))
    rows = ["limit,p,1,1", "one,p,1,1", "one,q,2,1", "two,p,1,1", "never clicked,p,1,0"]
    found = clicked_candidates(log(tmp_path, *rows), default_rules, [ExistingJudgments(held, None)])
    assert found.notes == (
        "clicked questions in no suite that was read: 2; they have no fields to be sliced by (kind, language), and the "
        "review asks for none: fill in `fields` of their rows before it",
    )
    alone = clicked_candidates(log(tmp_path, "one,p,1,1"), default_rules)
    assert "sliced by, and" in alone.notes[0]
    assert clicked_candidates(log(tmp_path, "limit,p,1,1"), default_rules, [ExistingJudgments(held, None)]).notes == ()
