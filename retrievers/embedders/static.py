"""A table of token vectors with its tokenizer: one vector a token, whatever stands around it."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrievers.base import RetrievalError, Vectors
from retrievers.digest import Stamp
from retrievers.script import composed

TokenIds = NDArray[np.int32]
_LONGEST_REMEMBERED = 32
_TOGETHER = 32
_MARK = "\u2581"  # how SentencePiece writes the start of a word
_REMEMBERED = 1_000_000
_TEXTS_REMEMBERED = 20_000


class StaticVectors:
    """Holds float32 [vocabulary, dimensions] and splits texts into its token numbers.

    Texts are read in NFKC without ignorable characters, and any white space separates words. A SentencePiece
    tokenizer joins nothing across words (checked when it is opened), so each word is split once and remembered.
    Threads may share one.

    words_remembered, texts_remembered: how many are kept at most, for one call's more.
    """

    def __init__(
        self,
        table: Vectors,
        tokenizer: Any,
        *,
        words_remembered: int = _REMEMBERED,
        texts_remembered: int = _TEXTS_REMEMBERED,
    ) -> None:
        self.table = table
        self._tokenizer = tokenizer
        self._word_starts = {number for token, number in tokenizer.get_vocab().items() if token.startswith(_MARK)}
        self._words_remembered = words_remembered
        self._texts_remembered = texts_remembered
        # Both are only ever added to or replaced: another thread goes on with the one that it has in hand.
        self._of_word: dict[str, tuple[int, ...]] = {}
        # A reranker meets the same passages in one pool after another.
        self._distinct: dict[str, TokenIds] = {}

    def tokens(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the token numbers of each text in order, int32 [tokens]; none for a text without words."""
        split = [composed(text).split() for text in texts]
        of_word = self._of_word_with(set(chain.from_iterable(split)))
        return [np.fromiter(chain.from_iterable(map(of_word.__getitem__, words)), np.int32) for words in split]

    def distinct_tokens(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the token numbers of each text once each, ascending, int32. Texts are remembered for a while."""
        known = self._distinct
        unseen = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(unseen) > self._texts_remembered:
            known, unseen = {}, list(dict.fromkeys(texts))
            self._distinct = known
        split = [set(composed(text).split()) for text in unseen]
        of_word = self._of_word_with(set().union(*split))
        for text, words in zip(unseen, split, strict=True):
            tokens = set(chain.from_iterable(map(of_word.__getitem__, words)))
            known[text] = np.sort(np.fromiter(tokens, np.int32, len(tokens)))
        return [known[text] for text in texts]

    def _of_word_with(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        known = self._of_word
        if len(known) > self._words_remembered:
            known = self._of_word = {}
        unseen = sorted(word for word in words if word not in known)
        fresh = dict(zip(unseen, self._split(unseen), strict=True))
        # A clause of Chinese is one long word here, and hardly ever comes again.
        known.update({word: ids for word, ids in fresh.items() if len(word) <= _LONGEST_REMEMBERED})
        return {word: known[word] if word in known else fresh[word] for word in words}

    def _split(self, words: list[str]) -> list[tuple[int, ...]]:
        """Return each word's token numbers. Some words are encoded together, as a call a word takes longer."""
        made: list[tuple[int, ...]] = []
        blocks = [words[start : start + _TOGETHER] for start in range(0, len(words), _TOGETHER)]
        for block, ids in zip(blocks, self._encoded([" ".join(block) for block in blocks]), strict=True):
            begins = [place for place, number in enumerate(ids) if number in self._word_starts]
            if len(begins) == len(block):
                made += [tuple(ids[begin:end]) for begin, end in pairwise([*begins, len(ids)])]
            else:  # A word that itself holds a mark of the tokenizer.
                made += map(tuple, self._encoded(block))
        return made

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        return [each.ids for each in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


@lru_cache(maxsize=4)
def open_static(weights: Stamp, tokenizer: Stamp) -> StaticVectors:
    """Open a safetensors file with one matrix [tokens, dimensions] and a tokenizers JSON file, once a process.

    Raises RetrievalError where a file cannot be read, or where the two do not belong together.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        tensors = load_file(weights[0])
    except SafetensorError as error:
        raise RetrievalError(f"{weights[0]}: cannot be read as safetensors: {error}") from error
    try:
        splitter = Tokenizer.from_file(tokenizer[0])
    except Exception as error:  # tokenizers raises bare Exception
        raise RetrievalError(f"{tokenizer[0]}: cannot be read as a tokenizers file: {error}") from error
    matrices = [tensor for tensor in tensors.values() if tensor.ndim == 2]
    if len(matrices) != 1:
        raise RetrievalError(f"{weights[0]}: found {len(matrices)} matrices, expected one with a row for each token")
    vocabulary = splitter.get_vocab()
    if max(vocabulary.values(), default=-1) >= len(matrices[0]):
        raise RetrievalError(
            f"{weights[0]}: found {len(matrices[0])} rows for the {len(vocabulary)} tokens of {tokenizer[0]}; "
            "use the tokenizer that the vectors were made with"
        )
    if any(_MARK in token.lstrip(_MARK) for token in vocabulary):
        raise RetrievalError(f"{tokenizer[0]}: some token spans two words, expected a tokenizer whose tokens do not")
    return StaticVectors(cast(Vectors, matrices[0].astype(np.float32)), splitter)
