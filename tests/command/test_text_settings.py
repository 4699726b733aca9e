"""A setting that is text is text, whatever it looks like, on the command line and in files."""

from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from runner.composition.requests import compose_request
from runner.composition.text_settings import as_text
from runner.configuration.text_keys import yaml_as_spelt
from runner.errors import ConfigError

LOOKS = ["2026", "2026.10", "2026_09", "true", "1e3", "null", "007", "0x10", "1:30", "on", "nan", ".5", "-1", "12."]


def read(override: str) -> Any:
    return OverridesParser.create().parse_override(as_text(override)).value()


@pytest.mark.parametrize("looks", LOOKS)
@pytest.mark.parametrize("key", ["dataset.path", "dataset.name", "corpus.path", "suite.topics", "tracking.experiment"])
def test_text_is_taken_as_typed(key: str, looks: str) -> None:
    assert str(read(f"{key}={looks}")) == looks
    assert isinstance(read(f"{key}={looks}"), str) or hasattr(read(f"{key}={looks}"), "text")


@pytest.mark.parametrize("asked", ["2025,2026.10", "choice(2025,2026.10)", "2025, 2026.10"])
def test_each_value_of_a_sweep_is_taken_as_typed(asked: str) -> None:
    parsed = OverridesParser.create().parse_override(as_text(f"dataset.path={asked}"))
    assert parsed.is_sweep_override()
    assert list(parsed.sweep_string_iterator()) == ['"2025"', '"2026.10"']


@pytest.mark.parametrize(
    "override",
    [
        "k=3",
        "suite=core",
        "retriever.fusion.k=10",
        "suite.name=null",
        "fusion.weights={a: 1}",
        "dataset.path='20 26'",
        "dataset.path=docs",
        "dataset.path=range(1,3)",
        "intervals=null",
        "~pool",
        "suite.min_grade=1",
    ],
)
def test_anything_else_is_left_alone(override: str) -> None:
    assert as_text(override) == override


@pytest.mark.parametrize("looks", ["2026", "2026.10", "true", "007"])
def test_a_dataset_lies_in_a_folder_of_any_name(looks: str) -> None:
    settings = compose_request(["dataset=beir", f"dataset.path={looks}", f"dataset.name={looks}"]).settings
    assert (settings.corpus["path"], settings.suite["path"]) == (looks, looks)
    assert (settings.dataset["name"], settings.tracking.experiment) == (looks, looks)


@pytest.mark.parametrize("looks", [*(each for each in LOOKS if each != "null"), "2026-03-01"])
def test_files_are_read_as_they_are_spelt(tmp_path: Path, looks: str) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"dataset: {{path: {looks}, name: {looks}}}\ntracking:\n  experiment: {looks}\nk: 3\nb: true\n")
    with yaml_as_spelt():
        read = OmegaConf.load(path)
    assert (read.dataset.path, read.dataset.name, read.tracking.experiment) == (looks, looks, looks)
    assert (read.k, read.b) == (3, True)


def test_null_in_a_file_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text("name: null\nsnapshot: ~\npath:\n")
    with yaml_as_spelt():
        read = OmegaConf.load(tmp_path / "suite.yaml")
    assert read == {"name": None, "snapshot": None, "path": None}


def test_a_home_folder_is_reached_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = compose_request(["dataset=beir", 'dataset.path="~/x"', 'store="~/runs"']).settings
    assert (settings.corpus["path"], settings.suite["path"]) == (f"{tmp_path}/x", f"{tmp_path}/x")
    assert settings.store == f"{tmp_path}/runs"


def test_a_prompt_may_be_none() -> None:
    node = compose_request(["retriever=semantic", "embedder=sentence_transformers", "embedder.query_prompt=null"])
    assert node.settings.retriever["embedder"]["query_prompt"] is None


def test_a_sweep_is_not_shown_as_one_job() -> None:
    from runner.composition.late_settings import prepare

    with pytest.raises(ConfigError, match="--cfg shows one job: leave -m out"):
        prepare(["-m", "--cfg", "job", "k=1,2"])
