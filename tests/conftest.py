"""What holds for every test."""

import signal
import sys
from pathlib import Path

import pytest

# Tests, and the workers that they start, import the doubles and worlds of each other by name.
sys.path[:0] = [str(folder) for folder in sorted(Path(__file__).parent.rglob("support"))]

# Where commands are run as processes, public collections are read, or a thing is tried many times over.
SLOW = (
    "alignment/test_known_changes.py",
    "alignment/test_snapshot_commands.py",
    "annotation/candidates/test_anonymise_file.py",
    "annotation/candidates/test_candidates_command.py",
    "annotation/migration/test_migration_fastapi.py",
    "annotation/migration/test_migration_properties.py",
    "annotation/review/test_review_terminal.py",
    "api/test_decisions.py",
    "api/test_examples.py",
    "bad_input",
    "browser",
    "citation_checks/test_lineage_command.py",
    "cli/test_completion.py",
    "cli/test_info.py",
    "cli/test_init.py",
    "command",
    "decisions/choose/test_choose_command.py",
    "decisions/test_baseline.py",
    "decisions/test_decision_commands.py",
    "decisions/test_demo_release.py",
    "decisions/test_gate_verdicts.py",
    "decisions/test_logged_intervals.py",
    "decisions/test_moved_world.py",
    "decisions/test_run_id_beginnings.py",
    "decisions/trend/test_clean_holdout_runs.py",
    "decisions/trend/test_trend_command.py",
    "decisions/trend/test_trend_reports.py",
    "docs",
    "documents/test_public_pages.py",
    "engine/test_extension_points.py",
    "engine/test_faults.py",
    "engine/test_misbehaving.py",
    "engine/test_misbehaving_chunkers.py",
    "engine/test_recorder.py",
    "engine/test_same_results.py",
    "kills",
    "retrievers/test_public_figures.py",
    "security",
    "selftest",
    "stats/test_paired.py",
    "store",
    "suites/spans/test_fastapi_judgments.py",
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
