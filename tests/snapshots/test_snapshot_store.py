"""Snapshots on disk."""

import hashlib
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.chunkers import Heading, WholeDocument
from runner.documents import Document
from runner.errors import InputError
from runner.snapshots import Snapshot, SnapshotStore

PAGES = (
    Document("a.md", "A", "# A\n\nline\u2028separator and \x1f", {"list": ["x", {"y": None}], "n": 1.5}),
    Document("說明.md", "說明", "# 說明\n\n👩\u200d👧 十", {}),
)


@pytest.fixture
def snapshot() -> Snapshot:
    return Snapshot.build(PAGES, Heading())


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "snapshots")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_loaded_is_what_was_saved(store: SnapshotStore, snapshot: Snapshot) -> None:
    folder = store.save(snapshot)
    assert sorted(contents(folder)) == ["documents.jsonl", "documents.tsv", "passages.jsonl", "snapshot.json"]
    assert store.load(snapshot.id) == snapshot
    assert store.exists(snapshot.id)
    assert store.ids() == (snapshot.id,)


def test_the_hash_of_all_documents_is_the_hash_of_the_stored_table(store: SnapshotStore, snapshot: Snapshot) -> None:
    table = (store.save(snapshot) / "documents.tsv").read_bytes()
    assert table.decode().splitlines() == [f"{each.id}\t{each.sha256}" for each in snapshot.documents]
    assert hashlib.sha256(table).hexdigest() == snapshot.documents_sha256


def test_the_head_tells_counts_fields_and_settings(store: SnapshotStore, snapshot: Snapshot) -> None:
    head = json.loads((store.save(snapshot) / "snapshot.json").read_text(encoding="utf-8"))
    assert (head["id"], head["documents"], head["passages"]) == (snapshot.id, 2, 2)
    assert head["fields"] == ["list", "n"]
    assert head["settings"]["normalization"]["unicode"] == "NFC"
    assert head["settings"]["chunker"]["name"] == "runner.chunkers.heading.Heading"
    assert head["settings"]["chunker"]["size"] == 1200
    assert set(head["settings"]["chunker"]["libraries"]) == {"markdown-it-py", "semantic-text-splitter"}


def test_saving_again_changes_nothing(store: SnapshotStore, snapshot: Snapshot) -> None:
    folder = store.save(snapshot)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    store.save(snapshot)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_many_writers_at_once_leave_one_good_snapshot(store: SnapshotStore, snapshot: Snapshot) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(store.save, [snapshot] * 32))
    assert {path.name for path in store.root.iterdir()} == {snapshot.id, "catalog.jsonl"}
    assert store.load(snapshot.id) == snapshot


def test_a_writer_that_comes_second_leaves_the_first_ones_files(
    store: SnapshotStore, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(store.save(snapshot))
    really, answers = SnapshotStore.exists, iter([False])
    monkeypatch.setattr(SnapshotStore, "exists", lambda self, id_: next(answers, None) is None and really(self, id_))
    assert contents(store.save(snapshot)) == before
    assert {path.name for path in store.root.iterdir()} == {snapshot.id, "catalog.jsonl"}


def test_a_folder_that_is_in_the_way_is_told(store: SnapshotStore, snapshot: Snapshot) -> None:
    stray = store.root / snapshot.id / "stray.txt"
    stray.parent.mkdir(parents=True)
    stray.write_text("x")
    with pytest.raises(InputError, match=r"cannot be made .*; move what is there away"):
        store.save(snapshot)
    assert stray.exists()


def test_a_writer_that_dies_leaves_nothing_that_looks_stored(
    store: SnapshotStore, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match="disk full"):
            store.save(snapshot)
    assert store.ids() == ()
    assert list(store.root.iterdir()) == []
    store.save(snapshot)
    assert store.load(snapshot.id) == snapshot


def test_a_prefix_finds_the_one_snapshot(store: SnapshotStore, snapshot: Snapshot) -> None:
    other = Snapshot.build(PAGES, WholeDocument())
    store.save(snapshot)
    store.save(other)
    assert store.find(snapshot.id[:6]) == snapshot.id
    assert store.ids() == tuple(sorted([snapshot.id, other.id]))
    with pytest.raises(InputError, match=r"could be .*; write more of the id"):
        store.find("")
    with pytest.raises(InputError, match=r"snapshot 'zzz' is not in .*; stored: .*build it again"):
        store.find("zzz")
    with pytest.raises(InputError, match="is not in"):
        store.load("0123456789abcdef")


def test_an_empty_store_says_so(store: SnapshotStore) -> None:
    assert store.ids() == ()
    with pytest.raises(InputError, match="stored: none"):
        store.find("abc")


def test_an_export_can_be_loaded_from_anywhere(store: SnapshotStore, snapshot: Snapshot, tmp_path: Path) -> None:
    store.save(snapshot)
    target = store.export(snapshot.id, tmp_path / "out" / "mine")
    shutil.rmtree(store.root)
    assert SnapshotStore.load_from(target) == snapshot
    assert SnapshotStore(store.root).save(SnapshotStore.load_from(target)).name == snapshot.id


def test_an_export_does_not_write_over_a_folder(store: SnapshotStore, snapshot: Snapshot, tmp_path: Path) -> None:
    store.save(snapshot)
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        store.export(snapshot.id, tmp_path)


@pytest.mark.parametrize("name", ["documents.jsonl", "passages.jsonl", "documents.tsv"])
def test_one_changed_byte_is_noticed(store: SnapshotStore, snapshot: Snapshot, name: str) -> None:
    path = store.save(snapshot) / name
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"{name} has changed since it was stored\); delete this folder"):
        store.load(snapshot.id)


