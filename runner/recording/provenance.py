"""What surrounds a run and may explain a difference: code version, libraries, machine."""

import importlib.metadata
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from runner.engine.measured import where_and_when

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
    """Commit and dirtiness of the checkout the code runs from, else of the current folder's; empty outside git."""
    for folder in (Path(__file__).resolve().parent, Path.cwd()):
        commit = _git(folder, "rev-parse", "HEAD")
        if commit:
            dirty = _git(folder, "status", "--porcelain", "--untracked-files=no")
            return {"git_commit": commit, "git_dirty": str(bool(dirty)).lower()}
    return {}


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


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
