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
from runner.errors import ConfigError
from runner.files.scratch import owned_folder, scratch_for_arrays

MAKE = """
import sys
from runner.files.scratch import scratch, scratch_folder
with scratch_folder("gate") as folder:
    (folder / "查詢.txt").write_text("額度")
    print(scratch(), flush=True)
    sys.stdin.readline()
"""


@contextmanager
def maker(temporary: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """A process that has made its folder in a temporary directory, and waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
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


SHARE = """
import numpy as np
from runner.engine.parallel import Task, Workers, run_tasks
from runner.files.scratch import scratch, scratch_for_arrays
tasks = [Task(None, np.sum, (np.full(1_000_000, number, "int64"),)) for number in range(3)]
outcomes = [done for _, done in run_tasks(tasks, Workers(2))]
print(sorted(int(done.value) for done in outcomes), [done.error for done in outcomes])
print(scratch())
print(scratch_for_arrays())
"""


@pytest.mark.parametrize("name", ["額度", "é", "long" * 60])
def test_arrays_are_shared_also_where_temporary_folders_have_names_that_joblib_cannot_note(
    tmp_path: Path, name: str
) -> None:
    temporary = tmp_path / name
    temporary.mkdir()
    variables = {**os.environ, "TMPDIR": str(temporary), "JOBLIB_TEMP_FOLDER": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", SHARE],
        env=variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    sums, own, shared = done.stdout.splitlines()
    assert sums == "[0, 1000000, 2000000] [None, None, None]"
    assert Path(own).parent == temporary
    assert Path(shared).parent != temporary
    assert not Path(shared).exists()
    assert list(temporary.iterdir()) == []
    assert done.stderr == ""


def test_where_no_place_can_be_noted_one_line_says_what_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "額度").mkdir()
    monkeypatch.setattr("runner.files.scratch._places_for_arrays", lambda: iter([tmp_path / "額度", tmp_path / "gone"]))
    with pytest.raises(ConfigError, match=r"only ASCII characters, at most 250; name one in .*JOBLIB_TEMP_FOLDER"):
        scratch_for_arrays.__wrapped__()


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
