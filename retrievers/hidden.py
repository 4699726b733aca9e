"""Another retriever's ranking without the passages on a block list."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

import numpy as np

from retrievers.base import Passages, Query, Rankings, RetrievalError, Retriever
from retrievers.ranked import made_once, ranked


@dataclass(frozen=True)
class Hidden:
    """Takes the passages out of `first` whose id matches a pattern of `hide`, and fills up from below.

    hide: passage ids, or patterns with `*` and `?`. Raises RetrievalError for a pattern that hides nothing:
    a block list that has gone stale is worth knowing of.
    """

    first: Retriever
    hide: Sequence[str]

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if isinstance(self.hide, str):
            raise RetrievalError(f"hidden: hide is the text {self.hide!r}, expected a list; write hide: [{self.hide}]")

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Rank deep enough that `depth` passages remain where there are so many."""
        hidden = made_once(self, passages, lambda: self._rows(passages))
        rankings = ranked(self.first, passages, queries, depth + len(hidden))
        kept = ~np.isin(rankings.rows, hidden)
        return Rankings.canonical(
            rankings.query_numbers()[kept],
            rankings.rows[kept],
            rankings.scores[kept],
            n_queries=len(queries),
            depth=depth,
        )

    def _rows(self, passages: Passages) -> list[int]:
        found: set[int] = set()
        for pattern in self.hide:
            rows = [row for row, id_ in enumerate(passages.ids) if id_ == pattern or fnmatchcase(id_, pattern)]
            if not rows:
                raise RetrievalError(f"hidden: {pattern!r} matches no passage of this snapshot; take it off the list")
            found.update(rows)
        return sorted(found)
