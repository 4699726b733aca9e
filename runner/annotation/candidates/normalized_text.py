"""A text as rules read it: widths, dashes and blanks made alike, with the way back to what was written."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

# At these a clause ends, which their plain forms do not say: they also stand within addresses and times.
_STAYING = "，：；！？"


class _NormalForms(dict[int, str]):
    """For `str.translate`: what each character becomes, found once; never more than one character."""

    def __missing__(self, code: int) -> str:
        became = self[code] = _normalized(chr(code))
        return became


def _normalized(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf":
        return ""  # zero width, soft hyphens, directions: nobody sees them
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Zs" or (category == "Cc" and character not in "\r\n"):
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(character))
    # ① and ² are no digits of a number.
    plain = unicodedata.normalize("NFKC", character) if category != "No" and character not in _STAYING else character
    return plain if len(plain) == 1 else character


_NORMAL = _NormalForms()


@dataclass(frozen=True)
class NormalizedText:
    """given: what was written. text: what it is read as; a NUL stands in no such text."""

    given: str
    text: str

    @classmethod
    def of(cls, given: str) -> "NormalizedText":
        """Normalize a text."""
        return cls(given, given if given.isascii() and given.isprintable() else given.translate(_NORMAL))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of `given` in which a range of `text`, which is not empty, was written."""
        if self._places is None:
            return start, end
        return self._places[start], self._places[end - 1] + 1

    @cached_property
    def _places(self) -> list[int] | None:
        if len(self.given) == len(self.text):
            return None
        return [place for place, character in enumerate(self.given) if _NORMAL[ord(character)]]
