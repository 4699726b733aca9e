"""Pages with the same text that were cut differently: every passage is followed by its characters, exactly."""

from dataclasses import dataclass

import pytest
from change_pages import told
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.alignment.difference import compare_passages
from runner.alignment.passage_change import PassageChange
from runner.chunkers import Heading, WholeDocument, Window
from runner.chunkers.base import Chunk
from runner.documents import Document
from runner.snapshots import Snapshot

Cuts = list[tuple[int, int]]


@dataclass(frozen=True)
class At:
    """Cuts a page where a test says."""

    cuts: tuple[tuple[int, int], ...]

    def split(self, document: Document) -> list[Chunk]:
        return [Chunk(start, end, "", f"{start}-{end}") for start, end in self.cuts]


def cut(text: str, *cuts: tuple[int, int], id_: str = "頁") -> Snapshot:
    return Snapshot.build([Document(id_, "", text)], At(cuts))


def ids(*names: str) -> tuple[str, ...]:
    return tuple(f"頁#{name}" for name in names)


TEXT = "甲乙丙丁戊己庚辛壬癸"


def test_the_same_cut_is_the_same_passage() -> None:
    old, new = cut(TEXT, (0, 4), (4, 10)), cut(TEXT, (0, 4), (4, 7), (7, 10))
    assert compare_passages(old, new) == (
        PassageChange("unchanged", ids("0-4"), ids("0-4"), 1.0),
        PassageChange("split", ids("4-10"), ids("4-7", "7-10"), 1.0),
    )
    assert told(compare_passages(new, old)) == {
        ("unchanged", ids("0-4"), ids("0-4")),
        ("merged", ids("4-7", "7-10"), ids("4-10")),
    }


def test_white_space_at_the_ends_makes_no_other_cut() -> None:
    text = "甲乙  丙丁"
    old, new = cut(text, (0, 4), (4, 6)), cut(text, (0, 2), (2, 6))
    assert compare_passages(old, new) == (
        PassageChange("moved", ids("0-4"), ids("0-2"), 1.0),
        PassageChange("moved", ids("4-6"), ids("2-6"), 1.0),
    )


def test_a_passage_inside_a_larger_one_has_moved_there_with_its_share() -> None:
    old, new = cut(TEXT, (2, 6)), cut(TEXT, (0, 10))
    assert compare_passages(old, new) == (PassageChange("moved", ids("2-6"), ids("0-10"), 0.4),)


def test_of_several_that_show_all_of_it_the_smallest_is_taken() -> None:
    assert told(compare_passages(cut(TEXT, (2, 6)), cut(TEXT, (0, 10), (1, 7), (0, 8)))) == {
        ("moved", ids("2-6"), ids("1-7")),
        ("added", (), ids("0-10")),
        ("added", (), ids("0-8")),
    }


def test_a_neighbour_that_shows_nothing_more_of_it_is_left_out() -> None:
    assert told(compare_passages(cut(TEXT, (0, 5)), cut(TEXT, (0, 3), (2, 5), (4, 8)))) == {
        ("split", ids("0-5"), ids("0-3", "2-5")),
        ("added", (), ids("4-8")),
    }


def test_blank_passages_are_not_each_other() -> None:
    assert told(compare_passages(cut("甲  乙", (0, 1), (1, 3), (3, 4)), cut("甲  乙", (0, 1), (1, 2), (3, 4)))) == {
        ("unchanged", ids("0-1"), ids("0-1")),
        ("gone", ids("1-3"), ()),
        ("added", (), ids("1-2")),
        ("unchanged", ids("3-4"), ids("3-4")),
    }


def test_a_passage_of_which_a_part_is_shown_is_only_a_proposal() -> None:
    old, new = cut(TEXT, (0, 10)), cut(TEXT, (2, 6))
    assert compare_passages(old, new) == (PassageChange("edited", ids("0-10"), ids("2-6"), 0.4),)
    old, new = cut(TEXT, (0, 6)), cut(TEXT, (2, 10))
    assert compare_passages(old, new) == (PassageChange("edited", ids("0-6"), ids("2-10"), 0.4),)


def test_cuts_that_cross_each_other_belong_together() -> None:
    old, new = cut(TEXT, (0, 5), (5, 10)), cut(TEXT, (0, 3), (3, 7), (7, 10))
    assert compare_passages(old, new) == (PassageChange("split", ids("0-5", "5-10"), ids("0-3", "3-7", "7-10"), 1.0),)
    assert compare_passages(new, old) == (PassageChange("merged", ids("0-3", "3-7", "7-10"), ids("0-5", "5-10"), 1.0),)


def test_what_neighbours_share_does_not_tie_them() -> None:
    old = cut(TEXT, (0, 6), (4, 10))
    new = cut(TEXT, (0, 5), (4, 6), (5, 10))
    # 0-6 is shown by 0-5 and 4-6 or 5-10; 4-10 by 4-6 and 5-10: the fewest that show all of each.
    assert told(compare_passages(old, new)) == {("split", ids("0-6", "4-10"), ids("0-5", "4-6", "5-10"))}
    inside = cut(TEXT, (0, 8), (6, 10))
    assert told(compare_passages(cut(TEXT, (1, 7), (7, 10)), inside)) == {
        ("moved", ids("1-7"), ids("0-8")),
        ("moved", ids("7-10"), ids("6-10")),
    }


