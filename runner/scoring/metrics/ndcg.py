"""How well does the order follow the grades?"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, WhenLost, over
from runner.scoring.relevance import Relevance, discounted


@dataclass(frozen=True)
class Ndcg(Metric):
    """DCG at k over the ideal DCG at k of all judged grades (Järvelin and Kekäläinen 2002).

    dcg: the gain is the grade (`log2`), or 2 to the grade, less 1 (`exp-log2`, Burges et al. 2005).
    """

    name: ClassVar[str] = "ndcg"
    when_lost: ClassVar[WhenLost] = "falls"

    dcg: Literal["log2", "exp-log2"] = "log2"

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The share of the ideal."""
        actual, ideal = found.discounted
        if self.dcg == "exp-log2":
            grown = (np.exp2(np.maximum(each, 0)) - 1 for each in (found.gains, found.judgments.ideal_gains))
            actual, ideal = (discounted(each) for each in grown)
        return over(actual[:, min(k, actual.shape[1] - 1)], ideal[:, min(k, ideal.shape[1] - 1)])
