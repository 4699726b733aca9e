"""The beginning of a run's id serves wherever the id does, as long as it is that of one run only."""

import sqlite3

import pytest
from decide_office import RULES, Desk, Office, write_policy
from pytest import TempPathFactory

from runner.cli import accept, compare, gate
from runner.errors import InputError
from runner.tracking.mlflow_store import sqlite_path
from runner.tracking.stored_run import MOST_ALIKE, find_run

TwoRuns = tuple[Office, str, str]


def test_a_beginning_is_enough_for_compare_gate_and_accept(
    two_runs: TwoRuns, desk: Desk, tmp_path_factory: TempPathFactory
) -> None:
    office, good, bad = two_runs
    policy = write_policy(tmp_path_factory.mktemp("policy"), *RULES)
    whole, begun = (desk(compare.main, a, b, office.place) for a, b in ((good, bad), (good[:8], bad[:8])))
    assert (begun.status, begun.out) == (0, whole.out)
    done = desk(gate.main, bad[:10], f"baseline={good[:10]}", policy, office.place)
    assert done.status == 1 and f"({bad})" in done.out and f"({good})" in done.out
    assert office.run(bad).data.tags["gate_baseline"] == good
    assert f"run {good} is the baseline" in desk(accept.main, good[:12], office.place).out
    assert f"run {good} is no longer" in desk(accept.main, good[:12], "undo=true", office.place).out


def test_a_run_and_its_beginning_are_one_run(two_runs: TwoRuns, desk: Desk) -> None:
    office, good, _ = two_runs
    done = desk(compare.main, good, good[:8], office.place)
    assert (done.status, "a run is named twice" in done.err) == (2, True)


def test_what_several_runs_begin_with_lists_them(office: Office, desk: Desk) -> None:
    run_id = office.log()
    others = [f"{run_id[:8]}{number:024}" for number in range(MOST_ALIKE + 1)]
    with sqlite3.connect(sqlite_path(office.tracker.settings.uri)) as store:
        columns = [row[1] for row in store.execute("PRAGMA table_info(runs)") if row[1] != "run_uuid"]
        for other in others:
            names = ", ".join(columns)
            store.execute(
                f"INSERT INTO runs (run_uuid, {names}) SELECT ?, {names} FROM runs WHERE run_uuid = ?", (other, run_id)
            )
    done = desk(accept.main, run_id[:8], office.place)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"several runs begin with '{run_id[:8]}': " in done.err and done.err.endswith(", ...; give more of the id\n")
    assert sum(each in done.err for each in (run_id, *others)) == MOST_ALIKE
    # The whole id, of however many it is the beginning.
    assert find_run(office.tracker, run_id).info.run_id == run_id


@pytest.mark.parametrize("word", ["abc", "zzzz", "%%%%", "____", "ab'cd", "", "0" * 31 + "g"])
def test_what_is_no_beginning_of_an_id_is_no_run(two_runs: TwoRuns, word: str) -> None:
    with pytest.raises(InputError, match="no run"):
        find_run(two_runs[0].tracker, word)
