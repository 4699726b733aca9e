"""A user without a home folder and without an entry among the users, as containers have them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner.engine.run_name import run_name
from runner.tracking.provenance import git_state

# A user of a namespace of its own, who is still allowed what this one is.
SOMEBODY = ("unshare", "--user", "--map-user=12345", "--map-group=12345")


def can_be_somebody() -> bool:
    return bool(shutil.which("unshare")) and subprocess.run([*SOMEBODY, "true"], capture_output=True).returncode == 0


def as_somebody(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
    return subprocess.run(
        [*SOMEBODY, sys.executable, "-m", "runner", *arguments],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(not can_be_somebody(), reason="no user namespaces here")
def test_a_sweep_runs_for_a_user_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    done = as_somebody(
        "-m",
        "retriever=bm25",
        "k=1,3",
        "hydra.launcher.n_jobs=2",
        RUNNER_HOME=str(tmp_path / "額度"),
        TMPDIR=str(tmp_path / "tmp"),
        JOBLIB_TEMP_FOLDER=str(tmp_path / "tmp"),
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert run_name("bm25", 3) in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.skipif(not can_be_somebody(), reason="no user namespaces here")
def test_runs_are_not_kept_in_the_home_of_a_user_without_one() -> None:
    done = as_somebody("retriever=bm25", "k=3", RUNNER_HOME="~/runs")
    assert done.returncode == 2, done.stderr
    assert "this user has no home folder; name an absolute one" in done.stderr
    assert "Traceback" not in done.stderr


def test_why_the_state_of_a_checkout_is_unknown_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    if not git_state():
        pytest.skip("not run from a checkout")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    found = git_state.__wrapped__()
    assert "git_commit" not in found
    assert "dubious ownership" in found["git_unknown"]
    assert "safe.directory" in found["git_unknown"]
    monkeypatch.setenv("PATH", "")
    assert git_state.__wrapped__() == {"git_unknown": "git does not run (FileNotFoundError)"}
