"""Changes whose truth is written down: the demo's own, and those between two states of public documentation."""

import csv
import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from runner.alignment.difference import Difference
from runner.chunkers import Heading
from runner.documents import Pages
from runner.snapshots import Snapshot

DEMO = Path(__file__).parents[2] / "data" / "demo"
DATA = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
NEW_TEXT = ("limit_changed", "option_removed", "table_row_added")


@cache
def difference(old: Path, new: Path) -> Difference:
    return Difference.between(*(Snapshot.build(Pages(path).read(), Heading()) for path in (old, new)))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_every_change_of_the_demo_is_found_as_it_is_written_down() -> None:
    found = difference(DEMO / "2026-03", DEMO / "2026-09")
    rows = table(DEMO / "changes.tsv")
    wanted = {(row["change_type"] in NEW_TEXT, (row["old"],), (row["new"],)) for row in rows}
    changed = [each for each in found.passages if each.kind not in ("unchanged", "gone", "added")]
    assert {(each.similarity < 1, each.old, each.new) for each in changed} == wanted
    # Words that stayed what they are have moved, unless they are few and under another heading.
    assert {each.kind for each in changed if each.similarity < 1} == {"edited"}
    kept = Counter(each.kind for each in changed if each.similarity == 1)
    assert set(kept) <= {"moved", "edited"} and kept["moved"] > 9 * kept["edited"]
    assert Counter(new_text for new_text, *_ in wanted) == {True: 54, False: 78}
    # What went are the introductions of the six pages that were taken apart.
    assert {len(each.old[0].split("#")) for each in found.of_kind("gone")} == {2}
    gone = {each.old[0].split("#")[0] for each in found.of_kind("gone")}
    assert gone == {*found.documents.removed} and len(gone) == found.counts["gone"] == 6
    assert {found.document_of(each.new[0]) for each in found.of_kind("added")} <= {*found.documents.added}


def test_the_pages_of_the_demo_that_were_left_alone_are_the_same() -> None:
    found = difference(DEMO / "2026-03", DEMO / "2026-09")
    names = ("api-v1-messages", "legacy-classic-plans", "release-2025-12", "release-2026-03")
    assert {*found.documents.same} == {f"{language}/{name}.md" for language in ("en", "zh-Hant") for name in names}


@pytest.mark.parametrize("name", ["fastapi_docs_en", "fastapi_docs_zh_hant"])
def test_the_pages_of_public_documentation_changed_as_its_table_says(name: str) -> None:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the public collection {name} is not in {DATA}; set RUNNER_SHARED_DATA")
    found = difference(folder / "v1", folder / "v2")
    pages: dict[str, set[str]] = {"modified": set(), "added": set(), "deleted": set(), "same": set()}
    for row in table(folder / "changes.tsv"):
        pages[row["status"]].add(row["page"])

    def ids(names: tuple[str, ...]) -> set[str]:
        return {id_.removeprefix("pages/") for id_ in names}

    renamed = found.documents.renamed
    assert ids(found.documents.same) == pages["same"]
    assert ids(found.documents.changed) == pages["modified"]
    assert ids((*found.documents.removed, *renamed)) == pages["deleted"]
    assert ids((*found.documents.added, *renamed.values())) == pages["added"]
    before = {passage.id: found.old.text(passage) for passage in found.old.passages}
    after = {passage.id: found.new.text(passage) for passage in found.new.passages}
    for each in (*found.of_kind("moved"), *found.of_kind("unchanged")):
        assert "".join(before[each.old[0]].split()) == "".join(after[each.new[0]].split())
    assert found.counts["edited"] > 400 and found.counts["moved"] + found.counts["unchanged"] > 500
