"""Long texts on a screen of few rows: what changed and what is judged stays, the rest gives way."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console  # noqa: TID251  (only its type)
    from rich.text import Text

_TELLING = ("red strike", "bold green")
_OPENS, _CLOSES = "[[", "]]"


def height(texts: Sequence["Text"], console: "Console") -> int:
    """How many rows texts take."""
    return sum(max(1, len(text.wrap(console, console.width))) for text in texts)


def fitted(texts: Sequence["Text"], console: "Console", rows: int) -> list["Text"]:
    """Texts cut to that many rows together: each long one keeps a fair share."""
    if height(texts, console) <= rows:
        return list(texts)
    sizes = [height([text], console) for text in texts]
    shares = dict.fromkeys(range(len(sizes)), 0)
    left = rows
    # The short ones first, whole; what they do not need goes to the others.
    for place, number in enumerate(sorted(shares, key=lambda each: sizes[each])):
        shares[number] = min(sizes[number], max(1, left // (len(sizes) - place)))
        left -= shares[number]
    return [_cut(text, console, shares[number]) for number, text in enumerate(texts)]


def _cut(text: "Text", console: "Console", rows: int) -> "Text":
    from rich.text import Text

    lines = list(text.wrap(console, console.width))
    if len(lines) <= rows:
        return text
    kept: set[int] = set()
    for number in _by_weight(lines):
        if _rows_of({*kept, number}, len(lines)) <= rows:
            kept.add(number)
    parts: list[Text] = []
    for before, number in pairwise([-1, *sorted(kept), len(lines)]):
        if number - before > 1:
            parts.append(Text(f"… {number - before - 1} more lines; m shows all", "dim italic"))
        if number < len(lines):
            parts.append(lines[number])
    return Text("\n").join(parts)


def _rows_of(kept: set[int], count: int) -> int:
    """Rows of the lines that are kept and of the notes on those left out between them."""
    gaps = sum(number - before > 1 for before, number in pairwise([-1, *sorted(kept), count]))
    return len(kept) + gaps


def _by_weight(lines: Sequence["Text"]) -> list[int]:
    """The lines, first the ones to keep: where the judged words begin, what changed, then what is next to these."""
    opens = next((number for number, line in enumerate(lines) if _OPENS in line.plain), None)
    closes = next((number for number, line in enumerate(lines) if _CLOSES in line.plain), opens)
    changed = [number for number, line in enumerate(lines) if any(span.style in _TELLING for span in line.spans)]
    first = opens if opens is not None else changed[0] if changed else 0
    last = closes if closes is not None else first
    telling = changed or [first]

    def weight(number: int) -> tuple[int, int]:
        if number == first:
            return 0, 0
        if first <= number <= last or number in telling:
            return 1, abs(number - first)
        return 2, min(abs(number - other) for other in (first, last, *telling))

    return sorted(range(len(lines)), key=weight)
