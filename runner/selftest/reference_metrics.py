"""Where judged items stand, counted one by one from the suite's own judgments, without the arrays of the metrics."""

import math
from collections.abc import Mapping

import numpy as np

from runner.scoring.judgments import Floats
from runner.selftest.check import COUNT, EXACT, FAILED, NOTICED, Check
from runner.selftest.declared_properties import broken_promises
from runner.selftest.sandbox import Measurement
from runner.suites import JudgedQuery
from runner.suites.existence import SpanPlaces

# The rank, from 1, and the grade of each judged item that a ranking found.
Found = list[tuple[int, int]]


class Counter:
    """Counts in the rankings of one measurement."""

    def __init__(self, measured: Measurement) -> None:
        self._suite, self._rankings = measured.judged.suite, measured.rankings
        self.scored = measured.judged.scored
        # Rows are of the snapshot that the judgments were laid over, also where another one was searched.
        self._snapshot = measured.job.stage.snapshot
        self._places = SpanPlaces(self._snapshot)
        self._texts = {document.id: document.text for document in self._snapshot.documents}

    def found(self, number: int) -> Found:
        """What one scored query's ranking found."""
        ranks = self._shown(number) if self._suite.unit == "span" else self._named(number)
        return [(ranks[id_], grade) for id_, grade in self.scored[number].grades.items() if id_ in ranks]

    def shares(self, found: list[Found], k: int) -> dict[str, Floats]:
        """recall and hit at k, and rr, of every scored query, float64 [queries]."""
        rows = [
            self._share(query, [rank for rank, grade in each if grade >= self._suite.min_grade], k)
            for query, each in zip(self.scored, found, strict=True)
        ]
        return {name: np.array([row[name] for row in rows]) for name in ("recall", "hit", "rr")}

    def _share(self, query: JudgedQuery, ranks: list[int], k: int) -> Mapping[str, float]:
        needed = sum(grade >= self._suite.min_grade for grade in query.grades.values())
        within = sum(rank <= k for rank in ranks)
        return {"recall": within / needed, "hit": float(within > 0), "rr": 1 / min(ranks) if ranks else 0.0}

    def _named(self, number: int) -> dict[str, int]:
        """The rank of every document or passage, each counted once."""
        passages = [self._snapshot.passages[row] for row in self._rankings.one(number)[0].tolist()]
        ids = (each.document if self._suite.unit == "document" else each.id for each in passages)
        return {id_: rank for rank, id_ in enumerate(dict.fromkeys(ids), 1)}

    def _shown(self, number: int) -> dict[str, int]:
        """The rank at which enough of each span had been shown, character by character."""
        left: dict[str, tuple[str, set[int], float]] = {}
        for id_, span in self.scored[number].spans.items():
            start, end = self._places.find(span)
            text = self._texts[span.document]
            wanted = {at for at in range(start, end) if not text[at].isspace()}
            left[id_] = (span.document, wanted, math.floor((1 - self._suite.coverage) * len(wanted) + EXACT))
        ranks: dict[str, int] = {}
        for rank, row in enumerate(self._rankings.one(number)[0].tolist(), 1):
            passage = self._snapshot.passages[row]
            for id_, (document, wanted, unseen) in left.items():
                if document == passage.document and id_ not in ranks:
                    wanted -= set(range(passage.start, passage.end))
                    if len(wanted) <= unseen:
                        ranks[id_] = rank
        return ranks


def fell_behind(before: Found, after: Found, k: int, least: int) -> bool:
    """Whether no more was found up to any rank, in number and in grades, and less of both up to k.

    Then no metric, whatever it makes of ranks, has anything to gain.
    """
    for counts in (lambda grade: int(grade >= least), lambda grade: grade):
        for rank in {k, *(rank for rank, _ in after)}:
            old, new = (sum(counts(grade) for at, grade in found if at <= rank) for found in (before, after))
            if new > old or (rank == k and new == old):
                return False
    return True


def count(before: Measurement) -> Check:
    """Hold recall, hit and the reciprocal rank of every query, and the means at every k, against a count.

    Every other metric is held against what it declares of itself.
    """
    counter, seen = Counter(before), before.evaluation
    found = [counter.found(number) for number in range(len(counter.scored))]
    faults = []
    at_k = counter.shares(found, seen.k)
    for name, counted in ((name, counted) for name, counted in at_k.items() if name in seen.values):
        for wrong in np.flatnonzero(np.abs(seen.values[name] - counted) > EXACT)[:1]:
            where = f"{name} of query {counter.scored[wrong].id!r}"
            faults.append(f"{where} is {seen.values[name][wrong]:.4g}, counted {counted[wrong]:.4g}")
    for number, k in enumerate(seen.ks):
        for name, counted in counter.shares(found, k).items():
            if name in seen.curve and abs(seen.curve[name][number] - counted.mean()) > EXACT:
                faults.append(f"{name} at {k} is {seen.curve[name][number]:.4g}, counted {counted.mean():.4g}")
    faults += broken_promises(before)
    sound = f"recall, hit and reciprocal rank are as counted, and the means at {len(seen.ks)} k; "
    sound += f"all {len(seen.metrics)} metrics lie between 0 and 1, those at k whatever stands below"
    reason = "; ".join(faults[:3]) or sound
    return Check(
        COUNT,
        "",
        FAILED if faults else NOTICED,
        reason,
        seen.overall["recall"],
        float(at_k["recall"].mean()),
        len(counter.scored),
    )
