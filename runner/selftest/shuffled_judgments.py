"""Every query gets another one's judgments: what is left of the score is chance."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from runner.selftest.check import EXACT, FAILED, NOT_APPLICABLE, NOTICED, SHUFFLE, Check
from runner.selftest.sandbox import Measurement, Sandbox
from runner.suites import Suite

# How far, in standard errors, one shuffle may lie above the mean of all.
_ERRORS = 4.0


def shuffled(suite: Suite, seed: int) -> Suite:
    """The suite with the judgments of its scored queries passed round one random circle: nobody keeps their own."""
    scored = suite.scored()
    circle = np.random.default_rng(seed).permutation(len(scored)).tolist()
    after = dict(zip(circle, [*circle[1:], *circle[:1]], strict=True))
    given = {
        query.id: replace(
            query,
            grades=scored[after[number]].grades,
            judgments=scored[after[number]].judgments,
            spans=scored[after[number]].spans,
            lines={},
        )
        for number, query in enumerate(scored)
    }
    return replace(suite, queries=tuple(given.get(query.id, query) for query in suite.queries))


@dataclass(frozen=True)
class Chance:
    """mean: recall of one query's ranking under another query's judgments, over all pairs of two. limit: what one
    shuffle stays below, four standard errors above. blind: recall of a ranking that knows nothing, k of all units.
    """

    mean: float
    limit: float
    blind: float

    @classmethod
    def of(cls, measured: Measurement) -> "Chance":
        """Count the pairs. A span counts as found where a passage shows any of it, so that it is never undercounted.

        The mean over all pairs is the expectation under a random circle, and its standard error is at most
        sqrt(mean square / (n - 1)) (Hoeffding 1951, A combinatorial central limit theorem).
        """
        recalls = _pairings(measured)
        n = len(recalls)
        np.fill_diagonal(recalls, 0.0)
        mean = float(recalls.sum() / (n * (n - 1)))
        square = float(np.square(recalls).sum() / (n * (n - 1)))
        judged, k = measured.judged, measured.evaluation.k
        return cls(mean, mean + _ERRORS * (square / (n - 1)) ** 0.5, min(k / max(len(judged.units), 1), 1.0))


def _pairings(measured: Measurement) -> NDArray[np.float64]:
    """Recall of each query's first k under each query's judgments, float64 [queries, queries]."""
    from scipy.sparse import csr_array

    judged, n = measured.judged, len(measured.judged.scored)
    top = judged.collapsed(measured.rankings.take(np.arange(n))).cut(measured.evaluation.k)
    relevant = judged.judgments.grades >= judged.suite.min_grade
    if judged.cover is None:
        # One column a unit: the judgments' keys are query x unit.
        owner = judged.judgments.query_numbers[relevant]
        place = judged.judgments.keys[relevant] % judged.judgments.n_units
        met, item = place, np.arange(len(owner))
        columns, width = judged.unit_of_row[top.rows], len(judged.units)
    else:
        counted = judged.cover.grade >= judged.suite.min_grade
        pairs = counted[judged.cover.spans]
        number = np.cumsum(counted) - 1
        owner = judged.cover.query[counted]
        met, item = judged.cover.rows[pairs], number[judged.cover.spans[pairs]]
        columns, width = top.rows.astype(np.int64), judged.cover.n_passages
    found = csr_array((np.ones(len(columns)), (top.query_numbers(), columns)), (n, width))
    shows = csr_array((np.ones(len(met)), (met, item)), (width, len(owner)))
    share = 1.0 / np.bincount(owner, minlength=n)[owner]
    owned = csr_array((share, (np.arange(len(owner)), owner)), (len(owner), n))
    any_of = found @ shows
    any_of.data[:] = 1.0
    recalls: NDArray[np.float64] = (any_of @ owned).toarray()
    return recalls


def shuffle(sandbox: Sandbox, before: Measurement, seed: int) -> Check:
    """Shuffle the judgments and see that the score was above chance and is not any more."""
    n, score = len(before.judged.scored), before.evaluation.overall["recall"]
    if n < 2:
        return Check(SHUFFLE, "", NOT_APPLICABLE, "there is one query only", score, n=n)
    chance = Chance.of(before)
    if chance.limit >= 1:
        reason = f"{n} queries are too few: chance ({chance.mean:.3f}) and four standard errors reach 1"
        return Check(SHUFFLE, "", NOT_APPLICABLE, reason, score, n=n)
    after = sandbox.measure(before.job.stage.snapshot, shuffled(before.judged.suite, seed)).evaluation.overall
    seen = f"chance {chance.mean:.4f}, at most {chance.limit:.4f}; a ranking that knows nothing: {chance.blind:.4f}"
    # What chance is, is counted for recall alone; at a cutoff of its own a metric may have been no better before.
    known = [each for each in before.evaluation.metrics if each.when_lost != "unknown" and each.cutoff is None]
    means = {str(each): before.evaluation.overall[str(each)] for each in known if str(each) != "recall"}
    kept = [name for name, mean in means.items() if not after[name] < mean - EXACT]
    fault = ""
    if score <= chance.limit:
        fault = "it was no better than chance before"
    elif after["recall"] > chance.limit:
        fault = "it is still better than chance"
    elif kept:
        fault = f"{', '.join(kept)} did not fall"
    reason = f"{fault}; {seen}" if fault else seen
    return Check(SHUFFLE, "", FAILED if fault else NOTICED, reason, score, after["recall"], n)
