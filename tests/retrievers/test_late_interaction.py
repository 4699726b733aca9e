"""Late interaction against cosines computed by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from retrievers.embedders.wordllama import WordLlama
from retrievers.rerankers.late_interaction import LateInteraction

ONE_PAIR = np.zeros((1, 2), np.int64)


@pytest.fixture
def late(toy_model: Callable[..., WordLlama]) -> LateInteraction:
    # cat and cats are 0.8 alike, cat and tax 0, cats and tax 0.6; lengths do not count.
    return LateInteraction(toy_model({"cat": [2.0, 0.0], "cats": [0.8, 0.6], "tax": [0.0, 5.0]}))


@pytest.mark.parametrize(
    ("query", "passage", "score"),
    [
        ("cat", "cat", 1.0),
        ("cat", "tax cats", 0.8),
        ("cat tax", "cats", (0.8 + 0.6) / 2),
        ("cat cat tax", "cats", (0.8 + 0.8 + 0.6) / 3),
        ("cat", "cats cats cats", 0.8),
        ("cat", "tax", 0.0),
        ("cat unknown", "cat", 0.5),
        ("", "cat", 0.0),
        ("cat", "", 0.0),
        ("", "", 0.0),
    ],
)
def test_the_mean_of_each_query_tokens_best_cosine(
    query: str, passage: str, score: float, late: LateInteraction
) -> None:
    assert late.score([query], [passage], ONE_PAIR) == pytest.approx([score], abs=1e-6)


def test_pairs_keep_their_places(late: LateInteraction) -> None:
    pairs = np.array([[1, 2], [0, 0], [1, 0], [0, 1], [1, 1], [0, 2]])
    found = late.score(["cat", "tax"], ["cat", "cats", ""], pairs)
    assert found == pytest.approx([0, 1, 0, 0.8, 0.6, 0], abs=1e-6)


def test_no_pairs_have_no_scores(late: LateInteraction) -> None:
    assert late.score(["cat"], [], np.zeros((0, 2), np.int64)).tolist() == []


def test_neither_grouping_nor_threads_change_a_bit() -> None:
    from threadpoolctl import threadpool_limits

    generator = np.random.default_rng(0)
    words = ["river", "bank", "loan", "tax", "kitten", "cat", "銀行", "河流", "貸款", "server", "429", "the", "of"]
    queries = [" ".join(generator.choice(words, generator.integers(0, 300))) for _ in range(12)]
    passages = [" ".join(generator.choice(words, generator.integers(0, 60))) for _ in range(30)]
    pairs = np.array([(query, passage) for query in range(12) for passage in range(30)])
    late = LateInteraction(WordLlama())
    together = late.score(queries, passages, pairs)
    shuffled = generator.permutation(len(pairs))
    with threadpool_limits(1):
        assert late.score(queries, passages, pairs[shuffled]).tobytes() == together[shuffled].tobytes()
    for place in range(0, len(pairs), 17):
        query, passage = pairs[place]
        assert late.score([queries[query]], [passages[passage]], ONE_PAIR)[0] == together[place]


def test_scores_are_those_of_the_formula_in_double_precision() -> None:
    static = WordLlama().static()
    query, passage = "who grants loans to small river towns", "The bank lends money. 銀行 貸款 to towns near the water"
    unit = static.table.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    left, right = static.tokens([query, passage])
    expected = (unit[left] @ unit[right].T).max(axis=1).mean()
    assert LateInteraction(WordLlama()).score([query], [passage], ONE_PAIR) == pytest.approx([expected], abs=1e-6)


def test_it_says_which_vectors_it_reads(late: LateInteraction) -> None:
    assert late.model_id == "late-interaction/wordllama/weights"
