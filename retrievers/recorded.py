"""Rankings that some other program made, read from a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from retrievers.base import Passages, Query, Rankings, RetrievalError
from retrievers.digest import Stamp, file_digest, stamp
from retrievers.run_file import Entry, listed, read_run
from retrievers.script import same_id


@dataclass(frozen=True)
class Recorded:
    """Gives back, for each query id, the ranking that a file holds; a query it does not hold ranks nothing.

    path: a TREC run (`query Q0 document rank score tag`) or a JSON array of {query_id, relevant, retrieved};
    the content tells which. Names may be of passages or of documents, for which the document's first
    passage then stands; what is named twice keeps its better place.

    Raises RetrievalError listing every malformed line, and every name that the passages do not hold; a file that ranks
    none of the queries is refused before anything is computed.
    """

    path: str

    version: ClassVar[int] = 1
    cacheable: ClassVar[bool] = False

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> Rankings:
        """Look the queries up by id; the text of a query is not read."""
        entries = _read(stamp(self.path))
        row_of = {same_id(document): row for row, document in reversed(list(enumerate(passages.documents)))}
        row_of.update({same_id(passage): row for row, passage in enumerate(passages.ids)})
        unknown = [entry for ranking in entries.values() for entry in ranking if entry.name not in row_of]
        if unknown:
            raise RetrievalError(
                listed(
                    [
                        f"{entry.place}: found {entry.name!r}, which is neither a passage nor a document of this "
                        "snapshot; record against the same documents"
                        for entry in sorted(unknown, key=lambda entry: entry.line)
                    ]
                )
            )
        found = [entries.get(query.id, ()) for query in queries]
        flat = [entry for ranking in found for entry in ranking]
        return Rankings.canonical(
            np.repeat(np.arange(len(found)), [len(ranking) for ranking in found]),
            np.array([row_of[entry.name] for entry in flat], np.int32),
            np.array([entry.score for entry in flat], np.float64),
            n_queries=len(found),
            depth=depth,
        )

    def refuse_queries(self, queries: Sequence[Query]) -> None:
        """Raise RetrievalError where the file ranks not one of all the queries that are to be asked."""
        known = _read(stamp(self.path))
        if queries and not any(query.id in known for query in queries):
            raise RetrievalError(
                f"{self.path}: ranks not one of the {len(queries):,} queries: it has ids like {next(iter(known))!r}, "
                f"the suite has ids like {queries[0].id!r}; record the queries of this suite"
            )

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of the file."""
        return {"run": file_digest(self.path)}

    def files(self) -> dict[str, str]:
        """Return the absolute path of the file."""
        return {"path": stamp(self.path)[0]}


@lru_cache(maxsize=4)
def _read(stamped: Stamp) -> dict[str, tuple[Entry, ...]]:
    return read_run(stamped[0])
