"""Part a very long text before it is cut, since a splitter's time grows with the square of what has no sentences."""

import re
import unicodedata
from collections.abc import Iterator

# Text of this length, or a run of this many passages' length without the end of a sentence or a line, is parted.
_LONGEST = 65_536
_PASSAGES = 8
_SHORTEST = 4_096
_END = re.compile(r"[.!?][\"')\]]*\s+(?=[^\sa-z])|[。！？\n]")
# Where a long run is parted, best first; each is sought in the last quarter of what fits.
_PLACES = tuple(
    re.compile(f".*(?:{end})", re.DOTALL) for end in (r"\n\n+", r"\n", _END.pattern, r"\s", "[，、；：,;:]")
)


def stretches(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """[start, end) in ranges, one after the other, that are cut in a time that grows with their length.

    size: about as many characters as a passage may have. A text of usual pages is one range.
    """
    for first, last in _parted(text, start, end, _LONGEST if size * _PASSAGES < _LONGEST else size * _PASSAGES):
        begin = last_end = first
        for place in (*(found.end() for found in _END.finditer(text, first, last)), last):
            longest = max(size * _PASSAGES, _SHORTEST)
            if place - last_end > longest:
                if begin < last_end:
                    yield begin, last_end
                yield from _parted(text, last_end, place, longest)
                begin = place
            last_end = place
        if begin < last:
            yield begin, last


def _parted(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    while end - start > longest:
        cut = _place(text, start + longest - longest // 4, start + longest)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _place(text: str, first: int, last: int) -> int:
    for pattern in _PLACES:
        if found := pattern.match(text, first, last):
            return found.end()
    # A letter and the marks on it stay together.
    cut = last
    while cut > first and (unicodedata.category(text[cut])[0] == "M" or "\u200d" in text[cut - 1 : cut + 1]):
        cut -= 1
    return cut if cut > first else last
