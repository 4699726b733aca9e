"""The queries of one run that fail, as Markdown beside the run."""

from collections.abc import Iterator, Sequence
from typing import Any

from runner.engine.scored import Scored
from runner.rendering.markdown import bullets, code, document, escape
from runner.reports.per_query import relevant_ids
from runner.scoring.evaluate import LOST_IN_POOL
from runner.tracking.artifacts import PER_QUERY

_MOST_FAILURES = 200
_MOST_RANKED = 5


def hardest_first(scored: Scored) -> list[int]:
    """The numbers of the failing queries: first those lost in the pool, then by how late something relevant comes."""
    cause, ranks = scored.evaluation.cause, scored.evaluation.found.first_rank
    failing = [number for number, lost in enumerate(cause) if lost]
    return sorted(failing, key=lambda number: (cause[number] != LOST_IN_POOL, ranks[number] > 0, -int(ranks[number])))


def failures_markdown(scored: Scored) -> str:
    """The queries with nothing relevant in the first k, as Markdown, hardest first."""
    job, failing = scored.job, hardest_first(scored)
    of = f"{len(failing)} of {len(job.judged.scored)} queries have nothing relevant in the first {job.settings.k}."
    parts = [f"# Failing queries of {job.name}", of]
    ids = job.stage.snapshot.passages_for_retrieval().ids
    listed = failing[:_MOST_FAILURES]
    rankings = job.stage.rankings([job.queries[number] for number in listed], _MOST_RANKED)
    for position, number in enumerate(listed):
        parts += _failure(scored, number, ids, rankings.one(position))
    if len(failing) > _MOST_FAILURES:
        parts.append(f"... and {len(failing) - _MOST_FAILURES} more in {PER_QUERY}.")
    return document(parts)


def _failure(scored: Scored, number: int, ids: Sequence[str], ranked: Any) -> Iterator[str]:
    evaluation, job = scored.evaluation, scored.job
    query, rank = job.judged.scored[number], int(evaluation.found.first_rank[number])
    where = f"first relevant at rank {rank}" if rank else "nothing relevant in the ranking"
    relevant = ", ".join(map(code, relevant_ids(query.grades, job.judged.suite.min_grade)))
    rows, scores = ranked
    yield f"## {escape(query.id)}: {escape(job.queries[number].text)}"
    yield bullets([f"lost in the {evaluation.cause[number]}; {where}", f"relevant: {relevant}"])
    listed = [f"{code(ids[row])} {score:.4g}" for row, score in zip(rows, scores, strict=True)]
    yield "\n".join(f"{place}. {line}" for place, line in enumerate(listed, 1))
