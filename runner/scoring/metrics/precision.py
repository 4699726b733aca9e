"""How much of what is shown is relevant?"""

from dataclasses import dataclass
from typing import ClassVar

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class Precision(Metric):
    """Relevant ones in the first k / k, also when fewer than k were returned."""

    name: ClassVar[str] = "precision"
    aliases: ClassVar[tuple[str, ...]] = ("p",)
    exact_bounds: ClassVar[bool] = True
    when_lost: ClassVar[WhenLost] = "falls"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The share of k."""
        return found.answers_at(k) / k
