"""Sweeps scored from rankings made by hand, at every stage of a retriever."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine_world import plain_settings

from retrievers.base import Passages, Query, Rankings, Rescoring
from runner.chunkers import WholeDocument
from runner.chunkers.base import Chunk
from runner.configuration.settings import Settings
from runner.documents.document import Document
from runner.engine.context_length import ContextMeter
from runner.engine.plan import Job, Request
from runner.engine.planning import make_plan
from runner.engine.scored import Scored
from runner.reports.sweep_table import Row
from runner.scoring.evaluate import evaluate
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

TEXTS = {"a": ("Alpha", "one two three"), "b": ("貝塔", "四五"), "c": ("Gamma", ""), "d": ("Delta", "six seven")}
# Each query has one relevant document.
QUERIES = {"q1": ("where is alpha", "a"), "q2": ("四五在哪裡", "b"), "q3": ("what is gamma", "c")}


@dataclass(frozen=True)
class Told:
    """Ranks for each query id the passages it is told, in that order."""

    rankings: Mapping[str, Sequence[str]]

    def retrieve(self, passages: Passages, queries: Sequence[Query], depth: int) -> list[list[tuple[str, float]]]:
        ranked = [list(self.rankings.get(query.id, ()))[:depth] for query in queries]
        return [[(id_, -float(place)) for place, id_ in enumerate(ids)] for ids in ranked]


@dataclass(frozen=True)
class Backwards:
    """Scores a pair by how late the passage stands among those it is given."""

    def score(self, queries: Sequence[str], passages: Sequence[str], pairs: Any) -> Any:
        return pairs[:, 1].astype(float)


def told(name: str = "told", /, **rankings: str) -> dict[str, Any]:
    """A node that ranks as told: `q1="abc"`."""
    return {
        "_target_": "report_world.Told",
        "name": name,
        "rankings": {id_: list(ids) for id_, ids in rankings.items()},
    }


def hybrid(one: dict[str, Any], two: dict[str, Any], pool: int = 10) -> dict[str, Any]:
    """Two of them fused."""
    fusion = {"_target_": "retrievers.fusion.ReciprocalRank", "k": 60}
    parts = {"one": one, "two": two}
    return {
        "_target_": "retrievers.hybrid.Hybrid",
        "name": "hybrid",
        "retrievers": parts,
        "fusion": fusion,
        "pool": pool,
    }


def reranked(first: dict[str, Any], pool: int) -> dict[str, Any]:
    """The first stage's pool turned round."""
    reranker = {"_target_": "report_world.Backwards"}
    return {
        "_target_": "retrievers.reranked.Reranked",
        "name": "reranked",
        "first": first,
        "reranker": reranker,
        "pool": pool,
    }


@dataclass
class Halves:
    """Cuts every document into its first four characters and the rest."""

    version: int = 1

    def split(self, document: Document) -> Iterable[Chunk]:
        middle = min(4, len(document.text))
        return [Chunk(0, middle, document.title, "1"), Chunk(middle, len(document.text), document.title, "2")]


@dataclass
class Desk:
    """Documents by id with title and text, questions, and what slices them."""

    documents: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(TEXTS))
    queries: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(QUERIES))
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    role: str = "development"
    halves: bool = False

    def snapshot(self, settings: Settings) -> Snapshot:
        documents = [Document(id_, title, text) for id_, (title, text) in self.documents.items()]
        return Snapshot.build(documents, Halves() if self.halves else WholeDocument())

    def suite(self, settings: Settings) -> Suite:
        queries = tuple(
            JudgedQuery(id_, text, {relevant: 1}, self.fields.get(id_, {"topic": "plain"}))
            for id_, (text, relevant) in sorted(self.queries.items())
        )
        return Suite("core", self.role, "document", queries, slices=("topic",))

    def settings(self, node: dict[str, Any], k: int) -> Settings:
        return plain_settings(
            Path("/nowhere"),
            node,
            k=k,
            curve=[1, 2, 3, 5],
            cache="off",
            allow_holdout=True,
            dataset={"name": "desk"},
            tracking={"uri": "sqlite:////nowhere", "experiment": "desk"},
        )

    def score(self, *nodes: dict[str, Any], ks: Sequence[int] = (1, 2)) -> list[Scored]:
        """Score every node at every k, with no executor and no cache between."""
        requests = [
            Request((f"retriever={n}", f"k={k}"), self.settings(node, k)) for n, node in enumerate(nodes) for k in ks
        ]
        plan = make_plan(requests, self)
        for stage in plan.stages:
            queries = list(stage.queries.values())
            passages = stage.snapshot.passages_for_retrieval()
            found = stage.component.object.retrieve(passages, queries, stage.depth)
            if not isinstance(found, Rankings):
                found = Rankings.from_lists(found, passages, stage.depth)
            stage.held = {stage.query_key(query): found.take([number]) for number, query in enumerate(queries)}
        meter = ContextMeter()
        return [_score(job, meter) for job in plan.jobs]


def _score(job: Job, meter: ContextMeter) -> Scored:
    rankings = job.stage.rankings(job.queries, job.settings.depth)
    retriever, pool = job.stage.component.object, rankings
    if isinstance(retriever, Rescoring) or hasattr(retriever, "candidates"):
        pool = retriever.candidates(job.stage.source_rankings(job.queries))
    ks = job.settings.curve_within_depth()
    return Scored(
        job, evaluate(job.judged, rankings, pool, job.settings.k, ks), {}, meter.measure(job, rankings, pool, ks)
    )


def rows(scored: Sequence[Scored]) -> list[Row]:
    """The rows of the table."""
    return [
        Row(
            f"id{number}",
            each.job.name,
            each.job.stage.component.name,
            each.job.settings.k,
            "",
            "core",
            each.job.stage.snapshot.id,
            "",
            dict(each.evaluation.overall),
        )
        for number, each in enumerate(scored)
    ]
