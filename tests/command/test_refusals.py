"""What a person reads when the command line or a file is wrong: a line that says what to mend, and status 2."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEAM = ("dataset=pages", "dataset.path=manual", "dataset.name=manual", "dataset.suite=team.yaml")

REFUSED = {
    "an unknown retriever": (["retriever=bm52"], ["retriever/bm52", "did you mean 'bm25'?"]),
    "an unknown retriever in a sweep": (["-m", "retriever=bm25,xyz"], ["retriever/xyz", "hybrid", "semantic"]),
    "an unknown setting": (["kk=3"], ["'kk'"]),
    "an unknown setting, added": (["+kk=3"], ["unknown setting 'kk'", "did you mean 'k'"]),
    "an unknown parameter": (["+retriever.k2=3"], ["retriever", "k2", "it accepts:", "k1"]),
    "a class that is not there": (["retriever._target_=house.Gone"], ["retriever._target_", "house", "PYTHONPATH"]),
    "a quote that is not closed": (['retriever.name="混合'], ["cannot read the setting", "check its brackets"]),
    "a list where a sweep was meant": (["k=[1,3]"], ["k: a list is one job", "1,3", "-m"]),
    "a sweep without -m": (["k=1,3"], ["k=1,3", "add -m"]),
    "a number with a leading zero": (["k=01"], ["k: ", "integer", "'01'"]),
    "several faulty jobs at once": (["-m", "k=0,1,200"], ["k=0: ", "k=200: "]),
    "pages that nobody named": (["dataset=pages"], ["dataset.path", "dataset.path=...", "dataset.suite=..."]),
    "a folder that is not there": (["dataset=beir", "dataset.path=gone"], ["gone", "not found"]),
    "a holdout suite": (["suite=holdout"], ["'holdout'", "allow_holdout=true"]),
    "a recording that nobody named": (["retriever=recorded"], ["retriever.path=..."]),
    "a tracking server that is not there": (
        ["tracking.uri=bogus://here", *TEAM],
        ["bogus://here", "tracking.uri: expected sqlite:///FILE"],
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_command_is_refused_with_status_2_and_a_remedy(desk: Any, what: str) -> None:
    arguments, expected = REFUSED[what]
    done = desk.runner(*arguments)
    assert done.status == 2, done.err
    for words in expected:
        assert words in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") <= 15


def test_the_runners_own_messages_are_single_lines(desk: Any) -> None:
    done = desk.runner("k=0")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["k=0"], ["retriever=bm52"], ["k=[1"]], ids=["setting", "choice", "grammar"])
def test_a_traceback_is_shown_on_request(desk: Any, arguments: list[str]) -> None:
    done = desk.runner(*arguments, HYDRA_FULL_ERROR="1")
    assert done.status == 2
    assert "Traceback (most recent call last)" in done.err


@pytest.mark.parametrize("written", ["retriever.name=混合", 'retriever.name="混合"', "retriever.name='混合'"])
def test_chinese_is_read_with_and_without_quotes_of_its_own(desk: Any, written: str) -> None:
    done = desk.runner(written, *TEAM, "dry_run=true")
    assert done.status == 0, done.err
    assert "混合: 7 rankings" in done.out


@pytest.fixture
def questions(desk: Any, tmp_path: Path) -> Callable[[str, str], list[str]]:
    """Write a suite on the desk's pages and give the arguments that name it."""

    def write(head: str, rows: str) -> list[str]:
        (tmp_path / "own.yaml").write_text(head, "utf-8")
        (tmp_path / "own.jsonl").write_text(rows, "utf-8")
        return [*TEAM[:2], "dataset.name=manual", f"dataset.suite={tmp_path}/own.yaml"]

    return write


GOOD = '{"query_id": "a", "text": "limits", "relevant": ["en/limits.md"]}\n'


def test_a_suite_of_another_snapshot_is_refused_with_both_ids(desk: Any, questions: Any) -> None:
    arguments = questions("name: own\nunit: document\nsnapshot: 0123456789abcdef\n", GOOD)
    done = desk.runner(*arguments)
    assert done.status == 2
    found = re.search(r"pinned to snapshot 0123456789abcdef, this one is ([0-9a-f]{16})", done.err)
    assert found
    assert found[1] in {path.name for path in (desk.store / "snapshots").iterdir()}


def test_all_faults_of_a_suite_are_listed_with_their_lines_before_anything_is_logged(desk: Any, questions: Any) -> None:
    before = len(desk.runs(kind=None))
    rows = GOOD + GOOD + '{"query_id": "b", "text": "", "relevant": []}\n{"query_id": "c"\n'
    done = desk.runner(*questions("name: own\nunit: document\n", rows))
    assert done.status == 2
    assert "own.jsonl:2: query_id 'a' is given twice, first in line 1" in done.err
    assert "own.jsonl:3: " in done.err
    assert "own.jsonl:4: not JSON" in done.err
    assert len(desk.runs(kind=None)) == before


def test_a_judged_page_that_does_not_exist_is_named_with_its_neighbour(desk: Any, questions: Any) -> None:
    rows = '{"query_id": "a", "text": "x", "relevant": ["en/limit.md"]}\n'
    done = desk.runner(*questions("name: own\nunit: document\n", rows))
    assert done.status == 2
    assert "own.jsonl:1: query 'a' judges 'en/limit.md'" in done.err
    assert "nearest: 'en/limits.md'" in done.err


def test_a_holdout_suite_runs_when_it_is_allowed_and_the_look_is_recorded(desk: Any, questions: Any) -> None:
    arguments = questions("name: last\nunit: document\nrole: holdout\n", GOOD)
    assert desk.runner(*arguments).status == 2
    done = desk.runner(*arguments, "allow_holdout=true")
    assert done.status == 0, done.err
    (run,) = [run for run in desk.runs() if run.data.params["suite"] == "last"]
    assert run.data.tags["suite_role"] == "holdout"
    assert run.data.tags["holdout_look.last"] == "1"
    assert "this is look 1 at suite 'last'" in done.out
