"""What stands at each rank of the rankings of judged queries: integer arrays, one row a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Rankings
from runner.scoring.judgments import Floats, Integers, Judgments


@dataclass(frozen=True)
class Relevance:
    """What was found, and where.

    gains: int64 [queries, places], grade of the judged unit found at each place, zero where there is none or it is not
    known. judged: bool [queries, ranks], whether anything is known of what stands there. length: int64 [queries].

    Documents and passages stand at the place of their rank. A passage can complete several spans, and they then take
    successive places (see `runner.scoring.span_cover`): ranks, int64 [queries, places], says at which rank each was
    complete, and answers, int64 [queries, ranks], how many passages count as relevant from that rank on.

    pool_recall: float64 [queries], recall of what the last stage looked at; None where that is not known.
    """

    judgments: Judgments
    gains: Integers
    judged: NDArray[np.bool_]
    length: Integers
    ranks: Integers | None = None
    answers: Integers | None = None
    pool_recall: Floats | None = None

    @classmethod
    def of_lists(
        cls,
        judgments: Judgments,
        found: Sequence[tuple[Sequence[int], Sequence[int]]],
        judged: Sequence[Sequence[int]],
        length: Sequence[int],
        answers: Sequence[Sequence[int]] | None = None,
    ) -> Self:
        """Build it again from what a run keeps of each query.

        found: ranks, ascending, and the grades found there. judged: ranks of which anything is known. answers: for
        spans, the ranks from which on a passage counts as relevant.
        """
        width = max(length, default=0)
        places = [successive(ranks) for ranks, _ in found]
        shape = (len(found), max([width, *(each[-1] for each in places if each)]))
        gains, at = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        known = np.zeros((len(found), width), np.bool_)
        counted = np.zeros((len(found), width), np.int64)
        for number, (ranks, grades) in enumerate(found):
            taken = np.array(places[number], np.int64) - 1
            gains[number, taken], at[number, taken] = grades, ranks
            known[number, np.array(judged[number], np.int64) - 1] = True
            if answers is not None:
                np.add.at(counted[number], np.array(answers[number], np.int64) - 1, 1)
        held = np.array(length, np.int64)
        return (
            cls(judgments, gains, known, held) if answers is None else cls(judgments, gains, known, held, at, counted)
        )

    @classmethod
    def of(cls, rankings: Rankings, unit_of_row: Integers, judgments: Judgments) -> Self:
        """Collapse each ranking to the judged unit (first occurrence kept) and look its grades up.

        rankings: aligned with the queries of `judgments`. unit_of_row: int64 [passages].
        """
        if len(rankings) != judgments.n_queries:
            raise ValueError(f"{len(rankings)} rankings for {judgments.n_queries} judged queries")
        queries = rankings.query_numbers()
        keys = queries * judgments.n_units + unit_of_row[rankings.rows]
        _, first = np.unique(keys, return_index=True)
        first.sort()  # back to rank order within each query
        queries, keys = queries[first], keys[first]
        length = np.bincount(queries, minlength=len(rankings))
        starts = np.concatenate(([0], np.cumsum(length)))[:-1]
        ranks = np.arange(len(keys)) - starts[queries]

        width = int(length.max()) if len(length) else 0
        gains = np.zeros((len(rankings), width), np.int64)
        judged = np.zeros((len(rankings), width), np.bool_)
        if len(judgments.keys):
            place = np.minimum(np.searchsorted(judgments.keys, keys), len(judgments.keys) - 1)
            known = judgments.keys[place] == keys
            gains[queries, ranks] = np.where(known, judgments.grades[place], 0)
            judged[queries, ranks] = known
        return cls(judgments, gains, judged, length)

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        """Whether each place holds a relevant unit, bool [queries, places]."""
        return self.gains >= self.judgments.min_grade

    @cached_property
    def found(self) -> Integers:
        """Relevant units in the first 0, 1, 2 ... ranks, int64 [queries, ranks + 1]."""
        if self.ranks is None:
            return cumulated(self.relevant)
        at_rank = np.zeros(self.judged.shape, np.int64)
        queries, ranks = self.relevant_ranks
        np.add.at(at_rank, (queries, ranks - 1), 1)
        return cumulated(at_rank)

    @cached_property
    def first_rank(self) -> Integers:
        """1-based rank at which the first relevant unit was found, 0 if none, int64 [queries]."""
        if not self.relevant.shape[1]:
            return np.zeros(len(self.length), np.int64)
        place = self.relevant.argmax(axis=1)
        rank = place + 1 if self.ranks is None else self.ranks[np.arange(len(place)), place]
        return np.where(self.relevant.any(axis=1), rank, 0)

    @property
    def reach(self) -> int:
        """The last place or rank of any ranking, at least 1."""
        return max(int(self.gains.shape[1]), int(self.judged.shape[1]), 1)

    @property
    def relevant_ranks(self) -> tuple[Integers, Integers]:
        """The query and the 1-based rank of each relevant unit that was found, int64 [found] each."""
        queries, places = np.nonzero(self.relevant)
        return queries, places + 1 if self.ranks is None else self.ranks[queries, places]

    @cached_property
    def irrelevant(self) -> Integers:
        """Those known not to be relevant in the first 0, 1, 2 ... ranks, int64 [queries, ranks + 1]."""
        return self._judged - (self.found if self.answers is None else self._answers)

    def found_at(self, k: int) -> Integers:
        """|R in the first k| of each query."""
        return _at(self.found, k)

    def answers_at(self, k: int) -> Integers:
        """How many of the first k are relevant: for spans, passages that show one, alone or with those above k."""
        return self.found_at(k) if self.answers is None else _at(self._answers, k)

    def judged_at(self, k: int) -> Integers:
        """How many of the first k anything is known of."""
        return _at(self._judged, k)

    @cached_property
    def discounted(self) -> tuple[Floats, Floats]:
        """Cumulated gain / log2(place + 1) of what was found and of the ideal, each with a leading zero column."""
        return discounted(self.gains), discounted(self.judgments.ideal_gains)

    @cached_property
    def _answers(self) -> Integers:
        assert self.answers is not None
        return cumulated(self.answers)

    @cached_property
    def _judged(self) -> Integers:
        return cumulated(self.judged)


def successive(ranks: Sequence[int]) -> list[int]:
    """The place of each found unit: its rank, or the next free place where one passage shows several; ascending."""
    places: list[int] = []
    for rank in ranks:
        places.append(max(rank, places[-1] + 1) if places else rank)
    return places


def discounted(gains: Integers | Floats) -> Floats:
    """Sums of gain / log2(place + 1) over the first 0, 1, 2 ... places, float64 [queries, places + 1]."""
    sums = np.zeros((gains.shape[0], gains.shape[1] + 1))
    np.cumsum(np.maximum(gains, 0) / np.log2(np.arange(gains.shape[1]) + 2), axis=1, out=sums[:, 1:])
    return sums


def cumulated(counts: NDArray[np.bool_] | Integers) -> Integers:
    """Sums of the first 0, 1, 2 ... columns."""
    sums = np.zeros((counts.shape[0], counts.shape[1] + 1), np.int64)
    np.cumsum(counts, axis=1, out=sums[:, 1:])
    return sums


def _at(sums: Integers, k: int) -> Integers:
    return sums[:, min(k, sums.shape[1] - 1)]
