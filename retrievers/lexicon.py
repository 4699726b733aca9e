"""A user's word list for Chinese segmentation: one word a line, and its frequency if wanted."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from retrievers.base import RetrievalError
from retrievers.digest import Stamp
from retrievers.script import HAN, normalised
from retrievers.text_file import NotText, text_bytes

_HAN_ONLY = re.compile(f"[{HAN}]+")
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the lexicon; without a frequency the segmenter gives it one that keeps it whole."""

    text: str
    frequency: int | None


def read_lexicon(path: str) -> tuple[Word, ...]:
    """Read a UTF-8 lexicon; empty lines and lines starting with `#` are left out.

    Raises RetrievalError naming every bad line (the first 20, then a count).
    """
    try:
        raw = text_bytes(path)
    except NotText as error:
        raise RetrievalError(f"{path}: {error}; expected one word a line") from None
    words: list[Word] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    for number, encoded in enumerate(raw.split(b"\n"), 1):
        try:
            line = encoded.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            problems.append(f"{path}:{number}: found bytes that are not UTF-8 ({error.reason}); save the file as UTF-8")
            continue
        if not line or line.startswith("#"):
            continue
        word, problem = _read_line(line)
        if word is not None and word.text in seen:
            problem = f"found {word.text!r} again, first on line {seen[word.text]}; keep one of the two"
        if problem:
            problems.append(f"{path}:{number}: {problem}")
        elif word is not None:
            seen[word.text] = number
            words.append(word)
    if problems:
        more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
        raise RetrievalError("\n".join(problems[:_SHOWN] + more))
    if not words:
        raise RetrievalError(f"{path}: found no word, expected one a line; leave `lexicon` empty (null) to have none")
    return tuple(words)


@lru_cache(maxsize=8)
def segmenter(lexicon: Stamp | None) -> Any:
    """Return a segmenter of its own for each lexicon, so that one lexicon's words never reach another's text."""
    from rjieba import Jieba

    made = Jieba()
    for word in read_lexicon(lexicon[0]) if lexicon else ():
        made.add_word(word.text, word.frequency, None)
    return made


def _read_line(line: str) -> tuple[Word | None, str]:
    text, *rest = line.split()
    text = normalised(text)
    if not _HAN_ONLY.fullmatch(text):
        return None, (
            f"found {text!r}, expected Chinese characters only (other scripts are split by the word rule and need "
            "no lexicon); remove the line"
        )
    if not rest:
        return Word(text, None), ""
    if len(rest) > 1 or not re.fullmatch(r"[1-9][0-9]{0,8}", rest[0]):
        return None, f"found {' '.join(rest)!r} after the word, expected nothing or one whole number below 10**9"
    return Word(text, int(rest[0])), ""
