"""Which texts of two sets have wording in common: found by runs of three words, never by comparing all with all."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.alignment.unresolved import UnresolvedPassages

# A run of words that more texts have than this says nothing about which of them belongs to which.
_MOST_TEXTS = 30
# Of all that share something with a text, those that share most; one that is nearest to another is kept as well.
_MOST_NEAR = 10
_RUN = 3
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)

Codes = NDArray[np.uint64]


def shingles_of(encoded: str) -> Codes:
    """A number for every distinct run of three words, uint64 [runs], sorted; a shorter text is one run."""
    words = numbers(encoded)
    if len(words) < _RUN:
        words = np.concatenate((words, np.zeros(_RUN - len(words), np.uint64)))
    windows = np.lib.stride_tricks.sliding_window_view(words, _RUN)
    mixed = windows[:, 0] * _MULTIPLIERS[0]
    for column in (1, 2):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MULTIPLIERS[column] + windows[:, column]
    return np.unique(mixed)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Positions of old and new texts that share runs."""

    old: NDArray[np.int64]
    new: NDArray[np.int64]


def near_pairs(old: Sequence[Codes], new: Sequence[Codes], old_block: Sequence[int], new_block: Sequence[int]) -> Pairs:
    """The pairs that share a run which is rare among all texts, or rare within the block that both belong to.

    Blocks are numbers, such as those of documents; a negative one is none.
    """
    found = []
    for blocked in (False, True):
        left = _incidence(old, old_block if blocked else None)
        right = _incidence(new, new_block if blocked else None)
        found.append(_shared(left, right))
    both = np.unique(np.concatenate(found), axis=0)
    return Pairs(both[:, 0], both[:, 1])


def _incidence(texts: Sequence[Codes], block: Sequence[int] | None) -> tuple[Codes, NDArray[np.int64]]:
    rows = np.repeat(np.arange(len(texts)), [len(codes) for codes in texts])
    codes = np.concatenate(texts) if len(texts) else np.zeros(0, np.uint64)
    if block is not None:
        blocks = np.asarray(block, np.int64)[rows]
        rows, codes = rows[blocks >= 0], codes[blocks >= 0]
        codes = codes ^ (blocks[blocks >= 0].astype(np.uint64) * _MULTIPLIERS[1])
    return codes, rows


def _shared(left: tuple[Codes, NDArray[np.int64]], right: tuple[Codes, NDArray[np.int64]]) -> NDArray[np.int64]:
    from scipy.sparse import csr_array

    known, columns = np.unique(np.concatenate((left[0], right[0])), return_inverse=True)
    halves = columns[: len(left[0])], columns[len(left[0]) :]
    counts = [np.bincount(half, minlength=len(known)) for half in halves]
    telling = (counts[0] > 0) & (counts[1] > 0) & (np.maximum(*counts) <= _MOST_TEXTS)
    sides = []
    for half, (_, rows) in zip(halves, (left, right), strict=True):
        kept = telling[half]
        size = (int(rows.max()) + 1 if len(rows) else 0, len(known))
        sides.append(csr_array((np.ones(kept.sum(), np.int32), (rows[kept], half[kept])), shape=size))
    product = (sides[0] @ sides[1].T).tocoo()
    old, new = (np.asarray(each, np.int64) for each in product.coords)
    near = _nearest(old, new, product.data) | _nearest(new, old, product.data)
    return np.stack((old[near], new[near]), axis=1)


def _nearest(side: NDArray[np.int64], other: NDArray[np.int64], shared: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which pairs are among the nearest few of their text on one side."""
    order = np.lexsort((other, -shared, side))
    ordered = side[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    near = np.zeros(len(order), bool)
    near[order] = rank < _MOST_NEAR
    return near


_CHINESE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = rf"[^\W{_CHINESE}]+"
# 2,500 and v1.2 and don't and read-only are one word each.
_WORD = rf"[{_CHINESE}]|{_LETTERS}(?:[.,'’-]{_LETTERS})*"
_CHARACTER = re.compile(rf"[{_CHINESE}]")
_WORDS = re.compile(_WORD)
_PIECES = re.compile(rf"{_WORD}|\s+|.", re.DOTALL)
_SURROGATES, _SURROGATE_COUNT, _CODES = 0xD800, 0x800, 0x10F000


def words(text: str) -> list[str]:
    """The words of a text, without white space and punctuation; of a text with no word, its visible characters."""
    return _WORDS.findall(text) or [character for character in text if not character.isspace()]


def tokens_of(text: str) -> list[str]:
    """A text cut into words, runs of white space and single other characters; they join to the text again."""
    return _PIECES.findall(text)


def is_chinese(token: str) -> bool:
    """Whether a token is a single Chinese or Japanese character."""
    return bool(_CHARACTER.fullmatch(token))


class Coder:
    """Writes each distinct word as one character, so that sequences of words are compared at the speed of strings."""

    def __init__(self) -> None:
        self._code: dict[str, str] = {}

    def encode(self, tokens: list[str]) -> str:
        """One character a token, equal for equal tokens; the first million distinct ones never share one."""
        code = self._code
        for token in tokens:
            if token not in code:
                number = 1 + len(code) % (_CODES - 1)
                code[token] = chr(number if number < _SURROGATES else number + _SURROGATE_COUNT)
        return "".join([code[token] for token in tokens])


def numbers(encoded: str) -> NDArray[np.uint64]:
    """The characters of an encoded text as integers of at least 1, uint64 [characters]."""
    return np.frombuffer(encoded.encode("utf-32-le"), np.uint32).astype(np.uint64)


@dataclass(frozen=True, slots=True)
class ShingledText:
    """encoded: one character a word. runs: a number for every distinct run of three words, sorted."""

    encoded: str
    runs: Codes

    def shared(self, other: "ShingledText") -> int:
        """How many runs both have."""
        return len(np.intersect1d(self.runs, other.runs, assume_unique=True))

    def contained(self, other: "ShingledText") -> float:
        """Which share of the runs of the one that has fewer is also in the other."""
        return self.shared(other) / min(len(self.runs), len(other.runs))


def shingles_of_all(shingles: Sequence[ShingledText]) -> Codes:
    """The runs that any of them has, uint64 [runs], sorted."""
    return np.unique(np.concatenate([each.runs for each in shingles]))


class ShingleIndex:
    """old, new: the wording of every open passage, by id."""

    def __init__(self, unresolved: UnresolvedPassages) -> None:
        coder = Coder()

        def wording(body: str) -> ShingledText:
            encoded = coder.encode(words(body))
            return ShingledText(encoded, shingles_of(encoded))

        self.old: Mapping[str, ShingledText] = {id_: wording(unresolved.old_body[id_]) for id_ in unresolved.before}
        self.new: Mapping[str, ShingledText] = {id_: wording(unresolved.new_body[id_]) for id_ in unresolved.after}

    def similarity(self, old: Sequence[str], new: Sequence[str]) -> float:
        """Words in common, in the same order, of passages read one after the other: 2c / (a + b)."""
        from rapidfuzz.distance import Indel

        before, after = ("".join(side[id_].encoded for id_ in ids) for side, ids in ((self.old, old), (self.new, new)))
        return float(Indel.normalized_similarity(before, after)) if before or after else 0.0
