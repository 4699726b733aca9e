"""Text as a terminal may show it: what came from pages and from users must not steer it."""

import unicodedata

# Controls, direction and other format characters, halves of surrogate pairs, separators of lines and paragraphs.
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """The text with characters that are not seen, such as controls and directions, made visible.

    Line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each in "\n\t" or unicodedata.category(each) not in _UNSEEN else _code(each) for each in text
    )


def one_line(text: str, most: int | None = None) -> str:
    """The text on one line, cut to `most` characters with an ellipsis."""
    flat = visible(" ".join(text.split()))
    return flat if most is None or len(flat) <= most else f"{flat[:most]}…"


def cut(text: str, most: int) -> str:
    """At most so many characters of a text, the last of them an ellipsis where some are left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _code(character: str) -> str:
    # Joiners belong to the writing of some scripts and to emoji.
    return character if character in "\u200c\u200d" else f"\\u{ord(character):04x}"
