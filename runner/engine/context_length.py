"""What a run costs whoever reads its results: the text of the first k passages, and the pairs a reranker looks at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Rankings, Rescoring
from runner.engine.plan import Job
from runner.scoring.judgments import Floats
from runner.scoring.text_length import token_lengths
from runner.snapshots import Snapshot


@dataclass(frozen=True)
class Context:
    """Lengths, in the estimated tokens of `text_length`, of the first k passages together, over scored queries.

    mean and p95: at the job's k. curve: the mean by k. reranked_pairs: mean pairs a query that the last stage
    scores with its reranker, 0 where it has none.
    """

    mean: float
    p95: float
    curve: tuple[tuple[int, float], ...]
    reranked_pairs: float

    def metrics(self) -> dict[str, float]:
        """The figures under the names they are logged by."""
        return {
            "context_tokens": self.mean,
            "context_tokens_p95": self.p95,
            "reranked_pairs": self.reranked_pairs,
        }


class ContextMeter:
    """Measures the contexts of many jobs; a passage of a snapshot is counted once."""

    def __init__(self) -> None:
        # -1 where nobody has looked at the passage yet.
        self._lengths: dict[str, NDArray[np.int64]] = {}

    def measure(self, job: Job, rankings: Rankings, candidates: Rankings, ks: Sequence[int]) -> Context | None:
        """Measure one job; rankings and pool as they were scored. None if it has no scored query."""
        n = len(job.judged.scored)
        if not n:
            return None
        scored = np.arange(n)
        kept = job.judged.collapsed(rankings.take(scored))
        together = _cumulated(kept, self._of(job.stage.snapshot, kept))
        at_k = together[:, min(job.settings.k, together.shape[1] - 1)]
        rescoring = isinstance(job.stage.component.object, Rescoring)
        return Context(
            float(at_k.mean()),
            float(np.percentile(at_k, 95)),
            tuple((k, float(together[:, min(k, together.shape[1] - 1)].mean())) for k in sorted({*ks, job.settings.k})),
            float(np.diff(candidates.offsets)[:n].mean()) if rescoring else 0.0,
        )

    def _of(self, snapshot: Snapshot, rankings: Rankings) -> NDArray[np.int64]:
        """The lengths of a snapshot's passages, as far as these or earlier rankings show them."""
        texts = snapshot.passages_for_retrieval().texts
        lengths = self._lengths.setdefault(snapshot.id, np.full(len(texts), -1, np.int64))
        shown = np.unique(rankings.rows)
        new = shown[lengths[shown] < 0]
        if len(new):
            lengths[new] = token_lengths([texts[row] for row in new.tolist()])
        return lengths


def _cumulated(rankings: Rankings, lengths: NDArray[np.int64]) -> Floats:
    """Length of the first 0, 1, 2 ... passages of each query, float64 [queries, ranks + 1]."""
    counts = np.diff(rankings.offsets)
    table = np.zeros((len(rankings), int(counts.max(initial=0)) + 1))
    numbers = rankings.query_numbers()
    table[numbers, np.arange(len(numbers)) - rankings.offsets[numbers] + 1] = lengths[rankings.rows]
    return np.cumsum(table, axis=1)
