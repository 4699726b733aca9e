"""Experiment files: what is announced is what runs, or the sweep is refused."""

import re
from typing import Any

import pytest
import yaml

from runner.engine.run_name import run_name

CONF = ("--config-dir", "conf")


@pytest.fixture(scope="module")
def office(desk: Any) -> Any:
    """The desk with two experiments that sweep by themselves and two that only set something."""
    folder = desk.folder / "conf/experiment"
    folder.mkdir()
    for name, k in (("few", "1,2"), ("many", "1,2,3")):
        (folder / f"{name}.yaml").write_text(f"# @package _global_\nhydra: {{sweeper: {{params: {{k: '{k}'}}}}}}\n")
    for name, b in (("long", 0.2), ("short", 0.9)):
        (folder / f"{name}.yaml").write_text(f"# @package _global_\nretriever: {{b: {b}}}\n")
    return desk


def test_a_sweep_over_experiments_that_sweep_is_refused_before_anything_runs(office: Any) -> None:
    before = len(office.runs(kind=None))
    team = ("dataset=pages", "dataset.path=manual", "dataset.name=manual", "dataset.suite=team.yaml")
    done = office.runner(*CONF, "-m", *team, "experiment=few,many")
    assert done.status == 2
    assert "experiment=few" in done.err
    assert "hydra.sweeper.params (k)" in done.err
    assert len(office.runs(kind=None)) == before


def test_one_experiment_runs_the_product_it_announces(office: Any) -> None:
    before = {run.info.run_id for run in office.runs()}
    done = office.team(*CONF, "-m", "experiment=many", "retriever.b=0.5,0.6")
    assert "jobs: 6 asked for, 6 to score" in done.out
    assert re.search(r"6 queries x 3 k x 2 retrievers x 1 snapshot = 36 scored", done.out)
    new = [run.data.params for run in office.runs() if run.info.run_id not in before]
    assert sorted((each["k"], each["stage.bm25.b"]) for each in new) == [(k, b) for k in "123" for b in ("0.5", "0.6")]


def test_experiments_that_only_set_something_multiply_with_the_rest(office: Any) -> None:
    done = office.team(*CONF, "-m", "experiment=long,short", "k=1,2", "dry_run=true")
    assert "jobs: 4 asked for, 4 to score" in done.out
    assert "6 queries x 2 k x 2 retrievers x 1 snapshot = 24 scored" in done.out


def test_the_command_line_wins_over_an_experiment(office: Any) -> None:
    composed = [
        yaml.safe_load(office.runner(*CONF, "--cfg", "job", "experiment=long", *more).out)["retriever"]["b"]
        for more in ([], ["retriever.b=0.3"])
    ]
    assert composed == [0.2, 0.3]


def test_jobs_that_come_to_the_same_are_one_run(office: Any) -> None:
    before = len(office.runs())
    done = office.team("-m", "retriever=bm25", "pool=20,50")
    assert "jobs: 2 asked for, 1 to score (1 repeat another)" in done.out
    assert re.search(rf"same run as {run_name('bm25', 5)}: .*pool=50", done.out)
    assert len(office.runs()) - before == 1
