"""A changed wording cut down to the places where it changed."""

from collections.abc import Sequence

from runner.changes.wording import Piece

_CUT = "…"
# How far off a word may end, and how much is shown where nothing changed.
_WORD = 12
_ALONE = 60


def excerpt(pieces: Sequence[Piece], around: int, most: int) -> list[Piece]:
    """The changes with at most `around` equal characters at their sides, and about `most` characters in all.

    White space is single spaces; what is left out is an ellipsis.
    """
    shown: list[Piece] = []
    left = most
    for position, piece in enumerate(pieces):
        if left <= 0:
            shown.append(Piece("same", f" {_CUT}"))
            break
        text = _flat(piece.text)
        if piece.kind == "same":
            text = _shortened(text, 0 if position == 0 else around, 0 if position == len(pieces) - 1 else around)
        elif len(text) > left:
            text = text[:left] + _CUT
        left -= len(text)
        shown.append(Piece(piece.kind, text))
    return [piece for piece in shown if piece.text]


def _flat(text: str) -> str:
    """One line, with a single space at an end where there was white space."""
    flat = " ".join(text.split())
    if not flat:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{flat}{' ' if text[-1].isspace() else ''}"


def _shortened(text: str, head: int, tail: int) -> str:
    """Keep so much of the beginning and of the end; 0 keeps as much on the side that touches a change only."""
    if head and tail:
        return text if len(text) <= head + tail + 10 else f"{_head(text, head)}{_CUT}{_tail(text, tail)}"
    keep = head or tail
    if not keep:
        return text if len(text) <= _ALONE else f"{_head(text, _ALONE)}{_CUT}"
    if len(text) <= keep + 10:
        return text
    return f"{_head(text, keep)}{_CUT}" if head else f"{_CUT}{_tail(text, keep)}"


def _head(text: str, length: int) -> str:
    """About so much of the beginning, up to the end of a word if one ends near there."""
    end = text.find(" ", length, length + _WORD)
    return text[: length if end < 0 else end]


def _tail(text: str, length: int) -> str:
    start = text.rfind(" ", max(0, len(text) - length - _WORD), len(text) - length)
    return text[len(text) - length if start < 0 else start + 1 :]
