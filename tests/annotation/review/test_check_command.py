"""`check`: whether a suite fits its snapshot, and which queries are still open."""

from review_world import NEW, QUERIES, World, 訊息

from runner.annotation.history.entry import RecordEntry
from runner.annotation.history.live_suite import LiveSuite
from runner.annotation.history.suite_file import SuiteFile


def checked(world: World, *arguments: str) -> str:
    done = world.run("check", world.head, *arguments)
    assert done.status == 0, done.err
    return done.out


def test_the_suites_own_snapshot_is_checked_where_none_is_named(world: World) -> None:
    assert f"core: fits snapshot {NEW.id}" in checked(world)
    assert checked(world) == checked(world, "--snapshot", NEW.id[:6])
    world.write(QUERIES, snapshot="null")
    done = world.run("check", world.head)
    assert done.status == 2
    assert "is pinned to no snapshot, so say which one to judge (snapshot=ID)" in done.err


def test_what_is_open_is_named(world: World) -> None:
    world.migrated()
    out = checked(world)
    assert "unjudged or waiting: 2 (en-2, zh-2)" in out
    assert "1 disputed pairs, in no gate until they are adjudicated, in queries: 1 (en-1)" in out
    assert "2 proposed and 1 gone wait for review, in queries: 2 (en-2, zh-2)" in out


def test_the_first_five_of_many_are_named(world: World) -> None:
    extra = [{"query_id": f"x-{n}", "text": "？", "judged": False, "language": "en"} for n in range(9)]
    world.write([QUERIES[2], *extra])
    assert "unjudged or waiting: 9 (x-0, x-1, x-2, x-3, x-4, ...)" in checked(world)


def test_a_change_by_hand_is_told_and_not_taken_for_a_missing_answer(world: World) -> None:
    judged = RecordEntry(0, "judged", "zh-1", new=({"id": 訊息, "grade": 1},), by="bo")
    LiveSuite(SuiteFile(world.head)).change(lambda *_: [judged])
    queries = world.head.with_suffix(".jsonl")
    queries.write_text(
        queries.read_text("utf-8").replace('"grade": 1, "annotator": "bo"', '"grade": 2, "annotator": "bo"')
    )
    out = checked(world)
    assert "changed by hand or merged since the last answer, which the next review notes in the record: 1 (zh-1)" in out
    assert "the record holds answers that the file does not" not in out


def test_what_was_taken_out_by_hand_is_told_from_what_a_kill_kept_out(world: World) -> None:
    queries = world.head.with_suffix(".jsonl")
    before = queries.read_bytes()
    judged = RecordEntry(0, "judged", "zh-1", new=({"id": 訊息, "grade": 1},), by="bo")
    LiveSuite(SuiteFile(world.head)).change(lambda *_: [judged])
    queries.write_bytes(before)
    assert "changed by hand" in checked(world)
    # A kill leaves the file as it was going to be.
    SuiteFile(world.head).draft.write_bytes(b"")
    assert "the record holds answers that the file does not" in checked(world)
    assert "changed by hand" not in checked(world)
