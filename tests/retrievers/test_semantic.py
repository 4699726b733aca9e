"""Exact vector search."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrievers.base import Index, NonFiniteScore, Passages, Query, RetrievalError, Vectorial, Vectors
from retrievers.embedders.wordllama import WordLlama
from retrievers.semantic import Semantic

SEARCH = Semantic(WordLlama())


def unit(count: int, seed: int, dimensions: int = 24) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions))
    unit_long: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit_long


def test_scores_are_inner_products_best_first() -> None:
    passages = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    found = SEARCH.search_vectors(SEARCH.build_vectors(passages), np.array([[1, 0]], np.float32), 10)
    assert found.rows.tolist() == [0, 2, 1]
    assert found.scores == pytest.approx([1, 0.6, 0])


def test_rankings_are_those_of_double_precision_throughout() -> None:
    passages, queries = unit(500, 1), unit(20, 2)
    found = SEARCH.search_vectors(SEARCH.build_vectors(passages), queries, 50)
    expected = queries.astype(np.float64) @ passages.astype(np.float64).T
    for number in range(20):
        rows, scores = found.one(number)
        assert rows.tolist() == np.argsort(-expected[number], kind="stable")[:50].tolist()
        assert scores == pytest.approx(expected[number][rows], abs=1e-12)


def test_many_ties_at_the_end_go_by_row() -> None:
    passages = np.repeat(unit(3, 3), 400, axis=0)[np.random.default_rng(4).permutation(1200)]
    query = passages[:1]
    index = SEARCH.build_vectors(passages)
    deep = SEARCH.search_vectors(index, query, 1200)
    for depth in (1, 7, 399, 401):
        assert SEARCH.search_vectors(index, query, depth).rows.tolist() == deep.rows[:depth].tolist()
    assert np.all(np.diff(deep.rows[:400]) > 0)


def test_neither_batch_nor_threads_change_a_bit() -> None:
    from threadpoolctl import threadpool_limits

    passages, queries = unit(3000, 5), unit(60, 6)
    index = SEARCH.build_vectors(passages)
    together = SEARCH.search_vectors(index, queries, 40)
    with threadpool_limits(1):
        alone = SEARCH.search_vectors(index, queries, 40)
    assert alone.scores.tobytes() == together.scores.tobytes()
    for number in range(60):
        one = SEARCH.search_vectors(index, queries[number : number + 1], 40)
        assert one.rows.tobytes() == together.one(number)[0].tobytes()
        assert one.scores.tobytes() == together.one(number)[1].tobytes()


def test_an_index_on_disk_searches_the_same(tmp_path: Path) -> None:
    passages, queries = unit(300, 1), unit(5, 2)
    index = SEARCH.build_vectors(passages)
    for name, array in index.arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    mapped = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in index.arrays}
    found = SEARCH.search_vectors(Index(mapped, dict(index.meta)), queries, 9)
    assert found.rows.tobytes() == SEARCH.search_vectors(index, queries, 9).rows.tobytes()


def test_faiss_keeps_its_number_of_threads() -> None:
    import faiss

    before = faiss.omp_get_max_threads()
    SEARCH.search_vectors(SEARCH.build_vectors(unit(5, 1)), unit(1, 2), 3)
    assert faiss.omp_get_max_threads() == before


def test_zero_vectors_neither_rank_nor_are_found() -> None:
    passages = np.array([[0, 0], [1, 0], [0, 0], [-1, 0]], np.float32)
    found = SEARCH.search_vectors(SEARCH.build_vectors(passages), np.array([[0, 0], [1, 0]], np.float32), 10)
    assert found.one(0)[0].tolist() == []
    assert found.one(1)[0].tolist() == [1, 3]


@pytest.mark.parametrize("shape", [(0, 2), (3, 2)])
def test_a_corpus_of_nothing_ranks_nothing(shape: tuple[int, int]) -> None:
    found = SEARCH.search_vectors(SEARCH.build_vectors(np.zeros(shape, np.float32)), np.ones((2, 2), np.float32), 10)
    assert len(found) == 2 and len(found.rows) == 0


def test_vectors_that_are_not_finite_are_refused_by_position() -> None:
    bad = np.array([[1, 0], [np.nan, 0]], np.float32)
    with pytest.raises(RetrievalError, match=r"1 of 2 passage vectors .* position 2"):
        SEARCH.build_vectors(bad)
    with pytest.raises(NonFiniteScore) as caught:
        SEARCH.search_vectors(SEARCH.build_vectors(bad[:1]), bad, 1)
    assert caught.value.query_number == 1


def test_other_dimensions_are_refused() -> None:
    with pytest.raises(RetrievalError, match="query vectors have 3 dimensions, passage vectors 2"):
        SEARCH.search_vectors(SEARCH.build_vectors(np.ones((1, 2), np.float32)), np.ones((1, 3), np.float32), 1)


def test_vectors_longer_than_one_rank_exactly_too() -> None:
    passages = unit(2000, 8) * 50
    query = unit(1, 9) * 30
    found = SEARCH.search_vectors(SEARCH.build_vectors(passages), query, 10)
    expected = (query.astype(np.float64) @ passages.astype(np.float64).T)[0]
    assert found.rows.tolist() == np.argsort(-expected, kind="stable")[:10].tolist()


def test_it_offers_its_embedder_to_the_runner(
    make_passages: Callable[..., Passages], make_queries: Callable[..., list[Query]]
) -> None:
    assert isinstance(SEARCH, Vectorial)
    found = SEARCH.retrieve(make_passages("a cat sat", "tax law", ""), make_queries("kitten", ""), 10)
    assert found.one(0)[0].tolist() == [0, 1]
    assert found.one(1)[0].tolist() == []
