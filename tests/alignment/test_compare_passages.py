"""Passages between two snapshots whose documents changed."""

from dataclasses import dataclass

import pytest
from change_pages import snapshot, told
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.alignment.difference import compare_passages
from runner.alignment.passage_change import KINDS, PassageChange
from runner.chunkers import Window
from runner.chunkers.base import Chunk
from runner.documents import Document
from runner.snapshots import Snapshot

RETRY = "A delivery that fails is tried again after one minute, then after ten, and at last after one hour."
ORDER = "Messages of one group arrive in the order in which they were published; groups overtake each other."
PRICE = "Every started million of messages costs one dollar and twenty cents beyond the included volume."
SIGN = "Each request carries a signature over the body, made with the secret that the console shows once."
重試 = "投遞失敗時會在一分鐘後重試，之後是十分鐘，最後一次在一小時之後，全部失敗就移到死信佇列。"
順序 = "同一群組的訊息會依照發布的先後抵達，不同群組之間則可能互相超前，請不要依賴跨群組的順序。"


@dataclass(frozen=True)
class Named:
    """Cuts a page where a test says, under its names."""

    cuts: tuple[tuple[str, tuple[int, int]], ...]

    def split(self, document: Document) -> list[Chunk]:
        return [Chunk(start, end, document.title, name) for name, (start, end) in self.cuts]


def test_the_same_id_and_the_same_text_is_unchanged_wherever_the_page_changed() -> None:
    old = snapshot({"a.md": {"Retry": RETRY, "順序": 順序, "Price": PRICE}})
    new = snapshot({"a.md": {"Intro": SIGN, "順序": 順序, "Retry": RETRY}})
    assert told(compare_passages(old, new)) == {
        ("unchanged", ("a.md#retry",), ("a.md#retry",)),
        ("unchanged", ("a.md#順序",), ("a.md#順序",)),
        ("gone", ("a.md#price",), ()),
        ("added", (), ("a.md#intro",)),
    }


def test_a_text_that_stands_elsewhere_under_its_title_or_under_a_new_one_has_moved() -> None:
    old = snapshot({"a.md": {"Retry": RETRY, "順序": 順序}, "b.md": {"Price": PRICE}})
    new = snapshot({"a.md": {"Try again": RETRY}, "b.md": {"Price": PRICE, "順序": 順序}})
    assert {*compare_passages(old, new)} == {
        PassageChange("moved", ("a.md#retry",), ("a.md#try-again",), 1.0),
        PassageChange("moved", ("a.md#順序",), ("b.md#順序",), 1.0),
        PassageChange("unchanged", ("b.md#price",), ("b.md#price",), 1.0),
    }


@pytest.mark.parametrize(("first", "second"), [(RETRY, ORDER), (重試, 順序)])
def test_texts_that_changed_places_under_their_headings_are_proposals(first: str, second: str) -> None:
    old, new = snapshot({"a.md": {"Free": first, "Team": second}}), snapshot({"a.md": {"Free": second, "Team": first}})
    assert {*compare_passages(old, new)} == {
        PassageChange("edited", ("a.md#free",), ("a.md#team",), 1.0),
        PassageChange("edited", ("a.md#team",), ("a.md#free",), 1.0),
    }


def test_the_passages_of_a_renamed_page_move_with_it_whatever_their_length() -> None:
    page = {"Rate": "100 per minute", "Size": "100 per minute", "Retry": RETRY}
    changes = compare_passages(snapshot({"old/a.md": page}), snapshot({"new/b.md": page}))
    assert told(changes) == {
        ("moved", (f"old/a.md#{name}",), (f"new/b.md#{name}",)) for name in ("rate", "size", "retry")
    }


def test_an_edit_is_proposed_with_the_share_of_words_that_are_left() -> None:
    old = snapshot({"a.md": {"Rate": "one two three four five six seven eight"}})
    new = snapshot({"a.md": {"Rate": "one two three four five six nine ten"}})
    (change,) = compare_passages(old, new)
    # 6 of 8 words on both sides: 2 x 6 / (8 + 8).
    assert change == PassageChange("edited", ("a.md#rate",), ("a.md#rate",), 0.75)


