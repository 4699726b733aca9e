"""What holds for every test."""

import signal
from pathlib import Path

import pytest

# Where commands are run as processes, public collections are read, or a thing is tried many times over.
SLOW = (
    "api/test_decisions.py",
    "api/test_examples.py",
    "bad_input",
    "browser",
    "candidates/test_anonymise_file.py",
    "candidates/test_candidates_command.py",
    "changes/test_known_changes.py",
    "changes/test_snapshot_commands.py",
    "choose/test_choose_command.py",
    "citations/test_lineage_command.py",
    "cli/test_completion.py",
    "cli/test_info.py",
    "cli/test_init.py",
    "command",
    "corpus/test_public_pages.py",
    "decide/test_baseline.py",
    "decide/test_decision_commands.py",
    "decide/test_demo_release.py",
    "decide/test_gate_verdicts.py",
    "decide/test_logged_intervals.py",
    "decide/test_moved_world.py",
    "decide/test_run_id_beginnings.py",
    "docs",
    "drill",
    "engine/test_extension_points.py",
    "engine/test_faults.py",
    "engine/test_misbehaving.py",
    "engine/test_misbehaving_chunkers.py",
    "engine/test_recorder.py",
    "engine/test_same_results.py",
    "judging/test_migration_fastapi.py",
    "judging/test_migration_properties.py",
    "kills",
    "retrievers/test_public_figures.py",
    "review/test_review_terminal.py",
    "security",
    "spans/test_fastapi_judgments.py",
    "stats/test_paired.py",
    "store",
    "trend/test_clean_holdout_runs.py",
    "trend/test_trend_command.py",
    "trend/test_trend_reports.py",
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
