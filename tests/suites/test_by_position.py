"""Judgments of passages whose ids count positions, which hold on known documents only."""

from dataclasses import replace

import pytest

from runner.chunkers import Heading, Window
from runner.documents import Document
from runner.errors import InputError
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite
from runner.suites.by_position import counted_ids, refuse_by_position

TWICE = "# 頁\n\n## Setup\n\na\n\n### Example\n\nfirst\n\n## Use\n\nb\n\n### Example\n\nsecond\n"
NUMBERED = "# 頁\n\n## Step\n\na\n\n## Step 2\n\nb\n\n## 範例\n\n甲\n\n## 範例 2\n\n乙\n"


def cut(text: str, chunker: Heading | Window | None = None) -> Snapshot:
    return Snapshot.build([Document("p.md", "頁", text)], chunker or Heading())


def judging(*ids: str, grade: int = 1, snapshot: str | None = None) -> Suite:
    query = JudgedQuery("q1", "what?", dict.fromkeys(ids, grade), lines=dict.fromkeys(ids, 7))
    return Suite("core", "development", "passage", (query,), snapshot, path="core.jsonl")


def test_headings_of_the_same_words_are_told_apart_by_position_and_so_refused_unpinned() -> None:
    snapshot = cut(TWICE)
    for id_ in ("p.md#example-2", "p.md#example"):
        with pytest.raises(InputError) as caught:
            refuse_by_position(judging(id_), snapshot)
        assert str(caught.value).startswith(f"core.jsonl:7: query 'q1' judges '{id_}', which is found by its position")
        assert f"snapshot: {snapshot.id}" in str(caught.value)
    refuse_by_position(judging("p.md#example-2", snapshot=snapshot.id), snapshot)
    refuse_by_position(judging("p.md#example-2", grade=0), snapshot)
    refuse_by_position(judging("p.md#setup"), snapshot)
    refuse_by_position(replace(judging("p.md"), unit="document"), snapshot)


def test_a_heading_inserted_above_is_noticed_though_the_suite_was_right_before() -> None:
    suite = judging("p.md#example")
    once = "# 頁\n\n## Use\n\nb\n\n### Example\n\nsecond\n"
    refuse_by_position(suite, cut(once))
    with pytest.raises(InputError, match="by its position among 2"):
        refuse_by_position(suite, cut(once.replace("## Use", "## Example\n\nnew\n\n## Use")))


def test_numbers_that_the_headings_say_themselves_are_no_positions() -> None:
    ids = [passage.id for passage in cut(NUMBERED).passages]
    assert "p.md#範例-2" in ids
    assert counted_ids(cut(NUMBERED), ids) == {}


def test_headings_with_ids_of_their_own_are_no_positions() -> None:
    text = TWICE.replace("### Example\n\nsecond", "### Example {#use-example}\n\nsecond")
    refuse_by_position(judging("p.md#example", "p.md#use-example"), cut(text))


def test_parts_of_one_long_section_stay_within_it() -> None:
    long = "# 頁\n\n## Setup\n\n" + "\n\n".join(f"Paragraph {n} says something of some length." for n in range(60))
    snapshot = cut(long, Heading(size=300))
    assert "p.md#setup-2" in [passage.id for passage in snapshot.passages]
    refuse_by_position(judging("p.md#setup-2"), snapshot)


def test_windows_are_numbered_and_so_refused_unpinned() -> None:
    snapshot = cut("Some words in a sentence. " * 100, Window(size=300))
    with pytest.raises(InputError, match=r"judges 'p\.md#2', which is found by its position"):
        refuse_by_position(judging("p.md#2"), snapshot)
    refuse_by_position(judging("p.md#1"), cut("short", Window()))


def test_many_are_listed_by_line_with_one_way_out() -> None:
    with pytest.raises(InputError, match=r"core\.jsonl: 2 problems") as caught:
        refuse_by_position(judging("p.md#example", "p.md#example-2"), cut(TWICE))
    assert str(caught.value).count("pin the suite") == 1
