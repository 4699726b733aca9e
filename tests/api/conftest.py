"""A team's own pages and questions, with an empty store."""

import json
import sys
from pathlib import Path

import pytest

PAGES = {
    "limits.md": "# Limits\n\nA free account sends at most 100 requests a minute.\n",
    "billing.md": "# Billing\n\nThe invoice is sent on the first day of the month.\n",
    "<b>tokens.md": "# Tokens\n\nRotate an access token on the settings page.\n",
    "額度.md": "# 額度\n\n免費帳號每分鐘最多送出一百次請求。\n",
}
QUERIES = [
    {"query_id": "q1", "text": "How many requests a minute?", "relevant": ["limits.md"], "topic": "<i>limits"},
    {"query_id": "q2", "text": "When is the invoice sent?", "relevant": ["billing.md"], "topic": "帳單"},
    {"query_id": "q3", "text": "怎麼換金鑰 token？", "relevant": ["<b>tokens.md"], "topic": "帳單"},
    {"query_id": "q4", "text": "免費帳號每分鐘可以送幾次請求？", "relevant": ["額度.md"], "topic": "帳單"},
]
OWN = """
class Picky:
    def __init__(self, step=1):
        self.step = step

    def retrieve(self, passages, queries, depth):
        if self.step == 2:
            raise RuntimeError("the search service said no")
        return [[(id_, float(-row)) for row, id_ in enumerate(passages.ids)] for query in queries]
"""


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The overrides that name pages and questions; the store is a folder of the test's own."""
    (tmp_path / "手冊").mkdir()
    for name, text in PAGES.items():
        (tmp_path / "手冊" / name).write_text(text, "utf-8")
    (tmp_path / "team.yaml").write_text("name: team\nunit: document\nslices: [topic]\n")
    lines = [json.dumps(query, ensure_ascii=False) for query in QUERIES]
    (tmp_path / "team.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "own_retriever.py").write_text(OWN)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path / "home"))
    return (
        "dataset=pages",
        f"dataset.path={tmp_path / '手冊'}",
        "dataset.name=手冊",
        f"dataset.suite={tmp_path / 'team.yaml'}",
        "latency.sample=0",
        "intervals.resamples=100",
    )
