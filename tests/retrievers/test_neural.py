"""The optional neural models, with a stand-in for their library."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from retrievers.base import RetrievalError
from retrievers.embedders.sentence_transformers import SentenceTransformer
from retrievers.neural import load_model
from retrievers.rerankers.cross_encoder import CrossEncoder


class StandIn:
    """Takes what the library's two classes take; a vector counts characters, a score counts common letters."""

    def __init__(self, name: str, **settings: Any) -> None:
        if name == "broken":
            raise OSError("no such model\nlong trace")
        self.name, self.settings = name, settings

    def encode(self, texts: Sequence[str], **settings: Any) -> np.ndarray:
        assert settings["normalize_embeddings"] and not settings["show_progress_bar"]
        return np.array([[0.6, 0.8] if text.startswith("query: ") else [1.0, 0.0] for text in texts], np.float32)

    def predict(self, pairs: Sequence[tuple[str, str]], **settings: Any) -> np.ndarray:
        if self.name == "two-headed":
            return np.zeros((len(pairs), 2), np.float32)
        return np.array([len(set(query) & set(passage)) for query, passage in pairs], np.float32)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = module.CrossEncoder = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    # The stand-in's models are on no hub.
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda self, name, **settings: name)
    load_model.cache_clear()
    yield
    load_model.cache_clear()


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    load_model.cache_clear()


@pytest.mark.usefixtures("no_library")
def test_without_the_extra_the_error_says_what_to_install_and_what_to_use_instead() -> None:
    said = r"m: needs the `neural` extra.*pip install sentence-transformers.*embedder=wordllama"
    with pytest.raises(RetrievalError, match=said):
        SentenceTransformer("m").encode(["x"], kind="query")
    with pytest.raises(RetrievalError, match=said):
        CrossEncoder("m").score(["q"], ["p"], np.zeros((1, 2), np.int64))


@pytest.mark.usefixtures("library")
def test_a_model_that_cannot_be_loaded_is_named_in_one_line() -> None:
    with pytest.raises(RetrievalError, match=r"^broken: cannot be loaded .*newest.*no such model; check") as caught:
        SentenceTransformer("broken").encode(["x"], kind="query")
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("library")
def test_a_model_that_the_hub_does_not_offer_is_refused_before_the_library_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def gone(self: object, name: str, **settings: object) -> None:
        asked.append((name, settings))
        raise OSError("Repository Not Found\nlong")

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", gone)
    with pytest.raises(RetrievalError, match=r"^a/b: is in no local cache.*Repository Not Found; check the name"):
        SentenceTransformer("a/b").encode(["x"], kind="query")
    assert asked == [("a/b", {"revision": None, "timeout": 2.0})]


@pytest.mark.usefixtures("library")
def test_offline_a_model_that_is_not_here_is_refused_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", None)
    with pytest.raises(RetrievalError, match="HF_HUB_OFFLINE forbids to fetch it"):
        CrossEncoder("a/b").score(["q"], ["p"], np.zeros((1, 2), np.int64))


@pytest.mark.usefixtures("library")
def test_prompts_go_by_kind_and_empty_texts_have_the_zero_vector() -> None:
    model = SentenceTransformer("m", query_prompt="query: ")
    assert model.encode(["a", "", " "], kind="query") == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0, 0]]))
    assert model.encode(["a"], kind="passage").tolist() == [[1.0, 0.0]]
    assert model.encode([""], kind="passage").tolist() == [[0.0, 0.0]]
    assert model.encode([], kind="query").shape == (0, 2)
    with pytest.raises(RetrievalError, match="expected query or passage"):
        model.encode(["a"], kind="title")


@pytest.mark.usefixtures("library")
def test_a_cross_encoder_scores_pairs_in_their_order() -> None:
    pairs = np.array([[1, 0], [0, 1], [0, 0]])
    assert CrossEncoder("m").score(["abc", "xyz"], ["xy", "ab"], pairs).tolist() == [2, 2, 0]
    assert CrossEncoder("m").score([], [], np.zeros((0, 2), np.int64)).tolist() == []


@pytest.mark.usefixtures("library")
def test_a_model_with_two_scores_a_pair_is_refused() -> None:
    with pytest.raises(RetrievalError, match=r"shape \(1, 2\) for 1 pairs"):
        CrossEncoder("two-headed").score(["q"], ["p"], np.zeros((1, 2), np.int64))


def test_the_hash_follows_the_files_that_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "config.json").write_text("{}")
    first = SentenceTransformer(str(tmp_path)).contents()
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "config.json").write_text("{}")
    (tmp_path / "README.md").write_text("words")
    (tmp_path / "pytorch_model.bin").write_bytes(b"the same weights in another format")
    assert SentenceTransformer(str(tmp_path), device="cpu").contents() == first
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert SentenceTransformer(str(tmp_path)).contents() != first
    assert CrossEncoder(str(tmp_path)).contents() == SentenceTransformer(str(tmp_path)).contents()


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="found no model file"):
        CrossEncoder(str(tmp_path)).contents()


def test_what_cannot_change_a_result_is_said() -> None:
    assert SentenceTransformer.excluded == CrossEncoder.excluded == ("batch_size", "device")
    assert SentenceTransformer("m", revision="abc").model_id == "m@abc"
    assert CrossEncoder("m").model_id == "m"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("name", ["pytorch_model.bin", "1_Dense/pytorch_model.bin", "weights.pt", "head.pkl"])
def test_pickled_weights_are_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"cos\nsystem\n(S'touch OWNED'\ntR.")
    with pytest.raises(RetrievalError, match=rf"{name} holds pickled weights"):
        SentenceTransformer(str(tmp_path)).encode(["x"], kind="query")
    with pytest.raises(RetrievalError, match=rf"{name} holds pickled weights"):
        CrossEncoder(str(tmp_path)).score(["q"], ["p"], np.zeros((1, 2), np.int64))
    (path.parent / "model.safetensors").write_bytes(b"")
    assert SentenceTransformer(str(tmp_path)).encode(["x"], kind="query").shape == (1, 2)
