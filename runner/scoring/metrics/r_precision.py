"""How good are as many results as there are relevant ones?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, over
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class RPrecision(Metric):
    """|R in first |R|| / |R| (Buckley and Voorhees 2005)."""

    name: ClassVar[str] = "r_precision"
    aliases: ClassVar[tuple[str, ...]] = ("rprec",)
    over_depth: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The precision, and the recall, at |R|."""
        relevant = found.judgments.relevant_counts
        within = found.found[np.arange(len(relevant)), np.minimum(relevant, found.found.shape[1] - 1)]
        return over(within, relevant)
