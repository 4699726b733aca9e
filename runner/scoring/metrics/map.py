"""How much stands above the irrelevant, over the whole ranking?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost, over
from runner.scoring.relevance import Relevance, cumulated


@dataclass(frozen=True)
class AveragePrecision(Metric):
    """Mean over all of R of the precision at its rank; what was not found counts as 0."""

    name: ClassVar[str] = "map"
    query_name: ClassVar[str] = "ap"
    aliases: ClassVar[tuple[str, ...]] = ("ap", "average_precision")
    over_depth: ClassVar[bool] = True
    when_lost: ClassVar[WhenLost] = "falls"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The mean precision."""
        relevant = found.relevant[:, :k]
        precisions = cumulated(relevant)[:, 1:] / np.arange(1, relevant.shape[1] + 1)
        return over((relevant * precisions).sum(axis=1), found.judgments.relevant_counts)
