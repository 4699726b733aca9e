"""The piece of a snapshot's documents that is most like a quotation which is no longer there."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runner.documents.document import Document
from runner.judging.migration.ranges import trimmed

# Words, and Chinese characters two by two: one alone is in every document.
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SENTENCE_END = re.compile(r"[.!?][*_`)\"']*(?=\s)|[。！？；]|\n")
_MOST_STOPS = 24
# Of the piece as a whole, which may be shorter than what was aligned.
_LEAST = 0.4
_MOST_DOCUMENTS = 4


@dataclass(frozen=True)
class Near:
    """document: its id. [start, end): characters of its text. similarity: 0 to 1."""

    document: str
    start: int
    end: int
    similarity: float


class NearestText:
    """documents: where to look."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._holders: Mapping[str, list[str]] | None = None

    def find(self, quote: str, prefer: str | None, least: float, elsewhere: float) -> Near | None:
        """The nearest piece: in the preferred document if at least so similar, else wherever its words are rare.

        Looked for with rapidfuzz.partial_ratio_alignment, an alignment of characters; the similarity is that of the
        whole piece, 2c / (a + b) for c characters in common and in the same order.
        """
        if prefer is not None and (near := self._within(quote, prefer, least)):
            return near
        found = [near for id_ in self._likely(quote, prefer) if (near := self._within(quote, id_, elsewhere))]
        return max(found, key=lambda near: near.similarity, default=None)

    def _within(self, quote: str, id_: str, least: float) -> Near | None:
        from rapidfuzz import fuzz

        text = self._documents[id_].text
        found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * least)
        if found is None:
            return None
        start, end = _best_bounds(quote, text, *_whole_words(text, found.dest_start, found.dest_end))
        similarity = round(fuzz.ratio(quote, text[start:end]) / 100, 4)
        return Near(id_, start, end, similarity) if start < end and similarity >= _LEAST else None

    def _likely(self, quote: str, but: str | None) -> list[str]:
        if self._holders is None:
            holders: dict[str, list[str]] = defaultdict(list)
            for id_, document in self._documents.items():
                for token in tokens_of(document.text):
                    holders[token].append(id_)
            self._holders = holders
        weight: Counter[str] = Counter()
        for token in tokens_of(quote):
            holding = self._holders.get(token, [])
            for id_ in holding[:1000]:
                weight[id_] += 1000 // len(holding)
        weight.pop(but or "", None)
        return [id_ for id_, _ in sorted(weight.items(), key=lambda each: (-each[1], each[0]))[:_MOST_DOCUMENTS]]


def tokens_of(text: str) -> set[str]:
    """The words of a text and its pairs of neighbouring Chinese characters, folded."""
    tokens: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WIDE.search(word):
            tokens.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        else:
            tokens.add(word)
    return tokens


def _best_bounds(quote: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Move the ends of a range to the ends of sentences or lines near them where that is more like the quotation.

    An alignment is as long as the quotation, however much longer or shorter the new wording is.
    """
    from rapidfuzz import fuzz

    reach = (end - start) // 2
    first, last = max(0, start - reach), min(len(text), end + reach)
    stops = [match.end() for match in _SENTENCE_END.finditer(text, first, last)][:_MOST_STOPS]
    starts = [start, *([0] if first == 0 else []), *(stop for stop in stops if stop < start + reach)]
    ends = [end, *(stop for stop in stops if stop > end - reach), *([last] if last == len(text) else [])]
    ranges = {trimmed(text, one, other) for one in starts for other in ends if one < other}
    return max(sorted(ranges), key=lambda each: fuzz.ratio(quote, text[each[0] : each[1]]), default=(start, start))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range to the words it cuts, a Chinese character being one, and leave out white space at its ends."""
    while start > 0 and _one_word(text[start - 1], text[start : start + 1]):
        start -= 1
    while end < len(text) and _one_word(text[end - 1 : end], text[end]):
        end += 1
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())


def _one_word(before: str, after: str) -> bool:
    both = before + after
    return len(both) == 2 and both.isalnum() and not _WIDE.search(both)
