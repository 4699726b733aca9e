"""Accepted runs with hand-made scores, one decision after the other."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from decide_scores import PARAMS, Asked, scores, stored
from mlflow.entities import Param, Run, RunData, RunInfo, RunTag

from runner.decisions.accepted import Accepted
from runner.decisions.baseline import Event
from runner.decisions.run_scores import RunScores
from runner.decisions.trend import Measure, Trend, trend_of


def accepted(number: int, *, name: str = "", verdict: str = "passed", undone: bool = False, **params: str) -> Accepted:
    """A run that was accepted on a day of October of that number, and taken back on the last if it was."""
    events = [Event("accepted", f"2026-10-{number:02}T09:30:00.000000+00:00", "wei", "", verdict)]
    if undone:
        events.append(Event("undone", "2026-10-31T09:30:00.000000+00:00", "wei", "", verdict))
    history = [RunTag(f"baseline_history.{place:04}", json.dumps(asdict(event))) for place, event in enumerate(events)]
    id_ = f"{number:02}" + "ab" * 15
    info = RunInfo(id_, "1", "wei", "FINISHED", 0, 1, "active", run_name=name or f"run {number}")
    held = [Param(key, value) for key, value in {**PARAMS, **params}.items()]
    return Accepted.of(Run(info, RunData([], held, history)))


def trend(
    runs: Sequence[tuple[Accepted, Sequence[Asked]]], metric: str = "recall", k: int = 5, group: str = "", **more: Any
) -> Trend:
    """The trend of runs whose queries were asked so."""
    asked = {id(run): queries for run, queries in runs}

    def read(run: Accepted) -> RunScores:
        return scores(asked[id(run)], stored(run.run.info.run_id, **run.run.data.params))

    measure = Measure(metric, k, group, **{"resamples": 500, **more})
    return trend_of("core", measure, [run for run, _ in runs], read)
