"""A sweep as a command tells of it: the plan, the table, the run ids and where to look, and what failed."""

import os
import sys
from collections.abc import Sequence

from runner.configuration.project import project_folder
from runner.engine.cache import Cache
from runner.engine.plan import Job, Plan
from runner.engine.rank_and_score import Failed
from runner.reports.plan import plan_lines
from runner.reports.sweep_table import print_table
from runner.tracking.mlflow_store import ui_command
from runner.tracking.ui_links import charts_path, compare_path, run_path
from runner.workflows.run_jobs import ExperimentRuns, Listener, SweepOutcome

_MOST_IDS = 40


class SweepPrinter(Listener):
    """Prints all there is to tell."""

    def note(self, line: str) -> None:
        """Print it."""
        print(line, flush=True)

    def warn(self, line: str) -> None:
        """Print it on the standard error."""
        print(line, file=sys.stderr)

    def planned(self, plan: Plan, cache: Cache) -> None:
        """Print the plan, and the folder of one's own whose conf/ it comes from."""
        if project := project_folder():
            print(f"project: {project}")
        print("\n".join(plan_lines(plan, cache)), flush=True)

    def finished(self, outcome: SweepOutcome) -> None:
        """Print the table, the runs' ids, where to look at them, and what failed."""
        rows = outcome.rows
        if rows:
            print_table(rows)
            for row in rows[:_MOST_IDS]:
                print(f"run {row.run_id}  {row.name}" if outcome.sweep else f"run {row.run_id}")
            if len(rows) > _MOST_IDS:
                print(f"... and {len(rows) - _MOST_IDS} more in the summary run's runs.json")
            for experiment in outcome.experiments:
                _print_where(experiment, bool(outcome.scored), outcome.sweep)
        _print_failures(outcome.failures)


def _print_failures(failures: Sequence[Failed]) -> None:
    for failure in failures:
        job = failure.job
        for overrides in [job.overrides, *(job.also if isinstance(job, Job) else ())]:
            print(f"failed: {' '.join(overrides) or job.name}: {failure.error}", file=sys.stderr)
        if os.environ.get("HYDRA_FULL_ERROR") == "1":
            print(failure.trace, file=sys.stderr)


def _print_where(here: ExperimentRuns, fresh: bool, sweep: str | None) -> None:
    """Where the runs of one experiment are looked at."""
    if sweep:
        runs = "1 run" if len(here.rows) == 1 else f"{len(here.rows)} runs"
        print(f"sweep {sweep}: {runs} in the experiment {here.name!r}")
    print(f"look at the runs:   {ui_command(here.uri)}")
    if sweep and fresh:
        print(f"charts along k:     {charts_path(here.id, sweep, len(here.rows))}")
    if len(here.rows) > 1:
        print(f"compare these runs: {compare_path(here.id, [row.run_id for row in here.rows])}")
    else:
        print(f"this run:           {run_path(here.id, here.rows[0].run_id)}")
