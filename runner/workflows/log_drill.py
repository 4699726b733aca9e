"""A drill as one MLflow run of its own kind."""

from pathlib import Path

from runner.configuration.settings import TrackingSettings
from runner.reports.drill import drill_markdown
from runner.selftest.check import FAILED, NOT_APPLICABLE, NOTICED, Drill
from runner.tracking.names import key_part, metric_key
from runner.tracking.provenance import git_state, program_version
from runner.tracking.tracker import RunRecord, Tracker

KIND = "drill"


def log_drill(drill: Drill, tracking: TrackingSettings, folder: Path) -> str:
    """Log a drill with the files of a folder, and return the run's id.

    Metrics: drill/noticed, drill/failed, drill/not_applicable, and for each measured check its score as
    `remove.before/change_type.removed` and `remove.after/change_type.removed`.
    """
    params = {
        "suite": drill.suite,
        "suite_revision": drill.revision,
        "unit": drill.unit,
        "snapshot": drill.snapshot,
        "retriever": drill.retriever,
        "retriever_hash": drill.retriever_hash,
        "k": drill.k,
        "seed": drill.seed,
        "program_version": program_version(),
    }
    metrics: dict[str, float] = {
        "drill/noticed": drill.count(NOTICED),
        "drill/failed": drill.count(FAILED),
        "drill/not_applicable": drill.count(NOT_APPLICABLE),
    }
    for each in drill.checks:
        for when, value in (("before", each.before), ("after", each.after)):
            if value is not None:
                metrics[metric_key(f"{each.name}.{when}", each.group)] = value
    note = drill_markdown(drill).partition("\n## ")[0]
    tags = {
        "kind": KIND,
        "suite": drill.suite,
        "snapshot": drill.snapshot,
        "failed": str(drill.failed).lower(),
        "mlflow.note.content": note,
        "mlflow.source.name": "runner.drill",
        **git_state(),
    }
    name = f"drill {drill.retriever} {key_part(drill.suite)}"
    return Tracker(tracking).log(RunRecord(name, params, metrics, tags, files=folder))
