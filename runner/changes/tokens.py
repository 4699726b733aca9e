"""Text as a sequence of words, each Chinese or Japanese character being one."""

import re

import numpy as np
from numpy.typing import NDArray

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


def pieces(text: str) -> list[str]:
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
    """The characters of an encoded text as integers, at least 1."""
    return np.frombuffer(encoded.encode("utf-32-le"), np.uint32).astype(np.uint64)
