"""Static vectors that threads share: what one thread forgets, another one may be reading."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from retrievers.embedders.static import StaticVectors

WORDS = [f"w{number}" for number in range(400)]


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def static(**bounds: int) -> StaticVectors:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, **{word: i for i, word in enumerate(WORDS, 1)}}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return StaticVectors(np.zeros((len(WORDS) + 1, 2), np.float32), tokenizer, **bounds)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("bounds", [{"texts_remembered": 40}, {"words_remembered": 40}, {}])
def test_more_texts_than_are_remembered_have_their_own_tokens_in_every_thread(bounds: dict[str, int]) -> None:
    rng = np.random.default_rng(13)
    batches = [[" ".join(rng.choice(WORDS, 5)) for _ in range(20)] for _ in range(300)]
    # Batches come back, so that what is remembered is asked for again.
    batches = [batches[number] for number in rng.integers(0, len(batches), 900)]
    shared = static(**bounds)

    def both(batch: list[str]) -> tuple[list[list[int]], list[list[int]]]:
        return [t.tolist() for t in shared.distinct_tokens(batch)], [t.tolist() for t in shared.tokens(batch)]

    number_of = {word: number for number, word in enumerate(WORDS, 1)}
    with ThreadPoolExecutor(8) as pool:
        for batch, (distinct, tokens) in zip(batches, pool.map(both, batches), strict=True):
            expected = [[number_of[word] for word in text.split()] for text in batch]
            assert tokens == expected
            assert distinct == [sorted(set(numbers)) for numbers in expected]


def test_no_more_texts_are_remembered_than_the_bound() -> None:
    shared = static(texts_remembered=40)
    for start in range(0, 400, 10):
        shared.distinct_tokens(WORDS[start : start + 10])
        assert len(shared._distinct) <= 40
