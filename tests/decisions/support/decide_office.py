"""A team's documents and questions, really run and logged: runs that are gated, compared and accepted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from decide_scores import rule
from engine_world import Node, World, bm25

from runner.chunkers import WholeDocument
from runner.configuration.settings import Settings
from runner.documents.document import Document
from runner.engine.building import build
from runner.engine.inputs import snapshot_store
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite
from runner.tracking.mlflow_store import open_client
from runner.tracking.tracker import Tracker
from runner.workflows.run_jobs import RunOptions, SweepOutcome, run_jobs

SIGNS = "甲乙丙丁戊己庚辛壬癸"
REMOVED = "topic.removed"


def documents() -> dict[str, str]:
    """Each document has a word of its own that one question asks for; `more` documents are asked for by no word."""
    texts = {f"en/{number:02}.md": f"The limit of alpha{number:02} is stated here." for number in range(30)}
    texts |= {f"en/more-{number:02}.md": "Nothing that anybody asks for." for number in range(10)}
    return texts | {f"zh/{sign}.md": f"{sign}的額度寫在這裡。" for sign in SIGNS}


def queries() -> tuple[JudgedQuery, ...]:
    """30 questions in English, ten of which need two documents and find one; ten in Chinese, of removed options.

    Ten more are judged by a program, all wrongly.
    """
    english = [
        JudgedQuery(
            f"en-{number:02}",
            f"what limit has alpha{number:02}",
            dict.fromkeys([f"en/{number:02}.md", *([f"en/more-{number:02}.md"] if number < 10 else [])], 1),
            {"language": "en", "topic": "limits"},
        )
        for number in range(30)
    ]
    chinese = [
        JudgedQuery(f"zh-{sign}", f"{sign}的額度是多少？", {f"zh/{sign}.md": 1}, {"language": "zh", "topic": "removed"})
        for sign in SIGNS
    ]
    made_up = [
        JudgedQuery(
            f"gen-{number}",
            f"alpha{number:02}",
            {"en/more-09.md": 1},
            {"language": "en", "topic": "made up"},
            source="synthetic",
        )
        for number in range(10)
    ]
    return tuple(sorted([*english, *chinese, *made_up], key=lambda query: query.id))


def without_chinese(first: Node | None = None) -> Node:
    """BM25 that never answers from a Chinese document."""
    return {"_target_": "retrievers.hidden.Hidden", "name": "hidden", "first": first or bm25(), "hide": ["zh/*"]}


@dataclass
class Office(World):
    """One MLflow experiment of a store that all offices share.

    Change `documents` and `asked` to change the next run's; a run is a baseline of `suite_name`.
    """

    documents: dict[str, str] = field(default_factory=documents)
    asked: tuple[JudgedQuery, ...] = field(default_factory=queries)
    experiment: str = "office"
    suite_name: str = "core"

    def snapshot(self, settings: Settings) -> Snapshot:
        """The documents, cut as the settings say or else whole, kept in the store as the runner does."""
        chunker = build(settings.chunker, "chunker") if settings.chunker else None
        cut = (chunker.object, chunker.params) if chunker else (WholeDocument(), {})
        snapshot = Snapshot.build([Document(id_, id_, text) for id_, text in self.documents.items()], *cut)
        snapshot_store(self.store).save(snapshot)
        return snapshot

    def suite(self, settings: Settings) -> Suite:
        """The questions, sliced by language and topic."""
        return Suite(self.suite_name, self.role, "document", self.asked, slices=("language", "topic"))

    def settings(self, retriever: Node, **changes: Any) -> Settings:
        """As a world's, in this office's experiment."""
        tracking = {
            "uri": self.uri,
            "artifacts": f"{self.store}/artifacts",
            "experiment": self.experiment,
        }
        return super().settings(retriever, **{"tracking": tracking, "chunker": {}, **changes})

    @property
    def uri(self) -> str:
        return f"sqlite:///{self.store}/mlflow.db"

    @property
    def place(self) -> str:
        """The override that points a command at this store."""
        return f"store={self.store}"

    @property
    def tracker(self) -> Tracker:
        return Tracker(self.settings(bm25()).tracking)

    @property
    def client(self) -> Any:
        return open_client(self.uri)

    def go(
        self, *retrievers: Node, tags: dict[str, str] | None = None, sweep: bool = False, **changes: Any
    ) -> SweepOutcome:
        """Run one job a retriever to its end."""
        return run_jobs(self.requests(*retrievers, **changes), RunOptions(sweep=sweep, tags=tags or {}), self)

    def log(self, retriever: Node | None = None, **changes: Any) -> str:
        """Run one job, plain BM25 if nothing is said, and return its run's id."""
        outcome = self.go(retriever or bm25(), **changes)
        assert not outcome.status, outcome.failures
        return outcome.rows[0].run_id

    def run(self, run_id: str) -> Any:  # type: ignore[override]
        """A run as MLflow holds it."""
        return self.client.get_run(run_id)

    def search(self, query: str = "") -> list[Any]:
        """Runs of this experiment, oldest first."""
        return list(self.client.search_runs([self.tracker.experiment_id], query))[::-1]

    def files_of(self, run_id: str) -> Path:
        """The folder of a run's artifacts."""
        return self.store / "artifacts" / run_id / "artifacts"

    def named(self, experiment: str) -> "Office":
        """Another experiment of the same store, with the documents and questions as they were at first."""
        return replace(self, experiment=experiment, documents=documents(), asked=queries())


def write_policy(folder: Path, *rules: dict[str, Any], **values: Any) -> str:
    """Write a policy that resamples little and return the override that names it."""
    path = folder / f"policy-{len(list(folder.glob('policy-*')))}.yaml"
    text = {"name": "office", "resamples": 500, "rules": list(rules), **values}
    path.write_text(yaml.safe_dump(text, allow_unicode=True), "utf-8")
    return f"gate={path}"


# The mean may fall by a third of the queries, removed options by hardly any.
RULES: Sequence[dict[str, Any]] = (
    rule("mean holds", min=0.3, max_drop=0.45),
    rule("移除的選項", slice=REMOVED, max_drop=0.1),
)


@dataclass(frozen=True)
class Finished:
    """What became of a command."""

    status: int
    out: str
    err: str


class Desk:
    """Runs a command's main in this process and says how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, main: Callable[[Sequence[str]], None], *arguments: str) -> Finished:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = self._capsys.readouterr()
        return Finished(int(stop.value.code or 0), captured.out, captured.err)
