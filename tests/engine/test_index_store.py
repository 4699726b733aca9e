"""Indexes on disk: whole and as they were, or absent."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import Index
from runner.engine.index_store import IndexStore

INDEX = Index({"data": np.array([0.5, 1 / 3]), "rows": np.zeros(0, np.int32)}, {"vocabulary": ["refund", "退款"]})


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    store = IndexStore(tmp_path / "indexes")
    store.save("key", INDEX)
    return store


def test_an_index_comes_back_as_it_was(store: IndexStore) -> None:
    index = store.load("key")
    assert index is not None
    assert index.meta == {"vocabulary": ["refund", "退款"]}
    assert {name: (array.dtype, array.tolist()) for name, array in index.arrays.items()} == {
        "data": (np.float64, [0.5, 1 / 3]),
        "rows": (np.int32, []),
    }


def test_an_unknown_key_is_absent(store: IndexStore) -> None:
    assert store.load("other") is None


def test_saving_again_replaces(store: IndexStore) -> None:
    store.save("key", Index({}, {"new": True}))
    index = store.load("key")
    assert index is not None
    assert (dict(index.arrays), index.meta) == ({}, {"new": True})


def test_a_folder_holds_only_whole_indexes(store: IndexStore) -> None:
    assert [path.name for path in store.directory.iterdir()] == ["key"]


@pytest.mark.parametrize("name", ["data.npy", "rows.npy", "index.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "delete"])
def test_a_damaged_file_makes_the_index_absent(store: IndexStore, name: str, damage: str) -> None:
    path = store.directory / "key" / name
    content = path.read_bytes()
    if damage == "delete":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.write_bytes(bytes([content[0] ^ 0xFF]) + content[1:])
    assert store.load("key") is None
    store.save("key", INDEX)
    assert store.load("key") is not None


def test_no_byte_of_the_description_may_change(store: IndexStore, capsys: pytest.CaptureFixture[str]) -> None:
    path = store.directory / "key/index.json"
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert store.load("key") is None, content[place : place + 20]
        assert "is built again" in capsys.readouterr().err


def test_an_index_under_the_key_of_another_is_absent(store: IndexStore) -> None:
    (store.directory / "key").rename(store.directory / "other")
    assert store.load("other") is None


def test_a_failed_save_leaves_the_old_index_and_no_rest(store: IndexStore) -> None:
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        store.save("key", Index({"data": np.array([object()])}, {}))
    assert [path.name for path in store.directory.iterdir()] == ["key"]
    assert store.load("key") is not None


def test_objects_opened_from_an_index_are_not_saved(store: IndexStore) -> None:
    store.save("opened", Index({}, {}, {"searcher": object()}))
    index = store.load("opened")
    assert index is not None
    assert index.opened == {}


def test_a_deleted_folder_is_made_again(store: IndexStore) -> None:
    shutil.rmtree(store.directory)
    assert store.load("key") is None
    store.save("key", INDEX)
    assert store.load("key") is not None
