"""How much of what is shown has anybody judged?"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class Judged(Metric):
    """The share of the first k of which anything is known (Judged@k); 1 where nothing was returned."""

    name: ClassVar[str] = "judged"
    quality: ClassVar[bool] = False

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The share of those shown."""
        shown = np.minimum(found.length, k)
        return np.divide(found.judged_at(k), shown, out=np.ones(len(shown)), where=shown > 0)
