"""From one run of characters of one script to its terms, remembered where runs repeat."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Any

from retrievers.base import RetrievalError
from retrievers.digest import Stamp
from retrievers.lexicon import segmenter
from retrievers.script import HAN, normalised

_STARTS_HAN = re.compile(f"[{HAN}]").match
_REMEMBERED = 1_000_000


class Terms(dict[str, tuple[str, ...]]):
    """Maps a run to its terms; words are remembered (they repeat), Chinese runs are not."""

    def __init__(self, stem: Any, stopwords: frozenset[str], shortest: int, chinese: str, cut: Any) -> None:
        super().__init__()
        self._stem = stem
        self._stopwords = stopwords
        self._shortest = shortest
        self._chinese = chinese
        self._cut = cut

    def __missing__(self, run: str) -> tuple[str, ...]:
        if _STARTS_HAN(run):
            return self._chinese_terms(run)
        if len(self) >= _REMEMBERED:
            self.clear()
        made = self[run] = self._word_terms(run)
        return made

    def _chinese_terms(self, run: str) -> tuple[str, ...]:
        if self._chinese == "words":
            found = tuple(self._cut(run))
        else:
            pairs = tuple(left + right for left, right in pairwise(run))
            found = (*run, *pairs) if self._chinese == "characters+bigrams" else pairs or (run,)
        return tuple(term for term in found if term not in self._stopwords) if self._stopwords else found

    def _word_terms(self, word: str) -> tuple[str, ...]:
        words = [word]
        if "_" in word:
            parts = [part for part in word.split("_") if part]
            words = [word, *parts] if parts else []
        return tuple(self._stem(each) for each in words if self._counts(each))

    def _counts(self, word: str) -> bool:
        return word not in self._stopwords and (len(word) >= self._shortest or word.isdecimal())


@lru_cache(maxsize=16)
def terms(
    stemmer: str | None,
    stopwords: str | tuple[str, ...] | None,
    shortest: int,
    chinese: str,
    lexicon: Stamp | None,
) -> Terms:
    """Return the one mapping a process keeps for these settings (see Analyzer)."""
    if stopwords == "english":
        from bm25s.stopwords import STOPWORDS_EN

        stopwords = STOPWORDS_EN
    return Terms(
        _stem(stemmer),
        frozenset(map(normalised, stopwords or ())),
        shortest,
        chinese,
        segmenter(lexicon).cut if chinese == "words" else None,
    )


def check_stemmer(language: str) -> None:
    """Raise RetrievalError for a language that Snowball has no stemmer for."""
    from Stemmer import algorithms

    if language not in algorithms():
        raise RetrievalError(f"analyzer: stemmer is {language!r}, expected null or one of {', '.join(algorithms())}")


def _stem(language: str | None) -> Any:
    if language is None:
        return str
    from Stemmer import Stemmer

    return Stemmer(language).stemWord
