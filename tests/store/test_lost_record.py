"""The record of tuned questions, lost or damaged: what the runs carry tells the same."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from damage import damages, put
from engine_world import bm25
from store_world import StoreWorld

from runner.errors import RunnerError
from runner.suites import JudgedQuery, Suite
from runner.workflows.seen_queries import SeenQueries

# Two by their words in any dataset, one by its id in this one.
HOLDOUT = Suite(
    "last",
    "holdout",
    "document",
    (
        JudgedQuery("h1", "How many days until a refund?", {"en/billing.md": 1}, {}),
        JudgedQuery("h2", "退款要幾天", {"zh/billing.md": 1}, {}),
        JudgedQuery("q2", "something else", {"en/tokens.md": 1}, {}),
        JudgedQuery("h4", "never asked", {"en/tokens.md": 1}, {}),
    ),
)


def leaked(world: StoreWorld) -> list[str]:
    return sorted(leak.query_id for leak in SeenQueries(world.store).leaks(HOLDOUT, "world"))


def test_every_damage_is_noticed_or_makes_no_difference(world: StoreWorld, capsys: pytest.CaptureFixture[str]) -> None:
    world.run()
    path = SeenQueries(world.store).path
    sound = path.read_bytes()
    assert leaked(world) == ["h1", "h2", "q2"]
    for how, damaged in damages(path, 150):
        put(path, damaged)
        try:
            assert leaked(world) == ["h1", "h2", "q2"], how
            assert len(capsys.readouterr().err.splitlines()) <= 1, how
        except RunnerError as error:
            assert "\n" not in str(error), how
        path.write_bytes(sound)


@pytest.mark.parametrize("how", ["gone", "cut to 0"])
def test_a_holdout_is_refused_though_the_record_is_lost(
    world: StoreWorld, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    world.run()
    path = SeenQueries(world.store).path
    put(path, None if how == "gone" else b"")
    assert leaked(world) == ["h1", "h2", "q2"]
    assert capsys.readouterr().err.count("made again from the 1 runs here") == 1
    assert leaked(world) == ["h1", "h2", "q2"]
    assert capsys.readouterr().err == ""


def test_a_lost_record_is_made_again_before_more_is_entered(world: StoreWorld) -> None:
    world.run()
    SeenQueries(world.store).path.unlink()
    (world.suite.parent / "suite.jsonl").write_text('{"query_id": "n1", "text": "new", "relevant": ["en/tokens.md"]}\n')
    world.run()
    assert leaked(world) == ["h1", "h2", "q2"]


def test_what_a_damaged_record_still_tells_is_kept_though_its_runs_are_gone(world: StoreWorld) -> None:
    SeenQueries(world.store).add([(Suite("old", "development", "document", HOLDOUT.queries[3:]), "elsewhere")])
    world.run()
    path = SeenQueries(world.store).path
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'query_by_key'")
    assert leaked(world) == ["h1", "h2", "h4", "q2"]
    assert (path.parent / "seen_queries.damaged.db").is_file()


def test_a_run_whose_files_are_damaged_does_not_hide_the_others(world: StoreWorld) -> None:
    first = world.run().rows[0].run_id
    world.run(bm25(k1=0.9))
    (world.store / "artifacts" / first / "artifacts/config.yaml").write_text("{")
    SeenQueries(world.store).path.unlink()
    assert leaked(world) == ["h1", "h2", "q2"]


def test_a_new_store_has_nothing_to_make_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SeenQueries(tmp_path / "store").leaks(HOLDOUT, "world") == ()
    SeenQueries(tmp_path / "store").add([(Suite("core", "development", "document", HOLDOUT.queries[:1]), "world")])
    assert [leak.query_id for leak in SeenQueries(tmp_path / "store").leaks(HOLDOUT, "world")] == ["h1"]
    assert capsys.readouterr().err == ""
