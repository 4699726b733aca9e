"""One front door: every command by its name, however it is called, and what the program says of itself."""

import shlex
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version

import pytest

from runner.__main__ import main
from runner.cli.arguments import taken
from runner.cli.commands import ALIASES, COMMANDS, GROUPS
from runner.cli.front_door import enter
from runner.cli.loading import command as named_command
from runner.cli.loading import command_table
from runner.cli.parsing import parse

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    """Call the program with words; its status, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["runner"])
        with pytest.raises(SystemExit) as stop:
            main(words)
        said = capfd.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


def test_help_lists_every_command_on_one_line(say: Said) -> None:
    status, out, err = say("--help")
    assert (status, err) == (0, "")
    for name, entry in COMMANDS.items():
        assert sum(line.startswith(f"  {name} ") and line.endswith(entry.about) for line in out.splitlines()) == 1, name
    assert "retriever=" in out and "bm25, hidden, hybrid" in out
    assert "-m retriever=bm25,hybrid,reranked k=1,3,5,10" in out


def test_the_version_is_the_programs_own(say: Said) -> None:
    assert say("--version") == (0, f"retrieval-runner {version('retrieval-runner')}\n", "")


@pytest.mark.parametrize("name", [*COMMANDS, *ALIASES])
def test_a_command_is_the_same_by_its_name_and_as_a_module(
    name: str, say: Said, capfd: pytest.CaptureFixture[str]
) -> None:
    by_name = say(*name.split(), "--help")
    with pytest.raises(SystemExit) as stop:
        import_module(f"runner.{name.split()[0]}").main([*name.split()[1:], "--help"])
    assert (stop.value.code, capfd.readouterr().out) == (0, by_name[1])


@pytest.mark.parametrize("name", COMMANDS)
def test_each_help_has_what_a_person_needs(name: str, say: Said) -> None:
    command = named_command(name)
    status, out, err = say(*command.name.split(), "--help")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"usage: python -m runner {command.name} ")
    assert lines[2] == command.about
    assert lines[-1].startswith("exit status: 0 ")
    assert "--" not in out.replace("--help", "")
    for each in taken(command.arguments):
        shown = each.metavar if each.role == "word" else each.help.partition(": ")[0] if each.role == "others" else ""
        assert f"  {shown or f'{each.name}={each.placeholder}'}" in out
        assert each.help
    example = lines[lines.index("example") + 1].split("python -m runner ")[1]
    assert example.startswith(command.name)


def test_each_example_can_be_read() -> None:
    for command in command_table():
        parse(command.arguments, shlex.split(command.example))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("comapre", "A", "B"), "unknown command 'comapre'; did you mean 'compare'?"),
        (("retriver",), "unknown command 'retriver'; python -m runner --help lists them all"),
        (("judgments", "reveiw"), "judgments has no command 'reveiw'; did you mean 'review'?"),
        (("compare", "A", "B", "mteric=ndcg"), "unknown setting 'mteric'; did you mean 'metric'?"),
        (("compare", "A", "B", "--mteric", "ndcg"), "unknown option '--mteric'; did you mean 'metric'?"),
        (("compare", "A", "metric=ndgc"), "unknown metric 'ndgc'; did you mean 'ndcg'?"),
        (("gate",), "RUN_ID is missing"),
        (("judgments", "migrate", "core", "from=a"), "to=NEW is missing: the snapshot to judge from now on"),
    ],
)
def test_a_wrong_word_is_one_line_with_the_nearest(words: tuple[str, ...], told: str, say: Said) -> None:
    status, out, err = say(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ") and told in err


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_alone_lists_its_commands(group: str, say: Said) -> None:
    status, out, err = say(group)
    assert (status, out) == (2, "")
    assert say(group, "--help") == (0, err, "")
    assert all(entry.about in err for name, entry in COMMANDS.items() if name.startswith(f"{group} "))


def test_settings_alone_are_a_run_and_the_word_sweep_is_m() -> None:
    assert enter(["retriever=bm25", "k=1"]) == ["retriever=bm25", "k=1"]
    assert enter(["run", "retriever=bm25"]) == ["retriever=bm25"]
    assert enter(["sweep", "k=1,3"]) == ["-m", "k=1,3"] == enter(["-m", "k=1,3"])
    assert enter([]) == []
