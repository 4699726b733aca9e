"""A headless Chromium: the one that is installed, else the one that playwright has downloaded."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Any]:
    """A started browser; where there is none, the test is skipped with the reason."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser` (playwright)")
    with sync_api.sync_playwright() as playwright:
        installed = next(filter(None, map(shutil.which, _INSTALLED)), None)
        if installed is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("needs a Chromium: install one, or run `playwright install chromium`")
        browser = playwright.chromium.launch(
            executable_path=installed, args=["--no-sandbox", "--disable-dev-shm-usage"], headless=True
        )
        try:
            yield browser
        finally:
            browser.close()
