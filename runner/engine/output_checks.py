"""What a component gives back, held against what it promised; RetrievalError says what was found instead."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Index, NonFiniteScore, Passages, Query, Rankings, RetrievalError
from runner.engine.failure import is_own

_LISTS = "Rankings, or one list of (passage id, score) a query"
_FILE_NAME = re.compile(r"[\w.-]+")


def rankings_in(
    name: str, found: Any, queries: Sequence[Query], size: int, depth: int, passages: Passages | None = None
) -> Rankings:
    """Return what a retriever found in canonical order, cut at depth.

    size: how many passages there are. passages: given where lists of ids will do. Raises RetrievalError for anything
    else than one ranking a query, of passages that are there, with finite scores.
    """
    if isinstance(found, Rankings):
        numbers = _query_numbers(name, found, queries, size)
        rows, scores = found.rows, found.scores
    elif passages is None:
        raise RetrievalError(f"{name} returned {_shown(found)}; expected Rankings")
    else:
        numbers, rows, scores = _flat(name, found, queries, passages)
    try:
        return Rankings.canonical(numbers, rows, scores, n_queries=len(queries), depth=depth)
    except NonFiniteScore as error:
        raise bad_score(name, queries[error.query_number], error.score) from None


def numbers_in(whose: str, found: Any, kind: type[np.floating[Any]], expected: str) -> NDArray[Any]:
    """Return an array of its own shape and a float type; raises RetrievalError for what holds no real numbers."""
    try:
        array = np.asarray(found)
        if array.dtype.kind in "fiub":
            return array.astype(kind)
    except (TypeError, ValueError, RuntimeError):
        pass
    raise RetrievalError(f"{whose} returned {_shown(found)}; expected {expected}")


def index_in(retriever: object, name: str, found: Any) -> Index:
    """Return an index, if it can be kept: arrays of plain values by simple names, and JSON values.

    Raises RetrievalError naming the retriever and what it built instead.
    """
    if not isinstance(found, Index):
        raise RetrievalError(f"{name} built {_shown(found)}; expected an Index")
    if is_own(retriever):
        return found
    for key, array in found.arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            raise RetrievalError(f"{name} built an Index whose {key!r} is {_shown(array)}; expected arrays of numbers")
        if not isinstance(key, str) or not _FILE_NAME.fullmatch(key):
            raise RetrievalError(f"{name} built an Index with an array {key!r}; expected letters, digits and _ - .")
    try:
        # As it will be read when it comes from disk.
        meta = json.loads(json.dumps(found.meta))
    except (TypeError, ValueError) as error:
        raise RetrievalError(f"{name} built an Index whose meta holds more than JSON values ({error})") from None
    return Index(found.arrays, meta)


def bad_score(name: str, query: Query, score: float) -> RetrievalError:
    """The error for a score that is no finite number."""
    return RetrievalError(
        f"{name} gave the score {score} to a passage for query {query.id!r} ({query.text[:60]!r}); "
        "scores must be finite numbers"
    )


def _query_numbers(name: str, found: Rankings, queries: Sequence[Query], size: int) -> NDArray[np.int64]:
    for field, kinds in (("offsets", "iu"), ("rows", "iu"), ("scores", "fiu")):
        array = getattr(found, field)
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in kinds:
            raise RetrievalError(f"{name} returned Rankings whose {field} are {_shown(array)}; expected a flat array")
    if len(found) != len(queries):
        raise _wrong_count(name, str(len(found)), queries)
    offsets, entries = found.offsets, len(found.rows)
    if offsets[0] != 0 or offsets[-1] != entries or entries != len(found.scores) or (np.diff(offsets) < 0).any():
        raise RetrievalError(
            f"{name} returned Rankings whose offsets run from {offsets[0]} to {offsets[-1]} over {entries} rows and "
            f"{len(found.scores)} scores; make them with Rankings.canonical or Rankings.from_lists"
        )
    numbers = found.query_numbers()
    strange = np.flatnonzero((found.rows < 0) | (found.rows >= size))
    if len(strange):
        row, query = found.rows[strange[0]], queries[numbers[strange[0]]]
        raise RetrievalError(f"{name} returned row {row} for query {query.id!r}; the snapshot has rows 0 to {size - 1}")
    return numbers


def _flat(
    name: str, found: Any, queries: Sequence[Query], passages: Passages
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise RetrievalError(f"{name} returned {_shown(found)}; expected {_LISTS}")
    # A generator will do, but not one without an end.
    lists = found if isinstance(found, Sequence) else list(islice(found, len(queries) + 1))
    if len(lists) != len(queries):
        more = lists is not found and len(lists) > len(queries)
        raise _wrong_count(name, f"more than {len(queries)}" if more else str(len(lists)), queries)
    row_of = {id_: row for row, id_ in enumerate(passages.ids)}
    most = 10 * len(passages) + 1000
    numbers: list[int] = []
    rows: list[int] = []
    scores: list[float] = []
    for number, (query, ranking) in enumerate(zip(queries, lists, strict=True)):
        if isinstance(ranking, str | bytes | Mapping) or not isinstance(ranking, Iterable):
            raise RetrievalError(f"{name} returned {_shown(ranking)} for query {query.id!r}; expected {_LISTS}")
        for place, entry in enumerate(ranking):
            if place == most:
                raise RetrievalError(f"{name} returned more than {most} entries for query {query.id!r}; has it an end?")
            id_, score = _entry(name, entry, query)
            if id_ not in row_of:
                raise RetrievalError(
                    f"{name}: ranking {number + 1} (query {query.id!r}) names passage {id_!r}, "
                    "which the snapshot does not hold"
                )
            numbers.append(number)
            rows.append(row_of[id_])
            scores.append(score)
    return np.array(numbers, np.int64), np.array(rows, np.int32), np.array(scores, np.float64)


def _entry(name: str, entry: Any, query: Query) -> tuple[str, float]:
    try:
        id_, score = entry
        if isinstance(id_, str) and not isinstance(entry, str | bytes) and not isinstance(score, str | bytes):
            return id_, float(score)
    except (TypeError, ValueError, OverflowError):
        pass
    raise RetrievalError(f"{name} returned {_shown(entry)} for query {query.id!r}; expected (passage id, score)")


def _wrong_count(name: str, found: str, queries: Sequence[Query]) -> RetrievalError:
    return RetrievalError(
        f"{name} returned {found} rankings for {len(queries)} queries; expected one a query, in order"
    )


def _shown(found: Any) -> str:
    """A value in few words: what it is, and what it holds where that is short."""
    kind = type(found).__name__
    if isinstance(found, np.ndarray):
        return f"an array of shape {found.shape} and type {found.dtype}"
    if found is None or isinstance(found, bool | int | float | str | tuple | np.generic):
        text = repr(found)
        return f"{text if len(text) <= 60 else text[:60] + ' ...'} ({kind})"
    return f"a {kind}"
