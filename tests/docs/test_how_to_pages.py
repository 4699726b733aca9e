"""Whatever the how-to pages tell a reader to type works, each page in a folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


# A page is up to a dozen commands, on a busy machine of some ten seconds each.
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_what_a_page_says_to_type_works(page: Path, follow: Callable[[Path], None]) -> None:
    follow(page)
