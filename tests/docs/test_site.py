"""The documentation is built without a warning, needs nothing from elsewhere, and leaves out nothing of the program."""

import os
import re
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest
import yaml

import runner
from runner import extension_points
from runner.cli.commands import COMMANDS
from runner.configuration.settings import Settings

pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
pytest.importorskip("material", reason="the extra `docs` is not installed")

ROOT = Path(__file__).resolve().parents[2]
LONGEST_README = 150


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def words_of(page: Path) -> str:
    return unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8")))


def test_no_page_takes_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        taken = re.findall(r"<(?:script|img|iframe|link)[^>]*(?:src|href)=\"?((?:https?:)?//[^\s\">]+)", text)
        assert not taken, f"{page.name}: {taken}"


def test_every_page_is_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text("utf-8")
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")} - {"404.html", "index.html"}
    assert len(pages) > 20
    assert not {page for page in pages if f'href="{page}"' not in start}


def test_the_reference_has_every_command(site: Path) -> None:
    shown = words_of(site / "reference" / "commands.html")
    assert len(COMMANDS) >= 20
    for command in COMMANDS:
        assert f"usage: python -m runner {command} " in shown, command


def test_the_reference_has_every_key_of_the_configuration_with_its_meaning(site: Path) -> None:
    text = (site / "reference" / "configuration.html").read_text("utf-8")
    for path in sorted((ROOT / "conf").glob("*/*.yaml")):
        assert f">{path.parent.name}={path.stem}<" in text, path
    cells = [re.findall(r"<td>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
    rows = [(re.sub(r"<[^>]+>", "", cell[0]), cell[2]) for cell in cells if len(cell) == 3]
    assert len(rows) > 100
    assert not [key for key, meaning in rows if not meaning.strip()]
    keys = {key.split(".")[0] for key, _ in rows}
    # The parts, whose own tables stand under their group.
    groups = {path.name for path in (ROOT / "conf").iterdir() if path.is_dir()}
    assert set(Settings.model_fields) <= keys | groups
    for path in (ROOT / "conf").glob("*/*.yaml"):
        if path.parent.name in ("experiment", "anonymise"):
            continue
        for key in yaml.safe_load(path.read_text("utf-8")) or {}:
            assert key in ("defaults", "_target_") or key in keys, f"{path}: {key}"


def test_the_reference_has_every_public_name(site: Path) -> None:
    text = (site / "reference" / "library.html").read_text("utf-8")
    for name in runner.__all__:
        assert f'id="runner.{name}"' in text, name


def test_the_reference_has_every_extension_point(site: Path) -> None:
    shown = words_of(site / "reference" / "extension-points.html")
    for name in extension_points.__all__:
        assert f"class {name}" in shown, name


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_README
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (ROOT / link).is_file(), link


def test_the_reference_defines_every_metric(site: Path) -> None:
    text = (site / "reference" / "metrics.html").read_text("utf-8")
    names = {path.stem for path in (ROOT / "runner" / "scoring" / "metrics").glob("[!_]*.py")}
    assert len(names) > 10
    assert not {name for name in names if f"<td><code>{name}</code></td>" not in text}


def test_the_places_that_contributing_names_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    places = re.findall(r"`((?:runner|retrievers|conf|docs|tests)/[\w./-]*)`", text)
    assert len(places) > 10
    assert not [place for place in places if not (ROOT / place).exists()]
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert (ROOT / link).is_file(), link


def test_the_changes_of_this_version_are_told() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    told = re.search(rf"(?ms)^## {re.escape(version)}\n\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert told and told[1].startswith("- ")
