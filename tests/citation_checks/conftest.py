"""A handbook that was stored three times, answers about it, and the command that checks them."""

from pathlib import Path

import pytest
from citation_archive import Archive, Counter


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """The three snapshots; no test changes them."""
    return Archive.make(tmp_path_factory.mktemp("archive"))


@pytest.fixture
def counter(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Counter:
    """Runs the command on records of a test's own; all tests share one MLflow store, since making it takes long."""
    monkeypatch.setenv("RUNNER_HOME", str(archive.home))
    return Counter(archive, tmp_path, capsys)