def test_chinese_is_compared_character_by_character() -> None:
    (change,) = compare_passages(
        snapshot({"a.md": {"率": "甲乙丙丁戊己庚辛"}}), snapshot({"a.md": {"率": "甲乙丙丁戊己庚壬"}})
    )
    assert change == PassageChange("edited", ("a.md#率",), ("a.md#率",), 14 / 16)


def test_an_edited_passage_is_found_under_another_heading_and_on_another_page() -> None:
    there = RETRY.replace("one hour", "six hours")
    old = snapshot({"a.md": {"Retry": RETRY, "Order": ORDER}, "b.md": {"Price": PRICE}})
    here = snapshot({"a.md": {"Second try": there, "Order": ORDER}, "b.md": {"Price": PRICE}})
    elsewhere = snapshot({"a.md": {"Order": ORDER}, "b.md": {"Price": PRICE, "Second try": there}})
    assert ("edited", ("a.md#retry",), ("a.md#second-try",)) in told(compare_passages(old, here))
    assert ("edited", ("a.md#retry",), ("b.md#second-try",)) in told(compare_passages(old, elsewhere))


def test_of_two_similar_passages_the_one_of_the_same_name_goes_first() -> None:
    plan = "The plan allows {} messages per second to one queue and {} queues in a project, and no more than that."
    old = snapshot({"a.md": {"Team": plan.format(10, 20), "Scale": plan.format(30, 40)}})
    new = snapshot({"a.md": {"Team": plan.format(30, 41), "Scale": plan.format(10, 21)}})
    assert told(compare_passages(old, new)) == {
        ("edited", ("a.md#team",), ("a.md#team",)),
        ("edited", ("a.md#scale",), ("a.md#scale",)),
    }


@pytest.mark.parametrize(("first", "second"), [(RETRY, ORDER), (重試, 順序)])
def test_a_passage_cut_in_two_is_split_and_put_together_again_merged(first: str, second: str) -> None:
    one = snapshot({"a.md": {"Both": f"{first} {second}", "Price": PRICE}})
    two = snapshot({"a.md": {"Both": first, "More": second, "Price": f"{PRICE} Or more."}})
    split = {each.kind: each for each in compare_passages(one, two)}["split"]
    merged = {each.kind: each for each in compare_passages(two, one)}["merged"]
    assert (split.old, split.new, split.similarity) == (("a.md#both",), ("a.md#both", "a.md#more"), 1.0)
    assert (merged.old, merged.new, merged.similarity) == (("a.md#both", "a.md#more"), ("a.md#both",), 1.0)


def test_alike_parts_put_together_word_for_word_are_both_there() -> None:
    plan = "The {} plan allows {} messages per second to one queue and {} queues in a project, and then it answers 429."
    first, second = plan.format("Team", 10, 20), plan.format("Scale", 30, 40)
    two = snapshot({"a.md": {"Team": first, "Scale": second}})
    one = snapshot({"a.md": {"Team": f"{first}\n\n{second}"}})
    assert told(compare_passages(two, one)) == {("merged", ("a.md#team", "a.md#scale"), ("a.md#team",))}


def every(nth: int, text: str, by: str) -> str:
    """Every nth word of a text, or character of a Chinese one, is another."""
    parts = text.split(" ") if " " in text else list(text)
    parts[nth // 2 :: nth] = [by] * len(parts[nth // 2 :: nth])
    return (" " if " " in text else "").join(parts)


@pytest.mark.parametrize(
    ("first", "second", "by"), [(RETRY, ORDER, "indeed"), (PRICE, SIGN, "one"), (重試, 順序, "甲")]
)
@pytest.mark.parametrize("nth", [12, 8, 7])
def test_two_passages_that_were_changed_a_little_and_put_together_are_merged(
    first: str, second: str, by: str, nth: int
) -> None:
    old = snapshot({"a.md": {"One": first, "Two": second}})
    new = snapshot({"a.md": {"All": f"{every(nth, first, by)}\n\n{every(nth, second, by)}"}})
    assert told(compare_passages(old, new)) == {("merged", ("a.md#one", "a.md#two"), ("a.md#all",))}
    assert told(compare_passages(new, old)) == {("split", ("a.md#all",), ("a.md#one", "a.md#two"))}


CODE = "Call it so:\n\n```\nif ready:\n    start()\nend()\n```"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RETRY, RETRY.replace(" after one", "\nafter  one")),
        (f"{RETRY}\n\n{ORDER}", f"{RETRY}\n\n\n\n{ORDER}"),
        (CODE, CODE.replace("so:\n\n", "so:\n\n\n").replace("    start", "\u00a0\u00a0\u00a0 start")),
        (f"* {RETRY}\n* {ORDER}", f"*   {RETRY}\n\n*   {ORDER}"),
    ],
)
def test_white_space_alone_is_no_change(before: str, after: str) -> None:
    old, new = (snapshot({"a.md": {"One": body, "Two": more}}) for body, more in ((before, PRICE), (after, SIGN)))
    assert ("unchanged", ("a.md#one",), ("a.md#one",)) in told(compare_passages(old, new))


