"""The embedded vectors: means of token vectors, read without the package's own loader."""

import pickle
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import RetrievalError
from retrievers.embedders.wordllama import WordLlama


def test_a_vector_is_the_unit_mean_of_its_tokens(toy_model: Callable[..., WordLlama]) -> None:
    model = toy_model({"cat": [3.0, 0.0], "dog": [0.0, 1.0]})
    assert model.encode(["cat dog", "dog", "cat cat dog"], kind="query") == pytest.approx(
        np.array([[3, 1] / np.sqrt(10), [0, 1], [6, 1] / np.sqrt(37)])
    )


@pytest.mark.parametrize("text", ["", "  \n", "unknown"])
def test_a_text_without_known_tokens_has_the_zero_vector(text: str, toy_model: Callable[..., WordLlama]) -> None:
    assert toy_model({"cat": [1.0, 2.0]}).encode([text], kind="passage").tolist() == [[0.0, 0.0]]


def test_the_vectors_of_the_wheel_are_unit_and_float32() -> None:
    vectors = WordLlama().encode(["a cat", "", "貓在桌上"], kind="passage")
    assert vectors.shape == (3, 256) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1])


def test_near_meanings_are_nearer() -> None:
    physician, doctor, carburettor = WordLlama().encode(["physician", "doctor", "carburettor"], kind="query")
    assert physician @ doctor > physician @ carburettor + 0.1


def test_words_split_one_by_one_give_the_tokens_of_the_whole_text() -> None:
    static = WordLlama().static()
    texts = [
        "Statins lower cholesterol, don't they? (2.5 mg/day) " * 40,
        "在2023年 max_retries 設定為５ <s> and </s>done",
        "a\u2581b 𠀀𠀁 🙂 naïve",
        "x" * 500,
    ]
    for text, found in zip(texts, static.tokens(texts), strict=True):
        whole = " ".join(unicodedata.normalize("NFKC", text).split())
        if "<s>" not in text:  # a control token ends a word for the library, which it does not do here
            assert found.tolist() == static._tokenizer.encode(whole, add_special_tokens=False).ids
        assert static.distinct_tokens([text])[0].tolist() == sorted(set(found.tolist()))


def test_the_rest_of_the_batch_changes_no_bit() -> None:
    texts = ["short", "a much longer text about cats and dogs " * 30, "", "第三段文字"] * 5
    together = WordLlama().encode(texts, kind="passage")
    for number, text in enumerate(texts):
        assert WordLlama().encode([text], kind="passage")[0].tobytes() == together[number].tobytes()


def test_composed_and_decomposed_forms_meet() -> None:
    composed, decomposed = (unicodedata.normalize(form, "Résumé de café") for form in ("NFC", "NFD"))
    one, other = WordLlama().encode([composed, decomposed], kind="query")
    assert one.tolist() == other.tolist()


def test_no_texts_give_no_rows() -> None:
    assert WordLlama().encode([], kind="query").shape == (0, 256)


def test_the_model_says_what_it_is() -> None:
    model = WordLlama()
    assert model.model_id == "wordllama/l2_supercat_256"
    assert set(model.contents()) == {"model", "tokenizer"}
    assert all(len(digest) == 64 for digest in model.contents().values())
    assert model.files() == {}
    assert pickle.loads(pickle.dumps(model)) == model


def test_files_of_your_own_are_listed(toy_model: Callable[..., WordLlama]) -> None:
    model = toy_model({"cat": [1.0]})
    assert model.files() == {"weights": model.weights, "tokenizer": model.tokenizer}
    assert model.contents()["model"] != WordLlama().contents()["model"]


def test_one_file_without_the_other_is_an_error() -> None:
    with pytest.raises(RetrievalError, match="belong together"):
        WordLlama(weights="x.safetensors")


def test_a_file_of_another_kind_is_named(tmp_path: Path, toy_model: Callable[..., WordLlama]) -> None:
    good = toy_model({"cat": [1.0]})
    (tmp_path / "bad").write_text("not this")
    with pytest.raises(RetrievalError, match="bad: cannot be read as safetensors"):
        WordLlama(str(tmp_path / "bad"), good.tokenizer).encode(["x"], kind="query")
    with pytest.raises(RetrievalError, match="bad: cannot be read as a tokenizers file"):
        WordLlama(good.weights, str(tmp_path / "bad")).encode(["x"], kind="query")


def test_a_tokenizer_of_another_model_is_refused(toy_model: Callable[..., WordLlama]) -> None:
    small = toy_model({"cat": [1.0]})
    big = WordLlama()._paths()[1]
    with pytest.raises(RetrievalError, match="use the tokenizer that the vectors were made with"):
        WordLlama(small.weights, str(big)).encode(["x"], kind="query")


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    script = (
        "import sys, retrievers.reranked, retrievers.hybrid, retrievers.bm25, retrievers.semantic, retrievers.recorded;"
        "import retrievers.rerankers.late_interaction, retrievers.rerankers.cross_encoder;"
        "import retrievers.embedders.sentence_transformers;"
        "from retrievers.bm25 import BM25; from retrievers.analyzer import Analyzer; BM25(Analyzer());"
        "print([m for m in ('bm25s', 'faiss', 'tokenizers', 'torch', 'rjieba', 'wordllama', 'hydra', 'mlflow')"
        " if m in sys.modules])"
    )
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
