"""The tab key: what could follow a line, and in a real bash what it makes of that."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner.cli.commands import COMMANDS, GROUPS
from runner.cli.completion import completions, main


def after(words: str) -> list[str]:
    return completions(f"retrieval-runner {words}")


def test_the_first_word_is_a_command_a_group_or_what_a_run_takes() -> None:
    found = after("")
    assert {*GROUPS, *(name for name in COMMANDS if " " not in name)} < set(found)
    assert {"run", "sweep", "lineage", "retriever=", "suite="} < set(found)
    assert after("com") == ["compare", "completion"]
    assert completions("python -m runner com") == ["compare", "completion"]
    assert after("judgments re") == ["review"]


def test_a_command_is_completed_with_its_settings_and_their_choices() -> None:
    assert after("compare 12 me") == ["metric="]
    assert after("compare 12 metric=nd") == ["metric=ndcg"]
    assert after("judgments review core only=d") == ["only=disputed"]
    assert after("judgments review core blind=") == ["blind=true", "blind=false"]
    assert after("trend unit=") == ["unit=document", "unit=passage", "unit=span"]
    assert after("judgments check co") == ["core-2026-03", "core"]
    assert after("snapshot diff a b suite=core,fr") == ["suite=core,fresh"]
    assert after("gate gate=re") == ["gate=release"]


def test_a_run_and_a_sweep_are_completed_from_conf() -> None:
    assert after("-m retriever=hy") == ["retriever=hybrid"]
    assert after("sweep k=1 retriever=bm25,hy") == ["retriever=bm25,hybrid"]
    assert after("retriever=bm25 retriever.k") == ["retriever.k1="]
    assert after("-m retriever=hybrid retriever.fusion.") == [
        "retriever.fusion._target_=",
        "retriever.fusion.k=",
        "retriever.fusion.weights=",
    ]
    assert after("nothing=at all") == []
    assert after("retriever=nothing retriever.k") == []


def test_an_open_quote_and_chinese_are_no_trouble() -> None:
    assert after("accept 12 why='第一 ") == []
    assert after('compare "12" met') == ["metric="]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([shell])
    script = capsys.readouterr().out
    assert (stop.value.code, f"completion {shell}" in script) == (0, True)
    if found := shutil.which(shell):
        assert subprocess.run([found, "-n"], input=script.encode()).returncode == 0


BASH = """\
retrieval-runner() {{ {python} -m runner "$@"; }}
eval "$(retrieval-runner completion bash)"
COMP_LINE={line} COMP_POINT={point} COMP_WORDBREAKS=$' \\t\\n"><=;|&(:'
_retrieval_runner
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("retrieval-runner cho", ["choose"]),
        ("retrieval-runner compare met", ["metric="]),
        # What bash replaces begins after the last `=`.
        ("retrieval-runner -m retriever=bm25,hy", ["bm25,hybrid"]),
        ("retrieval-runner accept store={store} 4", ["4" * 32]),
        ("retrieval-runner gate 12 store={store} baseline=4", ["4" * 32]),
    ],
)
def test_bash_offers_what_could_follow(line: str, replies: list[str], tmp_path: Path) -> None:
    line = line.format(store=_store(tmp_path))
    script = BASH.format(python=shlex.quote(sys.executable), line=shlex.quote(line), point=len(line))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout.splitlines(), done.returncode) == (replies, 0), done.stderr


def _store(folder: Path) -> Path:
    """A store with three runs, only one of which is a finished one that begins with 4."""
    from runner.tracking.mlflow_store import open_client, sqlite_uri

    client = open_client(sqlite_uri(folder / "mlflow.db"), 1)
    experiment = client.create_experiment("e")
    rows = []
    for number, status in (("4", "FINISHED"), ("5", "FINISHED"), ("4e", "FAILED")):
        run = client.create_run(experiment).info.run_id
        rows.append(((number * 32)[:32], status, run))
    import sqlite3

    with sqlite3.connect(folder / "mlflow.db") as store:
        store.execute("PRAGMA foreign_keys = OFF")
        store.executemany("UPDATE runs SET run_uuid = ?, status = ? WHERE run_uuid = ?", rows)
    return folder
