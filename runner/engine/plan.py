"""From many jobs to the unique stages that serve them all: what has to be ranked, for which queries, how deep."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from retrievers.base import Combining, Query, Rankings, Rescoring, RetrievalError
from runner.configuration.settings import LatencySettings, Settings
from runner.engine.cache import text_key
from runner.engine.components import Component, build, digest
from runner.engine.failure import described, trace_of
from runner.engine.run_name import run_name
from runner.errors import ConfigError, InputError, Misbehaved, RunnerError
from runner.scoring.evaluate import JudgedSet
from runner.scoring.metric import METRICS_VERSION
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.scoring.slices import Freshness
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


def make_plan(requests: Sequence[Request], inputs: Inputs) -> Plan:
    """Build every job, merge those with the same effective configuration, and collect their stages.

    Raises InputError or ConfigError before anything is computed. Where somebody's own code fails, only its jobs are
    refused.
    """
    refused: list[Refused] = []
    stages: dict[tuple[str, str], Stage] = {}
    judged: dict[tuple[str, str, str], JudgedSet] = {}
    jobs: dict[str, Job] = {}
    problems: dict[tuple[type[RunnerError], str], list[str]] = {}
    for request in requests:
        try:
            job = _job(request, inputs, stages, judged)
        except (ConfigError, InputError) as error:
            problems.setdefault((type(error), str(error)), []).append(" ".join(request.overrides))
            continue
        except Misbehaved as error:
            refused.append(Refused(request.settings, request.overrides, str(error), error.trace))
            continue
        except (RunnerError, RetrievalError, OSError):
            raise
        except Exception as error:
            said = described(error, str(request.settings.retriever.get("_target_", "")))
            refused.append(Refused(request.settings, request.overrides, said, trace_of(error)))
            continue
        twin = jobs.setdefault(job.key, job)
        if twin is not job:
            twin.also.append(request.overrides)
            twin.unused += [override for override in job.unused if override not in twin.unused]
    if problems:
        told_once = [of_jobs(asked, len(requests)) + fault for (_, fault), asked in problems.items()]
        raise next(iter(problems))[0]("\n".join(dict.fromkeys(told_once)))
    _name_variants(list(jobs.values()))
    ordered = sorted(stages.values(), key=lambda stage: stage.level)
    return Plan(tuple(jobs.values()), tuple(ordered), len(requests), tuple(refused))


def of_jobs(asked: Sequence[str], jobs: int) -> str:
    """The jobs that a fault is of, where it is not that of all: the first of them, and how many more."""
    if len(asked) == jobs or not asked[0]:
        return ""
    return f"{asked[0]}{f' (and {len(asked) - 1} more)' if len(asked) > 1 else ''}: "


def differing(name: str, overrides: Sequence[str], value: Any, others: Sequence[str], other: Any) -> str:
    """Why two jobs cannot be in one sweep: a setting of which a sweep has only one."""
    one, another = (
        " ".join(each for each in mine if each not in theirs)
        for mine, theirs in ((overrides, others), (others, overrides))
    )
    return (
        f"one sweep has one {name}, but {one or 'one job'} wants {_as_typed(value)} and {another or 'another'} wants "
        f"{_as_typed(other)}; set {name}=... for all, or run two sweeps"
    )


def _as_typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Overrides whose effect a run's name, or a column of its own in every table, shows already.
_SHOWN = (
    "k",
    "pool",
    "retriever",
    "retriever.pool",
    "suite",
    "dataset",
    "dataset.path",
    "dataset.run",
    "dataset.runs",
    "corpus.path",
    "suite.path",
)


def _name_variants(jobs: Sequence[Job]) -> None:
    """Give jobs that differ in other settings than those names tell of these settings as a variant."""
    asked = [
        dict(each.lstrip("+").partition("=")[::2] for each in job.overrides if each not in job.unused) for job in jobs
    ]
    keys = list(dict.fromkeys(key for overrides in asked for key in overrides if key not in _SHOWN))
    differing = [key for key in keys if len({overrides.get(key) for overrides in asked}) > 1]
    for job, overrides in zip(jobs, asked, strict=True):
        parts = [f"{key.removeprefix('retriever.')}={overrides[key]}" for key in differing if key in overrides]
        job.variant = " ".join(parts)


def _job(
    request: Request,
    inputs: Inputs,
    stages: dict[tuple[str, str], Stage],
    judged: dict[tuple[str, str, str], JudgedSet],
) -> Job:
    settings = request.settings
    suite = inputs.suite(settings)
    if suite.role == "holdout" and not settings.allow_holdout:
        raise ConfigError(
            f"suite {suite.name!r} has the role holdout: every look at it makes it less of one; "
            "add allow_holdout=true to look, which is recorded"
        )
    snapshot = inputs.snapshot(settings)
    slicing = digest(settings.slicing.model_dump(mode="json"))
    key = (suite.name + suite.revision + suite.missing + digest(list(suite.slices)), snapshot.id, slicing)
    if key not in judged:
        suite.check(snapshot)
        freshness = settings.slicing.freshness
        judged[key] = JudgedSet.of(suite, snapshot, Freshness(**freshness.model_dump()) if freshness else None)
    laid = judged[key]
    if not laid.ranked:
        raise ConfigError(f"suite {suite.name!r} has no judged query, so there is nothing to score")
    _refuse_metrics(settings)
    queries = tuple(Query(query.id, suite.query_text(query, settings.history)) for query in laid.ranked)
    component = build(settings.retriever, "retriever")
    _refuse_queries(component, queries)
    stage = _stage(component, component, snapshot, queries, settings.depth, stages)
    stage.time_at_least(settings.latency)
    return Job(settings, request.overrides, stage, laid, queries, request.source, unused=list(request.unused))


def _refuse_metrics(settings: Settings) -> None:
    """Raise ConfigError for a metric that is not there, or that looks further than the rankings go."""
    for metric in map(parse_metric, settings.metrics):
        if (metric.cutoff or 0) > settings.depth:
            raise ConfigError(
                f"metrics: {metric} looks deeper than the rankings (depth={settings.depth}); add depth={metric.cutoff}"
            )


def _refuse_queries(root: Component, queries: Sequence[Query]) -> None:
    """Ask every component that knows its queries beforehand, as one that reads them from a file, whether it has any.

    Raises InputError.
    """
    for component in root.walk():
        try:
            component.declared.refuse_queries(queries)
        except RetrievalError as error:
            raise InputError(str(error)) from None


def _stage(
    component: Component,
    root: Component,
    snapshot: Snapshot,
    queries: Sequence[Query],
    depth: int,
    stages: dict[tuple[str, str], Stage],
) -> Stage:
    """Find or make the stage of a component, and those of its sources, and widen them to this need."""
    retriever = component.object
    sources: dict[str, Stage] = {}
    if isinstance(retriever, Combining | Rescoring):
        for name, source in retriever.sources.items():
            inner = root.of_object(source)
            sources[name] = _stage(inner, root, snapshot, queries, retriever.source_depths[name], stages)
    key = component.key or component.sharing_key
    level = 1 + max((source.level for source in sources.values()), default=-1)
    stage = stages.setdefault((key, snapshot.id), Stage(component, snapshot, level, sources))
    stage.depth = max(stage.depth, depth)
    for query in queries:
        stage.queries.setdefault(stage.query_key(query), query)
    return stage
