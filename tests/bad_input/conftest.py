"""Commands run in this process on a small desk: pages, a suite, and no settings of this machine."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from said import Said

from runner.cli.entry import run_command
from runner.composition.requests import compose_request
from runner.workflows.run_jobs import RunOptions, run_jobs

PAGES = {
    "limits.md": "# Limits\n\nAt most 100 requests a minute.\n",
    "billing.md": "# Billing\n\nThe invoice is sent on the first day.\n",
    "額度.md": "# 額度\n\n每分鐘最多一百次請求。\n",
}
ROWS = [
    {"query_id": "q1", "text": "How many requests?", "relevant": ["limits.md"]},
    {"query_id": "q2", "text": "When is the invoice sent?", "relevant": ["billing.md"]},
]


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages, a suite (`team.yaml`, also `題庫/核心.yaml`) and an empty home."""
    folder = tmp_path_factory.mktemp("desk")
    for name, text in PAGES.items():
        page = folder / "manual" / name
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, "utf-8")
    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    for head in ("team", "題庫/核心"):
        path = folder / f"{head}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text("name: team\nunit: document\n", "utf-8")
        path.with_suffix(".jsonl").write_text(rows, "utf-8")
    (folder / "file.txt").write_text("no folder\n")
    return folder


@pytest.fixture
def at_desk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in the desk's folder, with its own home and none of the machine's settings."""
    for name in list(os.environ):
        if name.startswith(("RUNNER_", "HYDRA_", "MLFLOW_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RUNNER_HOME", str(desk / "home"))
    monkeypatch.chdir(desk)
    yield desk


@pytest.fixture
def say(at_desk: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """Run a command by its module (`runner` itself without its recorder) and return what came of it."""

    def run(module: str, *arguments: str) -> Said:
        words = [argument.replace("{desk}", str(at_desk)) for argument in arguments]
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            if module == "runner":
                monkeypatch.setattr(sys, "argv", ["runner", *words])
                run_command(words)
            else:
                import_module(module).main(words)
        said = capfd.readouterr()
        code = stop.value.code
        return Said(code if isinstance(code, int) else int(code is not None), said.out, said.err)

    return run


@pytest.fixture(scope="session")
def run_ids(desk: Path) -> tuple[str, str]:
    """Two runs of this desk's pages and questions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNNER_HOME", str(desk / "home"))
        patch.chdir(desk)
        asked = ["dataset=pages", "dataset.path=manual", "dataset.suite=team.yaml", "retriever=bm25", "k=2"]
        requests = [compose_request([*asked, f"retriever.b={b}"]) for b in (0.5, 0.75)]
        first, other = run_jobs(requests, RunOptions()).rows
    return first.run_id, other.run_id
