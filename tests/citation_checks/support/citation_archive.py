"""One handbook at three dates, records of answers about it, and the command."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from runner.chunkers import Heading
from runner.citation_checks.answer_file import Citation, ServedAnswer
from runner.citation_checks.check_result import CHECKS, CheckedAnswers
from runner.citation_checks.checking import check_answers
from runner.cli.citations import main
from runner.documents.document import Document, Normalization
from runner.engine.inputs import snapshot_store
from runner.snapshots import Made, Snapshot, SnapshotStore
from runner.tracking.mlflow_store import open_client, sqlite_uri

TOKENS = (
    "# Tokens\n\n## Rotate\n\nRotate an access token every\nninety days.\n\n## Revoke\n\nRevoke a lost token at once."
)
ZH = "# 額度\n\n## 上限\n\n免費帳號「每分鐘」最多送出\n一百次請求，超過的會被拒絕。\n\n## 例外\n\n付費帳號沒有上限。"
OLD = "# Fax\n\n## Number\n\nSend a fax to the old office."
LIMITS = (
    "# Limits\n\n## Rate\n\nA free account sends at most {} requests a minute.\n\n## Size\n\nA body has at most 1.5 MB."
)
# The fax page is deleted in June and comes back in September as it was; the limits change each time.
PAGES: dict[str, dict[str, str]] = {
    "march": {"en/limits.md": LIMITS.format(100), "en/fax.md": OLD, "en/tokens.md": TOKENS, "zh/額度.md": ZH},
    "june": {"en/limits.md": LIMITS.format(200), "en/tokens.md": TOKENS, "zh/額度.md": ZH},
    "september": {"en/limits.md": LIMITS.format(300), "en/fax.md": OLD, "en/tokens.md": TOKENS, "zh/額度.md": ZH},
}
MADE = {"march": "2026-03-01", "june": "2026-06-01", "september": "2026-09-01"}
RATE, SIZE, ROTATE, FAX, UPPER = (
    "en/limits.md#rate",
    "en/limits.md#size",
    "en/tokens.md#rotate",
    "en/fax.md#number",
    "zh/額度.md#上限",
)


def noon(date: str) -> str:
    return f"{date}T12:00:00+00:00"


def record(cited: Sequence[Any] = (ROTATE,), /, **changes: Any) -> dict[str, Any]:
    """An answer served from the snapshot of June, in July, that cites what it retrieved."""
    ids = [each if isinstance(each, str) else each.get("id") for each in cited]
    row = {"query_id": "q1", "snapshot": "june", "at": noon("2026-07-01"), "retrieved": ids, "cited": list(cited)}
    return {key: value for key, value in {**row, **changes}.items() if value is not ...}


def answer(*citations: Citation | str, at: str | None = noon("2026-07-01"), **changes: Any) -> ServedAnswer:
    """The same, as it is read."""
    cited = tuple(each if isinstance(each, Citation) else Citation(each) for each in citations or (ROTATE,))
    values: dict[str, Any] = {
        "line": 1,
        "id": None,
        "query_id": "q1",
        "snapshot": "june",
        "at": None if at is None else datetime.fromisoformat(at),
        "retrieved": tuple(each.id for each in cited),
        "citations": cited,
    }
    return ServedAnswer(**{**values, **changes})


def build(pages: Mapping[str, str], normalization: Normalization | None = None) -> Snapshot:
    documents = [Document(id_, text.split("\n")[0].removeprefix("# "), text) for id_, text in pages.items()]
    return Snapshot.build(documents, Heading(), normalization=normalization)


def keep(store: SnapshotStore, snapshot: Snapshot, collection: str, date: str, name: str | None = None) -> str:
    """Store a snapshot as if it had been made on that day, at midnight UTC."""
    store.save(snapshot)
    store.catalog().add(Made(snapshot.id, collection, name, f"{date}T00:00:00.000000+00:00"))
    return snapshot.id


@dataclass(frozen=True)
class Archive:
    """home: what RUNNER_HOME names. ids: of the snapshots, by name."""

    home: Path
    store: SnapshotStore
    ids: Mapping[str, str]

    @classmethod
    def make(cls, home: Path) -> "Archive":
        store = snapshot_store(home / "mlruns")
        ids = {name: keep(store, build(pages), "handbook", MADE[name], name) for name, pages in PAGES.items()}
        return cls(home, store, ids)

    def check(self, *answers: ServedAnswer, collection: str | None = None) -> CheckedAnswers:
        return check_answers(answers, self.store, Path("answers.jsonl"), collection)

    def outcomes(self, one: ServedAnswer) -> dict[str, str]:
        """What became of the four checks of the only citation of an answer."""
        (checked,) = self.check(one).citations
        return {check: checked.findings[check].outcome for check in CHECKS}

    def finding(self, check: Any, one: ServedAnswer, collection: str | None = None) -> tuple[str, str, str]:
        """Outcome, reason and evidence of one check of the first citation."""
        found = self.check(one, collection=collection).citations[0].findings[check]
        return found.outcome, found.reason, found.found


@dataclass(frozen=True)
class Ended:
    """What became of the command."""

    status: int
    out: str
    err: str

    @property
    def run_id(self) -> str:
        return next(line.split()[1] for line in self.out.splitlines() if line.startswith("run "))


@dataclass(frozen=True)
class Counter:
    """folder: where the records of a test are."""

    archive: Archive
    folder: Path
    capsys: pytest.CaptureFixture[str]

    def file(self, *records: Mapping[str, Any]) -> Path:
        path = self.folder / "答案.jsonl"
        path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), "utf-8")
        return path

    def lineage(self, *arguments: str | Path) -> Ended:
        with pytest.raises(SystemExit) as stop:
            main([str(each) for each in arguments])
        out, err = self.capsys.readouterr()
        return Ended(int(str(stop.value.code)), out, err)

    @property
    def client(self) -> Any:
        return open_client(sqlite_uri(self.archive.home / "mlruns/mlflow.db"))
