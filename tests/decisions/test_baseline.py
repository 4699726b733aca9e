"""Accepting a run as the baseline of its suite, taking that back, and the history that is kept of both."""

import getpass
from datetime import datetime
from typing import Any

import pytest
from decide_office import Desk, Office

from runner.cli import accept
from runner.decisions.baseline import Event, accepted_runs, decisions, history_of
from runner.decisions.baseline import accept as accept_run
from runner.decisions.baseline import undo as undo_run
from runner.errors import InputError


def run(
    office: Office,
    suite: str = "core",
    unit: str = "document",
    kind: str = "run",
    status: str = "FINISHED",
    **tags: str,
) -> str:
    """A run with just what accepting looks at."""
    made = office.client.create_run(office.tracker.experiment_id, tags={"kind": kind, **tags}, run_name="made by hand")
    for key, value in {"suite": suite, "unit": unit}.items() if kind == "run" else ():
        office.client.log_param(made.info.run_id, key, value)
    office.client.set_terminated(made.info.run_id, status)
    return str(made.info.run_id)


def baselines(office: Office, key: str = "core/document") -> list[str]:
    return [each.info.run_id for each in accepted_runs(office.tracker, key)]


def test_a_run_is_accepted_with_who_when_why_and_the_verdict_at_that_time(
    office: Office, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "王小明")
    id_ = run(office, gate="passed")
    done = desk(accept.main, id_, office.place, "--why", "第三季發佈, 'approved' | by \"QA\"")
    assert done.status == 0
    assert f"run {id_} is the baseline of core/document from now on (gate: passed)" in done.out
    (event,) = history_of(office.run(id_))
    assert (event.what, event.who, event.verdict) == ("accepted", "王小明", "passed")
    assert event.why == "第三季發佈, 'approved' | by \"QA\""
    assert datetime.fromisoformat(event.at).tzinfo is not None
    assert baselines(office) == [id_]


def test_a_verdict_that_comes_later_does_not_change_what_was_known_when_it_was_accepted(office: Office) -> None:
    id_ = run(office)
    accept_run(office.tracker, office.run(id_), "")
    office.client.set_tag(id_, "gate", "blocked")
    assert [event.verdict for event in history_of(office.run(id_))] == ["not gated"]


def test_the_run_that_was_accepted_last_counts(office: Office) -> None:
    ids = [run(office) for _ in range(3)]
    for id_ in ids:
        accept_run(office.tracker, office.run(id_), "")
    assert baselines(office) == ids[::-1]
    # An older run, accepted once more.
    accept_run(office.tracker, office.run(ids[0]), "back to the old one")
    assert baselines(office)[0] == ids[0]


def test_taking_a_baseline_back_makes_the_one_before_count_again(office: Office, desk: Desk) -> None:
    first, second = run(office), run(office)
    for id_ in (first, second):
        assert desk(accept.main, id_, office.place).status == 0
    done = desk(accept.main, second, office.place, "--undo", "--why", "too early")
    assert done.status == 0
    assert f"run {second} is no longer the baseline of core/document; the baseline is now: made by hand ({first})" in (
        done.out
    )
    assert baselines(office) == [first]
    last = desk(accept.main, first, office.place, "--undo")
    assert "the baseline is now: none" in last.out
    assert baselines(office) == []


def test_the_history_survives_undoing_and_accepting_again(office: Office) -> None:
    id_, tracker = run(office), office.tracker
    stale = office.run(id_)
    accept_run(tracker, stale, "one")
    undo_run(tracker, stale, "two")
    accept_run(tracker, stale, "three")
    assert [(event.what, event.why) for event in history_of(office.run(id_))] == [
        ("accepted", "one"),
        ("undone", "two"),
        ("accepted", "three"),
    ]
    assert baselines(office) == [id_]


def test_the_list_shows_every_decision_newest_first_also_those_taken_back(office: Office, desk: Desk) -> None:
    first, second = run(office), run(office, gate="blocked")
    for arguments in ((first, "--why", "fine"), (second, "--why", "暫時"), (second, "--undo", "--why", "收回")):
        assert desk(accept.main, *arguments, office.place).status == 0
    done = desk(accept.main, first, office.place, "--list")
    standing, *lines = done.out.splitlines()
    assert standing == f"baseline of core/document: {first}"
    shown = [line.split(" by ")[0].split()[1:] for line in lines]
    assert shown == [["undone", second], ["accepted", second], ["accepted", first]]
    reasons = [line.partition("gate ")[2] for line in lines]
    assert reasons == ["blocked: 收回", "blocked: 暫時", "not gated: fine"]
    assert len(history_of(office.run(first))) == 1


