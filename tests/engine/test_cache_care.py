"""How large a cache is, whether it is whole, and what is pruned from it, also beside a sweep that uses it."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import Index
from runner.cli import cache as cache_command
from runner.engine.cache import Cache, text_key
from runner.engine.cache_care import Portion, chosen_to_go, damages, portions, prune
from runner.engine.index_store import IndexStore
from runner.errors import ConfigError, RunnerError
from runner.rendering.byte_size import byte_size, read_byte_size

KEYS = [text_key(str(number)) for number in range(10)]
TODAY = datetime.now(UTC).date()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache with two spaces, the second of which has an index."""
    folder = tmp_path / "cache"
    with Cache(folder) as cache:
        cache.put("v", "vectors", {"target": "a.WordLlama"}, [(key, b"x" * 84) for key in KEYS])
        cache.put("r", "rankings", {"retriever": {"target": "retrievers.bm25.BM25"}}, [(KEYS[0], b"y" * 984)])
    IndexStore(folder / "indexes").save("r", Index({"a": np.arange(1000)}, {"m": 1}))
    return folder


def age(folder: Path, space: str, days: int) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as store, store:
        day = (TODAY - timedelta(days=days)).isoformat()
        store.execute(
            "UPDATE last_use SET day = ? WHERE space = (SELECT number FROM space WHERE name = ?)", (day, space)
        )


def test_every_part_is_told_with_its_size_its_owner_and_the_day_of_its_last_use(folder: Path) -> None:
    told = {(each.kind, each.name): (each.count, each.used) for each in portions(folder)}
    assert told == {
        ("index", "BM25"): (1, TODAY),
        ("vectors", "WordLlama"): (10, TODAY),
        ("rankings", "BM25"): (1, TODAY),
    }
    assert {each.kind: each.bytes for each in portions(folder)}["vectors"] == 10 * (84 + 16)
    assert portions(folder / "nothing") == []


def test_reading_notes_the_day_again_and_a_cache_from_before_it_was_noted_gets_it(folder: Path) -> None:
    age(folder, "v", 40)
    age(folder, "r", 40)
    with Cache(folder) as cache:
        assert cache.get("v", KEYS[:1])
    used = {each.kind: each.used for each in portions(folder)}
    assert (used["vectors"], used["rankings"]) == (TODAY, TODAY - timedelta(days=40))
    with closing(sqlite3.connect(folder / "cache.db")) as store:
        store.execute("DROP TABLE last_use")
    assert {each.used for each in portions(folder) if each.kind != "index"} == {None}
    with Cache(folder) as cache:
        assert cache.get("v", KEYS[:1])
    assert {each.kind: each.used for each in portions(folder)}["vectors"] == TODAY


def test_a_whole_cache_has_no_damage_and_each_damage_is_named(folder: Path) -> None:
    assert list(damages(folder)) == []
    with closing(sqlite3.connect(folder / "cache.db")) as store, store:
        store.execute("UPDATE record SET value = ? WHERE key = ?", (b"z" * 84, KEYS[3]))
        store.execute("UPDATE space SET identity = '{}' WHERE name = 'r'")
    array = folder / "indexes/r/a.npy"
    array.write_bytes(array.read_bytes()[:-1] + b"\1")
    found = "\n".join(damages(folder))
    assert found.count("\n") == 2
    assert "indexes/r: a.npy is not what was stored" in found
    assert "record 4 of space v is not what was stored" in found
    assert "space 2 (r) holds is not what was stored" in found


def test_a_file_that_is_no_cache_is_damage_and_stays_where_it_is(folder: Path) -> None:
    file = folder / "cache.db"
    file.write_bytes(b"no database at all" * 100)
    assert "file is not a database" in "\n".join(damages(folder))
    assert file.read_bytes().startswith(b"no database")


def part(name: str, size: int, days: int | None) -> Portion:
    return Portion("vectors", name, 1, size, None if days is None else TODAY - timedelta(days=days))


def test_what_is_older_goes_and_then_the_longest_unused_until_little_enough_stays() -> None:
    every = [part("new", 500, 0), part("old", 300, 20), part("older", 100, 40), part("unknown", 50, None)]
    names = lambda going: [each.name for each in going]  # noqa: E731
    assert names(chosen_to_go(every, None, 30)) == ["older"]
    assert names(chosen_to_go(every, None, 20)) == ["older"]
    assert names(chosen_to_go(every, 820, None)) == ["unknown", "older"]
    assert names(chosen_to_go(every, 900, 30)) == ["older"]
    assert names(chosen_to_go(every, 0, None)) == ["unknown", "older", "old", "new"]
    assert chosen_to_go(every, 950, 99) == []


