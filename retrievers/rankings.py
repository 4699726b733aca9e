"""What a retriever is given and gives back: queries, passages, rankings, and an index to keep."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]


class RetrievalError(ValueError):
    """A retriever, an embedder or a reranker got, or made, something that cannot be used."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question: its id in the suite, and the text a retriever sees (may be empty)."""

    id: str
    text: str


@dataclass(frozen=True)
class Passages:
    """The passages of one snapshot as columns of equal length.

    `ids` ascend strictly, so that comparing two row numbers compares two ids: ties between scores are
    broken by row. `texts` is what is searched (title and body) and may hold empty strings.
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    texts: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.documents) == len(self.texts):
            raise RetrievalError(
                f"passages need equal columns, found {len(self.ids)} ids, "
                f"{len(self.documents)} documents and {len(self.texts)} texts"
            )
        for before, after in zip(self.ids, self.ids[1:], strict=False):
            if before >= after:
                raise RetrievalError(f"passage ids must ascend without duplicates, found {before!r} before {after!r}")

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Rankings:
    """One ranking a query, ragged: query i owns the slice `offsets[i]:offsets[i + 1]` of rows and scores.

    offsets: int64 [queries + 1]. rows: int32, row numbers of `Passages`. scores: float64, finite.
    Within a query the order is canonical: score descending, then row ascending; no row twice.
    Make one with `Rankings.canonical` or `Rankings.from_lists`, never by hand.
    """

    offsets: NDArray[np.int64]
    rows: Rows
    scores: Scores

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def canonical(
        cls,
        query_numbers: NDArray[Any],
        rows: NDArray[Any],
        scores: NDArray[Any],
        *,
        n_queries: int,
        depth: int,
    ) -> "Rankings":
        """Sort, keep the best of repeated rows, cut at depth. The three arrays are flat and aligned.

        Raises RetrievalError for a NaN or infinite score, naming the position of the query.
        """
        query_numbers = np.asarray(query_numbers, np.int64)
        rows = np.asarray(rows, np.int32)
        scores = np.asarray(scores, np.float64)
        bad = np.flatnonzero(~np.isfinite(scores))
        if len(bad):
            raise NonFiniteScore(int(query_numbers[bad[0]]), float(scores[bad[0]]))
        order = np.lexsort((rows, -scores, query_numbers))
        query_numbers, rows, scores = query_numbers[order], rows[order], scores[order]
        # The stable order puts the best copy of a row first, and np.unique returns first positions.
        width = int(rows.max()) + 1 if len(rows) else 1
        _, first = np.unique(query_numbers * width + rows, return_index=True)
        if len(first) != len(rows):
            first.sort()
            query_numbers, rows, scores = query_numbers[first], rows[first], scores[first]
        counts = np.bincount(query_numbers, minlength=n_queries)
        starts = np.concatenate(([0], np.cumsum(counts)))
        kept = np.arange(len(rows)) - starts[query_numbers] < depth
        offsets = np.concatenate(([0], np.cumsum(np.minimum(counts, depth)))).astype(np.int64)
        return cls(offsets, rows[kept], scores[kept])

    @classmethod
    def from_lists(cls, lists: Sequence[Iterable[tuple[str, float]]], passages: Passages, depth: int) -> "Rankings":
        """Read one list of (passage id, score) a query. Raises RetrievalError for an id not in `passages`."""
        row_of = {id_: row for row, id_ in enumerate(passages.ids)}
        numbers: list[int] = []
        rows: list[int] = []
        scores: list[float] = []
        for number, ranking in enumerate(lists):
            for passage_id, score in ranking:
                if passage_id not in row_of:
                    raise RetrievalError(
                        f"ranking {number + 1} names passage {passage_id!r}, which the snapshot does not hold"
                    )
                numbers.append(number)
                rows.append(row_of[passage_id])
                scores.append(float(score))
        return cls.canonical(
            np.array(numbers, np.int64),
            np.array(rows, np.int32),
            np.array(scores),
            n_queries=len(lists),
            depth=depth,
        )

    @classmethod
    def concatenate(cls, parts: Sequence["Rankings"]) -> "Rankings":
        """Put the queries of several rankings one after the other."""
        if not parts:
            return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def query_numbers(self) -> NDArray[np.int64]:
        """The query position of every entry, int64 [entries]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def one(self, number: int) -> tuple[Rows, Scores]:
        """The rows of one query, int32 [results], best first, and their scores, float64 [results]."""
        part = slice(self.offsets[number], self.offsets[number + 1])
        return self.rows[part], self.scores[part]

    def take(self, numbers: Sequence[int] | NDArray[np.int64]) -> "Rankings":
        """The rankings of the queries at these positions, in that order."""
        chosen = np.asarray(numbers, np.int64)
        counts = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        entries = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], counts) + np.arange(offsets[-1])
        return Rankings(offsets, self.rows[entries], self.scores[entries])

    def cut(self, depth: int) -> "Rankings":
        """The first `depth` entries of every query."""
        counts = np.diff(self.offsets)
        kept = np.arange(len(self.rows)) - np.repeat(self.offsets[:-1], counts) < depth
        offsets = np.concatenate(([0], np.cumsum(np.minimum(counts, depth)))).astype(np.int64)
        return Rankings(offsets, self.rows[kept], self.scores[kept])


class NonFiniteScore(RetrievalError):
    """A score was NaN or infinite; `query_number` is the position of its query in the batch."""

    def __init__(self, query_number: int, score: float) -> None:
        super().__init__(f"score {score} at query position {query_number + 1}; scores must be finite numbers")
        self.query_number = query_number
        self.score = score

    def __reduce__(self) -> tuple[Any, ...]:
        return (NonFiniteScore, (self.query_number, self.score))


@dataclass(frozen=True)
class Index:
    """What `build` made: plain arrays and JSON values, so that it can travel and be kept without pickle.

    `opened` is room for objects made from the arrays (a faiss index, say); it is neither saved nor sent.
    """

    arrays: Mapping[str, NDArray[Any]]
    meta: Mapping[str, Any]
    opened: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def __getstate__(self) -> dict[str, Any]:
        return {"arrays": self.arrays, "meta": self.meta, "opened": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
