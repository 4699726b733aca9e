"""Every job of a sweep runs by its own settings: gate, experiment, resume; what there is one of may not differ."""

from typing import Any

import pytest

CONF = ("--config-dir", "conf")
DEMANDING = "name: demanding\nrules: [{name: all, metric: recall, min: 1.0, slice: all, min_queries: 1}]\n"


@pytest.fixture(scope="module")
def office(new_desk: Any) -> Any:
    """A desk with a policy that nothing passes, and experiments that differ in what is not scored."""
    desk = new_desk()
    for folder in ("experiment", "gate"):
        (desk.folder / "conf" / folder).mkdir()
    (desk.folder / "conf/gate/demanding.yaml").write_text(DEMANDING)
    experiments = {
        "plain": "k: 3",
        "gated": "defaults: [{override /gate: demanding}]\nk: 1",
        "threads": "hydra: {launcher: {backend: threading}}",
        "elsewhere": "defaults: [{override /hydra/launcher: basic}]\nk: 1",
        "around": "defaults: [elsewhere]",
    }
    for name, text in experiments.items():
        (desk.folder / f"conf/experiment/{name}.yaml").write_text(f"# @package _global_\n{text}\n")
    return desk


def team(office: Any, *arguments: str) -> Any:
    own = ("dataset=pages", "dataset.path=manual", "dataset.name=manual", "dataset.suite=team.yaml")
    return office.runner(*CONF, *arguments, *own)


@pytest.mark.parametrize("order", ["plain,gated", "gated,plain"])
def test_the_job_that_names_a_gate_is_gated_and_no_other(office: Any, order: str) -> None:
    before = {run.info.run_id for run in office.runs()}
    done = team(office, "-m", f"experiment={order}", "retriever.k1=0.01", "retriever.b=0")
    assert "gate demanding" in done.out, done.err
    new = {run.data.params["k"]: run.data.tags.get("gate") for run in office.runs() if run.info.run_id not in before}
    assert new["3"] is None
    assert new["1"] in ("passed", "blocked")
    assert done.status == (1 if new["1"] == "blocked" else 0)


def test_each_job_is_logged_to_its_own_experiment_and_resumed_there(office: Any) -> None:
    done = team(office, "-m", "tracking.experiment=alpha,beta", "k=2")
    assert done.status == 0, done.err
    assert [len(office.runs(name)) for name in ("alpha", "beta")] == [1, 1]
    assert [len(office.runs(name, "sweep")) for name in ("alpha", "beta")] == [1, 1]
    again = team(office, "tracking.experiment=beta", "k=2", "resume=true")
    assert "resume: 1 of 1 jobs are finished already" in again.out
    assert [len(office.runs(name)) for name in ("alpha", "beta")] == [1, 1]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("cache=off,refresh",), ["one sweep has one cache", "cache=off wants off", "cache=refresh wants refresh"]),
        (("experiment=plain,threads",), ["one hydra.launcher.backend", "wants loky", "wants threading"]),
        (
            ("experiment=plain,elsewhere",),
            ["experiment/elsewhere asks for hydra/launcher=basic", "hydra/launcher=planned"],
        ),
        (("experiment=around",), ["experiment/around asks for hydra/launcher=basic"]),
    ],
)
def test_what_a_sweep_has_one_of_is_refused_where_its_jobs_differ(office: Any, asked: Any, words: list[str]) -> None:
    before = len(office.runs(kind=None))
    done = team(office, "-m", *asked)
    assert done.status == 2
    assert len(done.err.strip().splitlines()) == 1
    for word in words:
        assert word in done.err
    assert len(office.runs(kind=None)) == before
