"""Repeating a run by its id after everything it was made from has changed."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from runner.cli import rerun

HYBRID = """
defaults:
  - hybrid
  - override /analyzer@retrievers.bm25.analyzer: words
  - _self_
name: house
retrievers: {bm25: {analyzer: {lexicon: lexicon.txt}}}
"""

WORDS = "存取金鑰\n免費帳號\n"


@dataclass(frozen=True)
class Repeated:
    """source: the first run as it was; same, changed: what repeating it said, without and with overrides."""

    desk: Any
    source: Any
    same: Any
    changed: Any
    cached: Any

    @property
    def reruns(self) -> list[Any]:
        return [run for run in self.desk.runs() if "rerun_of" in run.data.tags]


@pytest.fixture(scope="module")
def repeated(new_desk: Callable[[], Any]) -> Repeated:
    """Run once; then change a page, the questions, the configuration, and drop the word list; then repeat."""
    desk = new_desk()
    folder = desk.folder
    (folder / "conf/retriever/house.yaml").write_text(HYBRID, "utf-8")
    (folder / "lexicon.txt").write_text(WORDS, "utf-8")
    desk.team("--config-dir", "conf", "retriever=house", "k=3")
    (source,) = desk.runs()
    (folder / "manual/zh/額度.md").write_text("# 額度\n\n這一頁改寫了。\n", "utf-8")
    (folder / "manual/en/limits.md").unlink()
    (folder / "manual/en/new.md").write_text("# New\n\nHow many requests a minute? An invoice.\n", "utf-8")
    (folder / "team.jsonl").write_text('{"query_id": "z", "text": "z", "relevant": ["en/new.md"]}\n', "utf-8")
    (folder / "conf/retriever/house.yaml").write_text(HYBRID.replace("_self_", "_self_\npool: 1"), "utf-8")
    (folder / "lexicon.txt").unlink()
    id_ = source.info.run_id
    same = desk.rerun(id_)
    changed = desk.rerun(id_, "k=1", "retriever.fusion.k=10")
    return Repeated(desk, source, same, changed, desk.rerun(id_, "cache=on"))


def test_the_run_is_identical_after_its_sources_changed(repeated: Repeated) -> None:
    assert repeated.same.status == 0, repeated.same.err
    assert f"identical: 7 rankings and every metric of house k=3 ({repeated.source.info.run_id})" in repeated.same.out


def test_the_repetition_is_a_new_run_tagged_with_its_source(repeated: Repeated) -> None:
    again = repeated.reruns[0]
    assert again.info.run_id != repeated.source.info.run_id
    assert again.data.tags["rerun_of"] == repeated.source.info.run_id
    assert again.info.status == "FINISHED"
    assert again.data.tags["fingerprint"] == repeated.source.data.tags["fingerprint"]
    assert again.data.params == repeated.source.data.params


def test_the_word_list_is_known_by_its_hash(repeated: Repeated) -> None:
    assert repeated.source.data.params["stage.bm25.analyzer.lexicon_sha256"] == sha256(WORDS.encode()).hexdigest()
    assert "stage.bm25.analyzer.lexicon" not in repeated.source.data.params


def test_the_source_is_left_as_it_was(repeated: Repeated) -> None:
    now = repeated.desk.client.get_run(repeated.source.info.run_id)
    assert now.to_dictionary() == repeated.source.to_dictionary()


def test_the_repetition_was_really_computed_again(repeated: Repeated) -> None:
    assert "0 cached, 7 to compute" in repeated.same.out


def test_with_the_cache_it_is_identical_too(repeated: Repeated) -> None:
    assert repeated.cached.status == 0, repeated.cached.err
    assert "to compute: 0 rankings" in repeated.cached.out
    assert "identical: 7 rankings" in repeated.cached.out


def test_overrides_change_just_what_they_name(repeated: Repeated) -> None:
    assert repeated.changed.status == 0, repeated.changed.err
    changed = repeated.reruns[1].data.params
    before = repeated.source.data.params
    differing = {key for key in before.keys() | changed.keys() if before.get(key) != changed.get(key)}
    assert differing == {"k", "stage.house.fusion.k", "retriever_hash"}
    assert (changed["k"], changed["stage.house.fusion.k"]) == ("1", "10")


def test_the_differences_are_listed_with_their_causes(repeated: Repeated) -> None:
    out = repeated.changed.out
    assert "rankings and" in out
    assert "metrics differ" in out
    # Of the first passage, 1 / (60 + 1) became 1 / (10 + 1), in one ranking or in both.
    assert "same passages, scores differ by up to" in out
    assert "asked for: k=1" in out
    assert "asked for: retriever.fusion.k=10" in out
    assert "k: 3 -> 1" in out
    assert "stage.house.fusion.k: 60 -> 10" in out


def test_a_repetition_can_itself_be_repeated(repeated: Repeated) -> None:
    again = repeated.desk.rerun(repeated.reruns[1].info.run_id)
    assert again.status == 0, again.err
    assert "identical: 7 rankings and every metric of house k=1" in again.out


@pytest.fixture
def refusal(
    repeated: Repeated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """What a refused command says; in this process, since each start costs seconds."""

    def say(*arguments: str, home: Path = repeated.desk.home) -> str:
        before = len(repeated.desk.runs(kind=None))
        monkeypatch.setenv("RUNNER_HOME", str(home))
        with pytest.raises(SystemExit) as left:
            rerun.main(arguments)
        shown = capsys.readouterr().err
        assert left.value.code == 2
        assert shown.startswith("error: ")
        assert shown.count("\n") == 1
        assert len(repeated.desk.runs(kind=None)) == before
        return shown

    return say


def test_an_unknown_id_is_refused_with_the_store_that_was_asked(repeated: Repeated, refusal: Any) -> None:
    shown = refusal("0" * 32)
    assert f"no run '{'0' * 32}' in sqlite:///{repeated.desk.store}/mlflow.db" in shown
    assert "tracking.uri=" in shown


def test_the_run_of_a_whole_sweep_cannot_be_repeated(demo: Any, refusal: Any) -> None:
    assert "not a scored job (sweep)" in refusal(demo.summaries[0].info.run_id, home=demo.desk.home)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("retriever.fusion.constant=10", ["'retriever.fusion.constant'", "k, weights"]),
        ("retriever=bm25", ["retriever is a group of settings"]),
        ("suite.path=other.yaml", ["a rerun keeps the stored suite"]),
        ("k=0", ["k: ", "found 0"]),
        ("cache=never", ["cache: expected on, refresh, off or only"]),
        ("k", ["name=value"]),
    ],
)
def test_an_override_that_cannot_be_is_refused(
    repeated: Repeated, refusal: Any, override: str, words: list[str]
) -> None:
    shown = refusal(repeated.source.info.run_id, override)
    for each in words:
        assert each in shown


def test_without_its_snapshot_a_local_run_says_what_to_restore(repeated: Repeated, refusal: Any) -> None:
    snapshots = repeated.desk.store / "snapshots"
    away = snapshots.with_name("away")
    shutil.move(snapshots, away)
    try:
        shown = refusal(repeated.source.info.run_id)
    finally:
        shutil.move(away, snapshots)
    assert repeated.source.data.params["snapshot"] in shown
    assert str(snapshots) in shown
