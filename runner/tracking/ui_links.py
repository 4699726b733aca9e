"""Where MLflow's UI shows something: paths below its address."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

# Its charts leave all further runs out until somebody asks for them.
_SHOWN_AT_FIRST = 10
# What the UI calls a workflow of runs, not of traces and prompts: its menu then has Runs.
_RUNS = "workflowType=machine_learning"


def kept_view(sweep: str, runs: int) -> Mapping[str, str]:
    """The tag of an experiment that has the charts of a sweep show all its runs; none where they do so anyway.

    It is what the UI itself writes when somebody shares a view.
    """
    if runs <= _SHOWN_AT_FIRST:
        return {}
    view = {"searchFilter": _of(sweep), "compareRunsMode": "CHART", "runsHiddenMode": "SHOW_ALL"}
    return {f"mlflow.sharedViewState.{sweep}": json.dumps(view)}


def charts_path(experiment_id: str, sweep: str, runs: int) -> str:
    """The charts of one sweep, which has so many runs."""
    view = f"viewStateShareKey={sweep}" if kept_view(sweep, runs) else f"searchFilter={quote(_of(sweep), safe='')}"
    return f"/#/experiments/{experiment_id}/runs?{view}&compareRunsMode=CHART&{_RUNS}"


def compare_path(experiment_id: str, run_ids: Sequence[str]) -> str:
    """The page that compares these runs."""
    runs = quote(json.dumps(list(run_ids), separators=(",", ":")), safe="")
    experiments = quote(json.dumps([experiment_id]), safe="")
    return f"/#/compare-runs?runs={runs}&experiments={experiments}"


def run_path(experiment_id: str, run_id: str) -> str:
    """The page of one run."""
    return f"/#/experiments/{experiment_id}/runs/{run_id}?{_RUNS}"


def _of(sweep: str) -> str:
    # Without the sweep's own run, which has no curve.
    return f'tags.sweep = "{sweep}" and tags.kind = "run"'
