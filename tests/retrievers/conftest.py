"""Small passages, and token vectors small enough to compute with by hand."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import Passages, Query
from retrievers.embedders.wordllama import WordLlama

ToyModel = Callable[[Mapping[str, Sequence[float]]], WordLlama]


@pytest.fixture
def toy_model(tmp_path: Path) -> ToyModel:
    """Make an embedder of one vector a word; other words have the zero vector."""

    def make(vectors: Mapping[str, Sequence[float]]) -> WordLlama:
        from safetensors.numpy import save_file
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokenizer = Tokenizer(
            models.WordLevel({"[UNK]": 0, **{word: n for n, word in enumerate(vectors, 1)}}, unk_token="[UNK]")
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        width = len(next(iter(vectors.values())))
        table = np.array([[0.0] * width, *vectors.values()], np.float32)
        save_file({"embedding.weight": table}, tmp_path / "weights.safetensors")
        return WordLlama(str(tmp_path / "weights.safetensors"), str(tmp_path / "tokenizer.json"))

    return make


@pytest.fixture
def make_passages() -> Callable[..., Passages]:
    """Make passages p0, p1, ... of these texts, each its own document."""

    def make(*texts: str) -> Passages:
        ids = tuple(f"p{number:04d}" for number in range(len(texts)))
        return Passages(ids, ids, texts)

    return make


@pytest.fixture
def make_queries() -> Callable[..., list[Query]]:
    """Make queries q0, q1, ... of these texts."""

    def make(*texts: str) -> list[Query]:
        return [Query(f"q{number}", text) for number, text in enumerate(texts)]

    return make
