"""Copies go through the files of a store and of a suite, and through the cache, as every run does."""

from dataclasses import replace

import pytest
from drill_library import Library, named, verdicts_of

from runner.engine.plan import Stage
from runner.selftest.check import FAILED, NOTICED
from runner.selftest.perturbations import without
from runner.selftest.sandbox import Misread, Stale
from runner.snapshots import Snapshot, SnapshotStore
from runner.suite_formats.own import OwnSuite
from runner.suites import Suite


def test_a_snapshot_and_a_suite_come_back_as_they_were(library: Library) -> None:
    with library.sandbox() as sandbox:
        measured = library.measured(sandbox)
        snapshot, suite = measured.job.stage.snapshot, measured.judged.suite
        assert sandbox.stored(snapshot) == snapshot
        assert sandbox.written(suite).queries == suite.queries
        assert sorted(path.name for path in (library.folder / "bench").iterdir() if path.is_dir()) == ["cache"]


def test_a_store_that_gives_another_snapshot_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = library.snapshot(library.settings({}))
    monkeypatch.setattr(SnapshotStore, "load", lambda self, wanted: sound)
    drill = library.drill()
    assert set(verdicts_of(drill, "remove").values()) == set(verdicts_of(drill, "update").values()) == {FAILED}
    assert "was stored, and another one was read back" in named(drill, "remove", "language.en").reason
    with library.sandbox() as sandbox, pytest.raises(Misread, match="stored"):
        sandbox.stored(Snapshot("x", sound.documents, sound.passages[1:], sound.settings))


def test_a_suite_that_is_not_read_as_it_was_written_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = OwnSuite.read

    def careless(self: OwnSuite) -> Suite:
        suite = read(self)
        return replace(suite, queries=tuple(replace(query, text="?") for query in suite.queries))

    monkeypatch.setattr(OwnSuite, "read", careless)
    drill = library.drill()
    assert set(verdicts_of(drill, "update").values()) == {FAILED}
    assert "was written, and another one was read back" in named(drill, "update", "language.en").reason
    assert set(verdicts_of(drill, "remove").values()) == {NOTICED}


def test_a_cache_that_answers_for_another_snapshot_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Stage, "identity", property(lambda self: self.component.identity and {"retriever": self.component.identity})
    )
    library.unit = "document"
    drill = library.drill(depth=40, curve=[1, 3])
    assert set(verdicts_of(drill, "remove").values()) == {FAILED}
    assert "the ranking names passages that are gone" in named(drill, "remove", "language.zh").reason


def test_ids_that_are_the_same_for_all_snapshots_fail_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Snapshot, "content_id", lambda self: "0123456789abcdef")
    drill = library.drill(depth=40)
    assert set(verdicts_of(drill, "remove").values()) == {FAILED}
    assert "the ranking names passages that are gone" in named(drill, "remove", "language.zh").reason


def test_a_ranking_that_is_stale_is_told_before_it_is_scored(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with library.sandbox(depth=40) as sandbox:
        before = library.measured(sandbox)
        monkeypatch.setattr(Stage, "identity", property(lambda self: {"retriever": self.component.identity}))
        evidence = list(before.evidence.values())[:1]
        lacking = without(before.job.stage.snapshot, evidence)
        sandbox.measure(before.job.stage.snapshot, before.judged.suite)
        with pytest.raises(Stale, match="has 39"):
            sandbox.measure_gone(lacking, before)
