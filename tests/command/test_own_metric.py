"""A metric that is added where the tables say is known to every command."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runner

CHECKOUT = Path(runner.__file__).parents[1]

AT_K = "AT_K: Mapping[str, Callable[[Relevance, int], Floats]] = {"
OVER_DEPTH = "OVER_DEPTH: Mapping[str, Callable[[Relevance], Floats]] = {"
ADDED = """
def f_measure(found: Relevance, k: int) -> Floats:
    both = precision(found, k) + recall(found, k)
    return _over(2 * precision(found, k) * recall(found, k), both)


def late(found: Relevance) -> Floats:
    return reciprocal_rank(found) ** 2


# Printed name"""


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A checkout in which two metrics were added, in one file."""
    root = tmp_path / "checkout"
    for part in ("runner", "retrievers", "hydra_plugins", "conf"):
        shutil.copytree(CHECKOUT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", root)
    file = root / "runner" / "scoring" / "metrics.py"
    text = file.read_text("utf-8")
    for anchor in ("\n# Printed name", AT_K, OVER_DEPTH):
        assert text.count(anchor) == 1
    text = text.replace("\n# Printed name", ADDED)
    text = text.replace(AT_K, f'{AT_K}\n    "f_measure": f_measure,')
    text = text.replace(OVER_DEPTH, f'{OVER_DEPTH}"late": late, ')
    file.write_text(text, "utf-8")
    return root


@pytest.mark.slow
def test_an_added_metric_is_in_sweep_compare_gate_choose_and_trend(changed: Path, new_desk: Callable[[], Any]) -> None:
    desk = new_desk()
    path = os.pathsep.join([str(changed), str(desk.folder)])
    desk.team("-m", "retriever=bm25", "k=1,3", PYTHONPATH=path)
    runs = {int(run.data.params["k"]): run for run in desk.runs()}
    assert all("f_measure" in run.data.metrics and "late.low" in run.data.metrics for run in runs.values())
    first, second = runs[1].info.run_id, runs[3].info.run_id

    def finished(module: str, *arguments: str) -> str:
        done = desk.finish(desk.start(module, *arguments, PYTHONPATH=path))
        assert done.status == 0, done.err
        assert done.err == "" or "Traceback" not in done.err
        return done.out

    compared = finished("runner.compare", first, second, "--metric", "late")
    assert "f_measure" in compared
    assert "late" in compared
    policy = desk.folder / "own.yaml"
    policy.write_text(
        "name: own\nrules:\n  - {name: late, metric: late, k: 3, slice: all, min: 0.0}\n"
        "  - {name: f, metric: f_measure, k: 3, slice: all, min: 0.0}\n",
        "utf-8",
    )
    assert "PASS" in finished("runner.gate", second, f"gate={policy}").upper()
    finished("runner.accept", second, "--why", "first")
    assert "late" in finished("runner.trend", "suite=team", "metric=late")
    finished("runner.rerun", second)
