"""Guess which known word, or existing id, a wrong one was meant to be."""

import difflib
from bisect import bisect_left
from collections.abc import Iterable, Sequence

# Comparing strings is slow: look only at ids near the wrong one in the alphabet, or on the same page.
_AROUND = 40
_MOST_COMPARED = 400
# The least likeness, of 1, at which a word is taken for a slip of another.
_LEAST = 0.6


def nearest(found: str, known: Iterable[str], least: float = _LEAST) -> str | None:
    """The known word that is closest to a wrong one, if any is close enough."""
    close = difflib.get_close_matches(found, list(known), 1, least)
    return close[0] if close else None


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when a known word is close to the found one, else the known words."""
    words = sorted(known)
    close = nearest(found, words)
    return f"; did you mean {close!r}?" if close else f"; known: {', '.join(words)}" if words else ""


def nearest_ids(wrong: Sequence[str], ids: Sequence[str], most: int = 2) -> dict[str, list[str]]:
    """For each wrong id up to `most` close ones; ids: sorted. One pass over ids, whatever the number of wrong ones."""
    folded = {id_.casefold() for id_ in wrong}
    same_but_case: dict[str, str] = {}
    for id_ in ids:
        key = id_.casefold()
        if key in folded:
            same_but_case.setdefault(key, id_)
    found = {}
    for id_ in wrong:
        exact = same_but_case.get(id_.casefold())
        found[id_] = [exact] if exact else difflib.get_close_matches(id_, _near(id_, ids), most, _LEAST)
    return found


def _near(id_: str, ids: Sequence[str]) -> list[str]:
    page = id_.rpartition("#")[0]
    at = bisect_left(ids, id_)
    near = list(ids[max(0, at - _AROUND) : at + _AROUND])
    if page:
        first = bisect_left(ids, f"{page}#")
        for other in ids[first : first + _MOST_COMPARED]:
            if not other.startswith(f"{page}#"):
                break
            near.append(other)
    # A slip in the first letters moves an id far away in the alphabet; small sets can be searched whole.
    if len(ids) <= _MOST_COMPARED * 10:
        near.extend(ids)
    return list(dict.fromkeys(near))