def test_white_space_is_a_change_where_it_has_a_meaning() -> None:
    old, new = (snapshot({"a.md": {"One": code}}) for code in (CODE, CODE.replace("\nend", "\n    end")))
    assert told(compare_passages(old, new)) == {("edited", ("a.md#one",), ("a.md#one",))}


def test_what_an_edited_neighbour_swallowed_is_merged_with_it_and_not_gone() -> None:
    rewritten = "A delivery that fails is tried again three times and given up for good, whatever the answer was."
    old = snapshot({"a.md": {"Retry": RETRY, "Order": ORDER}})
    new = snapshot({"a.md": {"Retry": f"{rewritten} {ORDER}"}})
    assert told(compare_passages(old, new)) == {("merged", ("a.md#retry", "a.md#order"), ("a.md#retry",))}
    assert told(compare_passages(new, old)) == {("split", ("a.md#retry",), ("a.md#retry", "a.md#order"))}


def test_a_section_written_anew_is_proposed_where_little_was_said_under_its_heading() -> None:
    old = snapshot({"a.md": {"Rate": "100 per minute"}, "b.md": {"Price": PRICE}})
    new = snapshot({"a.md": {"Rate": "unlimited"}, "b.md": {"Price": PRICE}})
    assert ("edited", ("a.md#rate",), ("a.md#rate",)) in told(compare_passages(old, new))


def test_another_text_under_an_old_heading_is_not_an_edit() -> None:
    old = snapshot({"a.md": {"Notes": RETRY}})
    new = snapshot({"a.md": {"Notes": 順序}})
    assert told(compare_passages(old, new)) == {("gone", ("a.md#notes",), ()), ("added", (), ("a.md#notes",))}


# Nothing is guessed.


def test_a_short_text_under_another_heading_is_a_proposal() -> None:
    old = snapshot({"a.md": {"Read rate": "100 per minute", "Order": ORDER}})
    new = snapshot({"a.md": {"Write rate": "100 per minute", "Order": ORDER}})
    assert PassageChange("edited", ("a.md#read-rate",), ("a.md#write-rate",), 1.0) in compare_passages(old, new)


def test_a_short_text_keeps_its_heading_rather_than_its_words() -> None:
    old = snapshot({"a.md": {"Read rate": "100 per minute", "Order": ORDER}})
    new = snapshot({"a.md": {"Read rate": "200 per minute", "Write rate": "100 per minute", "Order": ORDER}})
    assert told(compare_passages(old, new)) == {
        ("edited", ("a.md#read-rate",), ("a.md#read-rate",)),
        ("added", (), ("a.md#write-rate",)),
        ("unchanged", ("a.md#order",), ("a.md#order",)),
    }


def test_a_text_whose_page_has_another_title_now_is_a_proposal() -> None:
    old = snapshot({"a.md": "# Team plan\n\n## Rate\n\n100 per minute\n\n## Order\n\n" + ORDER})
    new = snapshot({"a.md": "# Scale plan\n\n## Rate\n\n100 per minute\n\n## Order\n\n" + ORDER})
    assert told(compare_passages(old, new)) == {
        ("edited", ("a.md#rate",), ("a.md#rate",)),
        ("edited", ("a.md#order",), ("a.md#order",)),
    }


