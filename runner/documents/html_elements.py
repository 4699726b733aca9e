"""What HTML's elements mean for the text of a page."""

import re
from collections.abc import Mapping


def names(text: str) -> frozenset[str]:
    """The names in a text, so that many of them take few lines."""
    return frozenset(text.split())


# What a browser does not show, or what says nothing about this page: navigation is that of the site.
_LEFT_OUT = names(
    "area audio base basefont canvas datalist embed head iframe link meta meter nav noembed noframes noscript object "
    "param progress rp script style template textarea title video annotation annotation-xml desc metadata"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Blocks that stand apart from their neighbours, and blocks that only begin a line.
APART = names(
    "address article aside blockquote center details dir dl fieldset figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr listing main menu ol p plaintext pre section table ul xmp"
)
LINES = names(
    "body caption dd dialog div dt figcaption html frameset hgroup legend li optgroup option search select "
    "summary tbody text tfoot thead tr"
)
LISTS = frozenset({"dir", "menu", "ol", "ul"})
VERBATIM = frozenset({"listing", "plaintext", "pre", "xmp"})
CELLS = frozenset({"td", "th"})
# A table that holds one of these sets out a page instead of listing values.
LAYOUT = frozenset({*_HEADINGS, *VERBATIM, "table"})

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)


def is_left_out(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether nothing in an element is text of the page.

    What a reader can unfold is: closed `<details>` and `hidden=until-found`.
    """
    if tag in _LEFT_OUT or (tag == "dialog" and "open" not in attributes):
        return True
    if not attributes:
        return False
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    if (attributes.get("role") or "").lower() == "navigation":
        return True
    return bool(_HIDDEN_STYLE.search(attributes.get("style") or ""))


def heading_level(tag: str, attributes: Mapping[str, str | None]) -> int:
    """1 to 6 for a heading, by its name or its role; 0 for anything else."""
    if (attributes.get("role") or "").lower() == "heading":
        level = attributes.get("aria-level") or "2"
        return min(int(level), 6) if level.isdecimal() and level.isascii() and int(level[:9]) > 0 else 2
    return _HEADINGS.get(tag, 0)


def is_permalink(attributes: Mapping[str, str | None], text: str, in_heading: bool) -> bool:
    """Whether a link only offers the address of the place where it stands: `¶` anywhere, any mark in a heading."""
    if "#" not in (attributes.get("href") or ""):
        return False
    text = text.strip()
    return text == "¶" or (in_heading and bool(text) and not any(each.isalnum() for each in text))
