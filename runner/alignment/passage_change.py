"""What became of one passage, or of a few that belong together."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["unchanged", "moved", "edited", "split", "merged", "gone", "added"]
KINDS: tuple[Kind, ...] = ("unchanged", "moved", "edited", "split", "merged", "gone", "added")


@dataclass(frozen=True, slots=True)
class PassageChange:
    """old and new: passage ids, in reading order.

    unchanged, moved: one old, one new: the same words under the same title, with the same id, or with another or with
    more around it (then similarity is below 1). edited: a proposal, usually of one for one; several on either side
    share one text, and which is which cannot be told. split: one old, several new. merged: several old, one new; both
    may have several on either side where pages were cut anew across each other. gone: no new. added: no old.

    similarity: 0..1. Where documents were cut anew, the share of characters that both sides show; else that of words
    (Chinese: characters) in common and in the same order, 2c / (a + b).
    """

    kind: Kind
    old: tuple[str, ...]
    new: tuple[str, ...]
    similarity: float
