"""What is to be done: jobs, the unique stages that serve them, and the queries that each stage ranks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from retrievers.base import Combining, Query, Rankings, Rescoring
from runner.configuration.settings import LatencySettings, Settings
from runner.engine.cache import text_key
from runner.engine.components import Component, digest
from runner.engine.run_name import run_name
from runner.scoring.evaluate import JudgedSet
from runner.scoring.metric import METRICS_VERSION
from runner.scoring.metric_names import DEFAULT_NAMES
from runner.snapshots import Snapshot
from runner.suites import Suite


class Inputs(Protocol):
    """Where a job's snapshot and suite come from."""

    def snapshot(self, settings: Settings) -> Snapshot: ...

    def suite(self, settings: Settings) -> Suite: ...


@dataclass(frozen=True)
class Request:
    """A job as it was asked for: its overrides, its settings, and the YAML with its interpolations still in it.

    unused: those of its overrides that choose or set what it has no place for, such as the embedder of a BM25.
    """

    overrides: tuple[str, ...]
    settings: Settings
    source: str = ""
    unused: tuple[str, ...] = ()


@dataclass(eq=False)
class Stage:
    """Rankings of one retriever on one snapshot for all queries that any job needs, as deep as the deepest need.

    held: what is known so far, by query key. candidates_of: what was looked at for it. error and trace: why it cannot
    be computed, once known. latency: how its queries are timed, the most that any job asks for.
    """

    component: Component
    snapshot: Snapshot
    level: int
    sources: Mapping[str, "Stage"]
    depth: int = 0
    latency: LatencySettings = field(default_factory=lambda: LatencySettings(sample=0, warmup=0, seconds=0))
    queries: dict[bytes, Query] = field(default_factory=dict)
    held: dict[bytes, Rankings] = field(default_factory=dict)
    candidates_of: dict[bytes, Rankings] = field(default_factory=dict)
    cached: int = 0
    error: str | None = None
    trace: str = ""

    @property
    def identity(self) -> dict[str, Any] | None:
        """What decides these rankings, or None if they are not to be kept."""
        return self.component.identity and {"retriever": self.component.identity, "snapshot": self.snapshot.id}

    @property
    def missing(self) -> list[bytes]:
        """Keys of the queries still to be ranked."""
        return [key for key in self.queries if key not in self.held]

    def query_key(self, query: Query) -> bytes:
        """Kept rankings are known by text alone; others may depend on the query's id too."""
        return text_key(query.text if self.component.key else f"{query.id}\0{query.text}")

    def rankings(self, queries: Iterable[Query], depth: int) -> Rankings:
        """The rankings of these queries, cut to depth; all must be held."""
        return Rankings.concatenate([self.held[self.query_key(query)] for query in queries]).cut(depth)

    def source_rankings(self, queries: Sequence[Query]) -> dict[str, Rankings]:
        """The rankings of every source for these queries, each as deep as this stage reads it."""
        depths = self.component.object.source_depths
        return {name: source.rankings(queries, depths[name]) for name, source in self.sources.items()}

    def time_at_least(self, latency: LatencySettings) -> None:
        """Time as much as this too, here and in all sources."""
        mine = self.latency
        self.latency = LatencySettings(
            sample=max(mine.sample, latency.sample),
            warmup=max(mine.warmup, latency.warmup),
            seconds=max(mine.seconds, latency.seconds),
        )
        for source in self.sources.values():
            source.time_at_least(latency)

    def candidates(self, queries: Sequence[Query], depth: int) -> Rankings:
        """What this stage looked at; a one-stage retriever looked at everything, so its own ranking to that depth."""
        if not isinstance(self.component.object, Combining | Rescoring):
            return self.rankings(queries, depth)
        keys = [self.query_key(query) for query in queries]
        if self.candidates_of.keys() >= set(keys):
            return Rankings.concatenate([self.candidates_of[key] for key in keys])
        return self.component.object.candidates(self.source_rankings(queries))


@dataclass(eq=False)
class Job:
    """One effective configuration: a cut of one stage's rankings, scored by one suite.

    variant: the overrides, besides those that the name shows anyway, in which this job differs from others of its
    sweep. also: the overrides of requests that turned out to be the same job. unused: overrides, its own or theirs,
    that it has no place for.
    """

    settings: Settings
    overrides: tuple[str, ...]
    stage: Stage
    judged: JudgedSet
    queries: tuple[Query, ...]
    source: str
    variant: str = ""
    also: list[tuple[str, ...]] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The run's name."""
        return self._named(self.settings.k)

    @property
    def name_at_any_k(self) -> str:
        """The name of the line that the runs of one retriever make along k."""
        return self._named(None)

    def _named(self, k: int | None) -> str:
        retriever = self.stage.component.object
        rerank_depth = retriever.pool if isinstance(retriever, Rescoring) else None
        return run_name(self.stage.component.name, k, rerank_depth, self.variant)

    @property
    def fingerprint(self) -> str:
        """Hash of everything that decides this job's metrics; equal fingerprints are one run."""
        component = self.stage.component
        return digest(
            {
                "retriever": component.key or component.sharing_key,
                "snapshot": self.stage.snapshot.id,
                "suite": self.judged.suite.revision,
                "suite_name": self.judged.suite.name,
                "slices": list(self.judged.suite.slices),
                "slicing": self.settings.slicing.model_dump(mode="json"),
                "history": self.settings.history,
                "k": self.settings.k,
                "depth": self.settings.depth,
                "curve": list(self.settings.curve_within_depth()),
                "seed": self.settings.seed,
                "intervals": self.settings.intervals and self.settings.intervals.model_dump(mode="json"),
                "metrics": METRICS_VERSION,
                **({} if self.settings.metrics == DEFAULT_NAMES else {"measured": list(self.settings.metrics)}),
            }
        )

    @property
    def key(self) -> str:
        """Hash of the fingerprint and of what becomes of the run: jobs of equal keys are one run.

        Equal metrics that are to be logged in two experiments, or judged by two policies, are two runs.
        """
        settings = self.settings
        sections = (settings.tracking, settings.trace, settings.gate)
        dumped = (each and each.model_dump(mode="json") for each in sections)
        return digest([self.fingerprint, *dumped, settings.resume])


@dataclass(frozen=True)
class Refused:
    """A request that makes no job because somebody's own code failed before there was one."""

    settings: Settings
    overrides: tuple[str, ...]
    error: str
    trace: str

    @property
    def name(self) -> str:
        """What it is called: the overrides that it was asked by."""
        return " ".join(self.overrides) or "the job"


@dataclass(frozen=True)
class Plan:
    """Jobs to score, and the stages to compute first in order of level. requested: how many jobs were asked for."""

    jobs: tuple[Job, ...]
    stages: tuple[Stage, ...]
    requested: int
    refused: tuple[Refused, ...] = ()

    def without(self, keys: Collection[str]) -> "Plan":
        """The plan less some jobs, and less the stages that only they needed."""
        jobs = tuple(job for job in self.jobs if job.key not in keys)
        needed: set[int] = set()
        waiting = [job.stage for job in jobs]
        while waiting:
            stage = waiting.pop()
            needed.add(id(stage))
            waiting.extend(stage.sources.values())
        return Plan(jobs, tuple(stage for stage in self.stages if id(stage) in needed), self.requested, self.refused)

    @property
    def scored_configurations(self) -> int:
        """Sum over jobs of their scored queries."""
        return sum(len(job.judged.scored) for job in self.jobs)
