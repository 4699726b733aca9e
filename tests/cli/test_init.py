"""A project made by `init` is found where it lies, works at once, and never takes anybody's place."""

import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from runner.cli import init, snapshot
from runner.cli.entry import run_command
from runner.composition.policy_files import read_policy
from runner.composition.requests import compose_request
from runner.configuration.project import project_folder
from runner.configuration.settings import conf_choices, conf_directory, home
from runner.suite_formats.own import OwnSuite

PAGES = {
    "limits.md": "# Limits\n\nAt most 100 requests a minute are served.\n\n"
    "## Retries\n\nWait a second before you retry.\n",
    "子/帳單.md": "# 帳單\n\n帳單在每月第一天寄出給客戶。\n\n## 退款\n\n退款需要十個工作天才會入帳。\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, with pages beside."""
    for name in list(os.environ):
        if name.startswith(("RUNNER_", "HYDRA_", "MLFLOW_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    for name, text in PAGES.items():
        page = tmp_path / "我的 頁面" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, "utf-8")
    return tmp_path


def made(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        init.main(words)
    return int(stop.value.code or 0)


def test_the_first_sweep_of_a_new_project_works_at_once_and_no_gate_blocks_on_what_was_drafted(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert made("專 案", "pages=我的 頁面") == 0
    assert "2 documents, 4 passages, 4 drafted questions" in capfd.readouterr().out
    monkeypatch.chdir(here / "專 案")
    words = ["-m", "retriever=bm25,hybrid", "k=1,3", "gate=release", "hydra.launcher.n_jobs=1"]
    monkeypatch.setattr(sys, "argv", ["runner", *words])
    # Leaves with a status only where that is not 0.
    run_command(words)
    said = capfd.readouterr()
    assert f"project: {here / '專 案'}" in said.out
    assert "4 to score" in said.out and "gate release: passed" in said.out
    assert "4 more are not judged by human" in said.out
    assert (here / "專 案/mlruns/mlflow.db").is_file()
    with pytest.raises(SystemExit):
        snapshot.main(["list"])
    assert "專 案" in capfd.readouterr().out


def test_every_drafted_question_is_marked_and_asks_for_a_passage_of_its_own(here: Path) -> None:
    made("p", "pages=我的 頁面")
    suite = OwnSuite(here / "p/questions/suite.yaml").read()
    assert {query.text: list(query.grades) for query in suite.queries} == {
        "At most 100 requests a minute are served.": ["limits.md#limits"],
        "Wait a second before you retry.": ["limits.md#retries"],
        "帳單在每月第一天寄出給客戶。": ["子/帳單.md#帳單"],
        "退款需要十個工作天才會入帳。": ["子/帳單.md#退款"],
    }
    assert {query.source for query in suite.queries} == {"synthetic"}
    assert {judgment.source for query in suite.queries for judgment in query.every_judgment} == {"synthetic"}
    assert suite.slices == ("folder",)


def test_a_project_is_found_from_every_folder_in_it_and_comes_before_the_program(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project_folder() is None
    made("p", "pages=我的 頁面")
    (here / "p/conf/retriever").mkdir()
    (here / "p/conf/retriever/mine.yaml").write_text("defaults: [bm25]\nname: mine\nk1: 0.9\n")
    (here / "p/conf/fusion").mkdir()
    (here / "p/conf/fusion/rrf.yaml").write_text("_target_: retrievers.fusion.ReciprocalRank\nk: 7\n")
    below = here / "p/questions"
    monkeypatch.chdir(below)
    assert (project_folder(), home()) == (here / "p", here / "p")
    settings = compose_request(["retriever=mine"]).settings
    assert (settings.dataset["name"], settings.retriever["k1"]) == ("p", 0.9)
    assert Path(settings.corpus["path"]).samefile(here / "我的 頁面")
    assert compose_request(["retriever=hybrid"]).settings.retriever["fusion"]["k"] == 7
    policy = read_policy([])
    assert policy is not None and [rule.name for rule in policy.rules] == ["overall recall", "first answer"]
    assert conf_choices("gate")["release"] == here / "p/conf/gate/release.yaml"
    # The program's own are there as before, and what is asked for wins over the project.
    assert compose_request(["dataset=demo"]).settings.dataset["name"] == "demo"
    assert compose_request(["experiment=release"]).settings.retriever["name"] == "reranked"
    monkeypatch.setenv("RUNNER_HOME", str(here / "elsewhere"))
    assert home() == here / "elsewhere"
    monkeypatch.chdir(here)
    assert compose_request([]).settings.dataset["name"] == "demo"
    assert compose_request(["retriever=hybrid"]).settings.retriever["fusion"]["k"] == 60
    assert conf_choices("gate")["release"] == conf_directory() / "gate/release.yaml"


def test_a_project_and_its_pages_can_be_moved_together(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made("p", "pages=我的 頁面")
    (here / "new").mkdir()
    for name in ("p", "我的 頁面"):
        (here / name).rename(here / "new" / name)
    monkeypatch.chdir(here / "new/p")
    assert Path(compose_request([]).settings.corpus["path"]).samefile(here / "new/我的 頁面")


def test_without_pages_there_are_examples_in_two_languages(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "p").mkdir()
    assert made("p") == 0
    assert sorted(path.name for path in (here / "p/pages").iterdir()) == ["en", "zh"]
    monkeypatch.chdir(here / "p")
    assert Path(compose_request([]).settings.corpus["path"]).samefile("pages")


def test_passages_that_are_told_apart_by_number_only_are_judged_whole(here: Path) -> None:
    (here / "texts").mkdir()
    (here / "texts/same.md").write_text("## Note\n\nA client may retry.\n\n## Note\n\nA server may wait.\n")
    assert made("p", "pages=texts") == 0
    suite = OwnSuite(here / "p/questions/suite.yaml").read()
    assert suite.unit == "document" and {id_ for query in suite.queries for id_ in query.grades} == {"same.md"}


@pytest.mark.parametrize("name", ["a: b", "名 # 字", "2026", "${x}", "q'\"q"])
def test_any_name_of_a_folder_is_text(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = name.replace("$", "")
    (here / "我的 頁面").rename(here / f"pages {beside}")
    assert made(name, f"--pages=pages {beside}") == 0
    monkeypatch.chdir(here / name)
    dataset = yaml.safe_load(Path("conf/dataset/project.yaml").read_text("utf-8"))["dataset"]
    assert dataset["name"].replace("\\", "") == name
    assert Path(compose_request([]).settings.corpus["path"]).samefile(here / f"pages {beside}")
    assert json.loads(Path("questions/queries.jsonl").read_text("utf-8").splitlines()[0])["source"] == "synthetic"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("used",), "used: is not empty (a.txt, b.txt); nothing is overwritten"),
        (("used/a.txt",), "used/a.txt: is a file"),
        (("p", "pages=nothing"), "pages=nothing: not found"),
        (("p", "pages=used/a.txt"), "pages=used/a.txt: is not a folder"),
        (("p", "pages=empty"), "empty"),
        (("p", "pages=."), "p: lies among the pages"),
        (("empty/p", "pages=empty"), "empty/p: lies among the pages"),
        ((), "DIR is missing"),
    ],
)
def test_what_cannot_be_made_is_one_error_and_nothing_is_written(
    words: tuple[str, ...], told: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "used").mkdir()
    (here / "empty").mkdir()
    for name in ("a.txt", "b.txt"):
        (here / "used" / name).write_text("")
    before = sorted(here.rglob("*"))
    assert made(*words) == 2
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1) and told in said.err
    assert sorted(here.rglob("*")) == before
