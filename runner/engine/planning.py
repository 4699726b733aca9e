"""From many jobs to the unique stages that serve them all: what has to be ranked, for which queries, how deep."""

from collections.abc import Sequence
from typing import Any

from retrievers.base import Combining, Query, Rescoring, RetrievalError
from runner.configuration.settings import Settings
from runner.engine.building import build
from runner.engine.components import Component, digest
from runner.engine.failure import described, trace_of
from runner.engine.plan import Inputs, Job, Plan, Refused, Request, Stage
from runner.errors import ConfigError, InputError, Misbehaved, RunnerError
from runner.scoring.evaluate import JudgedSet
from runner.scoring.metric_names import parse_metric
from runner.scoring.slices import Freshness
from runner.snapshots import Snapshot


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
            fault = described(error, str(request.settings.retriever.get("_target_", "")))
            refused.append(Refused(request.settings, request.overrides, fault, trace_of(error)))
            continue
        twin = jobs.setdefault(job.key, job)
        if twin is not job:
            twin.also.append(request.overrides)
            twin.unused += [override for override in job.unused if override not in twin.unused]
    if problems:
        listed = [of_jobs(asked, len(requests)) + fault for (_, fault), asked in problems.items()]
        raise next(iter(problems))[0]("\n".join(dict.fromkeys(listed)))
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
