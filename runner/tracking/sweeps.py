"""A past sweep: its summary run and its scored runs, found by the sweep's name or the summary's id."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runner.errors import InputError
from runner.files.scratch import scratch_folder
from runner.tracking.stored_run import find_run
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run

# The ids of all runs of the sweep, those of earlier sweeps that resume=true found finished too.
RUNS = "runs.json"
_MOST_RUNS = 50_000


@dataclass(frozen=True)
class Sweep:
    """name: value of the tag `sweep`. summary: the run of kind sweep, None where the sweep was cut short.

    runs: finished, scored runs in the order of the plan where the summary holds it.
    """

    name: str
    summary: "Run | None"
    runs: Sequence["Run"]

    @classmethod
    def find(cls, tracker: Tracker, sweep: str) -> "Sweep":
        """Look a sweep up in every experiment. Raises InputError if there is none, or it has no finished run."""
        found = _tagged(tracker, sweep)
        if not found:
            return cls.find(tracker, _name_of(tracker, sweep))
        summary = next((run for run in found if run.data.tags.get("kind") == "sweep"), None)
        by_id = {run.info.run_id: run for run in reversed(found) if run.data.tags.get("kind") == "run"}
        listed = _listed(tracker, summary) if summary is not None else []
        # Runs that resume=true found finished carry the tag of an earlier sweep.
        runs = [by_id.get(id_) or find_run(tracker, id_) for id_ in listed] or list(by_id.values())
        if not runs:
            raise InputError(f"sweep {sweep} has no finished run")
        return cls(sweep, summary, runs)


def _tagged(tracker: Tracker, sweep: str) -> list["Run"]:
    experiments = [each.experiment_id for each in tracker.client.search_experiments()]
    if not experiments or "'" in sweep:  # no sweep's name holds a quote, and MLflow cannot search for one
        return []
    query = f"tags.sweep = '{sweep}' and attributes.status = 'FINISHED'"
    return list(tracker.client.search_runs(experiments, query, max_results=_MOST_RUNS))


def _name_of(tracker: Tracker, run_id: str) -> str:
    """The sweep whose summary run has this id."""
    try:
        tags = find_run(tracker, run_id).data.tags
    except InputError:
        raise InputError(
            f"no sweep {run_id!r} in {tracker.settings.uri}; a sweep prints its name when it is done, its runs carry "
            "it as the tag `sweep`, and another store is named with tracking.uri=..."
        ) from None
    name = tags.get("sweep")
    if tags.get("kind") != "sweep" or not name:
        hint = f"it is one of the runs of sweep {name}; name that" if name else "it belongs to no sweep"
        raise InputError(f"run {run_id} is not the summary of a sweep: {hint}")
    if not _tagged(tracker, name):
        raise InputError(f"sweep {name} did not finish: nothing of it can be read")
    return str(name)


def _listed(tracker: Tracker, summary: "Run") -> list[str]:
    """Run ids that the summary lists; none for a summary of an earlier version."""
    if not any(file.path == RUNS for file in tracker.client.list_artifacts(summary.info.run_id)):
        return []
    # MLflow draws a bar of its own for every file.
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    with scratch_folder("sweep") as folder:
        path = tracker.client.download_artifacts(summary.info.run_id, RUNS, str(folder))
        return [str(id_) for id_ in json.loads(Path(path).read_text("utf-8"))]
