"""A model file that differs in one byte makes another retriever."""

from pathlib import Path

import pytest
from drill_library import Library
from engine_world import bm25, hybrid, late, reranked, semantic, toy_model

from retrievers.embedders import wordllama
from runner.engine import components as parts
from runner.engine.plan import Job
from runner.selftest import model_files
from runner.selftest.check import FAILED, NOT_APPLICABLE, NOTICED, Check
from runner.selftest.model_files import swap_files

WHEEL = {"_target_": "retrievers.embedders.wordllama.WordLlama", "weights": None, "tokenizer": None}


def swapped(library: Library, retriever: dict[str, object]) -> dict[str, Check]:
    with library.sandbox(retriever) as sandbox:
        found = swap_files(sandbox, library.measured(sandbox), library.folder / "copies")
    return {each.group: each for each in found}


def test_a_retriever_without_files_has_none_to_swap(library: Library) -> None:
    assert swapped(library, bm25()) == {"": Check("swap", "", NOT_APPLICABLE, "bm25 reads no file")}


def test_each_file_of_a_model_is_swapped_and_the_originals_stay(library: Library, tmp_path: Path) -> None:
    model = toy_model(tmp_path / "model")
    before = {path: path.read_bytes() for path in (tmp_path / "model").iterdir()}
    found = swapped(library, semantic(model))
    assert {group: each.verdict for group, each in found.items()} == {
        "embedder.weights": NOTICED,
        "embedder.tokenizer": NOTICED,
    }
    assert "weights.safetensors: retriever_hash" in found["embedder.weights"].reason
    assert "embedder.model_sha256" in found["embedder.weights"].reason
    assert "embedder.tokenizer_sha256" in found["embedder.tokenizer"].reason
    assert {path: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before


def test_a_model_deep_inside_is_found_once(library: Library, tmp_path: Path) -> None:
    model = toy_model(tmp_path / "model")
    found = swapped(library, reranked(hybrid(bm25(), semantic(model)), late(model)))
    assert list(found) == ["reranker.embedding.weights", "reranker.embedding.tokenizer"]
    assert {each.verdict for each in found.values()} == {NOTICED}


def test_a_lexicon_is_a_model_file(library: Library, tmp_path: Path) -> None:
    (tmp_path / "詞庫.txt").write_text("配額\n費用\n", "utf-8")
    analyzer = {"chinese": "words", "lexicon": str(tmp_path / "詞庫.txt")}
    found = swapped(library, bm25(analyzer=analyzer))
    assert found["analyzer.lexicon"].verdict == NOTICED
    assert found["analyzer.lexicon"].what == ("詞庫.txt",)


def test_a_model_of_an_installed_package_is_swapped(library: Library) -> None:
    found = swapped(library, semantic(dict(WHEEL)))
    assert {group: each.verdict for group, each in found.items()} == {
        "embedder.weights": NOTICED,
        "embedder.tokenizer": NOTICED,
    }
    assert found["embedder.weights"].what[0].endswith(".safetensors")


def test_a_model_s_folder_is_swapped_through_a_copy(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", "utf-8")
    (folder / "model.bin").write_bytes(b"weights")
    found = swapped(library, {"_target_": "drill_doubles.Shelf", "name": "shelf", "folder": str(folder)})
    assert found["folder"].verdict == NOTICED
    assert (folder / "model.bin").read_bytes() == b"weights"


def test_a_hash_that_ignores_what_a_file_holds_fails_the_drill(library: Library, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights")
    careless = {"_target_": "drill_doubles.Careless", "name": "careless", "model": str(tmp_path / "model.bin")}
    found = swapped(library, careless)
    assert found["model"].verdict == FAILED
    assert "neither a hash nor a parameter changed" in found["model"].reason
    assert library.drill(careless).failed


def test_a_digest_that_does_not_read_the_file_fails_the_drill(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (wordllama, parts):
        monkeypatch.setattr(module, "file_digest", lambda path: Path(path).name)
    found = swapped(library, semantic(toy_model(tmp_path / "model")))
    assert {each.verdict for each in found.values()} == {FAILED}


def test_a_run_that_does_not_say_which_file_it_read_fails_the_drill(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "params_of", lambda job: {"retriever": "semantic"})
    found = swapped(library, semantic(toy_model(tmp_path / "model")))
    assert {each.verdict for each in found.values()} == {FAILED}


def test_a_fingerprint_that_stays_fails_the_drill(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "fingerprint", "0123456789abcdef")
    found = swapped(library, semantic(toy_model(tmp_path / "model")))
    assert {each.verdict for each in found.values()} == {FAILED}


def test_a_hash_of_no_file_that_is_found_fails_the_drill(library: Library) -> None:
    found = swapped(library, {"_target_": "drill_doubles.Distant", "name": "distant"})
    assert found["distant"].verdict == FAILED
    assert "files_read()" in found["distant"].reason


@pytest.mark.parametrize("of_the_wheel", [True, False])
def test_hashes_that_are_always_the_same_fail_the_drill(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_the_wheel: bool
) -> None:
    monkeypatch.setattr(wordllama.WordLlama, "contents", lambda self: {"model": "0" * 64, "tokenizer": "0" * 64})
    found = swapped(library, semantic(dict(WHEEL) if of_the_wheel else toy_model(tmp_path / "model")))
    assert {group: each.verdict for group, each in found.items()} == {
        "embedder.weights": FAILED,
        "embedder.tokenizer": FAILED,
    }
    assert "not 00000000" in found["embedder.weights"].reason


def test_a_hash_of_one_file_only_fails_the_drill_for_the_other(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = wordllama.WordLlama.contents
    monkeypatch.setattr(wordllama.WordLlama, "contents", lambda self: {"model": right(self)["model"]})
    found = swapped(library, semantic(toy_model(tmp_path / "model")))
    assert found["embedder.weights"].verdict == NOTICED
    assert found["embedder.tokenizer"].verdict == FAILED


@pytest.mark.parametrize(
    "model", ["embedders.sentence_transformers.SentenceTransformer", "rerankers.cross_encoder.CrossEncoder"]
)
def test_every_file_of_a_folder_is_swapped(library: Library, tmp_path: Path, model: str) -> None:
    folder = tmp_path / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "1_Pooling/config.json", "README.md"):
        (folder / name).write_text(name, "utf-8")
    part = {"_target_": f"retrievers.{model}", "model": str(folder)}
    found = swapped(library, {"_target_": "drill_doubles.Idle", "name": "idle", "part": part})
    assert {group: each.verdict for group, each in found.items()} == {
        f"part.model/{name}": NOTICED for name in ("config.json", "model.safetensors", "1_Pooling/config.json")
    }
    assert (folder / "config.json").read_text("utf-8") == "config.json"
