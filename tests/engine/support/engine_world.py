"""Documents, questions and settings small enough to reason about, and a sweep over them without MLflow."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from runner.chunkers import WholeDocument
from runner.configuration.settings import LatencySettings, Settings
from runner.documents.document import Document
from runner.engine.cache import Cache
from runner.engine.execute import Executor, look_up
from runner.engine.parallel import Workers
from runner.engine.plan import Plan, Request, Stage
from runner.engine.planning import make_plan
from runner.engine.workers import Counts
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

Ranking = list[tuple[str, float]]

DOCUMENTS = {
    "en/billing.md": "Invoices are sent monthly. A refund takes five days.",
    "en/regions.md": "Choose a region for storage. Data stays in the region.",
    "en/tokens.md": "Rotate access tokens every ninety days. Tokens expire.",
    "en/webhooks.md": "Webhooks retry failed deliveries. Every delivery is signed.",
    "zh/billing.md": "發票每月寄出，退款需要五天。",
    "zh/regions.md": "選擇儲存區域，資料保留在區域內。",
    "zh/tokens.md": "存取權杖每九十天輪替一次，權杖會過期。",
    "zh/webhooks.md": "掛鉤會重試失敗的傳送，每次傳送都有簽章。",
}
# Nothing in the documents has a word of q5.
QUERIES = {
    "q1": ("how many days until a refund", ["en/billing.md"]),
    "q2": ("rotate tokens", ["en/tokens.md"]),
    "q3": ("退款要幾天", ["zh/billing.md"]),
    "q4": ("權杖多久過期", ["zh/tokens.md"]),
    "q5": ("zebra", ["en/regions.md"]),
}
VECTORS = {
    "refund": (1.0, 0.0, 0.1),
    "days": (0.8, 0.6, 0.0),
    "退": (0.9, 0.1, 0.0),
    "款": (1.0, 0.1, 0.1),
    "tokens": (0.0, 1.0, 0.0),
    "rotate": (0.1, 0.9, 0.0),
    "權": (0.0, 1.0, 0.2),
    "杖": (0.1, 1.0, 0.0),
    "region": (0.0, 0.1, 1.0),
    "data": (0.2, 0.0, 0.7),
    "區": (0.0, 0.0, 1.0),
    "webhooks": (0.5, 0.5, 0.5),
}

Node = dict[str, Any]


def bm25(**changes: Any) -> Node:
    """A BM25 node; `analyzer` takes that node's own changes."""
    analyzer = {"_target_": "retrievers.analyzer.Analyzer", **changes.pop("analyzer", {})}
    return {"_target_": "retrievers.bm25.BM25", "name": "bm25", "analyzer": analyzer, **changes}


def semantic(embedder: Node, **changes: Any) -> Node:
    """A semantic node over that embedder."""
    return {"_target_": "retrievers.semantic.Semantic", "name": "semantic", "embedder": embedder, **changes}


def hybrid(first: Node, second: Node, k: int = 60, **changes: Any) -> Node:
    """Two retrievers fused by reciprocal rank."""
    fusion = {"_target_": "retrievers.fusion.ReciprocalRank", "k": k}
    parts = {"bm25": first, "semantic": second}
    return {"_target_": "retrievers.hybrid.Hybrid", "name": "hybrid", "retrievers": parts, "fusion": fusion, **changes}


def reranked(first: Node, reranker: Node, pool: int = 50, **changes: Any) -> Node:
    """A reranker's own order of the first stage's pool."""
    return {
        "_target_": "retrievers.reranked.Reranked",
        "name": "reranked",
        "first": first,
        "reranker": reranker,
        "pool": pool,
        **changes,
    }


def late(embedder: Node) -> Node:
    """Late interaction over that embedder's vectors."""
    return {"_target_": "retrievers.rerankers.late_interaction.LateInteraction", "embedding": embedder}


def double(name: str, **params: Any) -> Node:
    """A node of one of the doubles."""
    return {"_target_": f"engine_doubles.{name}", "name": name.lower(), **params}


