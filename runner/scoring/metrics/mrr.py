"""How far down is the first relevant one?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost, over
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class MeanReciprocalRank(Metric):
    """1 / rank of the first relevant over the whole depth, 0 if none; with a cutoff, 0 if none is above it."""

    name: ClassVar[str] = "mrr"
    query_name: ClassVar[str] = "rr"
    aliases: ClassVar[tuple[str, ...]] = ("rr", "reciprocal_rank")
    over_depth: ClassVar[bool] = True
    when_lost: ClassVar[WhenLost] = "never rises"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """1 / rank."""
        rank = np.where(found.first_rank <= k, found.first_rank, 0)
        return over(np.ones(len(rank)), rank)
