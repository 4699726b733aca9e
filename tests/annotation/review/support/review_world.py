"""Two snapshots of four pages, a suite on the newer one, and the commands run as a person runs them."""

import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.annotation.history.record import JudgmentRecord
from runner.annotation.history.suite_file import SuiteFile
from runner.chunkers import Heading
from runner.cli.judgments import main
from runner.documents import Document
from runner.engine.inputs import snapshot_store
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

PLANS = "# Plans\n\nPlans differ.\n\n## Tokens\n\nTeam has {tokens} tokens.\n\n## Messages\n\nA message holds 256 KB."
方案 = "# 方案\n\n方案不同。\n\n## 權杖\n\n團隊有{tokens}個權杖。\n\n## 訊息\n\n一則訊息最大 256 KB。"


def pages(tokens: int, *, webhooks: bool) -> Snapshot:
    documents = [
        Document("en/plans.md", "Plans", PLANS.format(tokens=tokens)),
        Document("zh/方案.md", "方案", 方案.format(tokens=tokens)),
        Document("en/retry.md", "Retries", "# Retries\n\nWe try again ten times.\n\n## Waiting\n\nAn hour at most."),
    ]
    if webhooks:
        documents.append(Document("en/hooks.md", "Hooks", "# Hooks\n\nA hook is called once."))
    return Snapshot.build(documents, Heading())


OLD, NEW = pages(5, webhooks=True), pages(20, webhooks=False)

TOKENS, MESSAGES, WAITING = "en/plans.md#tokens", "en/plans.md#messages", "en/retry.md#waiting"
HOOKS = "en/hooks.md#hooks"
權杖, 訊息 = "zh/方案.md#權杖", "zh/方案.md#訊息"

QUERIES: tuple[dict[str, Any], ...] = (
    {
        "query_id": "en-1",
        "text": "How large is a message?",
        "language": "en",
        "relevant": [
            {"id": MESSAGES, "grade": 2, "annotator": "wei"},
            {"id": MESSAGES, "grade": 1, "annotator": "amy", "note": "no headers"},
            WAITING,
        ],
    },
    {
        "query_id": "en-2",
        "text": "And on Team?",
        "history": ["How many tokens?"],
        "language": "en",
        "judged": False,
        "relevant": [],
    },
    {"query_id": "zh-1", "text": "一則訊息最大多少？", "language": "zh-Hant", "relevant": [{"id": 訊息, "grade": 2}]},
    {"query_id": "zh-2", "text": "團隊有幾個權杖？", "language": "zh-Hant", "judged": False, "relevant": []},
)


@dataclass
class Done:
    status: int
    out: str
    err: str


class World:
    """Everything below one folder: the store, the suite and its record."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / "home" / "mlruns"
        for snapshot in (OLD, NEW):
            snapshot_store(self.store).save(snapshot)
        self.head = root / "core.yaml"
        self.write(QUERIES)

    def write(self, queries: Sequence[Mapping[str, Any]], **head: str) -> None:
        keys = {"name": "core", "role": "development", "unit": "passage", "slices": "[language]", **head}
        keys.setdefault("snapshot", f'"{NEW.id}"')
        self.head.write_text("".join(f"{key}: {value}\n" for key, value in keys.items()), "utf-8")
        lines = [json.dumps(query, ensure_ascii=False) + "\n" for query in queries]
        self.head.with_suffix(".jsonl").write_text("".join(lines), "utf-8")

    @property
    def record(self) -> JudgmentRecord:
        return JudgmentRecord.beside(self.head)

    @property
    def suite(self) -> Suite:
        return SuiteFile(self.head).read()

    def query(self, id_: str) -> JudgedQuery:
        return next(query for query in self.suite.queries if query.id == id_)

    def said(self, id_: str) -> list[tuple[str, int, str | None]]:
        return [(each.id, each.grade, each.annotator) for each in self.query(id_).every_judgment]

    def whats(self) -> list[str]:
        return [entry.what for entry in self.record.entries()]

    def id_of(self, number: int) -> str:
        """The id of the entry in this line of the record."""
        return self.record.entries()[number - 1].id

    def migrated(self) -> None:
        """What migrating en-2 and zh-2 to the new pages has left to answer: entries 2, 3 and 4."""
        record = self.record
        record.append("migrated", by="tool", details={"from": OLD.id, "to": NEW.id})
        for query, id_ in (("en-2", TOKENS), ("zh-2", 權杖)):
            new = [{"id": id_, "grade": 2}]
            record.append("proposed", query=query, old={"id": id_, "grade": 2}, new=new, similarity=0.9)
        record.append("gone", query="en-2", old={"id": HOOKS, "grade": 1})

    def run(self, command: str, *arguments: str | Path, given: str = "") -> Done:
        """Run a command in this process, with lines for its input."""
        out, err = io.StringIO(), io.StringIO()
        before, sys.stdin = sys.stdin, io.StringIO(given)
        try:
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
                main([command, *map(str, arguments)])
        finally:
            sys.stdin = before
        return Done(int(left.value.code or 0), out.getvalue(), err.getvalue())

    def words(self, command: str, *arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "runner.judgments", command, *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "RUNNER_HOME": str(self.root / "home"), "PYTHONUTF8": "1", "COLUMNS": "100"}

    def review(self, given: str, *arguments: str, annotator: str = "bo") -> Done:
        done = self.run("review", self.head, "--annotator", annotator, *arguments, given=given)
        assert done.status == 0, done.err
        return done
