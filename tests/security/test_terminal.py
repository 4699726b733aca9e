"""What came from pages, users and stored runs does not steer the terminal, and Chinese stands as it was written."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from decide_office import Desk, Office, without_chinese, write_policy
from decide_scores import rule
from tqdm import tqdm

from runner.cli import accept, compare, gate, snapshot
from runner.cli.entry import leave
from runner.errors import ConfigError
from runner.rendering.console import console, guarded_output
from runner.rendering.markdown import code, escape
from runner.rendering.visible import visible

# Clears the screen, sets the title, rings, returns, runs backwards, and hides.
HARM = "a\x1b[2J\x1b]0;owned\x07b\rc\x9b1md\u202ee\u2066f\u200bg\x00"


def is_tame(text: str) -> bool:
    return all(each == "\n" or each.isprintable() for each in text)


def test_controls_and_directions_are_made_visible_and_scripts_are_not() -> None:
    assert visible("\x1b\x9b\u202e\u2069\r\ud800\u2028") == r"\u001b\u009b\u202e\u2069\u000d\ud800\u2028"
    for text in ("帳單：每個月\t第一天\n寄出。「額度」", "naïve – “quoted” 🙂", "می‌خواهم"):
        assert visible(text) == text


def test_everything_that_a_command_prints_is_tame(capsys: pytest.CaptureFixture[str]) -> None:
    def action() -> int:
        print(HARM, "帳單")
        print(HARM, file=sys.stderr)
        raise ConfigError(f"題庫/{HARM}.yaml: not there")

    with pytest.raises(SystemExit):
        leave(action)
    shown = capsys.readouterr()
    assert is_tame(shown.out + shown.err)
    assert "帳單" in shown.out
    assert "error: 題庫/a" in shown.err


def test_a_table_is_tame_and_as_wide_as_what_is_shown() -> None:
    from rich.table import Table
    from rich.text import Text

    stream = io.StringIO()
    terminal = console(stream, width=200)
    table = Table(HARM, "數")
    table.add_row(HARM, "1")
    table.add_row(Text(HARM), "帳單")
    terminal.print(table)
    terminal.print(HARM)
    text = stream.getvalue()
    assert is_tame(text)
    assert text.count("\\u001b[2J") == 4
    lines = [
        line for line in text.splitlines() if line.startswith(("│", "┃")) and "帳單" not in line and "數" not in line
    ]
    assert len(lines) == 1


def test_colours_and_bars_of_the_program_itself_pass() -> None:
    stream = io.StringIO()
    console(stream, force_terminal=True, color_system="standard").print("bold", style="bold")
    assert stream.getvalue() == "\x1b[1mbold\x1b[0m\n"
    bar = io.StringIO()
    before, sys.stderr = sys.stderr, bar
    try:
        with guarded_output():
            for _ in tqdm(range(3), desc=f"行 {HARM}", ncols=60, mininterval=0, position=1):
                pass
    finally:
        sys.stderr = before
    assert bar.getvalue().startswith("\n\r行 a\\u001b[2J")
    assert "\x1b[2J" not in bar.getvalue()
    assert "\x1b[A" in bar.getvalue()


def test_markdown_holds_no_controls() -> None:
    assert is_tame(escape(HARM) + code(HARM))
    assert escape("帳單") == "帳單"


def test_slices_reasons_and_reports_are_tame(office: Office, desk: Desk, tmp_path: Path) -> None:
    from dataclasses import replace

    office.asked = tuple(
        replace(each, fields={**each.fields, "topic": f"{each.fields['topic']} \x1b[2J\u202e"}) for each in office.asked
    )
    first, second = office.log(), office.log(without_chinese())
    named = write_policy(tmp_path, rule(HARM, min=0.1), rule("b", min=0.1, slice="topic.removed \x1b[2J\u202e"))
    said = [
        desk(accept.main, first, office.place, "--why", HARM),
        desk(accept.main, first, office.place, "--list"),
        desk(compare.main, first, second, office.place, "--out", str(tmp_path / "compare")),
        desk(gate.main, second, named, office.place),
        desk(gate.main, second, write_policy(tmp_path, rule(min=0.1, slice=f"topic.{HARM}")), office.place),
    ]
    office.go(without_chinese(), sweep=True)
    for done in said:
        assert is_tame(done.out + done.err), done
    assert any("\\u001b[2J" in done.out for done in said)
    reports = [path for path in office.store.rglob("*") if path.suffix in (".md", ".txt", ".xml", ".html")]
    assert {path.suffix for path in reports} >= {".md", ".txt", ".xml"}
    for path in (*reports, *tmp_path.rglob("*.md")):
        assert "\x1b" not in path.read_text("utf-8"), path


def test_a_shown_snapshot_is_tame(desk: Desk, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path / "home"))
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "帳單.md").write_text("# 帳單\x1b[2J\n\n每個月\u202e寄出\x9b。\n", "utf-8")
    built = desk(snapshot.main, "build", "corpus=pages", f"corpus.path={pages}", "chunker=document", "--name", "one")
    assert built.status == 0, built.err
    shown = desk(snapshot.main, "show", "one", "帳單.md")
    assert shown.status == 0, shown.err
    assert is_tame(shown.out)
    assert "帳單" in shown.out
