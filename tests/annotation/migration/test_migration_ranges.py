"""The same documents cut by another chunker: judgments follow their characters, exactly."""

from pathlib import Path

import pytest
from migration_world import LIMITS, OTHER, ZH_LIMITS, moved, outcomes, pages, query, snapshot

from runner.alignment.range_match import TextRanges, trimmed
from runner.chunkers import Chunk, Heading, WholeDocument
from runner.documents import Document

PAGE = f"a.md\n# Limits\n\n{LIMITS}\n\n# Size\n\n{OTHER}\n\n# 限制\n\n{ZH_LIMITS}"
TEXT = PAGE.partition("\n")[2]
DOCUMENTS = pages(PAGE, f"b.md\n{OTHER}")


class Cuts:
    """Cuts a page at given places."""

    def __init__(self, *ranges: tuple[int, int], page: str = "a.md") -> None:
        self.ranges, self.page = ranges, page

    def split(self, document: Document) -> list[Chunk]:
        ranges = self.ranges if document.id == self.page else ((0, len(document.text)),)
        return [Chunk(start, end, "", str(number)) for number, (start, end) in enumerate(ranges)]


def place(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


START, END = place(LIMITS)


def cut(*ranges: tuple[int, int]) -> object:
    return snapshot(DOCUMENTS, Cuts(*ranges))


def test_a_whole_page_that_shows_a_relevant_section_is_relevant(tmp_path: Path) -> None:
    migration = moved(tmp_path, [query("q1", "a.md#限制")], snapshot(DOCUMENTS), snapshot(DOCUMENTS, WholeDocument()))
    assert outcomes(migration) == [("carried", "a.md#限制", ["a.md"])]


def test_a_section_that_is_a_part_of_a_relevant_page_is_proposed(tmp_path: Path) -> None:
    migration = moved(tmp_path, [query("q1", "a.md")], snapshot(DOCUMENTS, WholeDocument()), snapshot(DOCUMENTS))
    ((what, old, new),) = outcomes(migration)
    assert (what, old, sorted(new)) == ("proposed", "a.md", ["a.md#limits", "a.md#size", "a.md#限制"])
    shares = migration.entries[1].details["shares"]
    assert shares == [round(len(each) / len(TEXT), 4) for each in (LIMITS, OTHER, ZH_LIMITS)]
    assert migration.entries[1].similarity == max(shares)


def test_what_is_spread_over_two_is_proposed_to_both_with_the_share_of_each(tmp_path: Path) -> None:
    middle = START + 20
    new = snapshot(DOCUMENTS, Cuts((0, middle), (middle, len(TEXT))))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], snapshot(DOCUMENTS), new)
    assert outcomes(migration) == [("proposed", "a.md#limits", ["a.md#0", "a.md#1"])]
    # 19 of them are visible characters or spaces between words: the 20th is trimmed where it is a space.
    first = len(TEXT[START:middle].rstrip())
    second = len(TEXT[middle:END].lstrip())
    assert migration.entries[1].details == {"shares": [round(first / len(LIMITS), 4), round(second / len(LIMITS), 4)]}


def test_all_windows_that_show_all_of_it_are_relevant(tmp_path: Path) -> None:
    new = snapshot(DOCUMENTS, Cuts((0, END), (START, END + 30), (START + 1, len(TEXT))))
    migration = moved(tmp_path, [query("q1", {"id": "a.md#limits", "grade": 2})], snapshot(DOCUMENTS), new)
    assert outcomes(migration) == [("carried", "a.md#limits", ["a.md#0", "a.md#1"])]
    assert migration.new.queries[0].grades == {"a.md#0": 2, "a.md#1": 2}


def test_the_passage_of_the_very_same_range_is_the_one(tmp_path: Path) -> None:
    new = snapshot(DOCUMENTS, Cuts((0, END), (START, END)))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], snapshot(DOCUMENTS), new)
    assert outcomes(migration) == [("carried", "a.md#limits", ["a.md#1"])]


def test_white_space_at_the_ends_is_no_difference(tmp_path: Path) -> None:
    old = snapshot(DOCUMENTS, Cuts((START - 2, END + 2)))
    migration = moved(tmp_path, [query("q1", "a.md#0")], old, snapshot(DOCUMENTS))
    assert outcomes(migration) == [("carried", "a.md#0", ["a.md#limits"])]


