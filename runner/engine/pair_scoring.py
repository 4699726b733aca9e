"""Pair scores of a plan: every pair that any reranked stage of a level looks at, scored once."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from retrievers.base import Query, Rescoring, Scores
from runner.engine import work
from runner.engine.blame import kind_of
from runner.engine.cache import Cache
from runner.engine.crew import Crew
from runner.engine.pairs import PairBatch, PairBook, batch_pairs
from runner.engine.parallel import Done, Task
from runner.engine.parts import Part, space_of
from runner.engine.plan import Stage
from runner.engine.progress import Bars

_RERANKED_A_TASK = 32


class PairScoring:
    """Scores pairs and hands them out; pools of different size share theirs."""

    def __init__(self, crew: Crew, cache: Cache) -> None:
        self._crew = crew
        self._pairs = PairBook(cache)

    def of(self, stage: Stage, queries: Sequence[Query]) -> Scores:
        """The score of each candidate of these queries, aligned with the entries of the stage's candidates."""
        pool = stage.pool(queries, stage.depth)
        return self._pairs.of(_reranker(stage), queries, pool, stage.snapshot.passages_for_retrieval().texts)

    def score(self, stages: Sequence[Stage]) -> None:
        """Score each pair that any of these stages looks at once, whichever pools it is in."""
        wanted: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        users: dict[tuple[str, str], list[Stage]] = defaultdict(list)
        for stage in stages:
            missing = [stage.queries[key] for key in stage.missing]
            if isinstance(stage.part.object, Rescoring) and self._crew.look(stage, missing):
                group = (space_of(_reranker(stage)), stage.snapshot.id)
                users[group].append(stage)
                for query in missing:
                    wanted[group][query.text].update(stage.pools[stage.query_key(query)].rows.tolist())
        tasks: list[Task] = []
        for group, by_query in wanted.items():
            texts = users[group][0].snapshot.passages_for_retrieval().texts
            reranker = _reranker(users[group][0])
            for batch in batch_pairs(self._pairs.missing(reranker, by_query, texts), texts, _RERANKED_A_TASK):
                arguments = (reranker.object, batch.queries, batch.passages, batch.pairs)
                component = kind_of(reranker.object)
                tasks.append(Task((group, reranker, batch), work.score_pairs, arguments, len(batch.pairs), component))
        totals: Counter[tuple[str, str]] = Counter()
        for task in tasks:
            totals[task.owner[0]] += task.units
        labels = {group: f"{_reranker(users[group][0]).name} pairs" for group in totals}
        with Bars((group, labels[group], total) for group, total in totals.items()) as bars:
            for task, done in self._crew.run(tasks):
                group, reranker, batch = task.owner
                self._keep_pairs(users[group], reranker, batch, done)
                bars.advance(group, task.units)

    def _keep_pairs(self, users: Sequence[Stage], reranker: Part, batch: PairBatch, done: Done) -> None:
        usable = [self._crew.succeeded(stage, done) for stage in users]
        if done.error is None and any(usable):
            self._crew.counts.pairs += len(batch.pairs)
            self._pairs.keep(reranker, batch, done.value)


def _reranker(stage: Stage) -> Part:
    return stage.part.of_object(stage.part.object.reranker)
