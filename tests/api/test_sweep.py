"""Sweeps from Python: what comes back, and what is left behind."""

import asyncio
import contextlib
import io
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

import runner
from runner.configuration.settings import conf_directory
from runner.engine.run_name import run_name

Team = tuple[str, ...]
HERE = {"n_jobs": 1, "backend": "sequential", "log": False}


def small(team: Team, *more: str) -> runner.SweepResult:
    return runner.sweep(*team, "retriever=bm25", "k=1,2", *more, log=False, n_jobs=1, backend="sequential")


def test_a_sweep_is_its_runs_in_order_with_frames(team: Team) -> None:
    found = small(team)
    assert [run.name for run in found] == [run_name("bm25", k) for k in (1, 2)]
    assert (len(found), found[-1], found[:1]) == (2, found.runs[1], found.runs[:1])
    assert found.table["k"].tolist() == [1, 2]
    assert found.table["recall"].tolist() == [run.metrics["recall"] for run in found]
    assert found[0].per_query.index.tolist() == ["q1", "q2", "q3", "q4"]
    assert found[0].per_query["recall"].mean() == found[0].metrics["recall"]
    assert found[0].slices["n"].to_dict()["topic.帳單"] == 3
    assert found[0].table.loc["recall", "mean"] == found[0].metrics["recall"]
    assert found[0].params["retriever"] == "bm25"
    assert (found[0].run_id, found.name, found.failures) == (None, None, ())


def test_a_notebook_shows_tables_in_which_nothing_is_html(team: Team) -> None:
    found = small(team)
    shown = [found._repr_html_(), found[0]._repr_html_(), runner.SweepResult((), name="<b>掃描")._repr_html_()]
    assert run_name("bm25", 1) in shown[0] and "<table" in shown[1]
    assert "<strong>sweep &lt;b&gt;掃描: 0 runs</strong>" in shown[2]
    assert "recall" in repr(found) and "not logged" in repr(found[0])
    named = runner.RunResult("<script>", {"recall": 1.0}, {"k": "1"})
    assert "<script>" not in named._repr_html_()
    assert "<script>" not in runner.SweepResult((named,))._repr_html_()


def test_runs_that_are_not_logged_are_compared_all_the_same(team: Team) -> None:
    small_k, large_k = small(team)
    found = runner.compare(small_k, large_k, k=1)
    assert found.title == f"{run_name('bm25', 1)} against {run_name('bm25', 2)} at k=1"
    assert set(found.table["difference"]) == {0}
    own = ("retriever=hidden", "retriever._target_=own_retriever.Picky", "~retriever.first", "~retriever.hide")
    other = runner.run(*team, *own, log=False, backend="sequential")
    row = runner.compare(small_k, other).table.query("metric == 'recall' and group == ''").iloc[0]
    assert (row["first"], row["second"]) == (1.0, 0.25)


def test_records_are_frozen(team: Team) -> None:
    with pytest.raises(AttributeError):
        small(team).runs = ()  # type: ignore[misc]


def test_an_experiment_s_own_sweep_and_the_values_named_are_multiplied(team: Team) -> None:
    found = runner.sweep(*team, "retriever=bm25", "retriever.k1=0.5,1.5", "k=range(1,3)", **HERE)  # type: ignore[arg-type]
    assert [(run.params["k"], run.params["stage.bm25.k1"]) for run in found] == [
        ("1", "0.5"),
        ("2", "0.5"),
        ("1", "1.5"),
        ("2", "1.5"),
    ]


def test_a_job_that_fails_is_not_the_others(team: Team) -> None:
    own = ("retriever=hidden", "retriever._target_=own_retriever.Picky")
    found = runner.sweep(
        *team,
        "+retriever.step=1,2",
        "~retriever.first",
        "~retriever.hide",
        *own,
        "k=1",
        **HERE,  # type: ignore[arg-type]
    )
    (failure,) = found.failures
    assert (len(found), "the search service said no" in failure.error) == (1, True)
    assert "+retriever.step=2" in failure.overrides
    assert "RuntimeError" in failure.trace
    assert "1 failed" in repr(found)