def toy_model(folder: Path, vectors: Mapping[str, Sequence[float]] = VECTORS) -> Node:
    """Write a model of one vector a word, or Chinese character, and return its embedder node."""
    import numpy as np
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    words = {"[UNK]": 0, **{word: number for number, word in enumerate(vectors, 1)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    width = len(next(iter(vectors.values())))
    save_file(
        {"embedding.weight": np.array([[0.0] * width, *vectors.values()], np.float32)}, folder / "weights.safetensors"
    )
    return {
        "_target_": "retrievers.embedders.wordllama.WordLlama",
        "weights": str(folder / "weights.safetensors"),
        "tokenizer": str(folder / "tokenizer.json"),
    }


@dataclass
class Ran:
    """A sweep that was run: its plan, what was computed, and the measurements by stage name."""

    plan: Plan
    counts: Counts
    executor: Executor

    @property
    def computed(self) -> int:
        return self.counts.rankings.total()

    @property
    def errors(self) -> list[str | None]:
        return [job.stage.error for job in self.plan.jobs]

    def rankings(self, job: int = 0) -> dict[str, Ranking]:
        """By query id, passage ids with scores as one job sees them."""
        chosen = self.plan.jobs[job]
        found = chosen.stage.rankings(chosen.queries, chosen.settings.depth)
        ids = chosen.stage.snapshot.passages_for_retrieval().ids
        pairs = ((query.id, found.one(number)) for number, query in enumerate(chosen.queries))
        return {id_: list(zip([ids[r] for r in rows], scores.tolist(), strict=True)) for id_, (rows, scores) in pairs}

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.plan.stages if stage.component.name == name)


def plain_settings(store: Path, retriever: Node, **changes: Any) -> Settings:
    """Settings of one job in a store; what is not said is plain."""
    values = {
        "k": 3,
        "depth": 10,
        "pool": 50,
        "seed": 13,
        "curve": [1, 3, 5, 10],
        "cache": "on",
        "resume": False,
        "dry_run": False,
        "allow_holdout": False,
        "store": str(store),
        "history": None,
        "dataset": {"name": "world"},
        "corpus": {},
        "chunker": {},
        "suite": {},
        "retriever": retriever,
        "slicing": {"freshness": None},
        "latency": {"sample": 0},
        "tracking": {
            "uri": f"sqlite:///{store}/mlflow.db",
            "artifacts": f"{store}/artifacts",
            "experiment": "world",
        },
    }
    return Settings.of_plain({**values, **changes})


@dataclass
class World:
    """Where a job's inputs come from; change `documents` and `queries` to change the next sweep's."""

    folder: Path
    documents: dict[str, str] = field(default_factory=lambda: dict(DOCUMENTS))
    queries: dict[str, tuple[str, list[str]]] = field(default_factory=lambda: dict(QUERIES))
    older: dict[str, str] = field(default_factory=dict)
    role: str = "development"
    snapshots_built: int = 0

    @property
    def store(self) -> Path:
        return self.folder / "store"

    def snapshot(self, settings: Settings) -> Snapshot:
        """The documents as one passage each; those of `older` for the dataset of that name."""
        texts = self.older if settings.dataset.get("name") == "older" else self.documents
        self.snapshots_built += 1
        return Snapshot.build([Document(id_, id_, text) for id_, text in texts.items()], WholeDocument())

    def suite(self, settings: Settings) -> Suite:
        """The questions, sliced by language."""
        judged = tuple(
            JudgedQuery(id_, text, dict.fromkeys(relevant, 1), {"language": "en" if text.isascii() else "zh"})
            for id_, (text, relevant) in sorted(self.queries.items())
        )
        return Suite("core", self.role, "document", judged, slices=("language",))

    def settings(self, retriever: Node, **changes: Any) -> Settings:
        """Settings of one job; what is not said is plain."""
        return plain_settings(self.store, retriever, **changes)

    def requests(self, *retrievers: Node, **changes: Any) -> list[Request]:
        """One request a retriever, named by its number."""
        return [
            Request((f"number={number}",), self.settings(retriever, **changes), "# source\n")
            for number, retriever in enumerate(retrievers)
        ]

    def plan(self, *retrievers: Node, **changes: Any) -> Plan:
        """Plan one job a retriever."""
        return make_plan(self.requests(*retrievers, **changes), self)

    def sweep(self, *retrievers: Node, n_jobs: int = 1, backend: str = "", **changes: Any) -> Ran:
        """Rank one job a retriever over the store's cache, as the runner does before it scores."""
        return self.run(self.plan(*retrievers, **changes), n_jobs, backend)

    def run(self, plan: Plan, n_jobs: int = 1, backend: str = "") -> Ran:
        """Rank the jobs of a plan: with one worker in this process, with more in others, unless a backend is named."""
        settings = plan.jobs[0].settings
        with Cache(self.store / "cache", settings.cache) as cache:
            look_up(plan, cache)
            backend = backend or ("loky" if n_jobs > 1 else "sequential")
            executor = Executor(plan, cache, Workers(n_jobs, backend, settings.time_limit))
            executor.run()
            return Ran(plan, executor.counts, executor)

    def prepare(self, database: Path) -> None:
        """Copy an MLflow store into this world's own."""
        self.store.mkdir(parents=True)
        shutil.copy(database, self.store / "mlflow.db")

    def files_of(self, run_id: str) -> Path:
        """The folder of a run's artifacts."""
        return self.store / "artifacts" / run_id / "artifacts"

    def elsewhere(self, name: str = "fresh") -> "World":
        """The same world with an empty store: what it computes is fresh."""
        return replace(self, folder=self.folder / name)


TIMED = LatencySettings(sample=3, warmup=1, seconds=10.0).model_dump()
