"""The command on a real sweep of the demo: what it prints, logs and returns."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.tracking.tracker import open_client


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Store:
    """A home with one sweep of two jobs in it."""

    home: Path
    sweep: str

    def choose(self, *arguments: str) -> Done:
        return run(self.home, "runner.choose", *arguments)

    @property
    def client(self) -> Any:
        return open_client(f"sqlite:///{self.home}/mlruns/mlflow.db")

    def runs(self, kind: str) -> list[Any]:
        experiment = self.client.get_experiment_by_name("demo")
        return list(self.client.search_runs([experiment.experiment_id], f"tags.kind = '{kind}'"))


def run(home: Path, module: str, *arguments: str) -> Done:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=home,
        env={**kept, "RUNNER_HOME": str(home)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=180,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One retriever at two k."""
    home = tmp_path_factory.mktemp("home")
    swept = run(home, "runner", "-m", "retriever=bm25", "k=1,5", "hydra.launcher.n_jobs=1")
    assert swept.status == 0, swept.err
    found = re.search(r"^sweep (\S+):", swept.out, re.MULTILINE)
    assert found
    return Store(home, found.group(1))


def test_a_feasible_k_is_printed_and_logged_on_the_summary(store: Store, tmp_path: Path) -> None:
    done = store.choose(store.sweep, "--out", str(tmp_path / "out"), "gate=release", "gate.inconclusive=block")
    assert done.status == 0, done.err
    assert "cheapest: bm25 k=5 (recall 0." in done.out
    assert "binding slice all: at k=1 'overall recall' has" in done.out
    names = {"choose.json", "choose.md", "floors_at_k.png", "quality_latency.png"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    (summary,) = store.runs("sweep")
    logged = store.client.list_artifacts(summary.info.run_id, "choose")
    assert {Path(file.path).name for file in logged} == names


def test_the_summary_s_id_names_the_sweep_too_and_none_feasible_is_status_1(store: Store) -> None:
    (summary,) = store.runs("sweep")
    done = store.choose(summary.info.run_id, "gate.budget.context_tokens=10")
    assert done.status == 1, done.err
    assert re.search(r"bm25: none feasible: nearest at k=1, where .*context_tokens is [\d.]+ of 10", done.out)
    assert "none feasible: no variant of 1" in done.out


def test_what_cannot_be_used_is_status_2_in_one_line(store: Store) -> None:
    run_id = store.runs("run")[0].info.run_id
    for arguments, told in (
        (("20200101-000000-ffff",), "no sweep '20200101-000000-ffff'"),
        (("it's",), 'no sweep "it\'s"'),
        ((run_id,), f"it is one of the runs of sweep {store.sweep}"),
        ((store.sweep, "--metric", "f1"), "unknown metric 'f1'"),
        ((store.sweep, "gate=null"), "gate=null demands nothing"),
        ((store.sweep, "--suite", "other"), "it scored core"),
    ):
        done = store.choose(*arguments)
        assert (done.status, done.out) == (2, ""), done.err
        assert done.err.startswith("error: ") and told in done.err and "Traceback" not in done.err


def test_the_costs_are_logged_with_every_run(store: Store) -> None:
    runs = {int(each.data.params["k"]): each.data.metrics for each in store.runs("run")}
    assert 0 < runs[1]["context_tokens"] < runs[5]["context_tokens"] <= runs[5]["context_tokens_p95"]
    assert runs[5]["reranked_pairs"] == 0
    run_id = store.runs("run")[0].info.run_id
    curve = {each.step: each.value for each in store.client.get_metric_history(run_id, "curve/context_tokens")}
    assert (curve[1], curve[5]) == (runs[1]["context_tokens"], runs[5]["context_tokens"])


def test_the_summary_lists_its_runs_and_holds_the_report(store: Store) -> None:
    (summary,) = store.runs("sweep")
    folder = Path(summary.info.artifact_uri.removeprefix("file://"))
    listed = json.loads((folder / "runs.json").read_text("utf-8"))
    assert set(listed) == {each.info.run_id for each in store.runs("run")}
    assert f"<h1>Sweep {store.sweep}</h1>" in (folder / "report.html").read_text("utf-8")
