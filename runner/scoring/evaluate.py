"""Scores of one job: per query, in the mean, by slice, along k, and where each failing query was lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrievers.base import Rankings
from runner.scoring.judgments import Floats, Judgments
from runner.scoring.metric import Metric
from runner.scoring.metric_names import DEFAULT_NAMES, POOL_RECALL, chosen_metrics, parse_metric
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Freshness, Slices, slice_queries
from runner.scoring.span_cover import SpanCover
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

LOST_IN_POOL = "pool"
LOST_IN_RANKING = "ranking"
ALL = ""


@dataclass(frozen=True)
class JudgedSet:
    """A suite laid over a snapshot: what every job on the two shares.

    scored and unanswerable are the queries that are ranked; unjudged is how many more the suite holds. missing: how
    many judgments are of what the snapshot does not hold, and emptied: how many queries are unjudged for that; these
    judgments are in neither numerator nor denominator of any score.
    unit_of_row: int64 [passages], the position in `units` of each passage; spans are judged on whole passages, so
    their units are the passages. cover: where the judged spans are, None for any other unit.
    """

    suite: Suite
    scored: tuple[JudgedQuery, ...]
    unanswerable: tuple[JudgedQuery, ...]
    unjudged: int
    units: tuple[str, ...]
    unit_of_row: NDArray[np.int64]
    judgments: Judgments
    slices: Slices
    cover: SpanCover | None = None
    missing: int = 0
    emptied: int = 0

    @classmethod
    def of(cls, suite: Suite, snapshot: Snapshot, freshness: Freshness | None = None) -> "JudgedSet":
        """Lay a checked suite over its snapshot."""
        passages = snapshot.passages_for_retrieval()
        by_document = suite.unit == "document"
        units = snapshot.units("document" if by_document else "passage")
        number = {unit: position for position, unit in enumerate(units)}
        unit_of_row = np.array([number[id_] for id_ in (passages.documents if by_document else passages.ids)], np.int64)
        held = suite.held(snapshot)
        there = replace(suite, queries=held.queries)
        scored = there.scored()
        cover = None
        if suite.unit == "span":
            cover = SpanCover.of(scored, snapshot, suite.coverage, suite.min_grade)
        return cls(
            suite,
            scored,
            there.unanswerable(),
            len(there.unjudged()),
            units,
            unit_of_row,
            cover.judgments
            if cover
            else Judgments.of(
                [{number[id_]: grade for id_, grade in query.grades.items()} for query in scored],
                len(units),
                suite.min_grade,
            ),
            slice_queries(
                scored,
                suite.slices,
                min_grade=suite.min_grade,
                freshness=freshness,
                # Read of every document, so only where it says how old they are.
                document_fields=_fields(suite.unit, scored, snapshot)
                if freshness and freshness.field in snapshot.fields
                else {},
            ),
            cover,
            len(held.missing),
            len(held.emptied),
        )

    def relevance(self, rankings: Rankings) -> Relevance:
        """What rankings of the scored queries, in their order, found."""
        if self.cover is not None:
            return self.cover.relevance(rankings)
        return Relevance.of(rankings, self.unit_of_row, self.judgments)

    def collapsed(self, rankings: Rankings) -> Rankings:
        """Keep the passage that stands for each unit, the first, as the metrics do: k counts units."""
        if len(self.units) == len(self.unit_of_row):
            return rankings
        numbers = rankings.query_numbers()
        _, first = np.unique(numbers * len(self.units) + self.unit_of_row[rankings.rows], return_index=True)
        first.sort()  # back to rank order within each query
        counts = np.bincount(numbers[first], minlength=len(rankings))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return Rankings(offsets, rankings.rows[first], rankings.scores[first])

    def shows_alone(self, number: int, row: int) -> bool:
        """Whether a passage, by itself, is relevant to a scored query; both by position."""
        if self.cover is not None:
            return (number, row) in self.cover.alone
        grade = self.scored[number].grades.get(self.units[self.unit_of_row[row]], 0)
        return grade >= self.suite.min_grade

    @property
    def ranked(self) -> tuple[JudgedQuery, ...]:
        """Every query that a retriever has to answer, scored ones first."""
        return self.scored + self.unanswerable


def _fields(unit: str, queries: Sequence[JudgedQuery], snapshot: Snapshot) -> dict[str, Mapping[str, Any]]:
    """The fields of the document of everything that judgments name."""
    of_document = {document.id: document.fields for document in snapshot.documents}
    if unit == "document":
        return of_document
    if unit == "passage":
        return {passage.id: of_document[passage.document] for passage in snapshot.passages}
    spans = {id_: of_document[span.document] for query in queries for id_, span in query.spans.items()}
    # With every page: how old evidence is counts back from the newest page there is, judged or not.
    return {**of_document, **spans}


@dataclass(frozen=True)
class Evaluation:
    """What one job measured.

    metrics: those measured, `pool_recall` last. values: per scored query, float64 [queries], by the metric's name of
    one query (`rr`). means: by slice name (`ALL` for every query), then by metric (`mrr`), with its counts. curve: by
    each metric that follows k, float64 [ks]. slice_recall: float64 [slices, ks].
    cause: per scored query, "" where something relevant is in the first k.
    """

    k: int
    judged: JudgedSet
    found: Relevance
    metrics: tuple[Metric, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Mapping[str, float]]
    ks: tuple[int, ...]
    curve: Mapping[str, Floats]
    slice_recall: Floats
    cause: tuple[str, ...]
    unanswerable: Mapping[str, float]

    @property
    def overall(self) -> Mapping[str, float]:
        """Means over every scored query."""
        return self.means[ALL]

    def cut_at(self, values: Floats, ks: Sequence[int]) -> Floats:
        """Some of a curve's values (`curve`, or a row of `slice_recall`): those at these k, which `ks` must hold."""
        place = {k: number for number, k in enumerate(self.ks)}
        return np.asarray(values)[[place[k] for k in ks]]

    def lost(self, cause: str) -> int:
        """How many failing queries were lost there."""
        return sum(each == cause for each in self.cause)

    def worst_slice(self, metric: str = "recall", least: int = 1) -> tuple[str, float, int] | None:
        """Name, mean and n of the slice with the lowest mean; slices under `least` queries only if all are."""
        rows = [(means[metric], name, int(means["n"])) for name, means in self.means.items() if name != ALL]
        rows = [row for row in rows if row[2] >= least] or rows
        if not rows:
            return None
        value, name, n = min(rows)
        return name, value, n


