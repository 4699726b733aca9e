"""Pages of equal words that say another thing by the structure of their HTML, by their fields or under another id."""

from pathlib import Path
from typing import Any

import pytest
from migration_world import outcome

from runner.documents import Document, Pages

FACT = "Version 4 and everything later receives security updates for two full years."
甲 = "第四版以及之後的所有版本，都可以在兩年之內收到安全性更新，之後則不再提供。"

HTML = {
    "level of a heading": ("<h2>Free</h2>x<h2>Limits</h2><p>{}", "<h2>Free</h2>x<h3>Limits</h3><p>{}"),
    "item that joins another": ("<ul><li>Never<li>{}</ul>", "<ul><li>Never<br>{}</ul>"),
    "list that was text": ("<p>Free</p><p>{}</p>", "<ul><li>Free</ul><p>{}</p>"),
    "sections that exchanged their bodies": (
        "<h2>Free</h2><h2>Limits</h2><p>{}<h2>Gold</h2><h2>Limits</h2>c",
        "<h2>Free</h2><h2>Limits</h2>c<h2>Gold</h2><h2>Limits</h2><p>{}",
    ),
}


@pytest.mark.parametrize("name", HTML)
@pytest.mark.parametrize("unit", ["span", "passage", "document"])
def test_a_page_of_html_is_its_structure_too(tmp_path: Path, name: str, unit: str) -> None:
    states = []
    for state, html in zip(("old", "new"), HTML[name], strict=True):
        (tmp_path / state).mkdir()
        (tmp_path / state / "a.html").write_text(html.format(FACT), "utf-8")
        states.append(Pages(tmp_path / state).read())
    judged = {"span": {"document": "a.html", "quote": FACT}, "passage": FACT, "document": "a.html"}[unit]
    assert outcome(tmp_path, *states, judged, unit) == "proposed"


FIELDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"plans": ["Free"]}, {"plans": ["Gold"]}),
    ({"steps": ["lift", "press"]}, {"steps": ["press", "lift"]}),
    ({}, {"not_for": ["免費"]}),
    ({"product": {"name": "Free"}}, {"product": {"name": "Gold"}}),
    ({"version": 3.1}, {"version": 4.0}),
    ({"limit": 10}, {"limit": 20}),  # which the text shows
    ({"limits": {"a": 10}}, {"limits": {"a": 20}}),
]


@pytest.mark.parametrize("unit", ["span", "passage", "document"])
@pytest.mark.parametrize(("before", "now"), FIELDS)
def test_fields_of_any_shape_say_what_a_page_is_about(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], unit: str
) -> None:
    text = f"# A\n\n{FACT} At most {{{{ limit }}}}, and {{{{ limits.a }}}} a day."
    old, new = (Document("a.md", "T", text, fields) for fields in (before, now))
    judged = {"span": {"document": "a.md", "quote": FACT}, "passage": FACT, "document": "a.md"}[unit]
    assert outcome(tmp_path, (old,), (new,), judged, unit) == "proposed"


@pytest.mark.parametrize("unit", ["span", "passage", "document"])
@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        (("v1/limits.md", "v2/limits.md"), (FACT, FACT)),
        (("docs/2.0/limits.md", "docs/3.0/limits.md"), (FACT, FACT)),
        (("limits-v1.md", "limits-v2.md"), (FACT, FACT)),
        (("docs/limits.md", "deprecated/limits.md"), (FACT, FACT)),
        (("free.md", "gold.md"), [f"{FACT}\n\n{甲}\n\n# B\n\nAll of it is {each}." for each in ("Free", "Gold")]),
    ],
)
def test_a_page_under_another_name_may_be_another_page(
    tmp_path: Path, ids: tuple[str, str], texts: tuple[str, str], unit: str
) -> None:
    old, new = (Document(id_, "Limits", text) for id_, text in zip(ids, texts, strict=True))
    judged = {"span": {"document": ids[0], "quote": FACT}, "passage": FACT, "document": ids[0]}[unit]
    assert outcome(tmp_path, (old,), (new,), judged, unit) == "proposed"
