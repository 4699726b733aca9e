"""A small world of documents and questions, English and Chinese, in which sweeps are run."""

from pathlib import Path

import pytest
from engine_world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with an empty store."""
    return World(tmp_path)


@pytest.fixture(scope="session")
def prepared_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MLflow store with its tables made, which takes seconds: copied for each world that logs."""
    from runner.tracking.mlflow_store import open_client

    path = tmp_path_factory.mktemp("prepared") / "mlflow.db"
    open_client(f"sqlite:///{path}")
    return path


@pytest.fixture
def tracked(world: World, prepared_store: Path) -> World:
    """A world that can log its runs."""
    world.prepare(prepared_store)
    return world
