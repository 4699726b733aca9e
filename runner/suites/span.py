"""A judged piece of a document: a quotation or a character range, found again in the document's text."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from retrievers.ignorable import IGNORABLE, holds_ignorable, seen

_SHOWN = 60
# Where the scripts end that part every word from the next: Latin, Greek, Cyrillic, Armenian.
_PARTED = "\u0590"


class SpanFault(ValueError):
    """The span is not in the text, or not in one place only; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Span:
    """document: its id. quote: words of its text, any white space standing for any other, what nobody sees for nothing.

    start and end: characters of the document's normalised text, [start, end). A quote needs neither; with a start
    it is the occurrence that begins there.
    """

    document: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None

    @property
    def id(self) -> str:
        """What the judged thing is called: the document, and the beginning of the quotation or the range."""
        place = "" if self.start is None else f"@{self.start}" + ("" if self.end is None else f"-{self.end}")
        if self.quote is None:
            return f"{self.document}{place}"
        words = " ".join(seen(self.quote).split())
        if len(words) > _SHOWN:
            words = f"{words[:_SHOWN]}… {hashlib.sha256(words.encode()).hexdigest()[:8]}"
        return f"{self.document}{place} “{words}”"

    def content(self) -> dict[str, Any]:
        """The span as JSON values, as a suite's file holds it."""
        values = {"document": self.document, "quote": self.quote, "start": self.start, "end": self.end}
        return {key: value for key, value in values.items() if value is not None}

    def locate(self, text: str) -> tuple[int, int]:
        """Where the span stands in its document's text, [start, end) in characters.

        Raises SpanFault for a range outside the text or of white space only, and for a quotation that is not found
        (with the nearest passage of the text) or found more than once (with the places).
        """
        if self.quote is None:
            return self._range(text)
        places = find_quote(self.quote, text)
        if self.start is not None:
            places = [place for place in places if place[0] == self.start]
        if len(places) == 1:
            return places[0]
        if len(places) > 1:
            first, second = (f"line {text.count(chr(10), 0, start) + 1} (start {start})" for start, _ in places[:2])
            raise SpanFault(
                f"is found {len(places)} times, first in {first} and {second}; quote more words around it, or add "
                "the start of the one that is meant"
            )
        if self.start is not None and find_quote(self.quote, text):
            raise SpanFault(f"does not begin at {self.start}; leave start out, or mend it")
        if within := re.search(_pattern(self.quote, text), text):
            line = text.count("\n", 0, within.start()) + 1
            raise SpanFault(
                f"stands in the text only as part of a longer word or number, in line {line}; quote all of it"
            )
        raise SpanFault(f"is not in the text{_nearest(self.quote, text)}")

    def _range(self, text: str) -> tuple[int, int]:
        start, end = self.start or 0, len(text) if self.end is None else self.end
        if not 0 <= start < end <= len(text):
            raise SpanFault(f"has the range {start}-{end}, the document has {len(text)} characters")
        if not text[start:end].strip():
            raise SpanFault(f"has the range {start}-{end}, where there is white space only")
        return start, end


def find_quote(quote: str, text: str) -> list[tuple[int, int]]:
    """Every place, [start, end), where a text holds a quotation; line ends and runs of spaces are all alike.

    A place begins and ends where words and numbers do: "is 10" is not in "is 100", nor "can" in "cannot". Chinese
    characters are words each.
    """
    if not seen(quote).strip():
        return []
    # Looking ahead finds places that overlap, too: "a a" stands twice in "a a a".
    found = ((match.start(1), match.end(1)) for match in re.finditer(f"(?=({_pattern(quote, text)}))", text))
    return [(start, end) for start, end in found if not (_joined(text, start) or _joined(text, end))]


def _pattern(quote: str, text: str) -> str:
    words = seen(quote).split()
    if not holds_ignorable(text):
        return r"\s+".join(map(re.escape, words))
    unseen = f"[{IGNORABLE}]*"
    return rf"(?:{unseen}\s)+{unseen}".join(unseen.join(map(_either, word)) for word in words)


def _either(character: str) -> str:
    """A character, or its parts with something unseen between them, which keeps them from being composed."""
    parts = unicodedata.normalize("NFD", character)
    if parts == character:
        return re.escape(character)
    return f"(?:{re.escape(character)}|{f'[{IGNORABLE}]*'.join(map(re.escape, parts))})"


def _joined(text: str, place: int) -> bool:
    """Whether a place of a text is within a word or a number."""
    before, after = place - 1, place
    while before >= 0 and holds_ignorable(text[before]):
        before -= 1
    while after < len(text) and holds_ignorable(text[after]):
        after += 1
    return (
        before >= 0
        and after < len(text)
        and all(each.isdecimal() or (each < _PARTED and each.isalnum()) for each in (text[before], text[after]))
    )


def _nearest(quote: str, text: str) -> str:
    from rapidfuzz import fuzz

    found = fuzz.partial_ratio_alignment(quote, text) if text.strip() else None
    if found is None or found.score < 40:
        return ", nor anything like it"
    line = text.count("\n", 0, found.dest_start) + 1
    near = " ".join(text[found.dest_start : found.dest_end].split())
    return f"; nearest, in line {line} ({found.score:.0f}% alike): {near[:200]!r}"
