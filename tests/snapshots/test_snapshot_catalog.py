"""When snapshots were made, what they are called, and that nothing of it is ever lost or told twice."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner.chunkers import WholeDocument
from runner.documents import Document
from runner.errors import InputError
from runner.snapshots import Made, Snapshot, SnapshotStore


def snapshot(text: str) -> Snapshot:
    return Snapshot.build([Document("頁.md", "頁", text)], WholeDocument())


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "snapshots")


def lines(store: SnapshotStore) -> list[dict[str, object]]:
    # A writer that looks while another one is writing may leave a blank line.
    return [json.loads(line) for line in (store.root / "catalog.jsonl").read_text("utf-8").splitlines() if line]


def test_a_new_snapshot_is_noted_with_all_that_is_known(store: SnapshotStore) -> None:
    made = snapshot("一")
    store.save(made, "文件", "2026-11", "docs/")
    (line,) = lines(store)
    assert {**line, "at": ""} == {"at": "", "collection": "文件", "corpus": "docs/", "id": made.id, "name": "2026-11"}
    assert str(line["at"]).endswith("+00:00") and len(str(line["at"])) == len("2026-11-30T10:00:00.000000+00:00")


def test_saving_the_same_again_adds_no_line(store: SnapshotStore) -> None:
    made = snapshot("一")
    for _ in range(2):
        store.save(made, "docs", "first")
        store.save(made, "docs")
        store.save(made)
    assert len(lines(store)) == 1


def test_another_collection_and_another_name_are_events_of_their_own(store: SnapshotStore) -> None:
    made = snapshot("一")
    store.save(made, "docs")
    store.save(made, "copy")
    store.save(made, "docs", "first")
    store.save(made, "docs", "second")
    assert [(line["collection"], line["name"]) for line in lines(store)] == [
        ("docs", None),
        ("copy", None),
        ("docs", "first"),
        ("docs", "second"),
    ]
    assert [(each.collection, each.name) for each in store.history()] == [("docs", "first"), ("copy", "first")]
    assert store.catalog().names_of(made.id) == ("first", "second")


def test_the_history_is_oldest_first_and_of_one_collection(store: SnapshotStore) -> None:
    ids = []
    for text, collection in (("一", "a"), ("二", "b"), ("三", "a")):
        made = snapshot(text)
        store.save(made, collection)
        ids.append(made.id)
    assert [each.id for each in store.history()] == ids
    assert [each.id for each in store.history("a")] == [ids[0], ids[2]]
    assert store.history("c") == ()
    times = [each.at for each in store.history()]
    assert times == sorted(times)


def test_naming_an_old_snapshot_does_not_make_it_new(store: SnapshotStore) -> None:
    old, new = snapshot("一"), snapshot("二")
    store.save(old, "docs")
    store.save(new, "docs")
    store.save(old, "docs", "spring")
    assert [(each.id, each.name) for each in store.history("docs")] == [(old.id, "spring"), (new.id, None)]


def test_a_name_given_without_a_collection_leaves_the_snapshot_where_it_is(store: SnapshotStore) -> None:
    made = snapshot("一")
    store.save(made, "docs")
    store.save(made, name="spring")
    assert [(each.collection, each.name) for each in store.history()] == [("docs", "spring")]


def test_a_snapshot_from_before_the_catalog_is_as_old_as_its_folder(store: SnapshotStore) -> None:
    made = snapshot("一")
    folder = store.save(made)
    (store.root / "catalog.jsonl").unlink()
    os.utime(folder, (1_700_000_000.25, 1_700_000_000.25))
    assert store.history() == (Made(made.id, "", None, "2023-11-14T22:13:20.250000+00:00"),)
    assert store.history("docs") == ()
    store.save(made, "docs")
    assert store.history("docs") == (Made(made.id, "docs", None, "2023-11-14T22:13:20.250000+00:00"),)
    assert len(store.history()) == 1


def test_a_deleted_snapshot_stays_in_the_history_and_keeps_its_name(store: SnapshotStore) -> None:
    gone, other = snapshot("一"), snapshot("二")
    shutil.rmtree(store.save(gone, "docs", "spring"))
    assert [each.id for each in store.history("docs")] == [gone.id]
    with pytest.raises(InputError, match=rf"snapshot {gone.id}, named 'spring', is not in .* any more; build it again"):
        store.find("spring")
    with pytest.raises(InputError, match=f"'spring' belongs to snapshot {gone.id} for ever"):
        store.save(other, "docs", "spring")
    store.save(gone, "docs", "spring")
    assert store.find("spring") == gone.id
    assert len(lines(store)) == 1


def test_a_name_is_never_given_to_another_and_nothing_is_stored_then(store: SnapshotStore) -> None:
    first, second = snapshot("一"), snapshot("二")
    store.save(first, "docs", "春")
    with pytest.raises(InputError, match=f"'春' belongs to snapshot {first.id} for ever; choose another"):
        store.save(second, "docs", "春")
    assert store.ids() == (first.id,)
    assert store.load("春") == first


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "is empty"),
        (" x", "white space at its ends"),
        ("a\nb", "control character"),
        ("0123456789abcdef", "looks like the id of a snapshot"),
        (".", "is a folder's to every shell"),
        ("..", "is a folder's to every shell"),
    ],
)
def test_a_name_that_could_not_be_told_apart_is_refused(store: SnapshotStore, name: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        store.save(snapshot("一"), name=name)
    assert store.ids() == ()


def test_find_takes_an_id_a_beginning_and_a_name(store: SnapshotStore) -> None:
    made = snapshot("一")
    store.save(made, name="2026-11-版.1_a")
    for word in (made.id, made.id[:5], "2026-11-版.1_a"):
        assert store.find(word) == made.id
        assert store.load(word) == made
    with pytest.raises(InputError, match=rf"'2026-11' is not in .*; did you mean '2026-11-版.1_a'\? stored: {made.id}"):
        store.find("2026-11")


def test_what_is_not_found_is_told_with_all_names_of_the_newest(store: SnapshotStore) -> None:
    made = [snapshot(str(number)) for number in range(7)]
    for number, each in enumerate(made):
        store.save(each, "docs", f"name-{number}")
    store.save(made[6], "docs", "夏")
    store.save(made[0], "docs", current=True)
    with pytest.raises(InputError) as caught:
        store.find("zzz")
    newest = [made[0], *made[:2:-1]]
    shown = ", ".join(f"{each.id} ({'夏, ' * (each == made[6])}name-{made.index(each)})" for each in newest)
    assert f"; stored: {shown} and 2 more; build it again from its corpus" in str(caught.value)


@pytest.mark.parametrize("name", ["docs-2026-11", "秋季", "v1.2_rc-3", "हिन्दी", "2026"])
def test_names_are_letters_of_any_script_digits_and_three_marks(store: SnapshotStore, name: str) -> None:
    made = snapshot("一")
    store.save(made, name=name)
    assert store.find(name) == made.id


@pytest.mark.parametrize(
    ("name", "mark"), [("a b", "' '"), ("a/b", "'/'"), ("春、夏", "'、'"), ("a=b", "'='"), ("a(b)", "'('")]
)
def test_other_names_are_refused_unless_they_were_given_before(store: SnapshotStore, name: str, mark: str) -> None:
    made = snapshot("一")
    with pytest.raises(InputError) as caught:
        store.save(made, name=name)
    expected = "expected letters, digits, `.`, `_` and `-`, like 2026-11"
    assert str(caught.value) == f"the name {name!r} holds {mark}; {expected}"
    with pytest.raises(InputError, match=f"the name '-a' begins with a hyphen; {expected}"):
        store.save(made, name="-a")
    store.save(made, "docs")
    path = store.root / "catalog.jsonl"
    path.write_text(path.read_text("utf-8").replace("null", json.dumps(name, ensure_ascii=False)), "utf-8")
    store.save(made, name=name)
    assert store.find(name) == made.id


def test_a_name_never_stands_before_an_id(store: SnapshotStore) -> None:
    first, second = snapshot("一"), snapshot("二")
    store.save(first, name=second.id[:4])
    assert store.find(second.id[:4]) == first.id
    store.save(second)
    with pytest.raises(InputError, match=rf"could be {first.id}, of this name, or {second.id}; write more of the id"):
        store.find(second.id[:4])
    assert store.find(second.id) == second.id
    assert store.find(second.id[:6]) == second.id


def test_a_name_whose_snapshot_is_deleted_stands_for_no_other(store: SnapshotStore) -> None:
    first, second = snapshot("一"), snapshot("二")
    folder = store.save(first, name=second.id[:4])
    store.save(second)
    shutil.rmtree(folder)
    with pytest.raises(InputError, match=f"snapshot {first.id}, named '{second.id[:4]}', is not in"):
        store.find(second.id[:4])


def test_a_whole_id_needs_no_catalog(store: SnapshotStore) -> None:
    made = snapshot("一")
    store.save(made)
    (store.root / "catalog.jsonl").write_text("[]\n")
    assert store.load(made.id) == made
    with pytest.raises(InputError, match="is not an event"):
        store.load(made.id[:5])


def test_a_line_that_a_killed_writer_left_is_passed_over_and_told(store: SnapshotStore) -> None:
    first, second = snapshot("一"), snapshot("二")
    store.save(first, "docs", "spring")
    path = store.root / "catalog.jsonl"
    whole = path.read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 2):
        path.write_bytes(whole + whole[:cut])
        assert store.catalog().torn == (2,)
        assert store.find("spring") == first.id
        store.save(second, "docs")
        assert [each.id for each in store.history("docs")] == [first.id, second.id]
        assert store.catalog().torn == (2,)
        shutil.rmtree(store.root / second.id)


def test_a_last_line_without_its_end_is_whole_and_stays_so(store: SnapshotStore) -> None:
    first, second = snapshot("一"), snapshot("二")
    store.save(first, "docs")
    path = store.root / "catalog.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    store.save(second, "docs")
    assert [each.id for each in store.history("docs")] == [first.id, second.id]
    assert store.catalog().torn == ()


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '{"id": "x"}',
        '{"id": 1, "collection": "", "name": null, "at": "", "corpus": ""}',
        '{"id": "x", "collection": "", "name": 3, "at": "", "corpus": ""}',
    ],
)
def test_a_line_that_is_no_event_is_refused_with_its_number(store: SnapshotStore, line: str) -> None:
    store.save(snapshot("一"), "docs")
    path = store.root / "catalog.jsonl"
    path.write_bytes(path.read_bytes() + f"{line}\n".encode())
    with pytest.raises(InputError, match=r"catalog\.jsonl:2: is not an event .*; delete the line"):
        store.history()


WRITER = """
import sys
from runner.chunkers import WholeDocument
from runner.documents import Document
from runner.errors import InputError
from runner.snapshots import Snapshot, SnapshotStore

