"""What `info` says: of packages, of models that work offline, of the configuration and of what is stored."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from retrievers.embedders.sentence_transformers import SentenceTransformer
from retrievers.embedders.wordllama import WordLlama
from retrievers.neural import lacking_model
from runner.cli import info
from runner.configuration.settings import conf_directory
from runner.tracking.location import StoreLocation
from runner.tracking.mlflow_store import open_client
from runner.workflows.installation import installation


def said(place: StoreLocation) -> dict[str, dict[str, str]]:
    return {title: dict(facts) for title, facts in installation(place).items()}


def test_it_names_what_is_installed_and_what_works_without_the_network(tmp_path: Path) -> None:
    facts = said(StoreLocation.at(str(tmp_path), None))
    assert facts["program"]["numpy"] == version("numpy")
    assert facts["program"]["retrieval-runner"] == version("retrieval-runner")
    assert {"pytest", "ruff"}.isdisjoint(facts["program"])
    models = facts["models without the network"]
    assert models["embedder=wordllama"] == models["reranker=late_interaction"] == "works"
    assert set(models) >= {"embedder=sentence_transformers", "reranker=cross_encoder"}
    assert set(facts["extras"]) == {"neural", "documents"}


def test_a_model_is_looked_for_and_neither_loaded_nor_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WordLlama(weights=str(tmp_path / "no.safetensors"), tokenizer="t.json").lacking() == (
        f"{tmp_path / 'no.safetensors'} is not there"
    )
    monkeypatch.setattr("retrievers.neural.find_spec", lambda name: None)
    assert lacking_model("org/model", None) == "the `neural` extra is not installed"
    monkeypatch.setattr("retrievers.neural.find_spec", lambda name: object())
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert SentenceTransformer("org/model-that-nobody-has").lacking() == "org/model-that-nobody-has is not downloaded"
    assert SentenceTransformer(str(tmp_path)).lacking() is None
    assert "torch" not in sys.modules or "sentence_transformers" not in sys.modules


def test_what_is_stored_is_counted_and_a_store_that_is_not_there_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = StoreLocation.at(str(tmp_path / "庫"), None)
    stored = said(place)["stored"]
    assert stored["store"] == f"{tmp_path / '庫'} (made by the first sweep)" and stored["runs"] == place.uri
    assert not (tmp_path / "庫").exists()
    client = open_client(place.uri, 1)
    for _ in range(3):
        client.create_run("0")
    (tmp_path / "庫/cache").mkdir()
    (tmp_path / "庫/cache/x").write_bytes(b"x" * 1500)
    stored = said(place)["stored"]
    assert stored["runs"] == f"3 in {place.uri}" and stored["cache"] == "1.5 KB"
    with pytest.raises(SystemExit) as stop:
        info.main([f"store={tmp_path / '庫'}"])
    out = capsys.readouterr().out
    assert not stop.value.code
    assert f"of the program  {conf_directory()}" in out and "3 in sqlite" in out
