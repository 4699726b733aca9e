"""Text as a terminal may show it: what came from pages and from users must not steer it."""

import unicodedata


def visible(text: str) -> str:
    """The text with control and direction characters made visible; line ends and tabs stay."""
    if text.isprintable():
        return text
    return "".join(
        each if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cf") else _code(each) for each in text
    )


def one_line(text: str, most: int | None = None) -> str:
    """The text on one line, cut to `most` characters with an ellipsis."""
    flat = visible(" ".join(text.split()))
    return flat if most is None or len(flat) <= most else f"{flat[:most]}…"


def _code(character: str) -> str:
    # Joiners belong to the writing of some scripts and to emoji.
    return character if character in "\u200c\u200d" else f"\\u{ord(character):04x}"
