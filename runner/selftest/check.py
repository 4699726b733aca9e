"""What one check of a drill showed, and all of them together."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["noticed", "failed to notice", "not applicable"]
NOTICED: Verdict = "noticed"
FAILED: Verdict = "failed to notice"
NOT_APPLICABLE: Verdict = "not applicable"

REMOVE, REFUSE, UPDATE = "remove", "refuse", "update"
COUNT, SHUFFLE, DUPLICATE, REPEAT, SWAP = "count", "shuffle", "duplicate", "repeat", "swap"
# What is done for each slice; the others are done once.
FOR_EACH_SLICE = (REMOVE, REFUSE, UPDATE)
# Scores are means of floats: what is equal may differ in the last digits.
EXACT = 1e-9


@dataclass(frozen=True)
class Check:
    """group: the slice, or the file that was swapped; "" where neither. reason: what was seen, or why nothing could be.

    before and after: the measured score, where there is one. n: queries that it is the mean of, or judgments that had
    to be refused. what: the ids of the passages or documents that were removed, renamed or doubled.
    """

    name: str
    group: str
    verdict: Verdict
    reason: str
    before: float | None = None
    after: float | None = None
    n: int = 0
    what: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drill:
    """What was drilled, and every check in order. retriever_hash: its part's key, "not kept" where it has none."""

    suite: str
    revision: str
    unit: str
    snapshot: str
    retriever: str
    retriever_hash: str
    k: int
    seed: int
    checks: tuple[Check, ...]

    def count(self, verdict: Verdict) -> int:
        """How many checks ended so."""
        return Counter(each.verdict for each in self.checks)[verdict]

    @property
    def failed(self) -> bool:
        """Whether the instrument failed to notice anything, or nothing was there for it to notice."""
        return bool(self.count(FAILED)) or not self.count(NOTICED)

    def of_slice(self, group: str) -> dict[str, Check]:
        """The checks of one slice by name."""
        return {each.name: each for each in self.checks if each.group == group and each.name in FOR_EACH_SLICE}

    @property
    def slices(self) -> tuple[str, ...]:
        """The drilled slices, in order."""
        return tuple(each.group for each in self.checks if each.name == REMOVE)
