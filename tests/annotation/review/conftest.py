"""A small suite in two languages, on pages that changed once."""

from pathlib import Path

import pytest
from review_world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path / "home"))
    return World(tmp_path)
