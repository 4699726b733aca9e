"""A metric with a parameter that is added in one file is known to every command."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runner

CHECKOUT = Path(runner.__file__).parents[1]

F_MEASURE = '''"""How well do precision and recall go together?"""

from dataclasses import dataclass
from typing import ClassVar

from runner.scoring.judgments import Floats
from runner.scoring.metric import Metric, over
from runner.scoring.relevance import Relevance


@dataclass(frozen=True)
class FMeasure(Metric):
    """Harmonic mean of precision and recall, in which recall weighs beta times as much (van Rijsbergen 1979)."""

    name: ClassVar[str] = "f_measure"
    aliases: ClassVar[tuple[str, ...]] = ("f",)

    beta: float = 1.0

    def per_query(self, found: Relevance, k: int) -> Floats:
        """The weighted mean."""
        precision = found.answers_at(k) / k
        recall = over(found.found_at(k), found.judgments.relevant_counts)
        weight = self.beta**2
        return over((1 + weight) * precision * recall, weight * precision + recall)
'''
TEAM = ("dataset=pages", "dataset.path=manual", "dataset.name=manual", "dataset.suite=team.yaml")
LOGGED = "f_measure_x28_beta_x3d_2_x29_"


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A checkout in which a metric was added, as one file."""
    root = tmp_path / "checkout"
    for part in ("runner", "retrievers", "hydra_plugins", "conf"):
        shutil.copytree(CHECKOUT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", root)
    (root / "runner" / "scoring" / "metrics" / "f_measure.py").write_text(F_MEASURE, "utf-8")
    return root


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The same metric in a module of somebody's own."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own_metrics.py").write_text(F_MEASURE, "utf-8")
    return tmp_path / "own"


def finished(desk: Any, path: str, module: str, *arguments: str) -> str:
    done = desk.finish(desk.start(module, *arguments, PYTHONPATH=path))
    assert done.status == 0, done.err
    assert "Traceback" not in done.err
    return str(done.out)


@pytest.mark.slow
def test_an_added_metric_is_in_sweep_compare_gate_choose_trend_drill_and_report(
    changed: Path, new_desk: Callable[[], Any]
) -> None:
    desk = new_desk()
    path = os.pathsep.join([str(changed), str(desk.folder)])
    swept = desk.team("-m", "retriever=bm25", "k=1,3", "metrics=[default,F(beta=2),f_measure@2]", PYTHONPATH=path)
    assert "f_measure(beta=2)" in swept.out
    runs = {int(run.data.params["k"]): run for run in desk.runs()}
    keys = {LOGGED, f"{LOGGED}.low", f"{LOGGED}.high", f"curve/{LOGGED}", "f_measure_x40_2"}
    for run in runs.values():
        assert keys <= set(run.data.metrics)
        assert run.data.params["metrics"].endswith("mrr, map, f_measure(beta=2), f_measure@2")
        assert "recall" in run.data.metrics
    first, second = runs[1].info.run_id, runs[3].info.run_id

    compared = finished(desk, path, "runner.compare", first, second, "metric=f_measure(beta=0.5)")
    assert all(f"f_measure{written}" in compared for written in ("(beta=2)", "(beta=0.5)", "@2"))
    policy = desk.folder / "own.yaml"
    policy.write_text(
        "name: own\nrules:\n  - {name: f, metric: f_measure(beta=2), k: 3, slice: all, min: 0.0}\n"
        "  - {name: cut, metric: f_measure@2, slice: all, min: 0.0}\n",
        "utf-8",
    )
    assert "PASS" in finished(desk, path, "runner.gate", second, f"gate={policy}").upper()
    sweep = runs[1].data.tags["sweep"]
    assert "f_measure" in finished(desk, path, "runner.choose", sweep, f"gate={policy}", "metric=F(beta=2)")
    finished(desk, path, "runner.accept", second, "--why", "first")
    assert "f_measure(beta=2)" in finished(desk, path, "runner.trend", "suite=team", "metric=f_measure(beta=2)")
    assert "identical" in finished(desk, path, "runner.rerun", second)
    drilled = finished(desk, path, "runner.drill", "retriever=bm25", "k=3", *TEAM, "metrics=[f_measure(beta=2)]")
    assert "all 4 metrics lie between 0 and 1" in drilled
    [summary] = desk.runs(kind="sweep")
    report = desk.store / "artifacts" / summary.info.run_id / "artifacts" / "report.html"
    assert "f_measure(beta=2)</th>" in report.read_text("utf-8")


@pytest.mark.slow
def test_a_metric_of_a_module_of_ones_own_runs_and_is_imported_for_a_stored_run_only_where_it_is_trusted(
    module: Path, new_desk: Callable[[], Any]
) -> None:
    desk = new_desk()
    path = os.pathsep.join([str(module), str(desk.folder)])
    named = "own_metrics.FMeasure(beta=2)"
    desk.team("-m", "retriever=bm25", "k=1,3", f"metrics=[ndcg,{named}]", PYTHONPATH=path)
    runs = {int(run.data.params["k"]): run for run in desk.runs()}
    assert all(run.data.params["metrics"] == f"hit, recall, ndcg, {named}" for run in runs.values())
    first, second = runs[1].info.run_id, runs[3].info.run_id
    # At another k than the first was logged at, its code is needed, and a stored run may not name what is imported.
    assert named not in finished(desk, path, "runner.compare", first, second)
    assert named in finished(desk, path, "runner.compare", first, second, f"metric={named}")
    refused = desk.finish(desk.start("runner.rerun", second, PYTHONPATH=path))
    assert refused.status == 2
    assert "metrics.3 names 'own_metrics.FMeasure'" in refused.err
    assert "add trust=own_metrics" in refused.err
    assert "identical" in finished(desk, path, "runner.rerun", second, "trust=own_metrics")
