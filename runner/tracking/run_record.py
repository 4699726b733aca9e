"""What a job says to MLflow: parameters that decide the result, metrics, tags and dataset inputs."""

import platform
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from runner.engine.components import Component
from runner.engine.context_length import Context
from runner.engine.plan import Job
from runner.engine.scored import Scored, component_names
from runner.scoring.evaluate import ALL, LOST_IN_POOL, LOST_IN_RANKING, Evaluation
from runner.scoring.metric import METRICS_VERSION
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.tracking.names import key_part, metric_key
from runner.tracking.provenance import git_state, program_version
from runner.tracking.tracker import DatasetInput

# A larger share of unjudged results than this is said: the scores lean on what nobody has looked at.
MUCH_UNJUDGED = 0.5


# Logged where other metrics were chosen than the usual ones; a comma alone may part parameters.
_METRICS, _METRICS_APART = "metrics", ", "


def metrics_of_params(params: Mapping[str, str]) -> tuple[str, ...]:
    """The metrics a run was logged with, by their names."""
    return tuple(params[_METRICS].split(_METRICS_APART)) if _METRICS in params else DEFAULT_NAMES


IDS_ONLY = "none: only ids are known"


def params_of(job: Job) -> dict[str, Any]:
    """Every setting that can change the result, under names that line up between runs."""
    settings, suite, stage = job.settings, job.judged.suite, job.stage
    root = stage.component
    params: dict[str, Any] = {
        "retriever": root.name,
        "k": settings.k,
        "depth": settings.depth,
        "seed": settings.seed,
        "suite": suite.name,
        "suite_revision": suite.revision,
        "suite_role": suite.role,
        "unit": suite.unit,
        "min_grade": suite.min_grade,
        "history": settings.history,
        "snapshot": stage.snapshot.id,
        # Of documents that are known by their ids alone, nothing can move.
        "documents_sha256": IDS_ONLY if stage.snapshot.ids_only else stage.snapshot.documents_sha256,
        "snapshot.documents": len(stage.snapshot.documents),
        "snapshot.passages": len(stage.snapshot.passages),
        "dataset": settings.dataset.get("name", ""),
        "retriever_hash": root.key or "not kept",
        "metrics_version": METRICS_VERSION,
        "program_version": program_version(),
        "version.python": platform.python_version(),
    }
    if suite.unit == "span":
        params["coverage"] = suite.coverage
    if settings.metrics != DEFAULT_NAMES:
        params[_METRICS] = _METRICS_APART.join(str(parse_metric(name)) for name in settings.metrics)
    if suite.missing != "error":
        params["missing"] = suite.missing
    if root.declared.pool is not None:
        params["pool"] = root.declared.pool
    params |= _chunker_params(stage.snapshot.settings.get("chunker", {}))
    for key, value in _flat(stage.snapshot.settings.get("normalization", {})):
        params[f"normalization.{key}"] = value
    params |= _flat({"slicing": settings.slicing.model_dump(mode="json")})
    # MLflow's compare page opens with the first three parameters that differ, by name: these sort last, so
    # that k, pool and retriever come first.
    names = component_names(root)
    for component in {id(component.object): component for component in root.walk()}.values():
        name = f"stage.{names[id(component.object)]}"
        # Where a file lies changes no result, and a rerun reads a copy elsewhere; its hash is what counts.
        placed = component.declared.files()
        values = {
            key: value for key, value in (_defaults(component) | dict(component.params)).items() if key not in placed
        }
        params |= {f"{name}.{key}": value for key, value in _flat(values)}
        params |= {f"{name}.{role}_sha256": value for role, value in component.contents.items()}
        params |= {f"version.{library}": version for library, version in component.libraries.items()}
        if not component.given_name and component is not root:
            params[name] = component.target.rpartition(".")[2]
        if component.declared.model_id is not None:
            params[f"{name}.model_id"] = component.declared.model_id
    return {_param_key(key): value for key, value in params.items()}


def _chunker_params(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The cut under names of which the two that people sweep over come first on MLflow's compare page."""
    rest = {key: value for key, value in settings.items() if key not in ("size", "libraries")}
    params = {f"stage.chunker.{key}": value for key, value in _flat(rest)}
    params |= {f"version.{library}": version for library, version in settings.get("libraries", {}).items()}
    params["chunker"] = str(settings.get("name", "")).rpartition(".")[2].lower()
    if "size" in settings:
        params["chunker.size"] = settings["size"]
    return params


def _defaults(component: Component) -> dict[str, Any]:
    """Settings that the configuration left to the class, where it is a dataclass."""
    fields = getattr(component.object, "__dataclass_fields__", {})
    inner = {path.partition(".")[0] for path in component.children}
    values = {name: getattr(component.object, name) for name in fields if name not in inner}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | bool | type(None))}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _param_key(name: str) -> str:
    return ".".join(key_part(component) for component in name.split("."))


