"""A first stage's pool put in a new order by a reranker, alone or mixed with scores already known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from retrievers.base import Passages, Query, Rankings, Reranker, RetrievalError, Retriever, Scores
from retrievers.fusion import checked_weights
from retrievers.normalization import zscore
from retrievers.ranked import from_sources

OWN, FIRST = "reranker", "first"


@dataclass(frozen=True)
class Reranked:
    """Orders the first `pool` passages of `first`, and returns no others.

    mix: the weight of each part of the final score; None means the reranker's score alone. A part is
    `reranker`, `first`, or a source of the first stage (a retriever inside a hybrid). Each part's scores
    are z-normalised within the query's pool and then summed by weight; a part whose scores are all the
    same adds nothing. A candidate that a part's ranking does not hold takes the ranking's last score; where
    that ranking ended before its depth, and so had found all it could, it takes 0 if that is less.

    Raises RetrievalError for a pool below 1, and for a mix that is empty or names an unknown part.
    """

    first: Retriever
    reranker: Reranker
    pool: int = 50
    mix: Mapping[str, float] | None = None

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if isinstance(self.pool, bool) or not isinstance(self.pool, int) or self.pool < 1:
            raise RetrievalError(f"reranked: pool is {self.pool!r}, expected a whole number of at least 1")
        object.__setattr__(self, "mix", checked_weights("reranked", self.mix))
        if self.mix is None:
            return
        known = [OWN, FIRST, *getattr(self.first, "sources", {})]
        unknown = sorted(set(self.mix) - set(known))
        if unknown:
            raise RetrievalError(
                f"reranked: mix names {', '.join(unknown)}, expected only {', '.join(known)}; "
                "set a part that the first stage does not have to null"
            )
        if not any(self.mix.values()):
            raise RetrievalError(f"reranked: mix has no weight above 0, expected one for some of {', '.join(known)}")

    @property
    def sources(self) -> Mapping[str, Retriever]:
        """`first`, and the sources of it that the mix names."""
        return {FIRST: self.first, **{name: self.first.sources[name] for name in self._further()}}  # type: ignore[attr-defined]

    @property
    def source_depths(self) -> Mapping[str, int]:
        """How deep each source is read: a source of the first stage as deep as the first stage reads it."""
        read = getattr(self.first, "source_depths", {})
        return {FIRST: self.pool, **{name: read.get(name, self.pool) for name in self._further()}}

    def candidates(self, rankings: Mapping[str, Rankings]) -> Rankings:
        """The first `pool` of the first stage."""
        return rankings[FIRST].cut(self.pool)

    def rescore(self, rankings: Mapping[str, Rankings], pair_scores: Scores, depth: int) -> Rankings:
        """Rank the pool by the mix; pair_scores [pool entries] are the reranker's."""
        candidates = self.candidates(rankings)
        numbers = candidates.query_numbers()
        total = np.asarray(pair_scores, np.float64)
        if self.mix is not None:
            total = np.zeros(len(candidates.rows))
            for name, weight in self.mix.items():
                scores = np.asarray(pair_scores, np.float64) if name == OWN else candidates.scores
                if name not in (OWN, FIRST):
                    scores = _scores_in(rankings[name], candidates, self.source_depths[name])
                total += weight * zscore(scores, numbers, len(candidates))
        return Rankings.canonical(numbers, candidates.rows, total, n_queries=len(candidates), depth=depth)

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Ask every source, score the pool's pairs, and rank."""
        return from_sources(self, passages, queries, depth)

    def _further(self) -> list[str]:
        return [name for name in self.mix or () if name not in (OWN, FIRST)]


def _scores_in(ranking: Rankings, candidates: Rankings, depth: int) -> Scores:
    """Return, for each entry of the pool, its score in the first `depth` of the ranking, or what stands for it."""
    ranking = ranking.cut(depth)
    counts = np.diff(ranking.offsets)
    holds = counts > 0
    last = np.zeros(len(ranking))
    last[holds] = ranking.scores[ranking.offsets[1:][holds] - 1]
    last[counts < depth] = np.minimum(last[counts < depth], 0.0)
    numbers = candidates.query_numbers()
    scores = last[numbers]
    if not len(ranking.rows) or not len(candidates.rows):
        return scores
    width = int(max(ranking.rows.max(), candidates.rows.max())) + 1
    keys = ranking.query_numbers() * width + ranking.rows
    order = np.argsort(keys)
    wanted = numbers * width + candidates.rows
    place = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    entry = order[place]
    return np.where(keys[entry] == wanted, ranking.scores[entry], scores)