def test_of_texts_that_stand_twice_on_a_page_of_another_title_each_is_proposed_under_its_name() -> None:
    body = f"## X\n\n### Retry\n\n{RETRY}\n\n## Y\n\n### Retry\n\n{RETRY}"
    old, new = snapshot({"a.md": f"# Team\n\n{body}"}), snapshot({"a.md": f"# Scale\n\nNew.\n\n{body}"})
    assert told(compare_passages(old, new)) >= {
        ("edited", (f"a.md#{name}",), (f"a.md#{name}",)) for name in ("retry", "retry-2")
    }


def test_a_text_that_two_passages_had_has_not_moved_to_the_one_that_has_it_now() -> None:
    old = snapshot({"a.md": {"Retry": RETRY}, "b.md": {"Again": RETRY}, "c.md": {"Order": ORDER}})
    new = snapshot({"a.md": {"Price": PRICE}, "b.md": {"Sign": SIGN}, "c.md": {"Order": ORDER, "Repeat": RETRY}})
    changes = compare_passages(old, new)
    assert PassageChange("edited", ("a.md#retry", "b.md#again"), ("c.md#repeat",), 1.0) in changes
    assert not any(each.kind == "moved" for each in changes)


def test_a_text_that_two_passages_have_now_has_not_moved_to_one_of_them() -> None:
    old = snapshot({"a.md": {"Retry": RETRY}, "c.md": {"Order": ORDER}})
    new = snapshot({"a.md": {"Price": PRICE}, "c.md": {"Order": ORDER, "Once": RETRY, "Twice": RETRY}})
    changes = compare_passages(old, new)
    assert PassageChange("edited", ("a.md#retry",), ("c.md#once", "c.md#twice"), 1.0) in changes


def test_of_passages_that_share_a_text_each_keeps_its_id_and_then_its_title() -> None:
    old = snapshot({"a.md": {"Retry": RETRY, "Twice": RETRY, "Price": PRICE}, "b.md": {"Retry": RETRY}})
    new = snapshot({"a.md": {"Retry": RETRY, "Price": f"{PRICE} Or more."}, "b.md": {"Retry": RETRY, "Order": ORDER}})
    assert told(compare_passages(old, new)) >= {
        ("unchanged", ("a.md#retry",), ("a.md#retry",)),
        ("unchanged", ("b.md#retry",), ("b.md#retry",)),
        ("gone", ("a.md#twice",), ()),
    }
    numbered = snapshot({"a.md": f"## X\n\n### Retry\n\n{RETRY}\n\n## Y\n\n### Retry\n\n{RETRY}"})
    turned = snapshot({"a.md": f"## Y\n\n### Retry\n\n{RETRY}\n\n## X\n\n### Retry\n\n{RETRY}"})
    assert told(compare_passages(numbered, turned)) == {
        ("moved", ("a.md#retry",), ("a.md#retry-2",)),
        ("moved", ("a.md#retry-2",), ("a.md#retry",)),
    }


def test_a_shared_text_whose_heading_changed_on_one_page_is_proposed_there() -> None:
    old = snapshot({"a.md": {"Retry": RETRY, "Order": ORDER}, "b.md": {"Retry": RETRY}})
    new = snapshot({"a.md": {"Again": RETRY, "Order": ORDER}, "b.md": {"Retry": RETRY}})
    assert PassageChange("edited", ("a.md#retry",), ("a.md#again",), 1.0) in compare_passages(old, new)


def test_passages_without_any_text_are_not_each_other() -> None:
    old = snapshot({"a.md": "", "b.md": {"Order": ORDER}})
    new = snapshot({"b.md": {"Order": ORDER}, "c.md": ""})
    assert told(compare_passages(old, new)) == {
        ("gone", ("a.md#top",), ()),
        ("added", (), ("c.md#top",)),
        ("unchanged", ("b.md#order",), ("b.md#order",)),
    }


def test_a_copy_of_what_is_still_there_is_added() -> None:
    old = snapshot({"a.md": {"Retry": RETRY}})
    new = snapshot({"a.md": {"Retry": RETRY}, "b.md": {"Retry": RETRY}})
    assert told(compare_passages(old, new)) == {
        ("unchanged", ("a.md#retry",), ("a.md#retry",)),
        ("added", (), ("b.md#retry",)),
    }