root, worker, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
print("ready", flush=True)
sys.stdin.readline()
for number in range(worker, 40, 4):
    made = Snapshot.build([Document("頁.md", "頁", f"頁 {number}")], WholeDocument())
    try:
        SnapshotStore(root).save(made, "文件", name or f"名-{number}", "x" * 3000)
        print(made.id)
    except InputError:
        pass
"""


def write_at_once(store: SnapshotStore, name: str) -> list[str]:
    """Let four processes save ten snapshots each, and return the ids that they could save."""
    command = [sys.executable, "-c", WRITER, str(store.root)]
    writers = [
        subprocess.Popen([*command, str(number), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    return "".join(said).split()


def test_writers_at_once_lose_no_line(store: SnapshotStore) -> None:
    assert len(write_at_once(store, "")) == 40
    assert sorted(str(line["name"]) for line in lines(store)) == sorted(f"名-{number}" for number in range(40))
    assert len(store.history("文件")) == 40


def test_of_writers_that_give_one_name_at_once_one_succeeds(store: SnapshotStore) -> None:
    winners = write_at_once(store, "one-name")
    assert winners == [store.find("one-name")]
    assert [each.name for each in store.history() if each.name] == ["one-name"]


def test_the_one_who_comes_second_with_a_name_is_told(store: SnapshotStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = snapshot("一"), snapshot("二")
    store.save(first, "docs")
    catalog = store.catalog()
    store.save(first, "docs", "spring")
    monkeypatch.setattr(SnapshotStore, "catalog", lambda self: catalog)
    with pytest.raises(InputError, match=f"'spring' belongs to snapshot {first.id}"):
        store.save(second, "docs", "spring")
    monkeypatch.undo()
    assert store.find("spring") == first.id


def test_an_event_is_on_the_disk_in_one_write(store: SnapshotStore, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    synced: list[int] = []
    really_write, really_sync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda file, data: written.append(data) or really_write(file, data))
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(file) or really_sync(file))
    store.save(snapshot("一"), "docs")
    assert len(written) == len(synced) == 1
    assert written[0] == (store.root / "catalog.jsonl").read_bytes()


def test_pages_that_were_put_back_are_the_newest_again_only_where_somebody_says_so(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    old, new = (Snapshot.build([Document("a", "A", text)], WholeDocument()) for text in ("old", "new"))
    for snapshot in (old, new, old):
        store.save(snapshot, "docs")
    assert [made.id for made in store.history("docs")] == [old.id, new.id]
    for _ in range(2):
        store.save(old, "docs", current=True)
    assert [made.id for made in store.history("docs")] == [old.id, new.id, old.id]
