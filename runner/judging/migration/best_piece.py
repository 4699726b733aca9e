"""The sentences within a piece of text that are most like a quotation."""

from runner.changes.intervals import trimmed
from runner.judging.migration.blocks import Blocks

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