def evaluate(
    judged: JudgedSet,
    rankings: Rankings,
    candidates: Rankings,
    k: int,
    ks: Sequence[int],
    metrics: Sequence[str] = DEFAULT_NAMES,
) -> Evaluation:
    """Score the rankings of `judged.ranked` (in that order); candidates: what their last stage looked at.

    metrics: their names; `hit`, `recall` and `pool_recall` are measured whatever they are. Raises ConfigError for an
    unknown one, and ValueError if either has another number of queries, since every mean would be of the wrong ones.
    """
    n = len(judged.scored)
    if not len(rankings) == len(candidates) == len(judged.ranked):
        raise ValueError(
            f"{len(rankings)} rankings and {len(candidates)} sets of candidates for {len(judged.ranked)} queries"
        )
    answers = np.arange(n)
    pooled = judged.relevance(candidates.take(answers))
    recall = parse_metric("recall")
    found = replace(judged.relevance(rankings.take(answers)), pool_recall=recall.compute(pooled, pooled.reach))

    asked = tuple(map(parse_metric, (*chosen_metrics(metrics), POOL_RECALL)))
    values = {metric.of_query: metric.compute(found, k) for metric in asked}

    members = np.vstack([np.ones((1, n), np.bool_), judged.slices.members])
    names = (ALL, *judged.slices.names)
    cause = np.where(values["hit"] > 0, "", np.where(values[POOL_RECALL] > 0, LOST_IN_RANKING, LOST_IN_POOL))
    ks = tuple(sorted({*ks, k}))
    return Evaluation(
        k=k,
        judged=judged,
        found=found,
        metrics=asked,
        values=values,
        means=_means(names, members, {str(metric): values[metric.of_query] for metric in asked}, found, k),
        ks=ks,
        curve={
            str(metric): np.array([metric.compute(found, at).mean() if n else 0.0 for at in ks])
            for metric in asked
            if metric.follows_k
        },
        slice_recall=_by_slice(judged.slices.members, np.stack([recall.compute(found, at) for at in ks], axis=1)),
        cause=tuple(map(str, cause)),
        unanswerable=_unanswerable(rankings, n),
    )


def _by_slice(members: NDArray[np.bool_], columns: Floats) -> Floats:
    """Mean of each column over each slice, float64 [slices, columns]."""
    sizes = members.sum(axis=1, keepdims=True)
    means: Floats = np.zeros((len(members), columns.shape[1]))
    np.divide(members.astype(np.float64) @ columns, sizes, out=means, where=sizes > 0)
    return means


def _means(
    names: Sequence[str], members: NDArray[np.bool_], values: Mapping[str, Floats], found: Relevance, k: int
) -> dict[str, dict[str, float]]:
    means = _by_slice(members, np.stack(list(values.values()), axis=1))
    counted = np.stack(
        [
            np.ones(members.shape[1], np.int64),
            values["hit"].astype(np.int64),
            found.found_at(k),
            found.judgments.relevant_counts,
        ],
        axis=1,
    )
    totals = members.astype(np.int64) @ counted
    table: dict[str, dict[str, float]] = {}
    for name, mean, (n, hits, relevant_found, relevant) in zip(names, means, totals.tolist(), strict=True):
        if not n:
            table[name] = {"n": 0}  # an empty mean has no value
            continue
        row = {metric: float(value) for metric, value in zip(values, mean, strict=True)}
        row |= {"n": n, "hit_queries": hits, "recall_hits": relevant_found, "recall_relevant": relevant}
        row["recall_micro"] = relevant_found / relevant
        table[name] = row
    return table


def _unanswerable(rankings: Rankings, n_scored: int) -> dict[str, float]:
    """How often, and how confidently, something was returned where nothing should be.

    `separation` is the chance that an answerable query's top score exceeds an unanswerable one's (AUROC,
    ties count half): 0.5 means that the scores cannot tell the two apart.
    """
    lengths = np.diff(rankings.offsets)
    if len(rankings) == n_scored:
        return {}
    returned = lengths > 0
    top = np.full(len(rankings), -np.inf)
    top[returned] = rankings.scores[rankings.offsets[:-1][returned]]
    inside, outside = np.sort(top[:n_scored]), top[n_scored:]
    row: dict[str, float] = {"n": len(outside), "returned": float(returned[n_scored:].mean())}
    if returned[n_scored:].any():
        row["top_score"] = float(outside[returned[n_scored:]].mean())
    if n_scored:
        below = np.searchsorted(inside, outside, "right")
        tied = below - np.searchsorted(inside, outside, "left")
        row["separation"] = float(((n_scored - below) + tied / 2).mean() / n_scored)
    return row
