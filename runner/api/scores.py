"""Score rankings against judgments, wherever both come from: nothing is composed, ranked or logged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from retrievers.base import Rankings
from runner.api.given import Judged, Ranked, read_qrels, read_run
from runner.errors import ConfigError, InputError
from runner.rendering.tabular import Tabular
from runner.scoring.judgments import Floats, Judgments
from runner.scoring.metric import Metric
from runner.scoring.metric_names import parse_metric, split_metrics
from runner.scoring.relevance import Relevance

if TYPE_CHECKING:
    import pandas as pd

DEFAULT = ("hit", "recall", "precision", "ndcg", "mrr", "map")


@dataclass(frozen=True, repr=False)
class Scores(Tabular):
    """How good rankings are.

    metrics: by the metric's name, the mean over every judged query with something relevant; one that is missing from
    the run counts as 0. query_ids: these, in the order of `values`, float64 [queries] by metric. missing: of these,
    the ones that are not in the run. unjudged: queries of the run that are not judged, or without anything relevant;
    they are in no mean.
    """

    metrics: Mapping[str, float]
    values: Mapping[str, Floats] = field(compare=False)
    query_ids: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """How many queries the means are over."""
        return len(self.query_ids)

    @property
    def title(self) -> str:
        """Over how many queries, and how many of them the run lacks."""
        lacking = f", {len(self.missing)} of them not in the run" if self.missing else ""
        return f"scores of {self.n} {'query' if self.n == 1 else 'queries'}{lacking}"

    @property
    def table(self) -> "pd.DataFrame":
        """One row a metric: its mean."""
        import pandas as pd

        return pd.DataFrame({"mean": dict(self.metrics)})

    @property
    def per_query(self) -> "pd.DataFrame":
        """One row a query, by its id, and one column a metric."""
        import pandas as pd

        return pd.DataFrame(dict(self.values), index=pd.Index(self.query_ids, name="query_id"))


def score(
    run: "Ranked",
    qrels: "Judged",
    metrics: "str | Sequence[str | Metric]" = DEFAULT,
    k: int | Sequence[int] = 10,
    *,
    min_grade: int = 1,
) -> Scores:
    """Score a run by judgments.

    run: by query id, scores by document id, or document ids in order; or the file of a TREC run, or of these in JSON;
    or an array [queries, ranks] of ids, -1 for no result, whose queries are called "0", "1" and so on. Among equal
    scores the smaller id comes first; of a document that is ranked twice the first counts.
    qrels: by query id, grades by document id, or the relevant ids; or a file in TREC's columns, BEIR's, or JSON; or a
    sequence with one of these, or one relevant id, a query.
    metrics: names, such as `recall`, `ndcg@5`, `rbp(p=0.8)`, in a list or with commas; or metrics themselves. k: the
    cut, or several, of those without one of their own, which are then called `recall@10`. min_grade: the lowest grade
    that counts as relevant.

    Raises InputError for files and values that cannot be read, for a score that is no finite number, and where run and
    qrels have no query in common; ConfigError for an unknown metric.

    >>> import runner
    >>> run = {"q1": ["c", "a", "d", "b"], "q2": {"x": 2.5, "y": 1.0}}
    >>> qrels = {"q1": {"a": 1, "b": 1}, "q2": ["y"]}
    >>> runner.score(run, qrels, metrics=["recall", "mrr"], k=[1, 3]).metrics
    {'recall@1': 0.0, 'recall@3': 0.75, 'mrr': 0.5}
    >>> runner.score([[3, 1, 2]], [[1, 2]], metrics="ndcg@2").per_query.round(3).to_dict()
    {'ndcg@2': {'0': 0.387}}
    """
    ks: list[Any] = list(k) if isinstance(k, Iterable) else [k]
    if not ks or any(isinstance(each, bool) or not isinstance(each, int | np.integer) or each < 1 for each in ks):
        raise ConfigError(f"k: expected a whole number from 1, or several, found {k!r}")
    names = split_metrics(metrics) if isinstance(metrics, str) else metrics
    asked = [each if isinstance(each, Metric) else parse_metric(each) for each in names]
    rankings, judged = read_run(run), read_qrels(qrels)
    answerable = {id_: grades for id_, grades in judged.items() if max(grades.values(), default=0) >= min_grade}
    if not answerable:
        raise InputError(f"qrels: no query has a relevant document (none with grade >= {min_grade})")
    query_ids = tuple(sorted(answerable))
    if rankings and rankings.keys().isdisjoint(judged):
        raise InputError(
            f"run and qrels have no query in common: the run has {min(rankings)!r}, the judgments have "
            f"{min(judged)!r}; name queries the same way in both"
        )
    found = _relevance([rankings.get(id_, ()) for id_ in query_ids], [answerable[id_] for id_ in query_ids], min_grade)
    values = _values(found, asked, ks)
    return Scores(
        {name: float(each.mean()) for name, each in values.items()},
        values,
        query_ids,
        tuple(id_ for id_ in query_ids if id_ not in rankings),
        tuple(sorted(rankings.keys() - answerable.keys())),
    )


def _values(found: Relevance, metrics: Sequence[Metric], ks: Sequence[int]) -> dict[str, Floats]:
    values: dict[str, Floats] = {}
    for metric in metrics:
        for k in ks if metric.follows_k else ks[:1]:
            values[f"{metric}@{k}" if metric.follows_k else str(metric)] = metric.compute(found, k)
    return values


def _relevance(ranked: Sequence[Sequence[str]], judged: Sequence[Mapping[str, int]], min_grade: int) -> Relevance:
    numbers: dict[str, int] = {}
    for ids in (*ranked, *judged):
        for id_ in ids:
            numbers.setdefault(id_, len(numbers))
    offsets = np.concatenate(([0], np.cumsum([len(ids) for ids in ranked]))).astype(np.int64)
    rows = np.array([numbers[id_] for ids in ranked for id_ in ids], np.int32)
    # The order is known: the scores say no more than it.
    scores = -np.arange(len(rows), dtype=np.float64)
    judgments = Judgments.of(
        [{numbers[id_]: grade for id_, grade in grades.items()} for grades in judged], len(numbers), min_grade
    )
    return Relevance.of(Rankings(offsets, rows, scores), np.arange(len(numbers)), judgments)
