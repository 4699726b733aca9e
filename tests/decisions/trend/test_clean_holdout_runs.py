"""A holdout suite is not scored once its questions were tuned on; what was scored before can be repeated."""

from dataclasses import replace
from pathlib import Path

import pytest
from decide_office import RULES, Desk, Office, write_policy
from engine_world import bm25, double

from runner.cli import gate, rerun
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs
from runner.errors import InputError
from runner.workflows.run_jobs import RunOptions, run_jobs
from runner.workflows.seen_queries import SeenQueries


def own_words(office: Office) -> Office:
    """Questions that no other test of this store has asked."""
    office.asked = tuple(
        replace(each, id=f"{office.suite_name} {each.id}", text=f"{each.text} {office.suite_name}")
        for each in office.asked
    )
    return office


def as_holdout(office: Office) -> Office:
    return replace(office, role="holdout", suite_name=f"{office.suite_name} last")


def seen(office: Office) -> int:
    return len(SeenQueries(office.store).leaks(office.suite(office.settings(bm25())), ""))


def test_a_question_that_was_scored_in_tuning_keeps_a_holdout_from_being_scored(office: Office) -> None:
    last = as_holdout(own_words(office))
    last.log(allow_holdout=True)
    office.asked = office.asked[3:5]
    office.log()
    before = len(office.search())
    with pytest.raises(
        InputError, match=r"(?s)suite .* last: 2 problems.*same id and text.*take it out of the holdout"
    ):
        last.log(allow_holdout=True)
    assert len(office.search()) == before


def test_a_dry_run_says_so_too_and_enters_nothing_itself(office: Office) -> None:
    last = as_holdout(own_words(office))
    office.go(bm25(), dry_run=True)
    assert seen(office) == 0
    office.log()
    with pytest.raises(InputError, match="50 problems"):
        last.go(bm25(), allow_holdout=True, dry_run=True)


def follow_ups(office: Office) -> Office:
    """Its first question, after another turn."""
    office.asked = (replace(office.asked[0], id=f"{office.suite_name} after", history=("An earlier turn.",)),)
    return office


def test_earlier_turns_that_a_run_does_not_ask_tell_no_questions_apart(office: Office) -> None:
    last = as_holdout(own_words(office))
    last.asked = last.asked[:1]
    follow_ups(office).log()
    last.go(bm25(), allow_holdout=True, dry_run=True)
    office.log(history="ignore")
    with pytest.raises(InputError, match=r"is query '[^']* after' of suite .*: same text; "):
        last.log(allow_holdout=True)


def test_a_holdout_is_known_by_what_its_run_asks(office: Office) -> None:
    last = follow_ups(as_holdout(own_words(office)))
    office.asked = office.asked[:1]
    office.log()
    last.go(bm25(), allow_holdout=True, dry_run=True)
    with pytest.raises(InputError, match=r"query '[^']* after' is query .*: same text; "):
        last.go(bm25(), allow_holdout=True, dry_run=True, history="ignore")


def test_a_suite_that_a_sweep_scores_in_two_datasets_is_known_in_both(office: Office) -> None:
    own_words(office)
    requests = [each for name in "ab" for each in office.requests(bm25(b=ord(name) / 128), dataset={"name": name})]
    assert not run_jobs(requests, RunOptions(), office).status
    reworded = replace(
        office.suite(requests[0].settings), role="holdout", queries=(replace(office.asked[0], text="x"),)
    )
    known = SeenQueries(office.store)
    assert [len(known.leaks(reworded, dataset)) for dataset in "abc"] == [1, 1, 0]


def test_what_could_not_be_scored_was_not_tuned_on(office: Office) -> None:
    own_words(office)
    outcome = office.go(double("Raising"))
    assert outcome.failures and seen(office) == 0
    outcome = office.go(double("Raising"), bm25())
    assert outcome.failures and seen(office) == 50


def test_a_holdout_run_of_the_past_is_repeated_as_it_was_but_not_with_other_settings(
    tmp_path: Path, desk: Desk
) -> None:
    store = f"store={tmp_path}"
    asked = ["suite=holdout", "allow_holdout=true", "intervals=null", store]
    requests = [compose_request(asked)]
    run_id = run_jobs(requests, RunOptions()).rows[0].run_id
    spent = replace(ConfiguredInputs().suite(requests[0].settings), role="development")
    SeenQueries(tmp_path).add([(spent, "demo")])
    with pytest.raises(InputError, match=rf"{len(spent.queries)} problems"):
        run_jobs(requests, RunOptions())
    done = desk(rerun.main, run_id, store)
    assert (done.status, "identical: " in done.out) == (0, True), done.err
    done = desk(rerun.main, run_id, "k=2", store)
    assert (done.status, "take it out of the holdout suite" in done.err) == (2, True), done.err


def test_a_gate_repeats_no_baseline_on_a_holdout_that_was_tuned_on(office: Office, desk: Desk, tmp_path: Path) -> None:
    last = as_holdout(own_words(office))
    baseline = last.log(allow_holdout=True)
    last.documents["en/new.md"] = "A page that is new."
    candidate = last.log(allow_holdout=True)
    office.log()
    arguments = (candidate, "--baseline", baseline, write_policy(tmp_path, *RULES), office.place)
    done = desk(gate.main, *arguments)
    assert (done.status, "take it out of the holdout suite" in done.err) == (2, True), done.err
