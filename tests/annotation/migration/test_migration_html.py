"""Judgments on HTML pages, whose text is not Markdown, follow their words as others do."""

from pathlib import Path

import pytest
from migration_world import moved, outcomes, query

from runner.annotation.migration.blocks import Blocks
from runner.chunkers import Heading
from runner.documents import Pages
from runner.snapshots import Snapshot

TABLE = "<table><tr><th>plan<th>a minute<th>a day<tr><td>Free<td>10<td>100<tr><td>Team<td>20<td>200</table>"
LIST = "<p>To turn it on:<ul><li>hold the lid<li>press the key</ul>"


def state(root: Path, html: str) -> Snapshot:
    root.mkdir()
    (root / "a.html").write_text(f"<title>L</title><h2>Rates</h2>{html}<h2>Z</h2>{root.name}", "utf-8")
    return Snapshot.build(Pages(root).read(), Heading())


@pytest.mark.parametrize(
    ("before", "after", "quote", "outcome"),
    [
        (TABLE, TABLE.replace("<tr>", "\n <tr class=x>"), "Team\t20", "carried"),
        (TABLE, TABLE.replace("a minute", "an hour"), "Team\t20", "proposed"),
        (TABLE.replace("<td>200", "<td>"), TABLE.replace("<td>20<td>200", "<td><td>20"), "Team", "proposed"),
        (LIST, LIST.replace("<li>", "<li class=x>"), "press the key", "carried"),
        (LIST, LIST.replace("on:", "off:"), "press the key", "proposed"),
        ("<p>Pass &lt;max> here. Use it.", "<p>Pass &lt;min> here. Use it.", "Use it.", "proposed"),
        ("<pre>a # b\n  c</pre>Use it.", "<pre>a # b\nc</pre>Use it.", "Use it.", "proposed"),
    ],
)
def test_what_gives_the_words_their_meaning_must_be_the_same(
    tmp_path: Path, before: str, after: str, quote: str, outcome: str
) -> None:
    old, new = state(tmp_path / "old", before), state(tmp_path / "new", after)
    head = f'name: facts\nunit: span\ndocuments: "{old.documents_sha256[:16]}"\n'
    found = outcomes(moved(tmp_path, [query("q1", {"document": "a.html", "quote": quote})], old, new, head))
    assert [each[0] for each in found] == [outcome]


def test_cells_and_items_are_found_around_a_place(tmp_path: Path) -> None:
    (document,) = state(tmp_path / "x", f"One. Two three! {LIST}{TABLE}").documents
    blocks = Blocks(document.text, document.layout)

    def widened(words: str) -> str:
        start = document.text.index(words)
        return document.text[slice(*blocks.sentences(start, start + len(words)))]

    assert [widened(words) for words in ("three", "lid", "minute", "20")] == [
        "Two three!",
        "hold the lid",
        "a minute",
        "20",
    ]
    assert document.text[blocks.next_heading(document.text.index("Two")) :].startswith("Z")
