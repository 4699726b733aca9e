"""Small snapshots and suites, made by hand, whose migration can be told in advance."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.migration.migrate import Migration, migrate
from runner.chunkers import Chunker, Heading
from runner.documents import Document
from runner.snapshots import Snapshot, SnapshotStore
from runner.suite_formats import OwnSuite
from runner.suites import Suite

LIMITS = "The free plan may publish a hundred messages a minute to every one of its queues."
OTHER = "A message may be up to 256 KB large, counted with all of its headers and its key."
ZH_LIMITS = (
    "免費方案的每一個佇列每分鐘最多可以發佈一百則訊息，超過這個數量的請求會被拒絕，並且在一分鐘後才可以再次嘗試送出。"
)


def pages(*texts: str, title: str | None = None) -> tuple[Document, ...]:
    """Documents from texts whose first line is the id, and the title unless they have one in common."""
    found = []
    for each in texts:
        id_, _, text = each.partition("\n")
        found.append(Document(id_, title or id_, text))
    return tuple(found)


def snapshot(documents: Sequence[Document], chunker: Chunker | None = None) -> Snapshot:
    """Cut documents, by default one passage a section."""
    return Snapshot.build(documents, chunker or Heading())


def query(id_: str, *relevant: Any, **changes: Any) -> dict[str, Any]:
    """One object of a file of queries."""
    return {"query_id": id_, "text": f"question {id_}?", "relevant": list(relevant), **changes}


def suite_file(folder: Path, rows: Sequence[Mapping[str, Any]], head: str = "name: core\nunit: passage\n") -> SuiteFile:
    """Write a suite and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "core.jsonl").write_text(lines, encoding="utf-8")
    (folder / "core.yaml").write_text(head, encoding="utf-8")
    return SuiteFile(folder / "core.yaml")


def read(folder: Path, rows: Sequence[Mapping[str, Any]], head: str = "name: core\nunit: passage\n") -> Suite:
    """Write a suite and read it."""
    return OwnSuite(suite_file(folder, rows, head).path).read()


def outcomes(migration: Migration) -> list[tuple[str, str, list[str]]]:
    """Of every entry but the head line: what, the old id or words, the new ids or words."""
    return [
        (entry.what, _name(entry.old or {}), [_name(item) for item in entry.new]) for entry in migration.entries[1:]
    ]


def moved(folder: Path, rows: Sequence[Mapping[str, Any]], old: Snapshot, new: Snapshot, head: str = "") -> Migration:
    """Migrate a suite of these rows."""
    return migrate(read(folder, rows, head or "name: core\nunit: passage\n"), old, new, by="wei", at="2026-11-30")


def outcome(
    folder: Path, before: Sequence[Document], now: Sequence[Document], judged: Any, unit: str, chunker: Any = None
) -> str:
    """What becomes of one judgment; of a passage, judged is any of its words."""
    old, new = snapshot(before, chunker), snapshot(now, chunker)
    head = f"name: facts\nunit: {unit}\n"
    if unit == "span":
        head += f'documents: "{old.documents_sha256[:16]}"\n'
    if unit == "passage":
        judged = next(each.id for each in old.passages if judged in old.text(each))
    return "/".join(what for what, *_ in outcomes(moved(folder, [query("q1", judged)], old, new, head)))


def stored(folder: Path, *snapshots: Snapshot) -> None:
    """Put snapshots where a command started with RUNNER_HOME=folder finds them."""
    for each in snapshots:
        SnapshotStore(folder / "mlruns" / "snapshots").save(each)


def _name(item: Mapping[str, Any]) -> str:
    if "id" in item:
        return str(item["id"])
    place = item.get("quote") or f"{item['start']}-{item['end']}"
    return f"{item['document']}: {place}" + (f" @{item['start']}" if "quote" in item and "start" in item else "")
