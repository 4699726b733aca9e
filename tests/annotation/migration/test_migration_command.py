"""`python -m runner judgments migrate | check | freeze`, as a person types them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, pages, query, snapshot, stored, suite_file

from runner.annotation.history.record import JudgmentRecord
from runner.cli import judgments
from runner.reports.migration import changed_words

Command = Callable[..., tuple[int, str, str]]

PAGE = f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}\n\n# 限制\n\n{ZH_LIMITS}"
OLD = snapshot(pages(PAGE))
NEW = snapshot(pages(PAGE.replace("hundred", "thousand").replace("一百", "兩百")))
SAME = snapshot(pages(PAGE, f"b.md\n{OTHER}"))
HEAD = f'name: core\nunit: passage\nsnapshot: "{OLD.id}"\nslices: [language, kind, language x kind]\n'
ROWS = [
    query("q1", "a.md#limits", language="en", kind="limit"),
    query("q2", "a.md#size", language="en", kind="limit"),
    query("q3", "a.md#限制", language="zh-Hant", kind="limit"),
    query("q4", language="en", answerable=False, kind="none"),
]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path))
    stored(tmp_path, OLD, NEW, SAME)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            judgments.main(list(arguments))
        out, err = capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return suite_file(tmp_path / "suites", ROWS, HEAD).path


def test_migrating_says_what_became_of_everything_and_what_to_do_next(command: Command, suite: Path) -> None:
    status, out, err = command("migrate", str(suite), "--from", OLD.id[:6], "--to", NEW.id, "--by", "wei")
    target = suite.with_name(f"core-{NEW.id[:8]}.yaml")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"core: 4 queries, 3 judgments, {OLD.id} -> {NEW.id}"
    assert [line.split()[:4] for line in lines[1:4]] == [
        ["carried", "1", "in", "1"],
        ["proposed", "2", "in", "2"],
        ["gone", "0", "in", "0"],
    ]
    assert "  2 of 3 scored queries wait for review and are in no mean until then" in lines
    held = [line.split() for line in lines if line.startswith("    ") and " of " in line]
    assert held[:3] == [
        ["language.zh-Hant", "1", "of", "1"],
        ["kind.limit", "2", "of", "3"],
        ["language.en", "1", "of", "2"],
    ]
    assert any(line.startswith("  1 unanswerable query was kept as it is") for line in lines)
    assert "[-hundred-]{+thousand+}" in out
    assert "[-一-]{+兩+}" in out
    assert f"next: python -m runner judgments review {target} snapshot={NEW.id}" in lines
    assert JudgmentRecord.beside(target).entries()[0].by == "wei"


def test_where_nothing_waits_the_next_step_is_freezing(command: Command, suite: Path) -> None:
    status, out, _ = command("migrate", str(suite), "--from", OLD.id, "--to", SAME.id)
    target = suite.with_name(f"core-{SAME.id[:8]}.yaml")
    assert status == 0
    assert out.splitlines()[-1] == f"next: python -m runner judgments freeze {target}"
    assert command("freeze", str(target))[0] == 0


def test_the_second_time_says_that_it_is_there(command: Command, suite: Path) -> None:
    arguments = ("migrate", str(suite), "--from", OLD.id, "--to", NEW.id)
    command(*arguments)
    status, out, _ = command(*arguments)
    assert status == 0
    assert "is there already, from this migration, with 0 answers; left as it is" in out
    record = JudgmentRecord.beside(suite.with_name(f"core-{NEW.id[:8]}.yaml"))
    for entry in record.pending():
        record.append("dropped", query=entry.query, answers=entry.id)
    out = command(*arguments)[1]
    assert "with 2 answers" in out
    assert "next: python -m runner judgments freeze" in out


def test_what_waits_is_reviewed_before_the_next_migration(command: Command, suite: Path) -> None:
    command("migrate", str(suite), "--from", OLD.id, "--to", NEW.id)
    target = suite.with_name(f"core-{NEW.id[:8]}.yaml")
    status, _, err = command("migrate", str(target), "--from", NEW.id, "--to", SAME.id)
    assert (status, "2 judgments wait for review" in err) == (2, True)


def test_check_only_writes_nothing_and_exits_1_where_something_waits(command: Command, suite: Path) -> None:
    assert command("migrate", str(suite), "--from", OLD.id, "--to", NEW.id, "--check")[0] == 1
    assert command("migrate", str(suite), "--from", OLD.id, "--to", SAME.id, "--check")[0] == 0
    assert sorted(path.name for path in suite.parent.iterdir()) == ["core.jsonl", "core.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", NEW.id, "--to", OLD.id), "exchange from= and to=?"),
        (("--from", "0000", "--to", NEW.id), "snapshot '0000' is not in"),
        (("stor=x", "--from", OLD.id, "--to", NEW.id), "unknown setting 'stor'; did you mean 'store'?"),
        (("--from", OLD.id, "--to", NEW.id, "--out", "x.txt"), "expected the name of a YAML head"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    command: Command, suite: Path, arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = command("migrate", str(suite), *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err


def test_suites_are_named_by_file_or_by_conf(command: Command, suite: Path, tmp_path: Path) -> None:
    status, _, err = command("migrate", str(tmp_path / "none.yaml"), "--from", OLD.id, "--to", NEW.id)
    assert (status, "none.yaml: not found; expected the YAML head of a suite" in err) == (2, True)
    status, _, err = command("migrate", "core", "--from", OLD.id, "--to", NEW.id)
    assert status == 2
    assert "core.yaml: is pinned to snapshot" in err
    status, _, err = command("check", "nosuch", "--snapshot", OLD.id)
    assert (status, "suite/nosuch" in err) == (2, True)


def test_a_frozen_suite_is_migrated_to_one_that_is_not_yet(command: Command, suite: Path) -> None:
    command("freeze", str(suite))
    status, out, _ = command("migrate", str(suite), "--from", OLD.id, "--to", SAME.id)
    assert status == 0
    assert "the old suite is frozen, the new one is not yet" in out
    assert "frozen" not in suite.with_name(f"core-{SAME.id[:8]}.yaml").read_text("utf-8")


def test_checking_counts_what_is_there_and_what_is_open(command: Command, suite: Path) -> None:
    status, out, err = command("check", str(suite), "--snapshot", OLD.id)
    assert (status, err) == (0, "")
    assert f"core: fits snapshot {OLD.id}" in out
    assert "4 queries: 3 scored, 1 unanswerable, 0 unjudged or waiting" in out
    assert "3 judged pairs, 3 judgments by 0 named annotators: 3 human" in out
    command("migrate", str(suite), "--from", OLD.id, "--to", NEW.id)
    target = suite.with_name(f"core-{NEW.id[:8]}.yaml")
    JudgmentRecord.beside(target).append("judged", query="q2", new=[{"id": "a.md#size", "grade": 0}], by="lin")
    with JudgmentRecord.beside(target).path.open("a") as file:
        file.write('{"torn')
    status, out, err = command("check", str(target), "--snapshot", NEW.id)
    assert "2 proposed and 0 gone wait for review" in out
    assert "the record holds answers that the file does not; review writes them" in out
    assert err.startswith("warning: ")
    assert status == 0


def test_checking_against_another_snapshot_fails(command: Command, suite: Path) -> None:
    status, _, err = command("check", str(suite), "--snapshot", NEW.id)
    assert status == 2
    assert f"is pinned to snapshot {OLD.id}, this one is {NEW.id}" in err


def test_checking_shows_disputes_sources_and_annotators(command: Command, tmp_path: Path) -> None:
    said = [{"id": "a.md#size", "grade": grade, "annotator": who} for who, grade in (("wei", 0), ("lin", 2))]
    clicked = {"id": "a.md#limits", "grade": 1, "source": "click"}
    suite = suite_file(tmp_path / "suites", [query("q1", *said, clicked)]).path
    _, out, _ = command("check", str(suite), "--snapshot", OLD.id)
    assert "2 judged pairs, 3 judgments by 2 named annotators: 2 human, 1 click" in out
    assert "1 disputed pairs, in no gate until they are adjudicated, in queries: 1 (q1)" in out


def test_freezing_tells_the_revision_and_is_refused_while_something_waits(command: Command, suite: Path) -> None:
    status, out, _ = command("freeze", str(suite), "--by", "wei")
    assert status == 0
    assert "is frozen at revision" in out
    assert "nothing changed" in command("freeze", str(suite))[1]
    command("migrate", str(suite), "--from", OLD.id, "--to", NEW.id)
    status, _, err = command("freeze", str(suite.with_name(f"core-{NEW.id[:8]}.yaml")))
    assert (status, "2 judgments wait for review" in err) == (1, True)


def test_the_command_line_itself(suite: Path, tmp_path: Path) -> None:
    stored(tmp_path, OLD, NEW)
    arguments = ["migrate", "core.yaml", "--from", OLD.id, "--to", NEW.id]
    environment = {**os.environ, "RUNNER_HOME": str(tmp_path), "PYTHONPATH": str(Path(judgments.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-m", "runner.judgments", *arguments],
        cwd=suite.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].endswith(f"review core-{NEW.id[:8]}.yaml snapshot={NEW.id}")


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("10 a minute", "20 a minute", "[-10-]{+20+} a minute"),
        ("每分鐘十次", "每分鐘二十次", "每分鐘{+二+}十次"),
        ("same", "same", "same"),
        ("", "new", "{+new+}"),
        ("two\n\nlines here", "two\n\nlines there", "two lines [-here-]{+there+}"),
        ("a \x1b[31m", "b", "[-a \\u001b[31m-]{+b+}"),
    ],
)
def test_changed_words_on_one_line(old: str, new: str, shown: str) -> None:
    assert changed_words(old, new) == shown


def test_only_a_little_of_what_stayed_is_shown_around_a_change() -> None:
    before, after = "word " * 200, " tail" * 200
    line = changed_words(f"{before}old{after}", f"{before}new{after}")
    assert "[-old-]{+new+}" in line
    assert len(line) < 100
