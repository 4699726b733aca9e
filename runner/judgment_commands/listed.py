"""How a command names many things on one line."""

from collections.abc import Sequence

from runner.formats.visible import one_line

MOST_NAMED = 5


def listed(ids: Sequence[str]) -> str:
    """How many there are, and the first of them."""
    more = "" if len(ids) <= MOST_NAMED else ", ..."
    return f"{len(ids)} ({', '.join(map(one_line, ids[:MOST_NAMED]))}{more})"
