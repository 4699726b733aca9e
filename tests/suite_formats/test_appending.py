"""What is added to a file that only grows is there whole, or not at all."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.files.atomic import append_whole
from runner.snapshots.catalog import Catalog, Made, utc

WRITE = os.write


def disk(room: int, at_a_time: int) -> Callable[[int, bytes], int]:
    left = [room]

    def write(file: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = bytes(data)[: min(left[0], at_a_time)]
        left[0] -= len(part)
        return WRITE(file, part)

    return write


@pytest.mark.parametrize("at_a_time", [1, 3, 100])
def test_a_disk_that_takes_little_at_a_time_gets_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_a_time: int
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"before\n")
    monkeypatch.setattr(os, "write", disk(1000, at_a_time))
    with path.open("ab") as file:
        append_whole(file.fileno(), "一二三\n".encode())
    assert path.read_text("utf-8") == "before\n一二三\n"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"before\n")
    monkeypatch.setattr(os, "write", disk(5, 2))
    with path.open("ab") as file, pytest.raises(OSError, match="No space left"):
        append_whole(file.fileno(), b"0123456789")
    assert path.read_bytes() == b"before\n"


def test_what_another_writer_added_behind_is_not_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"")

    def write(file: int, data: bytes) -> int:
        WRITE(file, b"theirs\n")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    with path.open("ab") as file, pytest.raises(OSError, match="No space left"):
        append_whole(file.fileno(), b"ours\n")
    assert path.read_bytes() == b"theirs\n"


def test_a_catalog_that_cannot_be_written_says_so_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "catalog.jsonl"
    Catalog.read(path).add(Made("0123456789abcdef", "demo", None, utc()))
    before = path.read_bytes()
    monkeypatch.setattr(os, "write", disk(20, 7))
    with pytest.raises(InputError, match=r"catalog\.jsonl: cannot be written \(No space left on device\)"):
        Catalog.read(path).add(Made("0123456789abcdef", "other", None, utc()))
    assert path.read_bytes() == before
    monkeypatch.setattr(os, "write", disk(1000, 7))
    Catalog.read(path).add(Made("0123456789abcdef", "other", None, utc()))
    assert [event.collection for event in Catalog.read(path).events] == ["demo", "other"]
