"""What holds for every test."""

import signal
from pathlib import Path

import pytest

# Where commands are run as processes, public collections are read, or damage is tried byte by byte.
SLOW = (
    "bad_input",
    "candidates/test_candidates_command.py",
    "choose/test_choose_command.py",
    "citations/test_lineage_command.py",
    "command",
    "corpus/test_public_pages.py",
    "decide/test_baseline.py",
    "decide/test_decision_commands.py",
    "decide/test_demo_release.py",
    "decide/test_moved_world.py",
    "engine/test_misbehaving.py",
    "engine/test_misbehaving_chunkers.py",
    "engine/test_recorder.py",
    "judging/test_migration_fastapi.py",
    "kills",
    "retrievers/test_public_figures.py",
    "review/test_review_terminal.py",
    "security",
    "spans/test_fastapi_judgments.py",
    "store",
    "trend/test_clean_holdout_runs.py",
)


def pytest_configure() -> None:
    """Have interrupts reach the commands that tests start, also where the tests run as a background job.

    A shell starts background jobs with SIGINT ignored, and a process hands that down to those it starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what the fast tier leaves out."""
    here = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(here).as_posix()
        if place.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
