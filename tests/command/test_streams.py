"""Commands work with whatever streams a shell, a service manager or a locale gives them."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PRINT = "from runner.rendering.console import guarded_output\nwith guarded_output(): print('題庫 ok')"


def shell(command: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"RUNNER_HOME": str(home)} | variables
    return subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("closed", [">&-", "<&-", ">&- <&-", "2>&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_fault(closed: str, tmp_path: Path) -> None:
    done = shell(f"{shlex.quote(sys.executable)} -m runner.snapshot list {closed}", tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""


def test_what_is_opened_next_is_not_the_standard_output(tmp_path: Path) -> None:
    opened = f"{PRINT}\nprint(open({str(tmp_path / 'new')!r}, 'w').fileno() > 2, file=__import__('sys').stderr)"
    done = shell(f"{shlex.quote(sys.executable)} -c {shlex.quote(opened)} >&- <&-", tmp_path)
    assert done.stderr == "True\n"


def test_an_encoding_without_a_character_shows_its_code(tmp_path: Path) -> None:
    done = shell(f"{shlex.quote(sys.executable)} -c {shlex.quote(PRINT)}", tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout, done.stderr) == (0, "\\u984c\\u5eab ok\n", "")
