"""Text to search terms, by script: words are stemmed, runs of Chinese characters are cut on their own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from retrievers.base import RetrievalError
from retrievers.digest import file_digest, stamp
from retrievers.script import HAN, normalised
from retrievers.terms import check_stemmer, terms

CHINESE = ("characters+bigrams", "bigrams", "words")
_RUNS = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
_ASCII_RUNS = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True)
class Analyzer:
    """Makes the terms of a text; equal settings make equal terms.

    stemmer: a Snowball language, or None. stopwords: "english" (the list of bm25s), a list of words, or
    None. shortest: words of fewer letters are left out, except numbers. chinese: "characters+bigrams" (each
    character and each pair of neighbours), "bigrams" (a lone character stands for itself), or "words"
    (rjieba). lexicon: a file of words, for "words" alone.

    Texts are compared in NFKC, case folded, without ignorable characters (soft hyphens, joiners and the like). A word
    is a run of letters, digits and underscores, as in the default pattern of bm25s; a word with underscores gives its
    parts too (`max_retries`, `max`, `retries`), and other marks separate (`ERR-1042` gives `err`, `1042`). Where
    Chinese meets another script (`第3章`), the run ends.

    Raises RetrievalError for a setting that is not one of these, and for a bad lexicon when it is first read.
    """

    stemmer: str | None = "english"
    stopwords: str | tuple[str, ...] | None = "english"
    shortest: int = 2
    chinese: str = "characters+bigrams"
    lexicon: str | None = None

    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("bm25s", "PyStemmer", "rjieba")

    def __post_init__(self) -> None:
        if self.chinese not in CHINESE:
            raise RetrievalError(f"analyzer: chinese is {self.chinese!r}, expected one of {', '.join(CHINESE)}")
        if self.shortest < 1:
            raise RetrievalError(f"analyzer: shortest is {self.shortest}, expected a whole number of at least 1")
        if self.lexicon is not None and self.chinese != "words":
            raise RetrievalError(
                f"analyzer: a lexicon is read only with chinese=words, found chinese={self.chinese}; "
                "set chinese=words or leave the lexicon empty (null)"
            )
        if self.stemmer is not None and self.stemmer != "english":
            check_stemmer(self.stemmer)
        if isinstance(self.stopwords, str):
            if self.stopwords != "english":
                raise RetrievalError(f"analyzer: stopwords is {self.stopwords!r}, expected english, a list or null")
        elif self.stopwords is not None:
            object.__setattr__(self, "stopwords", tuple(self.stopwords))

    def tokens(self, text: str) -> list[str]:
        """Return the terms of one text in order; none for an empty text."""
        return next(self.tokens_many([text]))

    def tokens_many(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the terms of each text in turn."""
        lexicon = stamp(self.lexicon) if self.lexicon else None
        term_of = terms(self.stemmer, self.stopwords, self.shortest, self.chinese, lexicon).__getitem__
        for text in texts:
            runs = (_ASCII_RUNS if text.isascii() else _RUNS).findall(normalised(text))
            yield list(chain.from_iterable(map(term_of, runs)))

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of the lexicon, if there is one."""
        return {"lexicon": file_digest(self.lexicon)} if self.lexicon else {}

    def files(self) -> dict[str, str]:
        """Return the absolute path of the lexicon, if there is one."""
        return {"lexicon": stamp(self.lexicon)[0]} if self.lexicon else {}
