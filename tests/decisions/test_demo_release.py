"""The README's story from the command line: a release of the demo that only its removed-option slice blocks."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from decide_office import Finished

from runner.engine.run_name import run_name
from runner.tracking.tracker import open_client


@dataclass(frozen=True)
class Story:
    """What each command said, and the runs that were made, oldest first."""

    said: dict[str, Finished]
    runs: list[Any]
    files: Callable[[Any], Path]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A release is made and accepted, the same goes out again, then one that hides the removed options."""
    home = tmp_path_factory.mktemp("demo")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("RUNNER_", "HYDRA_", "MLFLOW_"))}

    def command(module: str, *arguments: str) -> Finished:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=Path(__file__).parents[2],
            env={**kept, "RUNNER_HOME": str(home)},
            capture_output=True,
            encoding="utf-8",
            timeout=240,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    said = {"release": command("runner", "-m", "experiment=release", "gate=release", "hydra.launcher.n_jobs=1")}
    client = open_client(f"sqlite:///{home}/mlruns/mlflow.db")

    def runs() -> list[Any]:
        experiment = client.get_experiment_by_name("demo")
        return list(client.search_runs([experiment.experiment_id], "tags.kind = 'run'"))[::-1]

    accepted = runs()[0].info.run_id
    said["accept"] = command("runner.accept", accepted, "--why", "第一版")
    said["hidden"] = command("runner", "-m", "experiment=hidden_options", "gate=release", "hydra.launcher.n_jobs=1")
    said["compare"] = command("runner.compare", accepted, runs()[-1].info.run_id)
    said["typo"] = command("runner", "-m", "experiment=release", "gate=relaese")
    return Story(said, runs(), lambda run: Path(run.info.artifact_uri.removeprefix("file://")))


def test_a_first_release_has_no_baseline_and_goes_out_with_warnings(story: Story) -> None:
    done = story.said["release"]
    assert done.status == 0, done.err
    assert f"gate release: passed {run_name('reranked', 5)}" in done.out
    assert "no baseline is accepted for this suite" in done.out


def test_the_release_is_accepted_with_its_verdict(story: Story) -> None:
    done = story.said["accept"]
    assert (done.status, "is the baseline of core/passage from now on (gate: passed)" in done.out) == (0, True)


def test_the_release_that_hides_removed_options_is_blocked_by_their_rule_alone(story: Story) -> None:
    done = story.said["hidden"]
    assert done.status == 1, done.err
    blocked = next(line for line in done.out.splitlines() if "BLOCKED" in line)
    assert blocked.endswith(" by removed options are found")
    run = story.runs[-1]
    outcomes = {key: value for key, value in run.data.metrics.items() if key.startswith("gate/")}
    assert outcomes["gate/removed options are found"] == -1
    assert sum(value < 0 for value in outcomes.values()) == 1
    assert run.data.tags["gate"] == "blocked"
    suite = ElementTree.parse(story.files(run) / "gate" / "gate.xml").getroot()
    assert suite.get("failures") == "1"
    failed = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed == ["removed options are found"]


def test_the_mean_hardly_moved(story: Story) -> None:
    before, after = (run.data.metrics for run in (story.runs[0], story.runs[-1]))
    assert 0 < before["recall"] - after["recall"] < 0.1
    assert before["recall/change_type.option_removed"] - after["recall/change_type.option_removed"] > 0.4


def test_the_comparison_names_the_questions_about_removed_options(story: Story) -> None:
    done = story.said["compare"]
    assert done.status == 0, done.err
    lost = [line for line in done.out.splitlines() if line.startswith("  B only: ")]
    assert len(lost) >= 5
    assert not [line for line in done.out.splitlines() if line.startswith("  A only: ")]


def test_a_misspelt_policy_is_bad_input_and_nothing_runs(story: Story) -> None:
    done = story.said["typo"]
    assert done.status == 2
    assert "relaese" in done.err
    assert len(story.runs) == 2
