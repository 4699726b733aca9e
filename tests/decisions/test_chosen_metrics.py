"""Runs with metrics of their own choice: what is logged, what is computed from what was stored, and what cannot be."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from decide_office import Desk, Office, without_chinese, write_policy

from runner.cli import compare as compare_command
from runner.cli import gate as gate_command
from runner.cli import rerun as rerun_command
from runner.decisions.comparison import ComparisonOptions, compare
from runner.decisions.run_scores import RunScores
from runner.decisions.trend import Measure
from runner.errors import ConfigError, InputError
from runner.scoring.metric_names import DEFAULT_NAMES
from runner.tracking.stored_run import StoredRun

CHOSEN = ["ndcg@10", "rbp(p=0.8)", "err", "bpref", "Rprec", "mrr@2"]
NAMES = ("hit", "recall", "ndcg@10", "rbp(p=0.8)", "err", "bpref", "r_precision", "mrr@2")


def read(office: Office, run_id: str, folder: Path) -> RunScores:
    return RunScores.of(StoredRun.fetch(office.tracker, run_id, folder / run_id))


@pytest.fixture(scope="module")
def runs(shared_office: Office) -> tuple[Office, str, str, str]:
    """An office with a plain run, one of chosen metrics and one of those that answers nothing in Chinese."""
    office = shared_office.named("chosen metrics")
    return office, office.log(), office.log(metrics=CHOSEN), office.log(without_chinese(), metrics=CHOSEN)


Runs = tuple[Office, str, str, str]


def test_what_was_chosen_is_logged_and_a_plain_run_is_what_it_was(runs: Runs) -> None:
    office, plain, chosen, _ = runs
    before, after = office.run(plain).data, office.run(chosen).data
    assert "metrics" not in before.params
    assert after.params["metrics"] == ", ".join(NAMES)
    assert {"ndcg_x40_10", "rbp_x28_p_x3d_0.8_x29_", "bpref", "bpref/topic.limits", "curve/err"} <= set(after.metrics)
    assert not {"map", "precision", "judged", "curve/ndcg"} & set(after.metrics)
    assert {name: after.metrics[name] for name in ("hit", "recall", "recall_hits", "pool_recall")} == {
        name: before.metrics[name] for name in ("hit", "recall", "recall_hits", "pool_recall")
    }
    assert before.tags["fingerprint"] != after.tags["fingerprint"]


def test_every_metric_of_a_run_can_be_computed_from_what_it_stored(runs: Runs, tmp_path: Path) -> None:
    office, plain, chosen, _ = runs
    logged = office.run(chosen).data.metrics
    for scores in (read(office, plain, tmp_path), read(office, chosen, tmp_path)):
        for name, key in (("bpref", "bpref"), ("rbp(p=0.8)", "rbp_x28_p_x3d_0.8_x29_"), ("Rprec", "r_precision")):
            assert scores.values(name, scores.k).mean() == pytest.approx(logged[key], abs=1e-12)
    table = pq.read_table(office.files_of(chosen) / "per_query.parquet")
    assert set(NAMES) - {"mrr@2"} | {"rr@2"} <= set(table.column_names)
    assert read(office, plain, tmp_path).metrics == (*DEFAULT_NAMES, "pool_recall")
    assert read(office, chosen, tmp_path).metrics == (*NAMES, "pool_recall")


def test_a_comparison_shows_what_either_run_was_logged_with_and_what_is_asked_for(runs: Runs, tmp_path: Path) -> None:
    office, plain, chosen, other = runs
    first, second, third = (read(office, each, tmp_path) for each in (plain, chosen, other))
    (pair,) = compare([second, third]).pairs
    assert list(dict.fromkeys(line.metric for line in pair.lines)) == [*NAMES, "pool_recall"]
    assert [bounds.metric for bounds in pair.unjudged.bounds] == ["hit", "recall", "rbp(p=0.8)", "err"]
    assert {bounds.metric for bounds in pair.unjudged.bounds if bounds.low is not None} == {"hit", "recall"}
    (pair,) = compare([first, second], ComparisonOptions(metric="err@1")).pairs
    names = dict.fromkeys(line.metric for line in pair.lines)
    assert list(names) == [*DEFAULT_NAMES, "pool_recall", *NAMES[2:], "err@1"]
    assert pair.changed == {}


def test_a_run_of_an_earlier_version_lacks_only_what_needs_all_judgments(runs: Runs, tmp_path: Path) -> None:
    office, plain, _, _ = runs
    stored = StoredRun.fetch(office.tracker, plain, tmp_path / "run")
    path = stored.folder / "per_query.parquet"
    pq.write_table(pq.read_table(path).drop_columns("judged_zero"), path)
    scores = RunScores.of(stored)
    assert scores.values("rbp(p=0.8)", 3).shape == scores.values("recall", 3).shape
    with pytest.raises(InputError, match="how much was judged and is not relevant was not stored"):
        scores.values("bpref", 3)


def test_a_run_is_repeated_with_its_metrics_and_with_others(runs: Runs, desk: Desk) -> None:
    office, plain, chosen, _ = runs
    done = desk(rerun_command.main, chosen, office.place)
    assert (done.status, "identical: " in done.out) == (0, True), done.err
    done = desk(rerun_command.main, plain, "metrics=[default,rbp(p=0.8)]", office.place)
    assert done.status == 0, done.err
    again = office.search()[-1]
    assert again.data.params["metrics"] == ", ".join((*DEFAULT_NAMES, "rbp(p=0.8)"))
    assert again.data.metrics["recall"] == office.run(plain).data.metrics["recall"]


def test_a_cutoff_under_the_rankings_is_refused(runs: Runs, tmp_path: Path) -> None:
    office, plain, _, _ = runs
    scores = read(office, plain, tmp_path)
    with pytest.raises(ConfigError, match=r"recall@11 looks deeper than the rankings of run .*, which go to depth 10"):
        scores.values("recall@11", 3)
    assert not scores.measures("recall@11", 3)
    with pytest.raises(ConfigError, match=r"metrics: recall@11 looks deeper .*add depth=11"):
        office.log(metrics=["recall@11"])


def test_a_table_that_was_changed_is_seen_in_a_chosen_metric(runs: Runs, tmp_path: Path) -> None:
    office, _, chosen, _ = runs
    stored = StoredRun.fetch(office.tracker, chosen, tmp_path / "run")
    changed: Any = {**stored.metrics, "rbp_x28_p_x3d_0.8_x29_": 0.5}
    object.__setattr__(stored, "metrics", changed)
    with pytest.raises(InputError, match=r"gives rbp\(p=0.8\) .* but 0.5 was logged"):
        RunScores.of(stored)


def test_a_trend_follows_a_metric_by_its_printed_name() -> None:
    cut, over_depth, at_k = Measure("RR@10", 5), Measure("rr", 5), Measure("rbp(p=0.80)", 5)
    assert (cut.metric, over_depth.metric, at_k.metric) == ("mrr@10", "mrr", "rbp(p=0.8)")
    assert [each.depth_of_cut for each in (cut, over_depth, at_k)] == [None, None, 5]
    # A cutoff of its own looks no deeper in deeper rankings.
    assert ["depth" in each.breaks for each in (cut, over_depth, at_k)] == [False, True, False]


def test_commands_take_a_metric_as_people_type_it(runs: Runs, desk: Desk, tmp_path: Path) -> None:
    office, plain, chosen, other = runs
    done = desk(compare_command.main, chosen, other, "metric=RBP(p=0.5)@3", office.place)
    assert done.status == 0, done.err
    assert "rbp(p=0.5)@3" in done.out
    done = desk(compare_command.main, chosen, other, "metric=rbp", office.place)
    assert (done.status, "metric 'rbp': give it p" in done.err) == (2, True)
    policy = write_policy(tmp_path, {"name": "stops", "metric": "RBP(p=0.8)", "min": 0.99, "min_queries": 1})
    done = desk(gate_command.main, plain, policy, office.place)
    assert done.status == 1, done.err
    assert "rbp(p=0.8)" in done.out
