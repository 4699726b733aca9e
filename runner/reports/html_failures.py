"""What the report page says of single queries: those that fail, stage by stage, and those only one variant finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runner.engine.scored import Scored
from runner.reports.failures import hardest_first
from runner.reports.stage_trace import Step, Tracer
from runner.scoring.evaluate import LOST_IN_POOL
from runner.scoring.text_length import has_han

MOST_FAILURES = 200
_MOST_ITEMS = 5


@dataclass(frozen=True)
class ShownItem:
    """A passage or document with its title."""

    id: str
    title: str
    relevant: bool = False


@dataclass(frozen=True)
class Failing:
    """A query with nothing relevant in the first k. steps: stage and fate. more: relevant items not listed."""

    id: str
    text: str
    han: bool
    cause: str
    rank: int
    relevant: tuple[ShownItem, ...]
    more: int
    steps: tuple[tuple[str, str], ...]
    top: tuple[ShownItem, ...]


@dataclass(frozen=True)
class FailingOf:
    """The failing queries of one variant at its largest k, the hardest first; total: also those left out."""

    name: str
    k: int
    n: int
    total: int
    lost_in_pool: int
    queries: tuple[Failing, ...]


@dataclass(frozen=True)
class FailingQuery:
    """A query with the rank of its first relevant item."""

    id: str
    text: str
    han: bool
    rank: int


def failing_queries(named: Mapping[str, Scored], most: int = MOST_FAILURES) -> list[FailingOf]:
    """The failing queries of every variant with their stage trace, at most `most` of each."""
    tracer = Tracer()
    return [_failing_of(name, scored, tracer.trace(scored), most) for name, scored in named.items()]


def _failing_of(name: str, scored: Scored, steps: Sequence[Step], most: int) -> FailingOf:
    evaluation, job = scored.evaluation, scored.job
    failing = hardest_first(scored)
    shown = failing[:most]
    rankings = job.stage.rankings([job.queries[number] for number in shown], _MOST_ITEMS)
    titles = _titles(scored, shown)
    queries = tuple(
        _failing(scored, number, steps, titles, rankings.one(position)[0].tolist())
        for position, number in enumerate(shown)
    )
    return FailingOf(name, job.settings.k, len(job.judged.scored), len(failing), evaluation.lost(LOST_IN_POOL), queries)


def _failing(
    scored: Scored, number: int, steps: Sequence[Step], titles: Mapping[str, str], rows: Sequence[int]
) -> Failing:
    job = scored.job
    query, text = job.judged.scored[number], job.queries[number].text
    least = job.judged.suite.min_grade
    relevant = sorted(id_ for id_, grade in query.grades.items() if grade >= least)
    passages = job.stage.snapshot.passages
    return Failing(
        query.id,
        text,
        has_han(text),
        scored.evaluation.cause[number],
        int(scored.evaluation.found.first_rank[number]),
        tuple(ShownItem(id_, titles.get(id_, "")) for id_ in relevant[:_MOST_ITEMS]),
        max(len(relevant) - _MOST_ITEMS, 0),
        tuple((step.name, step.told(number)) for step in steps),
        tuple(ShownItem(passages[row].id, passages[row].title, job.judged.shows_alone(number, row)) for row in rows),
    )


def _titles(scored: Scored, numbers: Sequence[int]) -> dict[str, str]:
    """Titles of what the judgments of these queries name."""
    snapshot, judged = scored.job.stage.snapshot, scored.job.judged
    wanted = {id_ for number in numbers for id_ in judged.scored[number].grades}
    if judged.suite.unit == "document":
        return {id_: snapshot.documents[row].title for row, id_ in enumerate(snapshot.document_ids) if id_ in wanted}
    return {id_: snapshot.passages[row].title for row, id_ in enumerate(snapshot.passage_ids) if id_ in wanted}


def only_here(named: Mapping[str, Scored], k: int) -> dict[str, list[FailingQuery]]:
    """By variant, the queries that it alone answers within the first k; variants scored on the same queries."""
    ranks = np.stack([scored.evaluation.found.first_rank for scored in named.values()])
    hits = (ranks > 0) & (ranks <= k)
    alone = hits.sum(axis=0) == 1
    found = {}
    for row, (name, scored) in enumerate(named.items()):
        queries = scored.job.queries
        found[name] = [
            FailingQuery(
                queries[number].id, queries[number].text, has_han(queries[number].text), int(ranks[row, number])
            )
            for number in np.flatnonzero(hits[row] & alone)
        ]
    return found
