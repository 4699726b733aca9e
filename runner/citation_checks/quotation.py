"""Whether a text holds a quotation: word for word, white space and what nobody sees apart."""

import re
from dataclasses import dataclass

from retrievers.ignorable import seen
from runner.files.reading import nfc

# Scripts that are written without spaces: a line end between two of their characters is no space.
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
_BESIDE_WIDE = re.compile(f"(?<=[{_WIDE}]) | (?=[{_WIDE}])")
_LEAST_ALIKE = 0.4
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Nearest:
    """The piece of a text that is most like a quotation, and how alike they are, 0 to 1 (indel similarity)."""

    text: str
    similarity: float


def squeeze(text: str) -> str:
    """What is seen of the text, with single spaces, and none beside a Chinese or Japanese character."""
    return _BESIDE_WIDE.sub("", " ".join(nfc(seen(text)).split()))


def stands_in(quotation: str, text: str) -> bool:
    """Whether a squeezed text holds a squeezed quotation that begins and ends with whole words and numbers."""
    return any(not _cut(text, at) and not _cut(text, at + len(quotation)) for at in _places(quotation, text))


def cut_in(quotation: str, text: str) -> str | None:
    """What surrounds a quotation that stands in a text only as a part of longer words or numbers, else None."""
    if not quotation or stands_in(quotation, text):
        return None
    return next(
        (shortened(text[max(0, at - 20) : at + len(quotation) + 20].strip()) for at in _places(quotation, text)), None
    )


def nearest_to(quotation: str, text: str) -> Nearest | None:
    """The nearest piece of a squeezed text; None where nothing is at all like the quotation."""
    from rapidfuzz import fuzz

    if not text:
        return None
    if len(quotation) >= len(text):
        # The alignment would look for the text in the quotation, and call a quotation with much added all alike.
        found = Nearest(shortened(text), fuzz.ratio(quotation, text) / 100)
    else:
        aligned = fuzz.partial_ratio_alignment(quotation, text)
        assert aligned is not None  # no score was asked for
        found = Nearest(shortened(text[aligned.dest_start : aligned.dest_end].strip()), aligned.score / 100)
    return found if found.similarity >= _LEAST_ALIKE else None


def shortened(text: str) -> str:
    """At most 160 characters of a text."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _places(quotation: str, text: str) -> list[int]:
    places, at = [], text.find(quotation) if quotation else -1
    while at >= 0:
        places.append(at)
        at = text.find(quotation, at + 1)
    return places


def _cut(text: str, at: int) -> bool:
    """Whether a word or a number goes on across this place: "10" is not what "100" or "10.5" says."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _spaced(before) and _spaced(after):
        return True
    left = before in ".," and after.isdigit() and at > 1 and text[at - 2].isdigit()
    right = after in ".," and before.isdigit() and at + 1 < len(text) and text[at + 1].isdigit()
    return left or right


def _spaced(character: str) -> bool:
    """Whether it belongs to a word of a script that puts spaces between words: Latin, Greek, Cyrillic, digits."""
    return character.isalnum() and (character < "\u0590" or "\u1e00" <= character < "\u2000")
