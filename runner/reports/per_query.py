"""A run query by query, as a table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from runner.engine.scored import Scored
from runner.scoring.relevance import Relevance

if TYPE_CHECKING:
    import pyarrow as pa


def per_query_table(scored: Scored) -> "pa.Table":
    """One row a ranked query: text, slices, ranked ids with scores, ranks, each metric, cause of a miss."""
    import pyarrow as pa

    job, evaluation = scored.job, scored.evaluation
    judged = job.judged
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    unanswerable = len(judged.unanswerable)
    slices = [judged.slices.names[row] for row in np.nonzero(judged.slices.members.T)[1]]
    sizes = np.concatenate(([0], np.cumsum(judged.slices.members.sum(axis=0))))
    sizes = np.concatenate((sizes, np.full(unanswerable, sizes[-1])))
    # Each id that is ranked is stored once, and 100 ranks a query as numbers.
    ids = job.stage.snapshot.passages_for_retrieval().ids
    shown, numbers = np.unique(rankings.rows, return_inverse=True)
    ranked = pa.DictionaryArray.from_arrays(
        pa.array(numbers, pa.int32()), pa.array([ids[row] for row in shown.tolist()], pa.string())
    )
    columns: dict[str, Any] = {
        "query_id": [query.id for query in judged.ranked],
        "text": [query.text for query in job.queries],
        "source": [query.weakest_source for query in judged.ranked],
        "settled": [not query.disputed for query in judged.ranked],
        "answerable": [True] * len(judged.scored) + [False] * unanswerable,
        "slices": pa.ListArray.from_arrays(pa.array(sizes, pa.int32()), pa.array(slices, pa.string())),
        "relevant": [relevant_ids(query.grades, judged.suite.min_grade) for query in judged.ranked],
        "ranked": pa.ListArray.from_arrays(pa.array(rankings.offsets, pa.int32()), ranked),
        "scores": pa.ListArray.from_arrays(pa.array(rankings.offsets, pa.int32()), pa.array(rankings.scores)),
        **_relevance_columns(evaluation.found, unanswerable),
        "first_relevant_rank": _padded([int(rank) or None for rank in evaluation.found.first_rank], unanswerable),
        **{name: _padded(values.tolist(), unanswerable) for name, values in evaluation.values.items()},
        "lost_in": _padded([cause or None for cause in evaluation.cause], unanswerable),
    }
    if judged.suite.unit == "document":
        units = judged.collapsed(rankings)
        shown, numbers = np.unique(judged.unit_of_row[units.rows], return_inverse=True)
        documents = pa.DictionaryArray.from_arrays(
            pa.array(numbers, pa.int32()), pa.array([judged.units[row] for row in shown.tolist()], pa.string())
        )
        columns["ranked_units"] = pa.ListArray.from_arrays(pa.array(units.offsets, pa.int32()), documents)
    return pa.table(columns)


def _relevance_columns(found: Relevance, extra: int) -> dict[str, Any]:
    """With these any metric can be computed again at any k, without documents or suite."""
    gained = found.gains > 0
    places = np.broadcast_to(_counted(found.gains), found.gains.shape)
    ideal = found.judgments.ideal_gains.astype(np.int64)
    columns = {
        "found_ranks": _ragged(gained, places if found.ranks is None else found.ranks, extra),
        "found_grades": _ragged(gained, found.gains, extra),
        "judged_ranks": _ragged(found.judged, np.broadcast_to(_counted(found.judged), found.judged.shape), extra),
        "judged_grades": _ragged(ideal > 0, ideal, extra),
        "judged_zero": _padded((found.judgments.counts - (ideal > 0).sum(axis=1)).tolist(), extra),
    }
    if found.answers is not None:
        queries, at = np.nonzero(found.answers)
        times = found.answers[queries, at]
        columns["answer_ranks"] = _lists(np.repeat(queries, times), np.repeat(at + 1, times), len(found.length), extra)
    return columns


def _counted(table: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(1, table.shape[1] + 1)


def _ragged(wanted: NDArray[np.bool_], values: NDArray[np.int64], extra: int) -> "pa.ListArray":
    """The wanted values of each row, and empty lists for the extra rows."""
    rows, columns = np.nonzero(wanted)
    return _lists(rows, values[rows, columns], len(wanted), extra)


def _lists(rows: NDArray[np.int64], values: NDArray[np.int64], n_rows: int, extra: int) -> "pa.ListArray":
    import pyarrow as pa

    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows))))
    offsets = np.concatenate((offsets, np.full(extra, offsets[-1])))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, pa.int32()))


def relevant_ids(grades: Mapping[str, int], min_grade: int) -> list[str]:
    """The ids of what is relevant at this grade or above, sorted."""
    return sorted(id_ for id_, grade in grades.items() if grade >= min_grade)


def _padded(values: Sequence[Any], extra: int) -> list[Any]:
    return [*values, *([None] * extra)]
