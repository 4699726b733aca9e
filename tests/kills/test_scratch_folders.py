"""Folders for what is not kept, of processes that end as they should, are killed, or are still at work."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import Index
from runner.engine.index_store import IndexStore
from runner.scratch import owned_folder

MAKE = """
import sys
from runner.scratch import scratch, scratch_folder
with scratch_folder("gate") as folder:
    (folder / "查詢.txt").write_text("額度")
    print(scratch(), flush=True)
    sys.stdin.readline()
"""


@contextmanager
def maker(temporary: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """A process that has made its folder in a temporary directory, and waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE], env={**os.environ, "TMPDIR": str(temporary)}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


def test_a_folder_goes_with_its_process(tmp_path: Path) -> None:
    with maker(tmp_path) as (process, folder):
        assert list(folder.glob("gate-*/查詢.txt"))
        process.communicate("\n")
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_process_goes_when_the_next_one_starts(tmp_path: Path) -> None:
    with maker(tmp_path) as (process, folder):
        process.kill()
        process.wait()
    assert folder.exists()
    with maker(tmp_path) as (_, other):
        assert not folder.exists()
        assert other.exists()


def test_the_folder_of_a_process_at_work_stays(tmp_path: Path) -> None:
    with maker(tmp_path) as (_, folder), maker(tmp_path) as (_, other):
        assert list(folder.glob("gate-*/查詢.txt"))
        assert {folder, other} == set(tmp_path.iterdir())


def test_what_somebody_else_keeps_there_stays(tmp_path: Path) -> None:
    """Folders of the same prefix without a lock may be in the making; a link may lead anywhere."""
    old, young, target = tmp_path / ".making-old", tmp_path / ".making-young", tmp_path / "target"
    for folder in (old, young, target):
        folder.mkdir()
    (target / ".owner").touch()
    (tmp_path / ".making-link").symlink_to(target)
    long_ago = time.time() - 7200
    os.utime(old, (long_ago, long_ago))
    with owned_folder(tmp_path, ".making-"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {".making-young", ".making-link", "target"}
    assert (target / ".owner").exists()


@pytest.mark.parametrize("times", [1, 2])
def test_an_index_is_stored_whole_and_nothing_else(tmp_path: Path, times: int) -> None:
    store = IndexStore(tmp_path / "indexes")
    for number in range(times):
        store.save("key", Index({"rows": np.arange(number + 1)}, {}))
    assert [path.name for path in (tmp_path / "indexes").iterdir()] == ["key"]
    assert sorted(path.name for path in (tmp_path / "indexes/key").iterdir()) == ["index.json", "rows.npy"]
    found = store.load("key")
    assert found is not None
    assert len(found.arrays["rows"]) == times
