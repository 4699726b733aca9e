"""Several people, and an editor, at one suite at the same time: nobody's work is lost."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from review_world import MESSAGES, TOKENS, World, 權杖

from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.suite_file import SuiteFile
from runner.annotation.review import queue as queue_module
from runner.annotation.review.queue import ReviewItem, Wanted
from runner.annotation.review.review import GivenAnswer, Review
from runner.errors import InputError


def work_of(world: World, annotator: str, only: str = "uncertain") -> Review:
    return Review(LiveSuite(SuiteFile(world.head)), Wanted(only, annotator))


def item_of(review: Review, query: str) -> ReviewItem:
    return next(item for item in review.items() if item.query.id == query and item.kind != "gone")


def answered(review: Review, query: str, grade: int | None) -> None:
    answer(review, item_of(review, query), grade)


def answer(review: Review, item: ReviewItem, grade: int | None) -> None:
    """Give a grade, or say for None that it does not hold."""
    review.answer(item, GivenAnswer(() if grade is None else tuple((target, grade) for target in item.targets)))


# What bo and cy say of one proposal, each without having seen the other's answer; None: it does not hold.
BOTH = [(2, 0), (0, 2), (1, 2), (2, 1), (2, None), (None, 2), (0, None), (2, 2), (None, None)]


def test_two_people_at_once_keep_each_others_answers(world: World) -> None:
    world.migrated()
    first, second = work_of(world, "bo"), work_of(world, "cy")
    answered(first, "zh-2", 2)
    answered(second, "en-1", 1)
    answered(first, "en-2", 1)
    assert world.said("zh-2") == [(權杖, 2, "bo")]
    assert world.said("en-1")[-1] == (MESSAGES, 1, "cy")
    assert [item.kind for item in first.items()] == ["gone"]


def test_undo_takes_back_ones_own_answer_although_another_came_later(world: World) -> None:
    world.migrated()
    first, second = work_of(world, "bo"), work_of(world, "cy")
    answered(first, "zh-2", 2)
    answered(second, "en-1", 1)
    taken_back = first.undo()
    assert taken_back is not None
    assert (taken_back.query, world.said("zh-2")) == ("zh-2", [])
    assert world.said("en-1")[-1] == (MESSAGES, 1, "cy")


def test_what_somebody_writes_by_hand_meanwhile_stays(world: World) -> None:
    world.migrated()
    review = work_of(world, "bo")
    path = world.head.with_suffix(".jsonl")
    added = {"query_id": "by-hand", "text": "新的問題", "relevant": [TOKENS], "language": "zh-Hant"}
    path.write_text(path.read_text("utf-8") + json.dumps(added, ensure_ascii=False) + "\n", "utf-8")
    answered(review, "zh-2", 2)
    assert world.query("by-hand").grades == {TOKENS: 1}
    assert world.said("zh-2") == [(權杖, 2, "bo")]


def test_a_suite_that_is_frozen_meanwhile_takes_no_more(world: World) -> None:
    world.migrated()
    review = work_of(world, "bo")
    world.head.write_text(world.head.read_text("utf-8") + f'frozen: "{world.suite.revision}"\n', "utf-8")
    before = world.head.with_suffix(".jsonl").read_bytes()
    with pytest.raises(InputError, match="is frozen at revision"):
        answered(review, "zh-2", 2)
    assert world.head.with_suffix(".jsonl").read_bytes() == before


@pytest.mark.parametrize(("first", "second"), BOTH)
def test_both_answers_to_one_proposal_are_kept(world: World, first: int | None, second: int | None) -> None:
    world.migrated()
    reviews = work_of(world, "bo"), work_of(world, "cy")
    items = [item_of(review, "zh-2") for review in reviews]
    for review, item, grade in zip(reviews, items, (first, second), strict=True):
        answer(review, item, grade)
    query = world.query("zh-2")
    if first is second is None:
        assert world.said("zh-2") == []
    else:
        assert world.said("zh-2") == [(權杖, first or 0, "bo"), (權杖, second or 0, "cy")]
    assert not any(judgment.adjudicated for judgment in query.every_judgment)
    assert bool(query.disputed) == ((first or 0) != (second or 0))
    assert reviews[1].others(items[1]) == ("bo",)
    # Each can be taken back, and what the other said is what was answered.
    reviews[0].undo()
    assert world.said("zh-2") == ([] if second is None else [(權杖, second, "cy")])
    reviews[1].undo()
    assert (world.said("zh-2"), len(world.record.pending())) == ([], 3)


def test_a_dispute_that_was_settled_meanwhile_is_not_settled_anew_unknowingly(world: World) -> None:
    first, second = work_of(world, "bo"), work_of(world, "cy")
    items = item_of(first, "en-1"), item_of(second, "en-1")
    answer(first, items[0], 2)
    answer(second, items[1], 0)
    assert world.query("en-1").grades[MESSAGES] == 2
    assert world.said("en-1")[-2:] == [(MESSAGES, 2, "bo"), (MESSAGES, 0, "cy")]
    assert world.whats() == ["adjudicated", "judged"]


def test_two_imports_at_once_answer_a_proposal_once(world: World) -> None:
    world.migrated()
    path = world.root / "given.jsonl"
    path.write_text(json.dumps({"query_id": "zh-2", "id": 權杖, "grade": 2, "annotator": "amy"}) + "\n", "utf-8")
    with ThreadPoolExecutor(2) as pool:
        words = world.words("import", world.head, path)
        done = [pool.submit(subprocess.run, words, env=world.environment(), capture_output=True) for _ in range(2)]
        assert [each.result().returncode for each in done] == [0, 0]
    assert world.whats()[4:] == ["confirmed"]
    assert world.said("zh-2") == [(權杖, 2, "amy")]


def test_an_answer_is_kept_in_the_time_of_a_key_however_many_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.migrated()
    review = work_of(world, "bo")
    reads: list[str] = []
    monkeypatch.setattr(SuiteFile, "read", lambda file: reads.append("suite"))
    original = queue_module.read_items
    monkeypatch.setattr(queue_module, "read_items", lambda *given: reads.append("item") or original(*given))
    # To count what is left, and after an answer, nothing is read anew; to ask about one thing, that alone.
    assert len(review.items()) == 4
    assert reads == []
    answered(review, "zh-2", 2)
    assert len(review.items()) == 3
    assert reads == ["item"]
    assert review.items() is review.items()