def test_a_passage_that_is_shown_nowhere_is_gone() -> None:
    assert told(compare_passages(cut(TEXT, (0, 3), (3, 10)), cut(TEXT, (3, 10)))) == {
        ("gone", ids("0-3"), ()),
        ("unchanged", ids("3-10"), ids("3-10")),
    }
    assert told(compare_passages(cut(TEXT, (3, 10)), cut(TEXT, (0, 3), (3, 10)))) == {
        ("added", (), ids("0-3")),
        ("unchanged", ids("3-10"), ids("3-10")),
    }


def test_one_page_cut_into_many_is_one_split_in_reading_order() -> None:
    text = "字" * 3000
    many = [(start, start + 1) for start in range(3000)]
    (change,) = compare_passages(cut(text, (0, 3000)), cut(text, *many))
    assert (change.kind, change.similarity) == ("split", 1.0)
    assert change.new == ids(*(f"{start}-{end}" for start, end in many))


def test_a_renamed_page_is_followed_all_the_same() -> None:
    text = TEXT * 5
    old, new = cut(text, (0, 20), (20, 50)), cut(text, (0, 20), (20, 30), (30, 50), id_="新頁")
    assert told(compare_passages(old, new)) == {
        ("moved", ids("0-20"), ("新頁#0-20",)),
        ("split", ids("20-50"), ("新頁#20-30", "新頁#30-50")),
    }


def test_what_a_page_of_another_title_holds_is_only_a_proposal() -> None:
    text, name = "## Rate\n\n100 per minute\n\n## 速率\n\n" + "每秒十則訊息" * 7, "頁"
    old = Snapshot.build([Document(name, "Team", text)], Heading())
    new = Snapshot.build([Document(name, "Scale", text)], Heading())
    assert compare_passages(old, new) == (
        PassageChange("edited", ids("rate"), ids("rate"), 1.0),
        PassageChange("edited", ids("速率"), ids("速率"), 1.0),
    )
    anew = Snapshot.build([Document(name, "Scale", text)], At(((9, 23), (25, len(text)))))
    assert told(compare_passages(old, anew)) == {
        ("edited", ids("rate"), ids("9-23")),
        ("edited", ids("速率"), ids(f"25-{len(text)}")),
    }
    larger = Snapshot.build([Document(name, "Scale", text)], At(((0, 23), (23, len(text)))))
    assert {each[0] for each in told(compare_passages(old, larger))} == {"edited"}


@pytest.mark.parametrize("chunker", [WholeDocument(), Window(60, 20), Window(35, 0), Heading(size=50)])
def test_no_text_is_gone_when_only_the_chunker_changed(chunker: WholeDocument | Window | Heading) -> None:
    body = "Rates hold for one queue. 速率以單一佇列計算。每秒最多十則。 Beyond that, calls are answered with 429."
    text = f"{body}\n\n## 重試\n\n{body[::-1]}\n\n## Order\n\n{body.upper()}"
    old = Snapshot.build([Document("頁", "頁", text)], Heading())
    new = Snapshot.build([Document("頁", "頁", text)], chunker)
    changes = compare_passages(old, new)
    # Only the line of a heading, which no section shows, may come anew.
    assert {each.kind for each in changes} <= {"unchanged", "moved", "split", "merged", "added"}


cuts = st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6)), min_size=1, max_size=6, unique=True).map(
    lambda pairs: sorted({(start, min(12, start + length)) for start, length in pairs if start < 12})
)


@settings(max_examples=300, deadline=None)
@given(cuts, cuts, st.sets(st.integers(0, 11)))
def test_every_character_that_both_show_is_told_of(before: Cuts, after: Cuts, blanks: set[int]) -> None:
    text = "".join(" " if place in blanks else each for place, each in enumerate("甲乙丙丁戊己庚辛壬癸子丑"))
    old, new = cut(text, *before), cut(text, *after)
    changes = compare_passages(old, new)
    where = {passage.id: {n for n in range(passage.start, passage.end) if text[n].strip()} for passage in new.passages}
    whole = {passage.id: {n for n in range(passage.start, passage.end) if text[n].strip()} for passage in old.passages}
    alone = [id_ for each in changes if each.kind == "gone" for id_ in each.old]
    # A passage is gone only if others take all the new ones that show any of it.
    taken = {id_ for each in changes for id_ in each.new}
    assert all(id_ in taken for gone in alone for id_, shown in where.items() if shown & whole[gone])
    for each in changes:
        if each.kind in ("unchanged", "moved") and whole[each.old[0]]:
            assert whole[each.old[0]] <= where[each.new[0]]
            both = whole[each.old[0]] | where[each.new[0]]
            assert each.similarity == pytest.approx(len(whole[each.old[0]]) / len(both))
