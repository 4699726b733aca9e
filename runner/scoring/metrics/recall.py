"""How much of what is relevant was found?"""

from dataclasses import dataclass
from typing import ClassVar

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost, over
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class Recall(Metric):
    """|R in first k| / |R|."""

    name: ClassVar[str] = "recall"
    aliases: ClassVar[tuple[str, ...]] = ("r",)
    exact_bounds: ClassVar[bool] = True
    when_lost: ClassVar[WhenLost] = "falls"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The share of R."""
        return over(found.found_at(k), found.judgments.relevant_counts)
