"""What every metric declares of itself, held against what it does: no recount of it is needed for that."""

from collections.abc import Iterator

import numpy as np

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric
from runner.selftest.check import EXACT
from runner.selftest.sandbox import Measurement


def broken_promises(measured: Measurement) -> Iterator[str]:
    """One sentence a metric that leaves 0 to 1, or that does not follow from the first k or those of its cutoff."""
    evaluation, queries = measured.evaluation, measured.judged.scored
    for metric in evaluation.metrics:
        values = evaluation.values[metric.of_query]
        # Not a number is neither.
        for wrong in np.flatnonzero(~((values >= -EXACT) & (values <= 1 + EXACT)))[:1]:
            yield f"{metric} of query {queries[wrong].id!r} is {values[wrong]:.4g}, not from 0 to 1"
        if not metric.whole:
            alone = _from_the_first(metric, measured)
            for wrong in np.flatnonzero(np.abs(values - alone) > EXACT)[:1]:
                where = f"{metric} of query {queries[wrong].id!r}"
                yield f"{where} is {values[wrong]:.4g}, and {alone[wrong]:.4g} where nothing stands below its cut"


def _from_the_first(metric: Metric, measured: Measurement) -> Floats:
    judged, k = measured.judged, measured.evaluation.k
    scored = judged.collapsed(measured.rankings.take(np.arange(len(judged.scored))))
    return metric.compute(judged.relevance(scored.cut(metric.cutoff or k)), k)
