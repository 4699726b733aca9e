"""What a reader passed over, so that no file is missed in silence."""

from collections.abc import Sequence
from dataclasses import dataclass

_MOST_KINDS = 8


@dataclass(frozen=True)
class Passed:
    """How many files of a kind (`.pdf`, `symlinked folder`) were passed over, and what would change that, or ""."""

    count: int
    kind: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.count:,} {self.kind}{f' ({self.remedy})' if self.remedy else ''}"


def passed_words(passed: Sequence[Passed]) -> str:
    """`skipped 3: 2 .pdf (install ".[documents]"), 1 symlinked folder`, the first eight kinds by name."""
    if not passed:
        return "skipped nothing"
    more = sum(each.count for each in passed[_MOST_KINDS:])
    kinds = [*map(str, passed[:_MOST_KINDS]), *([f"{more:,} of other kinds"] if more else [])]
    return f"skipped {sum(each.count for each in passed):,}: {', '.join(kinds)}"