def test_what_is_pruned_is_missing_afterwards_and_nothing_else_is(folder: Path) -> None:
    with Cache(folder) as cache:
        cache.put("big", "vectors", {}, [(key, os.urandom(100_000)) for key in KEYS])
    size = (folder / "cache.db").stat().st_size
    prune(folder, [each for each in portions(folder) if each.kind == "index" or each.bytes > 100_000])
    assert sorted(each.kind for each in portions(folder)) == ["rankings", "vectors"]
    assert (folder / "cache.db").stat().st_size < size / 5
    with Cache(folder) as cache:
        assert not cache.get("big", KEYS)
        assert len(cache.get("v", KEYS)) == 10
        cache.put("big", "vectors", {}, [(KEYS[0], b"again")])
        assert cache.get("big", KEYS) == {KEYS[0]: b"again"}
    assert list(damages(folder)) == []


def test_nothing_is_pruned_while_a_sweep_has_the_cache_open(folder: Path) -> None:
    with Cache(folder) as cache:
        assert cache.get("v", KEYS[:1])
        with pytest.raises(ConfigError, match=r"a sweep has .*cache\.db open; prune when it is done"):
            prune(folder, portions(folder))
    prune(folder, portions(folder))
    assert portions(folder) == []


def test_a_sweep_that_was_killed_holds_nothing(folder: Path) -> None:
    killed = (
        "import os, sys; from pathlib import Path; from runner.engine.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1])); cache.get('v', [b'x']); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", killed, str(folder)]).returncode == 9
    assert list(folder.glob("*.in-use"))
    prune(folder, portions(folder))
    assert not list(folder.glob("*.in-use"))


def test_a_cache_that_cannot_be_written_is_sized_and_verified_and_not_pruned(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever is root may write everywhere, so the answer to the question is what is changed.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with closing(sqlite3.connect(folder / "cache.db")) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = sorted(path.name for path in folder.iterdir())
    assert len(portions(folder)) == 3 and list(damages(folder)) == []
    assert sorted(path.name for path in folder.iterdir()) == before
    with Cache(folder) as cache:
        assert len(cache.get("v", KEYS)) == 10
    monkeypatch.undo()
    (folder / "cache.db").unlink()
    (folder / "cache.db").mkdir()
    with pytest.raises(RunnerError, match="cannot be pruned"):
        prune(folder, [Portion("vectors", "v", 1, 1, date.min, space=1)])


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 B"), (812, "812 B"), (1200, "1.2 KB"), (999_960, "1.0 MB"), (3_400_000_000, "3.4 GB")]
)
def test_sizes_are_written_and_read_as_people_do(number: int, text: str) -> None:
    assert byte_size(number) == text
    assert read_byte_size("10GB") == read_byte_size("10 gb") == read_byte_size("10g") == 10_000_000_000
    assert (read_byte_size("1.5MB"), read_byte_size("0"), read_byte_size("7b")) == (1_500_000, 0, 7)
    assert read_byte_size("ten") is read_byte_size("-1") is read_byte_size("") is None


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        cache_command.main(words)
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def test_the_commands_tell_what_they_find_and_what_they_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = f"store={folder.parent}"
    status, out, err = told(capsys, "size", place)
    assert (status, err) == (0, "") and f"{folder}: " in out and "in 3 parts" in out
    assert f"10 records  last used {TODAY}  WordLlama" in out
    assert told(capsys, "verify", place)[:2] == (0, f"{folder}: 12 records in 3 parts, all as they were stored\n")
    dry = told(capsys, "prune", place, "keep=0", "dry_run=true")
    assert dry[0] == 0 and "in 3 parts would be pruned, 0 B stay" in dry[1]
    assert len(portions(folder)) == 3
    assert "in 3 parts pruned, 0 B stay" in told(capsys, "prune", place, "keep=0", "older=30d")[1]
    assert portions(folder) == []
    for words, message in (
        ((), "say what to prune: keep=10GB, older=30d, or both"),
        (("keep=much",), "keep: expected a size like 10GB or 500MB, found 'much'"),
        (("older=1y",), "older: expected a number of days like 30d, found '1y'"),
    ):
        assert told(capsys, "prune", place, *words) == (2, "", f"error: {message}\n")


def test_verify_ends_with_status_1_where_something_is_damaged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as store, store:
        store.execute("UPDATE record SET value = ?", (b"z",))
    status, out, err = told(capsys, "verify", f"store={folder.parent}")
    assert (status, out.count("is not what was stored")) == (1, 11)
    assert err == f"error: {folder}: 11 damaged; a sweep computes again what it needs of that\n"
