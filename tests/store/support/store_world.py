"""A store with real runs, snapshots, cache and index in it, small enough to damage in many places."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine_world import DOCUMENTS, QUERIES, Node, bm25, plain_settings

from runner.configuration.settings import Settings
from runner.engine.plan import Request
from runner.tracking.location import StoreLocation
from runner.tracking.mlflow_store import sqlite_uri
from runner.workflows.rerun import repeat_run, repetition_lines
from runner.workflows.run_jobs import Listener, RunOptions, SweepOutcome, run_jobs


@dataclass(frozen=True)
class StoreWorld:
    """pages and suite: what is read. store: the folder that is moved, damaged or closed."""

    pages: Path
    suite: Path
    store: Path

    @classmethod
    def lay_out(cls, folder: Path, store: Path) -> "StoreWorld":
        """Write the pages and the questions."""
        pages = folder / "pages"
        for id_, text in DOCUMENTS.items():
            (pages / id_).parent.mkdir(parents=True, exist_ok=True)
            (pages / id_).write_text(f"# {id_}\n\n{text}\n", "utf-8")
        (folder / "suite.yaml").write_text("name: core\nunit: document\n", "utf-8")
        rows = [{"query_id": id_, "text": text, "relevant": found} for id_, (text, found) in QUERIES.items()]
        (folder / "suite.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return cls(pages, folder / "suite.yaml", store)

    @property
    def uri(self) -> str:
        return sqlite_uri(self.store / "mlflow.db")

    @property
    def place(self) -> list[str]:
        """What tells a command of past runs where the store is."""
        return [f"store={self.store}", f"tracking.uri={self.uri}"]

    def settings(self, retriever: Node, **changes: Any) -> Settings:
        own = {
            "corpus": {"_target_": "runner.documents.Pages", "path": str(self.pages)},
            "chunker": {"_target_": "runner.chunkers.WholeDocument"},
            "suite": {"_target_": "runner.suite_formats.OwnSuite", "path": str(self.suite)},
            "tracking": {"uri": self.uri, "artifacts": f"{self.store}/artifacts", "experiment": "world"},
        }
        return plain_settings(self.store, retriever, **{**own, **changes})

    def run(self, *retrievers: Node, listener: Listener | None = None, **changes: Any) -> SweepOutcome:
        """Run one job a retriever (BM25 if none is named), as a command does."""
        nodes = retrievers or (bm25(),)
        requests = [Request((f"number={n}",), self.settings(node, **changes)) for n, node in enumerate(nodes)]
        return run_jobs(requests, RunOptions(), listener=listener)

    def scores(self, *retrievers: Node, **changes: Any) -> list[Mapping[str, float]]:
        """The metrics that do not depend on the clock, of each job."""
        outcome = self.run(*retrievers, **changes)
        assert not outcome.failures, outcome.failures
        timed = ("latency", "index_", "peak_memory")
        return [{k: v for k, v in row.metrics.items() if not k.startswith(timed)} for row in outcome.rows]

    def repeat(self, run_id: str, folder: Path) -> int:
        """Repeat a run, as `python -m runner rerun` does."""
        folder.mkdir(parents=True, exist_ok=True)
        place = StoreLocation.of(self.place)
        found = repeat_run(run_id, place, place.rest, folder)
        print("\n".join(repetition_lines(found)))
        return found.outcome.status
