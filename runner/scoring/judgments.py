"""What was judged of the scored queries, as sorted integer arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from runner.errors import InputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Judgments:
    """The judged units of n queries, as sorted keys.

    keys: int64, `query * n_units + unit`, ascending. grades: int64, aligned. n_units: how many units the
    snapshot has. min_grade: the lowest grade that counts as relevant. complete: whether what was judged and gains
    nothing is among them, which older runs did not store.
    """

    keys: NDArray[np.int64]
    grades: NDArray[np.int64]
    n_queries: int
    n_units: int
    min_grade: int = 1
    complete: bool = True

    @classmethod
    def of(
        cls, graded: Sequence[Mapping[int, int]], n_units: int, min_grade: int = 1, complete: bool = True
    ) -> "Judgments":
        """Read one mapping of unit number to grade a query."""
        counts = np.array([len(grades) for grades in graded], np.int64)
        queries = np.repeat(np.arange(len(graded)), counts)
        units = np.array([unit for grades in graded for unit in grades], np.int64)
        values = np.array([grade for grades in graded for grade in grades.values()], np.int64)
        keys = queries * n_units + units
        order = np.argsort(keys)
        return cls(keys[order], values[order], len(graded), n_units, min_grade, complete)

    @cached_property
    def query_numbers(self) -> NDArray[np.int64]:
        """The query of each judgment, int64 [judgments]."""
        return self.keys // max(self.n_units, 1)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many units of each query are judged, int64 [queries]."""
        return np.bincount(self.query_numbers, minlength=self.n_queries)

    @cached_property
    def relevant_counts(self) -> NDArray[np.int64]:
        """|R| of each query, int64 [queries]."""
        relevant = self.query_numbers[self.grades >= self.min_grade]
        return np.bincount(relevant, minlength=self.n_queries)

    @property
    def irrelevant_counts(self) -> NDArray[np.int64]:
        """How many units of each query are judged and not relevant, int64 [queries].

        Raises InputError where that was not stored.
        """
        if not self.complete:
            raise InputError(
                "how much was judged and is not relevant was not stored by the version that made the run; repeat it "
                "with python -m runner rerun and use the new run"
            )
        return self.counts - self.relevant_counts

    @cached_property
    def ideal_gains(self) -> Floats:
        """Positive grades of each query in descending order, zero padded, float64 [queries, most judged]."""
        gains = np.maximum(self.grades, 0)
        order = np.lexsort((-gains, self.query_numbers))
        queries = self.query_numbers[order]
        starts = np.concatenate(([0], np.cumsum(self.counts)))[:-1]
        table = np.zeros((self.n_queries, int(self.counts.max()) if len(self.counts) else 0))
        table[queries, np.arange(len(queries)) - starts[queries]] = gains[order]
        return table
