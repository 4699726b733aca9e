"""Characters that nobody sees and that change no word: soft hyphens, joiners, variation selectors, directions.

They stand in texts as they were written, so that every offset stays exact; whatever compares texts or ids leaves
them out first.
"""

import re

# Inside a regular-expression class: Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt).
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_RUN = re.compile(f"[{IGNORABLE}]+")


def seen(text: str) -> str:
    """Return the text without its ignorable characters."""
    return text if text.isascii() else _RUN.sub("", text)


def holds_ignorable(text: str) -> bool:
    """Return whether `seen` would change the text."""
    return not text.isascii() and _RUN.search(text) is not None
