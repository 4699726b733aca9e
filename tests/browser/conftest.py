"""What the tests of pages share: a browser, and the suite that is reviewed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import chromium
from review_world import World


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A page of its own; what it looked like at the end is kept beside the test's files."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    page.screenshot(path=tmp_path / "at-the-end.png", timeout=120_000)
    context.close()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("RUNNER_HOME", str(tmp_path / "home"))
    return World(tmp_path)
