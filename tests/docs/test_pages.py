"""Whatever README.md and the pages of docs/ tell a reader to type works; the how-to pages have a file of their own."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# Raised only with a reason: what is not run may be wrong.
MOST_NOT_RUN = 6


# A page is up to a dozen commands, on a busy machine of some ten seconds each.
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_says_to_type_works(page: Path, follow: Callable[[Path], None]) -> None:
    follow(page)


def test_what_is_not_run_is_little_and_says_why(blocks: list[Any]) -> None:
    left_out = [each for each in blocks if "not run" in each.marks]
    assert all(len(each.marks["not run"]) > 10 for each in left_out)
    assert len(left_out) <= MOST_NOT_RUN, "\n".join(map(str, left_out))


def test_commands_stand_only_in_blocks_that_are_run(blocks: list[Any]) -> None:
    assert not [str(each) for each in blocks if not each.language]
    for page in (*PAGES, *(ROOT / "docs").glob("*/*.md")):
        outside = re.sub(r"(?ms)^( *)```.*?^\1``` *$", "", page.read_text("utf-8"))
        assert not re.findall(r"(?m)^(?: {4}|\t)\$? ?python .*", outside), page.name
