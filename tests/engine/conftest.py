"""A small world of documents and questions, English and Chinese, in which sweeps are run."""

import sys
from pathlib import Path

import pytest

# Workers import the doubles by name, so their folder has to be where Python looks.
sys.path.insert(0, str(Path(__file__).parent / "support"))

from engine_world import World  # noqa: E402


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with an empty store."""
    return World(tmp_path)
