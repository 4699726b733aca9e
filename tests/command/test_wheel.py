"""The wheel holds everything that the commands need, and works where there is no checkout."""

import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from runner.configuration.settings import conf_directory, data_directory

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it, with what builds it from this environment or else from the package registry."""
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("the tests do not run in a checkout")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "-q", "-w", str(folder)]
    if importlib.util.find_spec("hatchling"):
        command.append("--no-build-isolation")
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode and any(word in done.stderr for word in ("No matching distribution", "No module named pip")):
        pytest.skip("hatchling is neither installed nor to be had from the package registry")
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.mark.parametrize(("source", "inside"), [("conf", "runner/_conf"), ("data", "runner/_data")])
def test_configuration_and_demo_are_inside(names: set[str], source: str, inside: str) -> None:
    folder = conf_directory() if source == "conf" else data_directory() / "demo"
    wanted = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    prefix = inside if source == "conf" else f"{inside}/demo"
    assert wanted
    assert {f"{prefix}/{path.as_posix()}" for path in wanted} <= names


def test_every_module_is_inside_with_the_launcher_and_the_types(names: set[str]) -> None:
    for package in ("runner", "retrievers", "hydra_plugins"):
        modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert modules <= names
    assert {"runner/py.typed", "retrievers/py.typed", "hydra_plugins/planned_launcher/launcher.py"} <= names
    # A namespace package: with an __init__ it would hide other people's Hydra plugins.
    assert "hydra_plugins/__init__.py" not in names
    assert not any(name.startswith(("tests/", "benchmarks/", "mlruns/")) for name in names)


def test_version_and_licence_are_stated(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    folder = f"retrieval_runner-{project['version']}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        stated = archive.read(f"{folder}/METADATA").decode("utf-8")
        licence = archive.read(f"{folder}/licenses/LICENSE").decode("utf-8")
    assert f"\nVersion: {project['version']}\n" in stated
    assert "\nLicense-Expression: Apache-2.0\n" in stated
    assert "Apache License" in licence


def test_a_sweep_is_planned_from_the_wheel_alone(wheel: Path, desk: Any, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    # First on the path, so that nothing comes from the checkout.
    variables = {"PYTHONPATH": str(tmp_path / "site"), "RUNNER_HOME": ""}
    arguments = ("-m", "retriever=bm25,hybrid", "k=1,3", "dry_run=true")
    done = desk.finish(desk.start("runner", *arguments, cwd=tmp_path, **variables))
    assert done.status == 0, done.err
    assert "jobs: 4 asked for, 4 to score" in done.out
    shown = desk.finish(desk.start("runner", "--cfg", "job", "--resolve", cwd=tmp_path, **variables))
    assert f"store: {tmp_path}/mlruns\n" in shown.out
    assert f"path: {tmp_path}/site/runner/_data/demo/2026-09\n" in shown.out
