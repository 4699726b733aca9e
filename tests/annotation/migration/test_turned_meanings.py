"""Words that are as they were and say another thing now: none of them is carried, as a span or as a passage."""

from pathlib import Path
from typing import Any

import pytest
from migration_world import moved, outcomes, query, snapshot

from runner.chunkers import Heading
from runner.documents import Document

FACT = "Version 4 and everything later receives security updates for two full years."
甲 = "第四版以及之後的所有版本，都可以在兩年之內收到安全性更新，之後則不再提供。"
ROWS = "| plan | rate |\n|---|---|\n| Free | 10 |\n| Team | 20 |"
STEPS = "1. Hold the lid.\n2. Press the red key.\n3. Wait for the light."

# name -> (page before, page now, the words that are judged): the words stand in both, once.
TURNED: dict[str, tuple[str, str, str]] = {
    "heading": (f"# Supported browsers\n\n{FACT}", f"# Unsupported browsers\n\n{FACT}", FACT),
    "heading above": (f"# Free\n\n## Limits\n\n{FACT}", f"# Team\n\n## Limits\n\n{FACT}", FACT),
    "heading two above": (f"# Free\n\n## A\n\n### B\n\n{FACT}", f"# Gold\n\n## A\n\n### B\n\n{FACT}", FACT),
    "heading put above": (f"# A\n\n{FACT}", f"# A\n\n## No longer\n\n{FACT}", FACT),
    "heading taken away": (f"# A\n\n## Until 2025\n\n{FACT}", f"# A\n\n{FACT}", FACT),
    "setext heading": (f"Allowed\n=======\n\n{FACT}", f"Forbidden\n=========\n\n{FACT}", FACT),
    "lead-in": (f"# A\n\nThese are allowed:\n\n{FACT}", f"# A\n\nThese are not allowed:\n\n{FACT}", FACT),
    "lead-in of a section above": (
        f"# A\n\nAll of this is true:\n\n## B\n\n{FACT}",
        f"# A\n\nNone of this is true:\n\n## B\n\n{FACT}",
        FACT,
    ),
    "word before the first heading": (f"For Free.\n\n# A\n\n{FACT}", f"For Gold.\n\n# A\n\n{FACT}", FACT),
    "notice put on top": (f"# A\n\n## B\n\n{FACT}", f"# A\n\nThis page is obsolete.\n\n## B\n\n{FACT}", FACT),
    "bold label": (f"# A\n\n**Free plan**\n\n{FACT}", f"# A\n\n**Gold plan**\n\n{FACT}", FACT),
    "bold label two above": (f"# A\n\n**Free**\n\nYes.\n\n{FACT}", f"# A\n\n**Gold**\n\nYes.\n\n{FACT}", FACT),
    "label in the line": (f"# A\n\nFree: {FACT}", f"# A\n\nGold: {FACT}", FACT),
    "sentence before": (f"# A\n\nTake Free. {FACT}", f"# A\n\nTake Gold. {FACT}", FACT),
    "what it stands for": (
        "# A\n\nThe Free plan is small.\n\nIt has ten tokens.",
        "# A\n\nThe Gold plan is small.\n\nIt has ten tokens.",
        "It has ten tokens.",
    ),
    "sentence behind": (f"# A\n\n{FACT}", f"# A\n\n{FACT} This was never so.", FACT),
    "paragraph behind": (f"# A\n\n{FACT}", f"# A\n\n{FACT}\n\nExcept on the Free plan.", FACT),
    "exception taken away": (f"# A\n\n{FACT}\n\nNot on Free.", f"# A\n\n{FACT}", FACT),
    "half of the sentence": (f"# A\n\nIt is so: {FACT}", f"# A\n\nIt is never so: {FACT}", FACT),
    "unit": (
        "# A\n\nAll sizes are in KB.\n\nThe limit is 256.",
        "# A\n\nAll sizes are in MB.\n\nThe limit is 256.",
        "The limit is 256.",
    ),
    "admonition": (f"# A\n\n/// tip | Do\n\n{FACT}\n\n///", f"# A\n\n/// warning | Do not\n\n{FACT}\n\n///", FACT),
    "admonition of spaces": (f'# A\n\n!!! tip "Do"\n    {FACT}', f'# A\n\n!!! tip "Do not"\n    {FACT}', FACT),
    "alert": (f"# A\n\n> [!TIP]\n> {FACT}", f"# A\n\n> [!CAUTION]\n> {FACT}", FACT),
    "quotation": (f"# A\n\n{FACT}", f"# A\n\nA rumour has it:\n\n> {FACT}", FACT),
    "tab": (f"# A\n\n/// tab | Free\n\n{FACT}\n\n///", f"# A\n\n/// tab | Gold\n\n{FACT}\n\n///", FACT),
    "tab that shows a file": (
        f"# A\n\n/// tab | Free\n\n{{!a.py!}}\n\n{FACT}\n\n///",
        f"# A\n\n/// tab | Gold\n\n{{!a.py!}}\n\n{FACT}\n\n///",
        FACT,
    ),
    "column": (f"# A\n\n{ROWS}", f"# A\n\n{ROWS.replace('rate', 'price')}", "| Free | 10 |"),
    "columns exchanged": (
        "# A\n\n| plan | day | night |\n|---|---|---|\n| Free | 10 | 20 |",
        "# A\n\n| plan | night | day |\n|---|---|---|\n| Free | 10 | 20 |",
        "| Free | 10 | 20 |",
    ),
    "label of a row": (f"# A\n\n{ROWS}", f"# A\n\n{ROWS.replace('Free', 'Gold')}", "| 10 |"),
    "row of a group": (
        "# A\n\n| plan | rate |\n|---|---|\n| *Europe* | |\n| Free | 10 |",
        "# A\n\n| plan | rate |\n|---|---|\n| *Asia* | |\n| Free | 10 |",
        "| Free | 10 |",
    ),
    "caption": (f"# A\n\nRates on Free:\n\n{ROWS}", f"# A\n\nRates on Gold:\n\n{ROWS}", "| Team | 20 |"),
    "note below a table": (f"# A\n\n{ROWS}", f"# A\n\n{ROWS}\n\nHalf of that on Sundays.", "| Team | 20 |"),
    "table of HTML": (
        "# A\n\n<table><tr><th>Free</th></tr><tr><td>Ten tokens it has.</td></tr></table>",
        "# A\n\n<table><tr><th>Gold</th></tr><tr><td>Ten tokens it has.</td></tr></table>",
        "Ten tokens it has.",
    ),
    "list item above": (f"# A\n\n- Free\n  - {FACT}", f"# A\n\n- Gold\n  - {FACT}", FACT),
    "what introduces a list": (f"# A\n\nDo:\n\n- {FACT}", f"# A\n\nDo not:\n\n- {FACT}", FACT),
    "deeper in a list": (f"# A\n\n- Never\n- {FACT}", f"# A\n\n- Never\n  - {FACT}", FACT),
    "another procedure": (f"# A\n\nTo open:\n\n{STEPS}", f"# A\n\nTo close:\n\n{STEPS}", "Press the red key."),
    "another step before": (f"# A\n\n{STEPS}", f"# A\n\n{STEPS.replace('Hold', 'Lift')}", "Press the red key."),
    "term of a definition": (f"# A\n\nFree\n:   {FACT}", f"# A\n\nGold\n:   {FACT}", FACT),
    "name of a file": (
        "# A\n\nIn `dev.toml`:\n\n```\nlimit = 10\n```",
        "# A\n\nIn `live.toml`:\n\n```\nlimit = 10\n```",
        "limit = 10",
    ),
    "code behind": (
        "# A\n\nRun this to stop it:\n\n```\nstop\n```",
        "# A\n\nRun this to stop it:\n\n```\nstart\n```",
        "Run this to stop it",
    ),
    "place in code": (
        "# A\n\n```\nfree:\n  limit: 10\n```",
        "# A\n\n```\ngold:\n  limit: 10\n```",
        "limit: 10",
    ),
    "indentation of code": (
        "# A\n\n```\nif free:\n    stop()\nlimit = 10\n```",
        "# A\n\n```\nif free:\n    stop()\n    limit = 10\n```",
        "limit = 10",
    ),
    "footnote": (f"# A\n\n{FACT}[^1]\n\n[^1]: On Free.", f"# A\n\n{FACT}[^1]\n\n[^1]: On Gold.", FACT),
    "comment becomes visible": (f"# A\n\n<!-- Not so: -->\n\n{FACT}", f"# A\n\nNot so:\n\n{FACT}", FACT),
    "struck out": (f"# A\n\n{FACT}", f"# A\n\n~~{FACT}~~", FACT),
    "標題": (f"# 支援的瀏覽器\n\n{甲}", f"# 不支援的瀏覽器\n\n{甲}", 甲),
    "上層標題": (f"# 免費\n\n## 限制\n\n{甲}", f"# 團隊\n\n## 限制\n\n{甲}", 甲),
    "引言": (f"# 一\n\n以下允許：\n\n{甲}", f"# 一\n\n以下不允許：\n\n{甲}", 甲),
    "粗體標籤": (f"# 一\n\n**免費方案**\n\n{甲}", f"# 一\n\n**黃金方案**\n\n{甲}", 甲),
    "下一句": (f"# 一\n\n{甲}", f"# 一\n\n{甲}但免費方案除外。", 甲),
    "參考以外": (f"# 一\n\n{甲}", f"# 一\n\n{甲}\n\n請參考[新頁](a.md)，此處已不適用。", 甲),
    "譯名": (f"# 一\n\n方案 (Free) 如下。\n\n{甲}", f"# 一\n\n方案 (Gold) 如下。\n\n{甲}", 甲),
    "表頭": (
        "# 一\n\n| 方案 | 每分鐘 |\n|---|---|\n| 免費 | 10 |",
        "# 一\n\n| 方案 | 每天 |\n|---|---|\n| 免費 | 10 |",
        "| 免費 | 10 |",
    ),
    "清單": (f"# 一\n\n- 免費\n  - {甲}", f"# 一\n\n- 團隊\n  - {甲}", 甲),
}
# Of a passage, which is all of a section, only what stands outside it can turn it.
OUTSIDE = (
    "heading",
    "heading above",
    "heading two above",
    "lead-in of a section above",
    "word before the first heading",
    "notice put on top",
    "標題",
    "上層標題",
)


