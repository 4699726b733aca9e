"""Is there anything relevant at all?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class Hit(Metric):
    """1 if any of the first k is relevant, also called success."""

    name: ClassVar[str] = "hit"
    aliases: ClassVar[tuple[str, ...]] = ("success",)
    exact_bounds: ClassVar[bool] = True
    when_lost: ClassVar[WhenLost] = "never rises"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """1 or 0."""
        return (found.found_at(k) > 0).astype(np.float64)
