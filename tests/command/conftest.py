"""Desks at which the real commands are run: pages, questions, a retriever of one's own and an empty store."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.tracking.mlflow_store import open_client

# The name of the dataset is that of the experiment.
EXPERIMENT = "manual"
TEAM = (
    "dataset=pages",
    "dataset.path=manual",
    "dataset.name=manual",
    "dataset.suite=team.yaml",
    "hydra.launcher.n_jobs=1",
)

PAGES = {
    "en/limits.md": "---\nupdated: 2026-01-10\n---\n# Limits\n\nA free account sends at most 100 requests a minute.\n",
    "en/billing.md": "---\nupdated: 2026-01-10\n---\n# Billing\n\nThe invoice is sent on the first day of the month.\n",
    "en/tokens.md": "# Access tokens\n\n## Rotate\n\nRotate an access token on the settings page.\n",
    "zh/額度.md": "# 額度\n\n免費帳號每分鐘最多送出一百次請求。\n",
    "zh/帳單.md": "# 帳單\n\n帳單在每個月的第一天寄出。\n",
    "zh/金鑰.md": "# 存取金鑰\n\n## 更換\n\n在設定頁面更換存取金鑰。\n",
}

HEAD = "name: team\nunit: document\nslices: [language, topic]\n"
QUERIES: list[dict[str, Any]] = [
    {"query_id": "q1", "text": "How many requests a minute may a free account send?", "relevant": ["en/limits.md"]},
    {"query_id": "q2", "text": "When is the invoice sent?", "relevant": ["en/billing.md"]},
    {"query_id": "q3", "text": "How do I rotate an access token?", "relevant": ["en/tokens.md"]},
    {"query_id": "q4", "text": "免費帳號每分鐘可以送幾次請求？", "relevant": ["zh/額度.md"], "topic": "額度"},
    {"query_id": "q5", "text": "帳單什麼時候寄出？", "relevant": ["zh/帳單.md"]},
    {"query_id": "q6", "text": "怎麼更換存取金鑰？", "relevant": ["zh/金鑰.md"]},
    {"query_id": "q7", "text": "Is there a phone number?", "relevant": [], "answerable": False},
]

# A retriever as a user would write it, with a fault at some steps.
HOUSE = '''
import math, os, signal


class Overlap:
    """Counts the characters that a question and a passage share."""

    def __init__(self, step=1):
        self.step = step

    def retrieve(self, passages, queries, depth):
        if self.step == 4:
            raise RuntimeError("the search service said no")
        if self.step == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        found = [
            [(id_, len(set(query.text) & set(text)) / self.step) for id_, text in zip(passages.ids, passages.texts)]
            for query in queries
        ]
        if self.step == 9:
            position = [query.id for query in queries].index("q3")
            found[position][0] = (passages.ids[0], math.nan)
        return found
'''


@dataclass(frozen=True)
class Finished:
    """What became of a command."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Desk:
    """folder: where commands are started. home: what RUNNER_HOME names."""

    folder: Path
    home: Path

    @property
    def store(self) -> Path:
        return self.home / "mlruns"

    def start(self, module: str, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))}
        path = os.pathsep.join(filter(None, [str(self.folder), kept.get("PYTHONPATH")]))
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=cwd or self.folder,
            env={**kept, "RUNNER_HOME": str(self.home), "PYTHONPATH": path, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        try:
            out, err = process.communicate(timeout=120)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        return Finished(process.returncode, out, err)

    def runner(self, *arguments: str, **variables: str) -> Finished:
        return self.finish(self.start("runner", *arguments, **variables))

    def team(self, *arguments: str, **variables: str) -> Finished:
        """Run on this desk's own pages and questions, and expect success."""
        done = self.runner(*arguments, *TEAM, **variables)
        assert done.status == 0, done.err
        return done

    def rerun(self, *arguments: str) -> Finished:
        return self.finish(self.start("runner.rerun", *arguments))

    @property
    def client(self) -> Any:
        return open_client(f"sqlite:///{self.store}/mlflow.db")

    def runs(self, experiment: str = EXPERIMENT, kind: str | None = "run") -> list[Any]:
        """Every run of an experiment, oldest first."""
        client = self.client
        found = client.get_experiment_by_name(experiment)
        if found is None:
            return []
        query = f"tags.kind = '{kind}'" if kind else ""
        return list(client.search_runs([found.experiment_id], query, max_results=1000))[::-1]

    def files(self, run: Any) -> Path:
        return Path(run.info.artifact_uri.removeprefix("file://"))


def lay_out(folder: Path) -> Desk:
    """Write the pages, the questions and the user's own retriever with its configuration."""
    for name, text in PAGES.items():
        page = folder / "manual" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, "utf-8")
    (folder / "team.yaml").write_text(HEAD, "utf-8")
    rows = [{"language": "zh-Hant" if row["query_id"] in ("q4", "q5", "q6") else "en", **row} for row in QUERIES]
    (folder / "team.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    (folder / "house.py").write_text(HOUSE, "utf-8")
    (folder / "conf/retriever").mkdir(parents=True)
    (folder / "conf/retriever/overlap.yaml").write_text("_target_: house.Overlap\nname: overlap\nstep: 1\n", "utf-8")
    return Desk(folder, folder / "home")


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables made, which takes longer than a job does."""
    path = tmp_path_factory.mktemp("database") / "mlflow.db"
    open_client(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def fresh_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Desk]:
    """Make a desk of its own with a store that does not exist yet."""
    return lambda: lay_out(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="session")
def new_desk(fresh_desk: Callable[[], Desk], empty_database: Path) -> Callable[[], Desk]:
    """Make a desk of its own with a store that holds no run yet."""

    def prepared() -> Desk:
        desk = fresh_desk()
        desk.store.mkdir(parents=True)
        shutil.copy(empty_database, desk.store)
        return desk

    return prepared


@pytest.fixture(scope="session")
def desk(new_desk: Callable[[], Desk]) -> Desk:
    """The desk of all tests that do not mind what else is in the store."""
    return new_desk()


@dataclass(frozen=True)
class Demo:
    """Two sweeps of the same twelve jobs, asked for in two orders, and one of those jobs by itself.

    first, second, alone: their scored runs; summaries: the runs of kind sweep; all of these as they were in
    the end. before and after: the first sweep's runs and files when it was done and when all was done.
    """

    desk: Desk
    cold: Finished
    warm: Finished
    single: Finished
    first: tuple[Any, ...]
    second: tuple[Any, ...]
    alone: Any
    summaries: tuple[Any, ...]
    before: Any
    after: Any


@pytest.fixture(scope="session")
def demo(fresh_desk: Callable[[], Desk]) -> Demo:
    """The README's first command on a fresh store, then again, then one job."""
    at = fresh_desk()

    def seen(runs: list[Any]) -> Any:
        files = [path for run in runs for path in sorted(at.files(run).rglob("*"))]
        return [run.to_dictionary() for run in runs], [(str(path), path.stat().st_mtime_ns) for path in files]

    cold = at.runner("-m", "retriever=bm25,hybrid,reranked", "k=1,3,5,10")
    assert cold.status == 0, cold.err
    before = seen(at.runs("demo"))
    warm = at.runner("-m", "k=1,3,5,10", "retriever=bm25,hybrid,reranked", "hydra.launcher.n_jobs=1")
    single = at.runner("retriever=hybrid", "k=5")
    runs = at.runs("demo")
    return Demo(
        at,
        cold,
        warm,
        single,
        tuple(runs[:12]),
        tuple(runs[12:24]),
        runs[24],
        tuple(at.runs("demo", "sweep")),
        before,
        seen(runs[:12]),
    )
