"""Documents whose bytes were read and cut before are not read and cut again, and nothing about a result changes."""

import json
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from damage import damages, put
from engine_world import DOCUMENTS, Node, bm25, hybrid, semantic, toy_model
from store_world import StoreWorld

from runner.configuration.settings import Settings
from runner.documents import Beir
from runner.engine.inputs import ConfiguredInputs, read_snapshot, snapshot_store
from runner.snapshots import Snapshot
from runner.snapshots.lazy import LazyDocuments

CHUNKERS: Mapping[str, Node] = {
    "document": {"_target_": "runner.chunkers.WholeDocument"},
    "window": {"_target_": "runner.chunkers.Window", "size": 30, "overlap": 5},
}


@dataclass(frozen=True)
class Collection:
    """A collection in BEIR's layout, and the world whose store knows it or not."""

    world: StoreWorld
    folder: Path

    def write(self, documents: Mapping[str, str]) -> None:
        rows = [
            {"_id": id_, "title": id_.upper(), "text": text, "metadata": {"updated": "2026-01-10", "url": f"/{id_}"}}
            for id_, text in documents.items()
        ]
        (self.folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def changes(self, chunker: str = "document", **more: Any) -> dict[str, Any]:
        corpus = {"_target_": "runner.documents.Beir", "path": str(self.folder)}
        return {"corpus": corpus, "chunker": CHUNKERS[chunker], **more}

    def settings(self, chunker: str = "document", **more: Any) -> Settings:
        return self.world.settings(bm25(), **self.changes(chunker, **more))

    def snapshot(self, chunker: str = "document", **more: Any) -> Snapshot:
        return ConfiguredInputs().snapshot(self.settings(chunker, **more))


@pytest.fixture
def collection(world: StoreWorld, tmp_path: Path) -> Collection:
    made = Collection(world, tmp_path / "beir")
    made.folder.mkdir()
    made.write(DOCUMENTS)
    return made


def is_lazy(snapshot: Snapshot) -> bool:
    return isinstance(snapshot.documents, LazyDocuments)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_the_known_snapshot_is_the_one_that_reading_makes(collection: Collection, chunker: str) -> None:
    assert not is_lazy(collection.snapshot(chunker))
    known, read = collection.snapshot(chunker), read_snapshot(collection.settings(chunker))
    assert is_lazy(known)
    assert [known.documents[row] for row in range(len(known.documents))] == list(read.documents)
    assert [known.passages[row] for row in range(len(known.passages))] == list(read.passages)
    texts = known.passages_for_retrieval().texts
    assert [texts[row] for row in range(len(texts))] == list(read.passages_for_retrieval().texts)
    assert pickle.loads(pickle.dumps(known.passages_for_retrieval())) == read.passages_for_retrieval()
    assert (tuple(known.documents), tuple(known.passages), tuple(texts)) == (
        tuple(read.documents),
        tuple(read.passages),
        tuple(read.passages_for_retrieval().texts),
    )
    for name in ("id", "documents_sha256", "passages_sha256", "fields", "document_ids", "passage_ids"):
        assert getattr(known, name) == getattr(read, name), name
    assert known.content_id() == read.id
    assert [document.sha256 for document in known.documents] == [document.sha256 for document in read.documents]


def test_a_warm_sweep_reads_no_document_and_scores_the_same(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retrievers = [bm25(), hybrid(bm25(), semantic(toy_model(tmp_path / "model")))]
    first = collection.world.scores(*retrievers, **collection.changes())
    monkeypatch.setattr(Beir, "_document", lambda *_: pytest.fail("a document was read"))
    assert collection.world.scores(*retrievers, **collection.changes()) == first
    # And so where a new ranking needs all texts.
    assert collection.world.scores(bm25(k1=0.9), **collection.changes())


@pytest.mark.parametrize("mode", ["off", "refresh"])
def test_a_sweep_that_is_to_use_no_cache_reads(collection: Collection, mode: str) -> None:
    collection.snapshot()
    assert not is_lazy(collection.snapshot(cache=mode))


def test_changed_bytes_another_cut_and_other_code_are_read(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = collection.snapshot()
    assert not is_lazy(collection.snapshot("window"))
    collection.write({**DOCUMENTS, "en/billing.md": "Invoices are sent yearly."})
    second = collection.snapshot()
    assert (is_lazy(second), second.id != first.id) == (False, True)
    collection.write(DOCUMENTS)
    assert is_lazy(collection.snapshot())
    monkeypatch.setattr("runner.engine.cut_store._code", lambda: "edited")
    assert not is_lazy(collection.snapshot())


def test_a_file_written_to_while_it_is_read_is_not_taken_for_what_it_was(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Beir.read

    def reading(reader: Beir) -> Any:
        found = read(reader)
        collection.write({**DOCUMENTS, "en/billing.md": "Changed meanwhile."})
        return found

    monkeypatch.setattr(Beir, "read", reading)
    collection.snapshot()
    monkeypatch.setattr(Beir, "read", read)
    assert not is_lazy(collection.snapshot())


def test_a_deleted_snapshot_is_made_again(collection: Collection) -> None:
    id_ = collection.snapshot().id
    shutil.rmtree(snapshot_store(collection.world.store).root / id_)
    assert not is_lazy(collection.snapshot())
    assert snapshot_store(collection.world.store).load(id_).id == id_


@pytest.mark.parametrize("part", ["cache/cuts", "snapshots"])
def test_no_damage_changes_what_is_read(collection: Collection, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    collection.snapshot("window")
    expected = read_snapshot(collection.settings("window"))
    root = collection.world.store / part
    sound = root.with_name("sound")
    shutil.copytree(root, sound)
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.name != "catalog.jsonl"):
        for how, damaged in damages(path, 12):
            if damaged == path.read_bytes():
                continue
            put(path, damaged)
            found = collection.snapshot("window")
            assert (found.id, list(found.documents), list(found.passages)) == (
                expected.id,
                list(expected.documents),
                list(expected.passages),
            ), how
            assert snapshot_store(collection.world.store).load(expected.id) == expected, how
            assert all(line.startswith("note: ") for line in capsys.readouterr().err.splitlines()), how
            shutil.rmtree(root)
            shutil.copytree(sound, root)


def test_another_collection_of_the_same_bytes_is_noted(collection: Collection) -> None:
    id_ = collection.snapshot().id
    collection.snapshot(dataset={"name": "other"})
    made = snapshot_store(collection.world.store).history()
    assert [(each.id, each.collection) for each in made] == [(id_, "world"), (id_, "other")]


def test_questions_find_what_the_known_snapshot_says_of_freshness(collection: Collection) -> None:
    changes = collection.changes(slicing={"freshness": {"field": "updated", "days": [30, 90], "as_of": "2026-02-01"}})
    first = collection.world.scores(**changes)
    assert any("freshness" in name for name in first[0])
    assert collection.world.scores(**changes) == first


def test_a_folder_of_pages_is_known_until_a_page_of_it_changes(collection: Collection, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "zh").mkdir(parents=True)
    (folder / "a.md").write_text("---\nupdated: 2026-01-10\n---\n# Limits\n\nA hundred a minute.", "utf-8")
    (folder / "zh" / "甲.html").write_text("<h1>額度</h1><p>每分鐘一百次<table><tr><td>1<td>2</table>", "utf-8")
    (folder / "b.docm").write_bytes(b"no page")
    corpus = {"_target_": "runner.documents.Pages", "path": str(folder)}
    chunker = {"_target_": "runner.chunkers.Heading", "size": 1200}

    def snapshot() -> Snapshot:
        return ConfiguredInputs().snapshot(collection.world.settings(bm25(), corpus=corpus, chunker=chunker))

    first, known = snapshot(), snapshot()
    assert (is_lazy(first), is_lazy(known)) == (False, True)
    assert list(known.documents) == list(first.documents)
    assert list(known.passages) == list(first.passages)
    (folder / "zh" / "乙.txt").write_text("帳單", "utf-8")
    grown = snapshot()
    assert (is_lazy(grown), len(grown.documents)) == (False, 3)
    (folder / "zh" / "乙.txt").unlink()
    assert (is_lazy(snapshot()), snapshot().id) == (True, first.id)
