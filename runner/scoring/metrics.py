"""Retrieval metrics over integer arrays: one row a query, one column a rank.

Every function takes `Relevance` and returns float64 [queries]; those that look at the first k take k.
Definitions follow trec_eval where it has them: gain = grade, discount 1 / log2(rank + 1). R are the relevant documents,
passages or spans; the first k are documents or passages. Spans that one passage completes take successive places in
`ndcg` and `ap`, so that neither can exceed 1.
"""

from collections.abc import Callable, Mapping

import numpy as np

from runner.scoring.judgments import Floats, Integers
from runner.scoring.relevance import Relevance, cumulated

# Raised whenever a definition below changes: scores of different versions are never compared.
METRICS_VERSION = 1


def _over(numerator: Integers | Floats, denominator: Integers | Floats) -> Floats:
    """Divide, giving 0 where there is nothing relevant (such queries are never scored)."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)


def hit(found: Relevance, k: int) -> Floats:
    """1 if any of the first k is relevant, also called success."""
    return (found.found_at(k) > 0).astype(np.float64)


def recall(found: Relevance, k: int) -> Floats:
    """|R in first k| / |R|."""
    return _over(found.found_at(k), found.judgments.relevant_counts)


def precision(found: Relevance, k: int) -> Floats:
    """Relevant ones in the first k / k, also when fewer than k were returned."""
    return found.answers_at(k) / k


def judged(found: Relevance, k: int) -> Floats:
    """The share of the first k of which anything is known (Judged@k); 1 where nothing was returned."""
    shown = np.minimum(found.length, k)
    return np.divide(found.judged_at(k), shown, out=np.ones(len(shown)), where=shown > 0)


def ndcg(found: Relevance, k: int) -> Floats:
    """DCG at k over the ideal DCG at k of all judged grades (Järvelin and Kekäläinen 2002, linear gain)."""
    actual, ideal = found.discounted
    return _over(actual[:, min(k, actual.shape[1] - 1)], ideal[:, min(k, ideal.shape[1] - 1)])


def reciprocal_rank(found: Relevance) -> Floats:
    """1 / rank of the first relevant over the whole depth, 0 if none."""
    return _over(np.ones(len(found.first_rank)), found.first_rank)


def average_precision(found: Relevance) -> Floats:
    """Mean over all of R of the precision at its rank; what was not found counts as 0."""
    places = np.arange(1, found.relevant.shape[1] + 1)
    precisions = cumulated(found.relevant)[:, 1:] / places
    return _over((found.relevant * precisions).sum(axis=1), found.judgments.relevant_counts)


# Printed name of the per-query value -> its function. The means of rr and ap are called mrr and map.
AT_K: Mapping[str, Callable[[Relevance, int], Floats]] = {
    "hit": hit,
    "recall": recall,
    "precision": precision,
    "ndcg": ndcg,
    "judged": judged,
}
OVER_DEPTH: Mapping[str, Callable[[Relevance], Floats]] = {"rr": reciprocal_rank, "ap": average_precision}
MEAN_NAMES: Mapping[str, str] = {"rr": "mrr", "ap": "map"}
# Every mean that is logged with an interval and that a rule or a comparison may name.
METRICS = tuple(MEAN_NAMES.get(name, name) for name in (*AT_K, *OVER_DEPTH, "pool_recall"))
