"""The words of all passages that are still open, prepared once for every comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.changes.alike import Codes, runs_of
from runner.changes.tokens import Coder, words
from runner.changes.undecided import Undecided


@dataclass(frozen=True, slots=True)
class Wording:
    """encoded: one character a word. runs: a number for every distinct run of three words, sorted."""

    encoded: str
    runs: Codes

    def shared(self, other: "Wording") -> int:
        """How many runs both have."""
        return len(np.intersect1d(self.runs, other.runs, assume_unique=True))

    def contained(self, other: "Wording") -> float:
        """Which share of the runs of the one that has fewer is also in the other."""
        return self.shared(other) / min(len(self.runs), len(other.runs))


def runs_of_all(wordings: Sequence[Wording]) -> Codes:
    """The runs that any of them has."""
    return np.unique(np.concatenate([each.runs for each in wordings]))


class Wordings:
    """old, new: the wording of every open passage, by id."""

    def __init__(self, undecided: Undecided) -> None:
        coder = Coder()

        def wording(body: str) -> Wording:
            encoded = coder.encode(words(body))
            return Wording(encoded, runs_of(encoded))

        self.old: Mapping[str, Wording] = {id_: wording(undecided.old_body[id_]) for id_ in undecided.before}
        self.new: Mapping[str, Wording] = {id_: wording(undecided.new_body[id_]) for id_ in undecided.after}

    def similarity(self, old: Sequence[str], new: Sequence[str]) -> float:
        """Words in common, in the same order, of passages read one after the other: 2c / (a + b)."""
        from rapidfuzz.distance import Indel

        before, after = ("".join(side[id_].encoded for id_ in ids) for side, ids in ((self.old, old), (self.new, new)))
        return float(Indel.normalized_similarity(before, after)) if before or after else 0.0
