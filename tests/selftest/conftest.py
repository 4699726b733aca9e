"""A small library that is drilled, with the doubles of the engine's tests and the desk of the commands'."""

import shutil
from pathlib import Path

import pytest
from decide_office import Desk
from drill_library import Library


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Judged by passage."""
    return Library(tmp_path / "library")


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    """Runs commands."""
    return Desk(capsys)


@pytest.fixture(scope="session")
def empty_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MLflow store with its tables made, which takes seconds."""
    from runner.tracking.mlflow_store import open_client

    path = tmp_path_factory.mktemp("runs") / "mlflow.db"
    open_client(f"sqlite:///{path}")
    return path


@pytest.fixture
def store(tmp_path: Path, empty_runs: Path) -> Path:
    """A store that holds no run yet."""
    folder = tmp_path / "store"
    folder.mkdir()
    shutil.copy(empty_runs, folder / "mlflow.db")
    return folder