def test_parts_of_what_is_not_relevant_are_not_relevant(tmp_path: Path) -> None:
    rows = [query("q1", "b.md#0", {"id": "a.md#0", "grade": 0})]
    migration = moved(tmp_path, rows, snapshot(DOCUMENTS, Cuts((0, len(TEXT)))), snapshot(DOCUMENTS))
    assert outcomes(migration)[1] == ("carried", "a.md#0", ["a.md#limits", "a.md#size", "a.md#限制"])
    assert migration.new.queries[0].grades == {"b.md#top": 1, "a.md#limits": 0, "a.md#size": 0, "a.md#限制": 0}


def test_white_space_alone_is_part_of_nothing(tmp_path: Path) -> None:
    rows = [query("q1", "b.md#0", {"id": "a.md#0", "grade": 0})]
    new = snapshot(DOCUMENTS, Cuts((START, END), (END, END + 2)))
    migration = moved(tmp_path, rows, snapshot(DOCUMENTS, Cuts((0, len(TEXT)))), new)
    assert outcomes(migration)[1] == ("carried", "a.md#0", ["a.md#0"])


def test_something_larger_than_what_is_not_relevant_may_be_relevant(tmp_path: Path) -> None:
    rows = [query("q1", "b.md#top", {"id": "a.md#limits", "grade": 0})]
    new = snapshot(DOCUMENTS, Cuts((START, START + 20), (START + 20, END + 60)))
    migration = moved(tmp_path, rows, snapshot(DOCUMENTS), new)
    assert outcomes(migration)[1:] == [("carried", "a.md#limits", ["a.md#0"]), ("proposed", "a.md#limits", ["a.md#1"])]
    assert migration.new.queries[0].judged
    assert migration.judgments == {"carried": 1, "proposed": 1}


def test_what_holds_something_relevant_is_not_proposed_as_irrelevant(tmp_path: Path) -> None:
    rows = [query("q1", "a.md#limits", {"id": "a.md#size", "grade": 0})]
    migration = moved(tmp_path, rows, snapshot(DOCUMENTS), snapshot(DOCUMENTS, WholeDocument()))
    assert outcomes(migration) == [("carried", "a.md#limits", ["a.md"]), ("dropped", "a.md#size", [])]
    assert migration.new.queries[0].grades == {"a.md": 1}
    assert migration.whole


def test_a_zero_that_somebody_contested_is_not_passed_on_to_parts(tmp_path: Path) -> None:
    said = [{"id": "a.md#0", "grade": grade, "annotator": who} for who, grade in (("a", 0), ("b", 0), ("c", 1))]
    old = snapshot(DOCUMENTS, Cuts((0, len(TEXT))))
    migration = moved(tmp_path, [query("q1", "b.md#0", *said)], old, snapshot(DOCUMENTS))
    assert [what for what, *_ in outcomes(migration)] == ["carried", "proposed"]


def test_what_no_passage_shows_any_more_is_gone(tmp_path: Path) -> None:
    new = snapshot(DOCUMENTS, Cuts((END + 1, len(TEXT))))
    migration = moved(tmp_path, [query("q1", "a.md#limits")], snapshot(DOCUMENTS), new)
    assert outcomes(migration) == [("gone", "a.md#limits", [])]


def test_a_setting_that_cuts_nothing_differently_changes_nothing(tmp_path: Path) -> None:
    old, new = snapshot(DOCUMENTS), snapshot(DOCUMENTS, Heading(5000))
    assert old.id != new.id
    migration = moved(tmp_path, [query("q1", "a.md#limits", "a.md#限制")], old, new)
    assert outcomes(migration) == [("carried", "a.md#limits", ["a.md#limits"]), ("carried", "a.md#限制", ["a.md#限制"])]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("ab", 0, 2, (0, 2)),
        ("  ab \n", 0, 6, (2, 4)),
        ("a  b", 1, 3, (1, 1)),
        ("", 0, 0, (0, 0)),
        ("限　", 0, 2, (0, 1)),
    ],
)
def test_ranges_are_trimmed(text: str, start: int, end: int, expected: tuple[int, int]) -> None:
    assert trimmed(text, start, end) == expected


def test_passages_that_touch_a_range_share_a_character_with_it() -> None:
    cuts = [(0, 10), (5, 15), (10, 12), (0, 40), (20, 30), (30, 30)]
    ranges = TextRanges((str(number), each) for number, each in enumerate(cuts))
    for start, end in [(0, 1), (9, 10), (10, 11), (14, 20), (15, 20), (29, 31), (40, 50), (39, 50)]:
        wanted = {str(number) for number, each in enumerate(cuts) if max(start, each[0]) < min(end, each[1])}
        assert {name for name in ranges.touching(start, end) if name != "5"} == wanted
