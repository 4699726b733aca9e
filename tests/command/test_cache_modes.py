"""Plans without runs, and sweeps that may compute nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEAM = (
    "dataset=pages",
    "dataset.path=manual",
    "dataset.name=manual",
    "dataset.suite=team.yaml",
    "hydra.launcher.n_jobs=1",
)
SWEEP = ("-m", *TEAM, "retriever=bm25,hybrid", "k=1,3")
RELEASE = ("-m", *TEAM, "retriever=bm25", "k=1,3")


@pytest.mark.parametrize("arguments", [SWEEP, TEAM], ids=["sweep", "job"])
def test_a_dry_run_prints_the_plan_and_leaves_no_file(desk: Any, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    before = set(desk.folder.rglob("*"))
    done = desk.runner(*arguments, "dry_run=true", RUNNER_HOME=str(tmp_path))
    assert done.status == 0, done.err
    assert "bm25: 7 rankings to depth 100, 0 cached, 7 to compute" in done.out
    assert list(tmp_path.iterdir()) == []
    assert set(desk.folder.rglob("*")) == before


def test_a_dry_run_announces_the_product_the_jobs_the_stages_and_what_is_left(desk: Any, tmp_path: Path) -> None:
    out = desk.runner(*SWEEP, "dry_run=true", RUNNER_HOME=str(tmp_path)).out
    assert out.startswith("plan: 6 queries x 2 k x 2 retrievers x 1 snapshot = 24 scored query-configurations\n")
    assert "jobs: 4 asked for, 4 to score" in out
    assert "stages: 3 unique" in out
    assert "to compute: 21 rankings, 0 pairs to rerank" in out


@pytest.fixture(scope="module")
def release(new_desk: Callable[[], Any]) -> dict[str, Any]:
    """One sweep asked for from an empty cache, then run, then asked for from the cache again."""
    desk = new_desk()
    empty = desk.runner(*RELEASE, "cache=only")
    runs = desk.runs(kind=None)
    filled = desk.runner(*RELEASE)
    return {"desk": desk, "empty": empty, "runs": runs, "filled": filled, "full": desk.runner(*RELEASE, "cache=only")}


def test_an_empty_cache_cannot_be_all_there_is(release: dict[str, Any]) -> None:
    empty = release["empty"]
    assert empty.status == 1
    assert empty.err.startswith("error: cache=only")
    assert "lacks rankings (bm25: 7 of 7)" in empty.err
    assert "cache=on" in empty.err
    assert empty.err.count("\n") == 1
    assert release["runs"] == []


def test_a_full_cache_gives_the_same_runs_again(release: dict[str, Any]) -> None:
    assert (release["filled"].status, release["full"].status) == (0, 0), release["full"].err
    runs = release["desk"].runs()
    assert len(runs) == 4
    assert [run.data.metrics for run in runs[:2]] == [run.data.metrics for run in runs[2:]]


def test_the_plan_says_what_is_cached_and_why_something_is_not(release: dict[str, Any]) -> None:
    desk = release["desk"]
    assert "to compute: 0 rankings" in desk.runner(*RELEASE, "dry_run=true").out
    other = desk.runner(*TEAM, "retriever.b=0.5", "dry_run=true").out
    assert "7 to compute (nearest in the cache differs in retriever.params.b: 0.75 -> 0.5)" in other
