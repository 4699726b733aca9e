"""How much does a reader gain who goes on to the next result with a fixed chance?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class RankBiasedPrecision(Metric):
    """(1 - p) x the sum of p^(rank - 1) over the relevant in the first k (Moffat and Zobel 2008).

    p: the chance that a reader looks at the next result too, over 0 and under 1.
    """

    name: ClassVar[str] = "rbp"
    # Far down, what is lost is less than rounding.
    when_lost: ClassVar[WhenLost] = "never rises"

    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ValueError(f"p is a chance over 0 and under 1, found {self.p:g}")

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The expected gain a result."""
        relevant = found.relevant[:, :k]
        weights = (1 - self.p) * self.p ** np.arange(relevant.shape[1])
        values: Floats = (relevant * weights).sum(axis=1)
        return values
