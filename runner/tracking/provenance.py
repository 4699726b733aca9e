"""What surrounds a run and may explain a difference: code version, libraries, machine."""

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from runner.engine.measurements import where_and_when

DISTRIBUTION = "retrieval-runner"


@cache
def program_version() -> str:
    """The installed version of this program."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@cache
def git_state() -> Mapping[str, str]:
    """Commit and dirtiness of the checkout the code runs from, else of the current folder's; empty outside git.

    Where git will not tell, a folder of somebody else's say, `git_unknown` holds its reason.
    """
    unknown: dict[str, str] = {}
    for folder in (Path(__file__).resolve().parent, Path.cwd()):
        commit, reason = _git(folder, "rev-parse", "HEAD")
        if commit:
            dirty, reason = _git(folder, "status", "--porcelain", "--untracked-files=no")
            if not reason:
                return {"git_commit": commit, "git_dirty": str(bool(dirty)).lower()}
            return {"git_commit": commit, "git_unknown": reason}
        if reason and _is_checkout(folder):
            unknown = unknown or {"git_unknown": reason}
    return unknown


def _is_checkout(folder: Path) -> bool:
    return any((parent / ".git").exists() for parent in (folder, *folder.parents))


def _git(folder: Path, *arguments: str) -> tuple[str, str]:
    """What git prints, and, where it fails, the line that says why."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"git does not run ({type(error).__name__})"
    if done.returncode == 0:
        return done.stdout.strip(), ""
    said = [line for line in done.stderr.splitlines() if line.strip()]
    reason = said[0].removeprefix("fatal: ").replace("'", "") if said else f"git ended with {done.returncode}"
    if "dubious ownership" in reason:
        reason += f"; git config --global --add safe.directory {folder}"
    return "", reason


@cache
def environment() -> str:
    """Machine, Python and every installed distribution, as text."""
    facts = where_and_when()
    head = [f"# python {platform.python_version()} on {platform.platform()}, {facts['cpu']}"]
    installed = {
        f"{each.metadata['Name']}=={each.version}"
        for each in importlib.metadata.distributions()
        if each.metadata["Name"]
    }
    return "\n".join([*head, *sorted(installed, key=str.lower)]) + "\n"
