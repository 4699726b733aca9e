"""Out of a suite, through another tool, and back: what becomes a judgment, once, and what is refused."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from review_world import HOOKS, MESSAGES, NEW, QUERIES, TOKENS, WAITING, World, 權杖, 訊息

from runner.annotation.exchange.pair_files import read_pairs, write_pairs
from runner.annotation.exchange.pair_row import PairRow

FORMS = ("csv", "jsonl", "json")
NOON, LATER = "2026-09-30T12:00:00+00:00", "2026-09-30T13:00:00+00:00"


def bytes_of(world: World) -> tuple[bytes, bytes]:
    record = world.record.path
    return world.head.with_suffix(".jsonl").read_bytes(), record.read_bytes() if record.exists() else b""


def rows(path: Path) -> tuple[PairRow, ...]:
    return read_pairs(path).rows


def brought(world: World, *given: dict[str, Any], arguments: Sequence[str] = ("--annotator", "bo")) -> str:
    """Import rows, and what the command says."""
    path = world.root / "given.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given), "utf-8")
    done = world.run("import", world.head, path, *arguments)
    assert done.status == 0, done.err
    return done.out


def refused(world: World, *given: dict[str, Any], arguments: Sequence[str] = ("--annotator", "bo")) -> str:
    """The refusal to import rows, which changes nothing."""
    before = bytes_of(world)
    path = world.root / "given.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given), "utf-8")
    done = world.run("import", world.head, path, *arguments)
    assert done.status == 2
    assert bytes_of(world) == before
    return done.err


@pytest.mark.parametrize("form", FORMS)
def test_a_suite_goes_out_and_comes_back_unchanged(world: World, form: str) -> None:
    out = world.root / f"x.{form}"
    assert world.run("export", world.head, "--out", out).status == 0
    assert [(row.query_id, row.id, row.grade, row.annotator, row.note) for row in rows(out)] == [
        ("en-1", MESSAGES, 2, "wei", ""),
        ("en-1", MESSAGES, 1, "amy", "no headers"),
        ("en-1", WAITING, 1, None, ""),
        ("zh-1", 訊息, 2, None, ""),
    ]
    assert rows(out)[0].passage_text == "A message holds 256 KB."
    before = bytes_of(world)
    done = world.run("import", world.head, out)
    assert done.status == 0
    assert "known already: 4" in done.out
    assert bytes_of(world) == before


@pytest.mark.parametrize("form", FORMS)
def test_what_waits_goes_out_without_grades_and_comes_back_answered(world: World, form: str) -> None:
    world.migrated()
    out = world.root / f"x.{form}"
    assert world.run("export", world.head, "--out", out, "--only", "uncertain").status == 0
    waiting = rows(out)
    assert [(row.kind, row.query_id, row.id, row.grade) for row in waiting] == [
        ("proposed", "en-2", TOKENS, None),
        ("proposed", "zh-2", 權杖, None),
        ("gone", "en-2", HOOKS, None),
        ("disputed", "en-1", MESSAGES, None),
    ]
    assert (waiting[1].passage_text, waiting[1].old_text) == ("團隊有20個權杖。", "團隊有5個權杖。")
    answered = world.root / "answered.jsonl"
    given = zip(waiting, (2, 1, 0, 2), strict=True)
    write_pairs([replace(row, grade=grade, at=NOON) for row, grade in given], answered)
    done = world.run("import", world.head, answered, "--annotator", "bo")
    assert done.status == 0, done.err
    assert done.out.splitlines()[:3] == ["new judgments: 1", "proposals answered: 2", "gone and dropped: 1"]
    assert world.record.pending() == ()
    assert (world.said("en-2"), world.query("en-2").judged) == ([(TOKENS, 2, "bo")], True)
    assert (world.said("zh-2"), world.query("zh-2").judged) == ([(權杖, 1, "bo")], True)
    assert world.query("en-1").disputed == ()
    assert world.query("en-1").grades[MESSAGES] == 2
    before = bytes_of(world)
    done = world.run("import", world.head, answered, "--annotator", "bo")
    assert "known already: 4" in done.out
    assert bytes_of(world) == before


def test_importing_twice_changes_nothing_while_a_query_still_waits(world: World) -> None:
    world.migrated()
    row = {"query_id": "en-2", "id": TOKENS, "grade": 2, "kind": "proposed"}
    assert "proposals answered: 1" in brought(world, row)
    assert not world.query("en-2").judged  # something of it is gone, and waits
    before = bytes_of(world)
    assert "known already: 1" in brought(world, row)
    assert bytes_of(world) == before


def test_an_answer_whose_judgment_is_signed_by_its_entry_alone_is_known(world: World) -> None:
    world.migrated()
    world.record.append("confirmed", query="en-2", new=[{"id": TOKENS, "grade": 2}], by="bo", answers=world.id_of(2))
    row = {"query_id": "en-2", "id": TOKENS, "grade": 2, "kind": "proposed", "annotator": "bo"}
    assert "known already: 1" in brought(world, row)


def test_a_second_opinion_is_added_beside_the_first(world: World) -> None:
    out = world.root / "x.jsonl"
    assert world.run("export", world.head, "--out", out, "--only", "all", "--annotator", "wei").status == 0
    assert [(row.query_id, row.id) for row in rows(out)] == [("en-1", WAITING), ("zh-1", 訊息)]
    assert "new judgments: 1" in brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 1, "note": "標頭不算"})
    assert world.said("zh-1") == [(訊息, 2, None), (訊息, 1, "bo")]
    assert world.query("zh-1").every_judgment[1].note == "標頭不算"


def test_a_changed_mind_replaces_and_an_old_one_does_not(world: World) -> None:
    pair = {"query_id": "zh-1", "id": 訊息, "annotator": "bo"}
    brought(world, {**pair, "grade": 1, "at": NOON})
    assert "changed grades: 1" in brought(world, {**pair, "grade": 2, "at": LATER})
    assert world.said("zh-1") == [(訊息, 2, None), (訊息, 2, "bo")]
    assert "older than what is known, left out: 1" in brought(world, {**pair, "grade": 0, "at": NOON})
    assert world.said("zh-1") == [(訊息, 2, None), (訊息, 2, "bo")]


def test_the_record_says_who_and_from_where(world: World) -> None:
    brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 1, "at": NOON})
    (entry,) = world.record.entries()
    assert (entry.what, entry.query, entry.by, entry.new[0]["at"]) == ("imported", "zh-1", "bo", NOON)
    # When it was judged, and when it came into the suite.
    assert entry.at > NOON
    assert entry.details == {"file": "given.jsonl"}


def test_a_candidate_that_a_person_judged_brings_its_query(world: World) -> None:
    told = brought(
        world,
        {
            "query_id": "new-1",
            "text": "多久重試？",
            "id": WAITING,
            "grade": 1,
            "kind": "pooled",
            "history": ["前一句"],
            "fields": {"language": "zh-Hant", "tenant": "x"},
        },
        {"query_id": "new-1", "text": "多久重試？", "id": TOKENS, "grade": 0, "kind": "pooled"},
    )
    assert "new judgments: 2" in told
    query = world.query("new-1")
    assert (query.text, query.history, query.judged) == ("多久重試？", ("前一句",), True)
    # What the suite's head does not declare could not be read again.
    assert query.fields == {"language": "zh-Hant"}
    assert query.every_judgment[0].source == "human"
    assert query.grades == {WAITING: 1, TOKENS: 0}


@pytest.mark.parametrize("form", FORMS)
def test_where_a_question_comes_from_goes_out_and_comes_back(world: World, form: str) -> None:
    listed, out = world.root / "candidates.jsonl", world.root / f"x.{form}"
    row = {
        "query_id": "c-1",
        "text": "多久重試？",
        "id": WAITING,
        "source": "click",
        "kind": "clicked",
        "priority": 0.9,
    }
    listed.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    assert world.run("export", world.head, "--out", out, "--candidates", listed).status == 0
    assert [(each.query_id, each.query_source) for each in rows(out)] == [("c-1", "click")]
    answered = world.root / "answered.csv"
    write_pairs([replace(each, grade=1) for each in rows(out)], answered)
    assert world.run("import", world.head, answered, "--annotator", "bo").status == 0
    query = world.query("c-1")
    assert (query.source, query.weakest_source) == ("click", "human")
    assert [(each.grade, each.source) for each in query.every_judgment] == [(1, "human")]


def test_an_import_says_what_to_do_next(world: World) -> None:
    told = brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 1})
    disputed = "queries on which annotators disagree now: 2 (en-1, zh-1); settle them: python -m runner judgments"
    assert f"{disputed} review {world.head} only=disputed\n" in told
    assert "in no mean now" not in told
    told = brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 0, "adjudicated": True})
    assert "in no mean now, since nothing relevant to them is known: 1 (zh-1)" in told
    # It is said when it happens, and not again.
    assert "in no mean now" not in brought(world, {"query_id": "zh-1", "id": TOKENS, "grade": 0})


def test_every_fault_is_told_by_line_and_nothing_is_written(world: World) -> None:
    known = {"query_id": "en-1", "id": MESSAGES}
    message = refused(
        world,
        {"query_id": "en-9", "id": MESSAGES, "grade": 1},
        {"query_id": "en-1", "id": "en/plans.md#tokesn", "grade": 1},
        {**known, "grade": 3},
        {**known, "grade": 1, "annotator": "cy"},
        {**known, "grade": 2, "annotator": "cy"},
        {**known, "grade": 1, "source": "click"},
        {"query_id": "en-1", "document": "en/plans.md", "quote": "Plans differ.", "grade": 1},
    )
    assert "given.jsonl:1: the suite has no query 'en-9'; nearest: 'en-" in message
    assert f"given.jsonl:2: snapshot {world.suite.snapshot} holds no passage 'en/plans.md#tokesn'; nearest: " in message
    assert f"'{TOKENS}'" in message
    assert "given.jsonl:3: grade: found 3, expected 0 to 2 (grades=N allows more)" in message
    assert f"given.jsonl:5: query 'en-1' and '{MESSAGES}': grade 2 by 'cy', but 1 in line 4; keep one" in message
    assert "given.jsonl:6: source: found 'click'; only what a person judged becomes a judgment" in message
    assert "given.jsonl:7: names a span, the suite judges passages; expected an id" in message


def test_somebody_has_to_have_judged_it(world: World) -> None:
    row = {"query_id": "zh-1", "id": 訊息, "grade": 1}
    assert "given.jsonl:1: names no annotator; say whose judgments these are" in refused(world, row, arguments=())


def test_more_grades_can_be_allowed(world: World) -> None:
    brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 3}, arguments=("--annotator", "bo", "--grades", "3"))
    assert world.said("zh-1")[-1] == (訊息, 3, "bo")


def test_what_is_gone_can_only_be_dropped(world: World) -> None:
    world.migrated()
    row = {"query_id": "en-2", "id": HOOKS, "grade": 1, "kind": "gone"}
    assert f"'{HOOKS}' is gone; expected grade 0, which drops it" in refused(world, row)


def test_a_split_passage_is_answered_whole_or_not_at_all(world: World) -> None:
    new = [{"id": TOKENS, "grade": 2}, {"id": MESSAGES, "grade": 2}]
    world.record.append("proposed", query="en-2", old={"id": "en/plans.md#all", "grade": 2}, new=new)
    first = {"query_id": "en-2", "id": TOKENS, "grade": 2, "kind": "proposed"}
    second = {"query_id": "en-2", "id": MESSAGES, "grade": 0, "kind": "proposed"}
    assert "of a proposal that is not graded whole, left out: 1" in brought(world, first)
    assert len(world.record.pending()) == 1
    assert "proposals answered: 1" in brought(world, first, second)
    assert world.query("en-2").grades == {TOKENS: 2, MESSAGES: 0}


def test_two_people_may_answer_the_same_proposal(world: World) -> None:
    world.record.append("proposed", query="zh-2", old={"id": 權杖, "grade": 2}, new=[{"id": 權杖, "grade": 2}])
    row = {"query_id": "zh-2", "id": 權杖, "kind": "proposed"}
    brought(world, {**row, "grade": 2, "annotator": "wei"}, {**row, "grade": 0, "annotator": "amy"})
    assert world.said("zh-2") == [(權杖, 2, "wei"), (權杖, 0, "amy")]
    assert world.query("zh-2").disputed == (權杖,)


def test_users_of_label_studio_get_their_names(world: World) -> None:
    path = world.root / "export.json"
    choices = [{"from_name": "grade", "to_name": "passage", "type": "choices", "value": {"choices": ["1"]}}]
    annotations = [
        {"completed_by": user, "result": choices, "was_cancelled": False, "updated_at": "2026-09-30T12:00:00Z"}
        for user in (10, 12)
    ]
    tasks = [{"id": 1, "data": {"query_id": "zh-1", "id": 訊息}, "annotations": annotations}]
    path.write_text(json.dumps(tasks, ensure_ascii=False), "utf-8")
    done = world.run("import", world.head, path, "--annotator", "bo")
    assert done.status == 2
    assert "is the work of 2 people, not of 'bo' alone; name them: annotator=10=NAME,12=NAME" in done.err
    done = world.run("import", world.head, path, "--annotator", "11=wei")
    assert "annotator=11=...: no such user; annotated by user 10, user 12" in done.err
    done = world.run("import", world.head, path, "--annotator", "10=wei", "--annotator", "12=amy")
    assert done.status == 0, done.err
    assert world.said("zh-1") == [(訊息, 2, None), (訊息, 1, "wei"), (訊息, 1, "amy")]


def test_a_frozen_suite_takes_nothing(world: World) -> None:
    world.write(QUERIES, frozen=f'"{world.suite.revision}"')
    message = refused(world, {"query_id": "zh-1", "id": 訊息, "grade": 1})
    assert "is frozen at revision" in message
    assert "judgments freeze" in message


def test_without_its_snapshot_only_known_pairs_are_taken(world: World) -> None:
    elsewhere = ("store=" + str(world.root / "empty"), "--annotator", "bo")
    message = refused(world, {"query_id": "zh-1", "id": TOKENS, "grade": 0}, arguments=elsewhere)
    assert f"'{TOKENS}' is not judged yet, and only the snapshot says whether it exists" in message
    brought(world, {"query_id": "zh-1", "id": 訊息, "grade": 1}, arguments=elsewhere)
    assert world.said("zh-1")[-1] == (訊息, 1, "bo")


def test_an_export_never_overwrites_the_suite(world: World) -> None:
    before = bytes_of(world)
    done = world.run("export", world.head, "--out", world.head.with_suffix(".jsonl"))
    assert done.status == 2
    assert "is a file of the suite itself" in done.err
    assert bytes_of(world) == before


def test_spans_go_out_and_come_back(world: World) -> None:
    quoted = {"document": "zh/方案.md", "quote": "團隊有20個權杖", "grade": 1}
    ranged = {"document": "en/retry.md", "start": 11, "end": 34, "grade": 1}
    world.write(
        [{"query_id": "zh-2", "text": "幾個？", "language": "zh-Hant", "relevant": [quoted, ranged]}],
        unit="span",
        snapshot="null",
        documents=f'"{NEW.documents_sha256[:16]}"',
    )
    out = world.root / "x.csv"
    done = world.run("export", world.head, "--out", out)
    assert done.status == 0, done.err
    assert [row.span and row.span.content() for row in rows(out)] == [
        {"document": "zh/方案.md", "quote": "團隊有20個權杖"},
        {"document": "en/retry.md", "start": 11, "end": 34},
    ]
    assert "團隊有20個權杖" in rows(out)[0].passage_text
    before = bytes_of(world)
    assert "known already: 2" in world.run("import", world.head, out).out
    assert bytes_of(world) == before
    brought(world, {"query_id": "zh-2", "document": "en/plans.md", "quote": "Team has 20 tokens.", "grade": 1})
    assert len(world.query("zh-2").grades) == 3
    missing = {"query_id": "zh-2", "document": "en/plans.md", "quote": "Team has 21 tokens.", "grade": 1}
    assert "is not in the text; nearest, in line 7" in refused(world, missing)