def metrics_of(scored: Scored) -> dict[str, float]:
    """Means with their counts, by slice too; queries by fate; latency, memory and index figures by stage."""
    evaluation = scored.evaluation
    # MLflow's compare page colours by the metric that was logged first.
    metrics: dict[str, float] = {"recall": evaluation.overall["recall"]} if "recall" in evaluation.overall else {}
    for group, means in evaluation.means.items():
        metrics |= {metric_key(metric, group): value for metric, value in means.items()}
    if scored.uncertainty is not None:
        for group, bounds in scored.uncertainty.bounds.items():
            metrics |= {metric_key(name, group): value for name, value in bounds.items()}
    judged = evaluation.judged
    metrics |= {
        "queries_unjudged": judged.unjudged,
        "queries_unanswerable": len(judged.unanswerable),
        "queries_missing": judged.emptied,
        "judged_missing": judged.missing,
        "queries_disputed": sum(bool(query.disputed) for query in judged.scored),
        "queries_nothing_returned": int((evaluation.found.length == 0).sum()),
        "failing": evaluation.lost(LOST_IN_POOL) + evaluation.lost(LOST_IN_RANKING),
        "failing_lost_in_pool": evaluation.lost(LOST_IN_POOL),
        "failing_lost_in_ranking": evaluation.lost(LOST_IN_RANKING),
    }
    if judged.cover is not None:
        metrics["spans_out_of_reach"] = judged.cover.out_of_reach()
    metrics |= {f"unanswerable/{name}": value for name, value in evaluation.unanswerable.items()}
    if scored.context is not None:
        metrics |= scored.context.metrics()
    metrics |= _measured_metrics(scored)
    return metrics


def _measured_metrics(scored: Scored) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for percentile in (50, 95):
        total = scored.latency_ms(percentile)
        if total is not None:
            metrics[f"latency_p{percentile}_ms"] = total
    for stage, measured in scored.measured.items():
        name = key_part(stage)
        if measured.latency_ms:
            times = list(measured.latency_ms.values())
            metrics[f"latency_p50_ms/{name}"] = float(np.percentile(times, 50))
            metrics[f"latency_p95_ms/{name}"] = float(np.percentile(times, 95))
            metrics[f"latency_queries/{name}"] = len(times)
            metrics[f"latency_noisy/{name}"] = float(measured.latency_noisy)
        if measured.index_build_seconds is not None:
            metrics[f"index_build_seconds/{name}"] = measured.index_build_seconds
        if measured.index_bytes is not None:
            metrics[f"index_bytes/{name}"] = measured.index_bytes
    timed = [measured for measured in scored.measured.values() if measured.latency_ms]
    if timed:
        # One stage that cannot be trusted makes the sum no better.
        metrics["latency_noisy"] = float(any(each.latency_noisy for each in timed))
        metrics["latency_threads"] = max(each.latency_threads or 0 for each in timed)
        loads = [each.latency_load for each in timed if each.latency_load is not None]
        metrics |= {"latency_load": max(loads)} if loads else {}
    peaks = [measured.peak_memory_bytes for measured in scored.measured.values() if measured.peak_memory_bytes]
    if peaks:
        metrics["peak_memory_bytes"] = max(peaks)
    return metrics


def curves_of(evaluation: Evaluation, context: Context | None = None) -> dict[str, list[tuple[int, float]]]:
    """`curve/recall` and the like, with step = k."""
    curves = {
        f"curve/{metric_key(metric)}": [(k, float(value)) for k, value in zip(evaluation.ks, values, strict=True)]
        for metric, values in evaluation.curve.items()
    }
    if context is not None:
        curves["curve/context_tokens"] = list(context.curve)
    return curves


def tags_of(scored: Scored, sweep: str | None) -> dict[str, str]:
    """What runs are found and grouped by."""
    job = scored.job
    tags = {
        "kind": "run",
        "fingerprint": job.fingerprint,
        "suite": job.judged.suite.name,
        "snapshot": job.stage.snapshot.id,
        "suite_role": job.judged.suite.role,
        **git_state(),
    }
    if "git_commit" in tags:
        tags["mlflow.source.git.commit"] = tags["git_commit"]
    tags["mlflow.source.name"] = "runner"
    times = sorted({measured.measured_at for measured in scored.measured.values() if measured.measured_at})
    hosts = sorted({f"{each.host} ({each.cpu})" for each in scored.measured.values() if each.host})
    if times:
        tags |= {"measured_at": ", ".join(times), "measured_on": ", ".join(hosts)}
    if sweep:
        tags["sweep"] = sweep
    if job.variant:
        tags["variant"] = job.variant
    if note := unjudged_note(scored.evaluation.overall, job.settings.k):
        tags["mlflow.note.content"] = note
    return tags


def unjudged_note(means: Mapping[str, float], k: int) -> str | None:
    """A sentence on how much of the first k nobody has judged, where it is much."""
    share = 1 - means.get("judged", 1.0)
    if share <= MUCH_UNJUDGED:
        return None
    return (
        f"{share:.0%} of the first {k} is unjudged and counts as not relevant; what is worth judging: "
        "python -m runner judgments candidates pool=RUN_ID,RUN_ID"
    )


def inputs_of(job: Job) -> list[DatasetInput]:
    """The suite and the snapshot as MLflow datasets with their digests."""
    suite, snapshot = job.judged.suite, job.stage.snapshot
    return [
        DatasetInput(suite.name, suite.revision, f"suite:{suite.name}@{suite.revision}", "evaluation"),
        DatasetInput("snapshot", snapshot.id, f"snapshot:{snapshot.id}", "corpus"),
    ]


def name_pairs(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Every (metric, group) that `metrics_of` names, for the collision check."""
    for group, means in evaluation.means.items():
        if group != ALL:
            yield from ((metric, group) for metric in means)
