"""A retriever of one's own in a sweep: it needs no registration, and its failures cost nobody else a result."""

from collections.abc import Callable
from typing import Any

import pytest

OVERLAP = ("--config-dir", "conf", "retriever=overlap")
TEAM = ("dataset=pages", "dataset.path=manual", "dataset.name=manual", "dataset.suite=team.yaml")


@pytest.fixture(scope="module")
def two_bad(new_desk: Callable[[], Any]) -> Any:
    """Twelve jobs, of which step 4 raises and step 9 scores one query with NaN."""
    desk = new_desk()
    steps = f"retriever.step={','.join(map(str, range(1, 13)))}"
    return desk, desk.runner("-m", *OVERLAP, *TEAM, "hydra.launcher.n_jobs=1", "k=3", steps)


def test_all_other_jobs_of_the_sweep_finish(two_bad: Any) -> None:
    desk, _ = two_bad
    assert {int(run.data.params["stage.overlap.step"]) for run in desk.runs()} == set(range(1, 13)) - {4, 9}
    assert {run.info.status for run in desk.runs(kind=None)} == {"FINISHED"}


def test_a_retriever_needs_no_more_than_its_one_method(two_bad: Any) -> None:
    desk, _ = two_bad
    for run in desk.runs():
        assert run.data.params["retriever"] == "overlap"
        # Shared characters are enough for these questions.
        assert run.data.metrics["hit"] == 1.0


def test_a_sweep_with_a_failed_job_leaves_with_status_1(two_bad: Any) -> None:
    assert two_bad[1].status == 1


def test_every_failure_is_listed_by_its_overrides_and_reason(two_bad: Any) -> None:
    lines = [line for line in two_bad[1].err.splitlines() if line.startswith("failed: ")]
    assert len(lines) == 2
    assert "retriever.step=4" in lines[0]
    assert lines[0].endswith("the search service said no")
    assert "retriever.step=9" in lines[1]
    assert "Traceback" not in two_bad[1].err


def test_a_score_that_is_no_number_is_blamed_on_retriever_and_query(two_bad: Any) -> None:
    (line,) = [line for line in two_bad[1].err.splitlines() if "retriever.step=9" in line]
    assert "overlap" in line
    assert "'q3'" in line
    assert "nan" in line


def test_the_summary_of_the_sweep_counts_and_names_the_failures(two_bad: Any) -> None:
    desk, _ = two_bad
    (summary,) = desk.runs(kind="sweep")
    assert (summary.data.metrics["jobs"], summary.data.metrics["jobs_failed"]) == (12, 2)
    assert "the search service said no" in (desk.files(summary) / "table.md").read_text("utf-8")


def test_a_failed_single_job_leaves_with_status_1_and_its_traceback_on_request(two_bad: Any) -> None:
    desk, _ = two_bad
    done = desk.runner(*OVERLAP, *TEAM, "retriever.step=4", HYDRA_FULL_ERROR="1")
    assert done.status == 1
    assert 'raise RuntimeError("the search service said no")' in done.err


def test_a_killed_worker_fails_its_own_job_and_leaves_nothing_running(desk: Any) -> None:
    done = desk.runner("-m", *OVERLAP, *TEAM, "hydra.launcher.n_jobs=2", "retriever.step=1,13,2")
    assert done.status == 1
    (line,) = [line for line in done.err.splitlines() if line.startswith("failed: ")]
    assert "retriever.step=13" in line
    assert "killed" in line
    ours = [run for run in desk.runs() if run.data.params["retriever"] == "overlap"]
    assert {run.data.params["stage.overlap.step"] for run in ours} == {"1", "2"}
    assert {run.info.status for run in desk.runs(kind=None)} == {"FINISHED"}
