"""A store of real runs that tests move, damage, fill up or close."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from store_world import StoreWorld


@pytest.fixture(scope="session")
def empty_mlflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MLflow store with its tables made, which takes seconds."""
    from runner.tracking.mlflow_store import open_client

    path = tmp_path_factory.mktemp("prepared") / "mlflow.db"
    open_client(f"sqlite:///{path}")
    return path


@pytest.fixture
def new_world(tmp_path: Path, empty_mlflow: Path) -> Callable[[Path], StoreWorld]:
    """Make a world whose store, at that path, holds no run yet."""

    def made(store: Path) -> StoreWorld:
        store.mkdir(parents=True)
        shutil.copy(empty_mlflow, store / "mlflow.db")
        return StoreWorld.lay_out(tmp_path, store)

    return made


@pytest.fixture
def world(new_world: Callable[[Path], StoreWorld], tmp_path: Path) -> StoreWorld:
    return new_world(tmp_path / "home/mlruns")