def test_a_cut_or_missing_file_is_noticed(store: SnapshotStore, snapshot: Snapshot) -> None:
    folder = store.save(snapshot)
    (folder / "passages.jsonl").unlink()
    with pytest.raises(InputError, match=r"cannot be used .*FileNotFoundError"):
        store.load(snapshot.id)
    (folder / "snapshot.json").write_text('{"id": ')
    with pytest.raises(InputError, match=r"cannot be used .*not JSON"):
        store.load(snapshot.id)


def forge(folder: Path, name: str, old: str, new: str) -> None:
    """Change a file and make the head agree with it, as a careful forger would."""
    path = folder / name
    data = path.read_text(encoding="utf-8").replace(old, new, 1).encode()
    path.write_bytes(data)
    head = json.loads((folder / "snapshot.json").read_bytes())
    head["files"][name] = hashlib.sha256(data).hexdigest()
    (folder / "snapshot.json").write_text(json.dumps(head), encoding="utf-8")


def test_a_forged_text_does_not_have_its_hash(store: SnapshotStore, snapshot: Snapshot) -> None:
    forge(store.save(snapshot), "documents.jsonl", "separator", "Separator")
    with pytest.raises(InputError, match=r"document 'a\.md' does not have the sha256 it was stored with"):
        store.load(snapshot.id)


def test_a_forged_range_does_not_have_the_id(store: SnapshotStore, snapshot: Snapshot) -> None:
    forge(store.save(snapshot), "passages.jsonl", '"start":5', '"start":6')
    with pytest.raises(InputError, match=rf"its content has the id [0-9a-f]{{16}}, not {snapshot.id}"):
        store.load(snapshot.id)


def test_forged_settings_do_not_have_the_id(store: SnapshotStore, snapshot: Snapshot) -> None:
    head = store.save(snapshot) / "snapshot.json"
    head.write_text(head.read_text(encoding="utf-8").replace("1200", "1300"), encoding="utf-8")
    with pytest.raises(InputError, match="its content has the id"):
        store.load(snapshot.id)


def test_a_renamed_folder_is_noticed(store: SnapshotStore, snapshot: Snapshot) -> None:
    store.save(snapshot).rename(store.root / "0123456789abcdef")
    with pytest.raises(InputError, match=f"holds snapshot {snapshot.id}; rename"):
        store.load("0123456789abcdef")


def test_another_format_is_refused(store: SnapshotStore, snapshot: Snapshot) -> None:
    head = store.save(snapshot) / "snapshot.json"
    head.write_text(head.read_text(encoding="utf-8").replace('"format": 1', '"format": 2'), encoding="utf-8")
    with pytest.raises(InputError, match="its format is 2, this program reads format 1"):
        store.load(snapshot.id)
