"""The piece of a snapshot's documents that is most like a quotation which is no longer there."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from runner.alignment.range_match import trimmed
from runner.annotation.migration.blocks import Blocks
from runner.annotation.migration.surroundings import Surroundings
from runner.documents.document import Document

# Words, and Chinese characters two by two: one alone is in every document.
_CHINESE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD, _WIDE = re.compile(rf"[^\W_{_CHINESE}]+"), re.compile(rf"[{_CHINESE}]+")
# Below this there is nothing worth a look.
LEAST = 0.4
_MOST_DOCUMENTS = 4


@dataclass(frozen=True)
class Near:
    """document: its id. [start, end): characters of its text. similarity: 0 to 1."""

    document: str
    start: int
    end: int
    similarity: float


class NearestText:
    """documents: where to look. surroundings: theirs."""

    def __init__(self, documents: Iterable[Document], surroundings: Surroundings) -> None:
        self._texts = {document.id: document.text for document in documents}
        self._surroundings = surroundings
        self._squeezed = cache(lambda id_: " ".join(self._texts[id_].split()))

    def find(self, quote: str, prefer: str | None) -> Near | None:
        """The nearest sentences, in the preferred document or where the quotation's words are rare.

        Looked for with rapidfuzz.partial_ratio_alignment, an alignment of characters; the similarity is that of the
        whole piece, 2c / (a + b) for c characters in common and in the same order.
        """
        likely = dict.fromkeys([*([prefer] if prefer else []), *self._likely(quote)])
        found = [near for id_ in likely if (near := self._within(quote, id_))]
        return max(found, key=lambda near: near.similarity, default=None)

    def holders(self, quote: str) -> Iterator[str]:
        """The documents that hold a quotation, be it as a part of longer words."""
        squeezed = " ".join(quote.split())
        holding = [self._holders.get(token, []) for token in tokens_of(quote) if len(token) > 1]
        for id_ in min(holding, key=len, default=list(self._texts)):
            if squeezed in self._squeezed(id_):
                yield id_

    def _within(self, quote: str, id_: str) -> Near | None:
        from rapidfuzz import fuzz

        text, blocks = self._texts[id_], self._surroundings.blocks(id_)
        found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * LEAST)
        if found is None or found.dest_start == found.dest_end:
            return None
        # An alignment is as long as the quotation, however much longer or shorter the new wording is.
        reach = (found.dest_end - found.dest_start) // 2
        wide = blocks.sentences(max(0, found.dest_start - reach), min(len(text), found.dest_end + reach))
        place = best_piece(quote, text, blocks, wide)
        similarity = like(quote, text, place)
        return Near(id_, *place, similarity) if similarity >= LEAST else None

    def _likely(self, quote: str) -> list[str]:
        weight: Counter[str] = Counter()
        for token in tokens_of(quote):
            holding = self._holders.get(token, [])
            for id_ in holding[:1000]:
                weight[id_] += 1000 // len(holding)
        return [id_ for id_, _ in sorted(weight.items(), key=lambda each: (-each[1], each[0]))[:_MOST_DOCUMENTS]]

    @cached_property
    def _holders(self) -> Mapping[str, list[str]]:
        holders: dict[str, list[str]] = defaultdict(list)
        for id_, text in self._texts.items():
            for token in tokens_of(text):
                holders[token].append(id_)
        return holders


def tokens_of(text: str) -> set[str]:
    """The words of a text and its pairs of neighbouring Chinese characters, folded."""
    folded = text.casefold()
    tokens = set(_WORD.findall(folded))
    for run in _WIDE.findall(folded):
        tokens.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return tokens


Place = tuple[int, int]


def best_piece(quote: str, text: str, blocks: Blocks, within: Place, begins: bool = True, ends: bool = True) -> Place:
    """The whole sentences, next to each other, within a place that are most like the quotation; the place if none is.

    begins, ends: whether the piece may begin after the place does, and end before.
    """
    start, end = trimmed(text, *within)
    if not (begins or ends):
        return start, end
    from rapidfuzz import fuzz

    pieces = blocks.pieces(start, end)
    starts = sorted({max(start, piece[0]) for piece in pieces}) if begins else [start]
    stops = sorted({min(end, piece[1]) for piece in pieces}) if ends else [end]
    # Much longer than the quotation is never most like it.
    longest = 3 * len(quote) + 100
    ranges = [(one, other) for one in starts for other in stops if one < other <= one + longest]
    return max(ranges, key=lambda place: fuzz.ratio(quote, text[slice(*place)]), default=(start, end))


def like(quote: str, text: str, place: Place) -> float:
    """How alike a quotation and a piece of a text are: 2c / (a + b) for c characters in common, in the same order."""
    from rapidfuzz import fuzz

    one, other = (" ".join(each.split()) for each in (quote, text[slice(*place)]))
    return round(fuzz.ratio(one, other) / 100, 4)