def test_a_long_history_of_long_reasons_is_kept_whole(office: Office) -> None:
    id_, tracker = run(office), office.tracker
    reasons = [f"{number}{'理' * 900}" for number in range(12)]
    for reason in reasons:
        accept_run(tracker, office.run(id_), reason)
    assert [event.why for event in history_of(office.run(id_))] == reasons
    assert len(decisions(tracker, "core/document")) == 12


def test_a_reason_too_long_to_keep_is_refused_and_nothing_is_accepted(office: Office, desk: Desk) -> None:
    id_ = run(office)
    done = desk(accept.main, id_, office.place, "--why", "x" * 1001)
    assert done.status == 2
    assert "the reason has 1001 characters, at most 1000 are kept" in done.err
    assert baselines(office) == []
    assert desk(accept.main, id_, office.place, "--why", "x" * 1000).status == 0


def test_suites_and_units_have_baselines_of_their_own(office: Office) -> None:
    ids = {
        "core/document": run(office),
        "core/passage": run(office, unit="passage"),
        "核心/document": run(office, "核心"),
    }
    for id_ in ids.values():
        accept_run(office.tracker, office.run(id_), "")
    assert {key: baselines(office, key) for key in ids} == {key: [id_] for key, id_ in ids.items()}


def test_experiments_have_baselines_of_their_own(office: Office) -> None:
    other = office.named(f"{office.experiment} elsewhere")
    accept_run(other.tracker, other.run(run(other)), "")
    assert baselines(office) == []


@pytest.mark.parametrize("arguments", [(), ("--undo",)])
def test_a_run_that_is_no_baseline_cannot_be_taken_back_nor_one_twice(
    office: Office, desk: Desk, arguments: tuple[str, ...]
) -> None:
    id_ = run(office)
    if arguments:
        accept_run(office.tracker, office.run(id_), "")
        undo_run(office.tracker, office.run(id_), "")
    done = desk(accept.main, id_, office.place, "--undo")
    assert (done.status, done.err) == (2, f"error: run {id_} is not an accepted baseline of core/document\n")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"status": "FAILED"}, "is not a finished, scored job"),
        ({"status": "KILLED"}, "is not a finished, scored job"),
        ({"kind": "sweep"}, "is not a scored job, so it has no suite"),
        ({"kind": "snapshot"}, "is not a scored job, so it has no suite"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--undo",)])
def test_only_a_finished_scored_job_can_be_a_baseline(
    office: Office, desk: Desk, values: dict[str, Any], message: str, option: tuple[str, ...]
) -> None:
    id_ = run(office, **values)
    done = desk(accept.main, id_, office.place, *option)
    assert done.status == 2
    assert message in done.err if not option or "kind" in values else "is not an accepted baseline" in done.err
    assert baselines(office) == []


def test_an_unknown_run_is_refused_with_where_it_was_looked_for(office: Office, desk: Desk) -> None:
    done = desk(accept.main, "nothing", office.place)
    assert done.status == 2
    assert done.err.startswith(f"error: no run 'nothing' in sqlite:///{office.store}/mlflow.db; ")


def test_an_unknown_setting_is_refused(office: Office, desk: Desk) -> None:
    done = desk(accept.main, run(office), office.place, "k=3")
    assert (done.status, "unknown setting 'k'" in done.err) == (2, True)


def test_a_run_that_was_deleted_no_longer_counts(office: Office) -> None:
    first, second = run(office), run(office)
    for id_ in (first, second):
        accept_run(office.tracker, office.run(id_), "")
    office.client.delete_run(second)
    assert baselines(office) == [first]


def test_a_decision_reads_back_as_it_was_made(office: Office) -> None:
    id_ = run(office)
    made = accept_run(office.tracker, office.run(id_), "因為")
    assert isinstance(made, Event)
    assert history_of(office.run(id_)) == [made]
    with pytest.raises(InputError):
        undo_run(office.tracker, office.run(run(office)), "")
