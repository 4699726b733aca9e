"""What candidates are drawn from, made by hand: queries, runs, click logs, pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.annotation.candidates.click_log import ClickLog, read_clicks
from runner.annotation.candidates.existing_judgments import ExistingJudgments
from runner.annotation.candidates.ranked_run import RankedQuery, RankedRun
from runner.chunkers import Heading
from runner.documents.document import Document
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite

PAGES = {
    "en/limits.md": "# Limits\n\n## Free\n\nA free account sends 100 requests.\n\n## Paid\n\nA paid one sends more.\n",
    "zh/額度.md": "# 額度\n\n## 免費\n\n免費帳號送出一百次請求。\n\n## 付費\n\n付費帳號更多。\n",
}


def pages() -> Snapshot:
    """Two pages of two sections each; passages like en/limits.md#free."""
    documents = [Document(id_, id_, text) for id_, text in PAGES.items()]
    return Snapshot.build(documents, Heading())


def query(id_: str, *relevant: str, text: str = "", **rest: Any) -> JudgedQuery:
    return JudgedQuery(id_, text or f"question {id_}", dict.fromkeys(relevant, 1), **rest)


def suite(*queries: JudgedQuery, unit: str = "passage", **rest: Any) -> Suite:
    return Suite("team", "development", unit, tuple(sorted(queries, key=lambda each: each.id)), **rest)


def ranked_run(
    judged: Suite,
    rankings: Mapping[str, str],
    *,
    id_: str = "run-a",
    k: int = 2,
    depth: int = 100,
    lost: Mapping[str, str] | None = None,
    pages_of: Snapshot | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    **world: str,
) -> RankedRun:
    """A run whose rankings are given as words; a query is failing where `lost` says in what it was lost."""
    queries = tuple(
        RankedQuery(
            each, tuple(rankings[each.id].split()), tuple((slices or {}).get(each.id, ())), (lost or {}).get(each.id)
        )
        for each in judged.queries
    )
    told = {"suite": "team", "suite_revision": "r1", "unit": judged.unit, "snapshot": "s1", "history": "null", **world}
    return RankedRun(id_, f"name of {id_}", told, k, depth, queries, ExistingJudgments(judged, pages_of))


def log(folder: Path, *rows: str, header: str = "query,passage_id,rank,clicked") -> ClickLog:
    """A click log from its lines."""
    path = folder / "events.csv"
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return read_clicks(path)


def shown(text: str, passage: str, rank: int, impressions: int, clicks: int) -> list[str]:
    """Lines of a log: a passage shown so often at one rank, and clicked so often."""
    return [f"{text},{passage},{rank},{int(number < clicks)}" for number in range(impressions)]
