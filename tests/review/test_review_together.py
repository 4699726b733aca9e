"""Several people, and an editor, at one suite at the same time: nobody's work is lost."""

import json

import pytest
from review_world import MESSAGES, TOKENS, World, 權杖

from runner.errors import InputError
from runner.judging.history.live_suite import LiveSuite
from runner.judging.history.suite_file import SuiteFile
from runner.judging.reviewing.queue import Wanted
from runner.judging.reviewing.review import Answer, Review


def work_of(world: World, annotator: str, only: str = "uncertain") -> Review:
    return Review(LiveSuite(SuiteFile(world.head)), Wanted(only, annotator))


def answered(review: Review, query: str, grade: int) -> None:
    item = next(item for item in review.items() if item.query.id == query and item.kind != "gone")
    review.answer(item, Answer(tuple((target, grade) for target in item.targets)))


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
