"""A retriever inside another: it ranks as it does by itself, and what it makes of the passages is made once."""

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from retrievers import ranked as module
from retrievers.analyzer import Analyzer
from retrievers.base import Index, Passages, Query, Rankings, Vectors
from retrievers.bm25 import BM25
from retrievers.fusion import ReciprocalRank
from retrievers.hidden import Hidden
from retrievers.hybrid import Hybrid
from retrievers.ranked import ranked
from retrievers.reranked import Reranked
from retrievers.semantic import Semantic

TEXTS = {"a": "refund takes days", "b": "rotate tokens", "c": "refund tokens 權杖", "d": "退款 days"}
QUERIES = [Query("q1", "refund days"), Query("q2", "tokens"), Query("q3", "退款")]


def passages() -> Passages:
    return Passages(tuple(TEXTS), tuple(TEXTS), tuple(TEXTS.values()))


@dataclass(frozen=True)
class Letters:
    """Counts letters, and how often passages were embedded."""

    calls: list[int] = field(default_factory=list)

    def encode(self, texts: Sequence[str], *, kind: str) -> Vectors:
        if kind == "passage":
            self.calls.append(len(texts))
        return np.array([[text.count(letter) for letter in "aeiorstd退款權"] for text in texts], np.float32)


@dataclass(frozen=True)
class Building:
    """BM25 that notes each index it builds."""

    calls: list[int] = field(default_factory=list)
    inner: BM25 = field(default_factory=lambda: BM25(Analyzer()))

    def build(self, passages: Passages) -> Index:
        self.calls.append(len(passages))
        return self.inner.build(passages)

    def search(self, index: Index, queries: Sequence[Query], depth: int) -> Rankings:
        return self.inner.search(index, queries, depth)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        return self.search(self.build(passages), queries, depth)


@dataclass(frozen=True)
class Lengths:
    """Scores a pair by how much longer the passage is."""

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: np.ndarray) -> np.ndarray:
        return np.array([len(passages[p]) - len(queries[q]) for q, p in pairs.tolist()], np.float64)


def same(one: Rankings, other: Rankings) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("offsets", "rows", "scores"))


@pytest.mark.parametrize("kind", ["words", "vectors", "fused", "reranked", "hidden"])
def test_each_kind_ranks_inside_another_as_by_itself(kind: str) -> None:
    words, vectors = Building(), Semantic(Letters())
    fused = Hybrid({"words": words, "vectors": vectors}, ReciprocalRank())
    retriever = {
        "words": words,
        "vectors": vectors,
        "fused": fused,
        "reranked": Reranked(fused, Lengths(), 3),
        "hidden": Hidden(words, ["b"]),
    }[kind]
    docs = passages()
    assert same(ranked(retriever, docs, QUERIES, 4), retriever.retrieve(passages(), QUERIES, 4))


def test_a_wrapped_index_is_built_once_for_the_same_passages_whatever_is_asked() -> None:
    words, letters = Building(), Letters()
    retriever = Hidden(Hybrid({"words": words, "vectors": Semantic(letters)}, ReciprocalRank()), ["a"])
    docs = passages()
    alone = [retriever.retrieve(docs, [query], 2) for query in QUERIES]
    assert (words.calls, letters.calls) == ([4], [4])
    assert same(Rankings.concatenate(alone), retriever.retrieve(passages(), QUERIES, 2))
    assert (words.calls, letters.calls) == ([4, 4], [4, 4])


def test_what_was_made_goes_with_the_passages() -> None:
    gc.collect()
    before = len(module._made)
    docs = passages()
    Hidden(Building(), ["a"]).retrieve(docs, QUERIES, 2)
    assert len(module._made) == before + 1
    del docs
    gc.collect()
    assert len(module._made) == before
