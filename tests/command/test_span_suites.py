"""One suite of spans under several chunkers: the same questions in every row, and scores that can be had again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runner.decisions.run_scores import RunScores
from runner.tracking.stored_run import StoredRun

KS = (1, 2, 3, 5, 10, 20, 50, 100)


@pytest.fixture(scope="session")
def cuts(new_desk: Callable[[], Any]) -> tuple[Any, list[Any]]:
    """The demo's facts under four cuts, with their runs."""
    at = new_desk()
    done = at.runner("-m", "suite=facts", "chunker=heading,window", "chunker.size=300,900", "k=5")
    assert done.status == 0, done.err
    runs = at.runs("demo")
    assert len(runs) == 4
    return at, runs


def test_every_cut_is_asked_the_same_questions(cuts: tuple[Any, list[Any]]) -> None:
    _, runs = cuts
    assert len({run.data.params["snapshot"] for run in runs}) == 4
    for shared in ("suite_revision", "documents_sha256", "coverage", "unit"):
        assert len({run.data.params[shared] for run in runs}) == 1, shared
    assert {run.data.metrics["n"] for run in runs} == {40}
    assert len({run.data.metrics["recall_relevant"] for run in runs}) == 1
    assert len({run.data.metrics["context_tokens"] for run in runs}) == 4


def test_no_metric_of_any_slice_exceeds_one(cuts: tuple[Any, list[Any]]) -> None:
    for run in cuts[1]:
        for name, value in run.data.metrics.items():
            if name.split("/")[0] in ("hit", "recall", "precision", "ndcg", "mrr", "map", "pool_recall", "judged"):
                assert 0 <= value <= 1, name


def test_the_stored_table_gives_every_metric_at_every_k_again(cuts: tuple[Any, list[Any]], tmp_path: Any) -> None:
    at, runs = cuts
    tracker = _tracker(at)
    for run in runs[:2]:
        scores = RunScores.of(StoredRun.fetch(tracker, run.info.run_id, tmp_path / run.info.run_id))
        for metric in ("hit", "recall", "precision", "ndcg", "judged"):
            logged = {
                each.step: each.value for each in at.client.get_metric_history(run.info.run_id, f"curve/{metric}")
            }
            again = {k: float(scores.values(metric, k).mean()) for k in KS}
            assert again == pytest.approx({k: logged[k] for k in KS}, abs=1e-12), metric
        for metric in ("mrr", "map"):
            assert float(scores.values(metric, 5).mean()) == pytest.approx(run.data.metrics[metric], abs=1e-12)
        assert np.all(scores.first_ranks <= scores.depth)


def _tracker(at: Any) -> Any:
    from runner.tracking.location import StoreLocation

    return StoreLocation.of([f"store={at.store}"]).tracker()


def test_two_cuts_can_be_compared_and_gated(cuts: tuple[Any, list[Any]], tmp_path: Any) -> None:
    at, runs = cuts
    ids = [run.info.run_id for run in runs]
    done = at.finish(at.start("runner.compare", *ids[:2]))
    assert done.status == 0, done.err
    assert "chunker.size: 300 -> 900" in done.out or "effect of chunker.size" in done.out
    policy = at.folder / "facts.yaml"
    policy.write_text("name: facts\nrules: [{name: holds, metric: recall, k: 5, max_drop: 0.9, min: 0.1}]\n", "utf-8")
    gated = at.finish(at.start("runner.gate", ids[1], "--baseline", ids[0], f"gate={policy}"))
    assert gated.status == 0, gated.err
    # The documents are the same, however they are cut, so nothing had to be repeated.
    assert "was repeated" not in gated.out


def test_a_run_of_spans_is_repeated_exactly(cuts: tuple[Any, list[Any]]) -> None:
    at, runs = cuts
    done = at.rerun(runs[0].info.run_id)
    assert "identical: 40 rankings and every metric" in done.out, done.out + done.err