def followed(folder: Path, before: Document, now: Document, item: Any, unit: str) -> str:
    old, new = snapshot((before,), Heading()), snapshot((now,), Heading())
    head = f"name: facts\nunit: {unit}\n"
    if unit == "span":
        head += f'documents: "{old.documents_sha256[:16]}"\n'
    ((what, *_),) = outcomes(moved(folder, [query("q1", item)], old, new, head))
    return what


@pytest.mark.parametrize("name", TURNED)
def test_a_span_whose_meaning_turned_is_not_carried(tmp_path: Path, name: str) -> None:
    before, now, words = TURNED[name]
    assert before.count(words) == now.count(words) == 1
    span = {"document": "a.md", "quote": words}
    assert followed(tmp_path, Document("a.md", "T", before), Document("a.md", "T", now), span, "span") == "proposed"


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_passage_whose_meaning_turned_is_not_carried(tmp_path: Path, name: str) -> None:
    before, now, words = TURNED[name]
    page = Document("a.md", "T", before)
    (passage,) = (each.id for each in snapshot((page,), Heading()).passages if words in before[each.start : each.end])
    assert followed(tmp_path, page, Document("a.md", "T", now), passage, "passage") == "proposed"


@pytest.mark.parametrize("unit", ["span", "passage", "document"])
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"title": "Old product guide"}, {"title": "New product guide"}),
        ({"title": "舊產品"}, {"title": "新產品"}),
        ({"fields": {"plan": "Free"}}, {"fields": {"plan": "Gold"}}),
        ({"fields": {"deprecated": False}}, {"fields": {"deprecated": True}}),
        ({"fields": {}}, {"fields": {"status": "withdrawn"}}),
    ],
)
def test_a_page_that_says_it_is_about_something_else_carries_nothing(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], unit: str
) -> None:
    old, new = (Document("a.md", **{"title": "T", "text": f"# A\n\n{FACT}", **each}) for each in (before, now))
    item = {"span": {"document": "a.md", "quote": FACT}, "passage": "a.md#a", "document": "a.md"}[unit]
    assert followed(tmp_path, old, new, item, unit) == "proposed"


@pytest.mark.parametrize("unit", ["span", "passage", "document"])
def test_when_and_by_whom_a_page_was_written_turns_nothing(tmp_path: Path, unit: str) -> None:
    fields = {"updated": "2026-03-01", "author": "Wei", "tags": ["a"], "order": 3, "plan": "Free"}
    later = {**fields, "updated": "2026-09-01", "author": "Lin", "tags": ["b"], "order": 4}
    old, new = (Document("a.md", "T", f"# A\n\n{FACT}", each) for each in (fields, later))
    item = {"span": {"document": "a.md", "quote": FACT}, "passage": "a.md#a", "document": "a.md"}[unit]
    assert followed(tmp_path, old, new, item, unit) == "carried"