def test_a_shared_text_whose_heading_changed_on_every_page_is_proposed_page_by_page() -> None:
    old = snapshot({"a.md": {"Retry": RETRY, "Order": ORDER}, "b.md": {"Retry": RETRY, "Price": PRICE}})
    new = snapshot({"a.md": {"Again": RETRY, "Order": ORDER}, "b.md": {"Again": RETRY, "Price": PRICE}})
    assert told(compare_passages(old, new)) >= {
        ("edited", ("a.md#retry",), ("a.md#again",)),
        ("edited", ("b.md#retry",), ("b.md#again",)),
    }


def test_one_of_two_passages_of_a_page_with_the_same_title_and_text_is_not_chosen() -> None:
    def of(text: str, **cuts: tuple[int, int]) -> Snapshot:
        return Snapshot.build([Document("a.md", "Page", text)], Named(tuple(cuts.items())))

    length = len(RETRY)
    old = of(f"{RETRY} {RETRY}", one=(0, length), two=(length + 1, 2 * length + 1))
    new = of(f"{RETRY} {ORDER}", three=(0, length))
    assert compare_passages(old, new) == (PassageChange("edited", ("a.md#one", "a.md#two"), ("a.md#three",), 1.0),)


def test_a_passage_whose_halves_went_to_other_pages_is_split_and_back_again_merged() -> None:
    one = snapshot({"a.md": {"Both": f"{RETRY} {SIGN}", "Price": PRICE}, "b.md": {"Order": ORDER}, "c.md": "Nothing."})
    two = snapshot({"a.md": {"Price": PRICE}, "b.md": {"Order": ORDER, "Again": RETRY}, "c.md": {"Sign": SIGN}})
    assert ("split", ("a.md#both",), ("b.md#again", "c.md#sign")) in told(compare_passages(one, two))
    assert ("merged", ("b.md#again", "c.md#sign"), ("a.md#both",)) in told(compare_passages(two, one))


def test_wording_that_every_page_shares_still_tells_the_passages_of_one_page_apart() -> None:
    plan = "The plan allows {} messages per second to one queue and {} queues in a project, and no more than that."
    numbers = range(100, 140)
    old = snapshot({f"{n}.md": {"Rate": plan.format(n, n), "Price": f"{PRICE} Plan {n}."} for n in numbers})
    new = snapshot(
        {f"{n}.md": {"Limits": plan.format(n + 500, n + 700), "Price": f"{PRICE} Plan {n}."} for n in numbers}
    )
    assert told(compare_passages(old, new)) >= {("edited", (f"{n}.md#rate",), (f"{n}.md#limits",)) for n in numbers}


# What holds of every comparison.

WORDS = ["limit", "queue", "per", "minute", "100", "佇", "列", "上", "限"]
bodies = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
pages = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "文/c.md"]),
    st.dictionaries(st.sampled_from(["One", "Two", "三", "四"]), bodies, max_size=4),
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(pages, pages, st.booleans())
def test_every_passage_is_told_of_once_and_what_is_carried_is_equal(
    before: dict[str, dict[str, str]], after: dict[str, dict[str, str]], anew: bool
) -> None:
    old, new = snapshot(before), snapshot(after, Window(40, 10) if anew else None)
    changes = compare_passages(old, new)
    olds, news = [id_ for each in changes for id_ in each.old], [id_ for each in changes for id_ in each.new]
    assert sorted(olds) == [passage.id for passage in old.passages]
    assert sorted(news) == sorted({*news}) and {*news} <= {passage.id for passage in new.passages}
    old_body = {passage.id: old.text(passage) for passage in old.passages}
    new_body = {passage.id: new.text(passage) for passage in new.passages}
    for each in changes:
        assert each.kind in KINDS and 0 <= each.similarity <= 1
        assert bool(each.old) == (each.kind != "added") and bool(each.new) == (each.kind != "gone")
        if each.kind in ("unchanged", "moved"):
            assert old_body[each.old[0]].strip() in new_body[each.new[0]]
            assert (each.kind == "unchanged") == (each.old == each.new) or each.similarity < 1
    assert changes == compare_passages(old, new)


@settings(max_examples=60, deadline=None)
@given(pages)
def test_a_snapshot_is_unchanged_against_itself(page: dict[str, dict[str, str]]) -> None:
    made = snapshot(page)
    assert all(each.kind == "unchanged" and each.similarity == 1 for each in compare_passages(made, made))
