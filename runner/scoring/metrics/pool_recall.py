"""How much of what is relevant did the last stage get to look at?"""

from dataclasses import dataclass
from typing import ClassVar

from runner.errors import ConfigError
from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class PoolRecall(Metric):
    """Recall of the candidates handed to the last stage; of a retriever with one stage, recall over the depth."""

    name: ClassVar[str] = "pool_recall"
    over_depth: ClassVar[bool] = True
    takes_cutoff: ClassVar[bool] = False

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The share of R. Raises ConfigError where it is not known what the last stage looked at."""
        if found.pool_recall is None:
            raise ConfigError("pool_recall needs what the last stage looked at, which a ranking alone does not say")
        return found.pool_recall