def test_one_run_raises_what_it_fails_of(team: Team) -> None:
    own = ("retriever=hidden", "retriever._target_=own_retriever.Picky", "+retriever.step=2")
    with pytest.raises(runner.RunnerError, match="the search service said no"):
        runner.run(*team, *own, "~retriever.first", "~retriever.hide", log=False, backend="sequential")


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (("k=0",), runner.ConfigError, "k: "),
        (("retriever=bm26",), runner.ConfigError, "bm25"),
        (("kk=1",), runner.ConfigError, "there is no setting 'kk'"),
        (("k",), runner.ConfigError, "a setting is written key=value"),
        (("dataset.suite=/nowhere.yaml",), runner.InputError, "/nowhere.yaml"),
        (("dry_run=true",), runner.ConfigError, "dry_run=true prints a plan"),
        (("gate=release",), runner.ConfigError, "only a run that is logged can be judged"),
    ],
)
def test_what_cannot_be_used_raises_one_line(team: Team, words: Team, error: type[Exception], said: str) -> None:
    for function in (runner.sweep, runner.run):
        with pytest.raises(error, match=said) as raised:
            function(*team, *words, log=False)
        assert len(str(raised.value).splitlines()) == 1


def test_several_values_are_a_sweep_s(team: Team) -> None:
    with pytest.raises(runner.ConfigError, match="k=1,2"):
        runner.run(*team, "k=1,2", log=False)


def test_a_look_at_a_holdout_is_logged_or_not_had(team: Team, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text("name: team\nrole: holdout\nunit: document\nslices: [topic]\n")
    with pytest.raises(runner.ConfigError, match="a look at one is recorded: log the run"):
        small(team, "allow_holdout=true")


def test_nothing_is_left_behind_and_nothing_printed(team: Team, capfd: pytest.CaptureFixture[str]) -> None:
    def state() -> list[object]:
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        return [os.getcwd(), list(sys.argv), dict(os.environ), handlers, GlobalHydra.instance().is_initialized()]

    before = state()
    assert small(team)[0].metrics == small(team)[0].metrics
    assert state() == before
    assert capfd.readouterr() == ("", "")


def test_yaml_is_read_as_ever_afterwards(team: Team, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("path: 2026\n")
    small(team)
    assert OmegaConf.load(tmp_path / "own.yaml").path == 2026


def test_somebody_s_own_hydra_goes_on(team: Team) -> None:
    with initialize_config_dir(str(conf_directory() / "chunker"), version_base="1.2", job_name="theirs"):
        before = compose("window")
        small(team)
        assert compose("window") == before


def test_it_runs_where_an_event_loop_runs(team: Team) -> None:
    async def cell() -> runner.SweepResult:
        return small(team)

    assert len(asyncio.run(cell())) == 2


def test_it_runs_in_threads_side_by_side(team: Team) -> None:
    found: dict[int, runner.SweepResult] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: small(team, f"seed={n}")})) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: each[0].params["seed"] for n, each in found.items()} == {0: "0", 1: "1", 2: "2"}


def test_bars_are_shown_where_they_are_asked_for(team: Team) -> None:
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        runner.run(*team, "k=1", log=False, backend="sequential", progress=True)
    assert "bm25" in shown.getvalue()


@pytest.mark.slow
def test_logged_or_not_the_figures_are_the_same_and_a_logged_run_is_found_again(
    team: Team, capfd: pytest.CaptureFixture[str]
) -> None:
    logged = runner.sweep(*team, "retriever=bm25", "k=1,2", n_jobs=1)
    assert capfd.readouterr() == ("", "")
    assert logged.name is not None
    for one, other in zip(logged, small(team), strict=True):
        timed = ("latency", "index_", "peak_memory")
        assert {k: v for k, v in one.metrics.items() if not k.startswith(timed)} == {
            k: v for k, v in other.metrics.items() if not k.startswith(timed)
        }
        assert one.per_query["recall"].equals(other.per_query["recall"])
    assert logged[0].run_id is not None
    again = runner.load_run(logged[0].run_id)
    assert (again.metrics, again.name) == (logged[0].metrics, logged[0].name)
    assert again.per_query["ranked"].map(list).equals(logged[0].per_query["ranked"].map(list))
    assert {key: again.params[key] for key in logged[0].params} == dict(logged[0].params)
    resumed = runner.sweep(*team, "retriever=bm25", "k=1,2", "resume=true", n_jobs=1)
    assert [run.run_id for run in resumed] == [run.run_id for run in logged]
    assert resumed[0].per_query.index.tolist() == ["q1", "q2", "q3", "q4"]


def test_metrics_are_called_by_their_names(team: Team) -> None:
    found = small(team, "metrics=[recall,rbp(p=0.8),ndcg@10]")
    assert {"recall", "rbp(p=0.8)", "ndcg@10"} <= found[0].metrics.keys()
    assert found.table["rbp(p=0.8)"][0] == found[0].metrics["rbp(p=0.8)"]


@pytest.mark.parametrize("run", [None, 5])
def test_what_is_no_run_is_refused_by_name(run: object) -> None:
    with pytest.raises(runner.ConfigError, match="expected a run's id"):
        runner.compare(run, run)  # type: ignore[arg-type]
