"""`python -m runner drill suite=core retriever=hybrid [slices=change_type,language]`: is it noticed?"""

import sys
from pathlib import Path

from runner.cli.arguments import Arguments, others, setting
from runner.cli.command import Command
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs
from runner.files.scratch import scratch_folder
from runner.reports.drill import print_drill, write_reports
from runner.selftest.drill import run_drill
from runner.tracking.mlflow_store import ui_command
from runner.workflows.log_drill import log_drill


class Asked(Arguments):
    """What the command takes."""

    overrides: tuple[str, ...] = others(
        "NAME=VALUE: what to drill, as in a run: suite=core retriever=hybrid k=5 store=DIR"
    )
    slices: tuple[str, ...] = setting("fields of slices; default: all slices", (), metavar="FIELD,...")
    out: Path | None = setting("a folder for drill.md and drill.json", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Drill, print and log."""
    settings = compose_request(asked.overrides).settings
    drill = run_drill(settings, ConfiguredInputs(), asked.slices)
    print_drill(drill, sys.stdout)
    with scratch_folder("drill") as folder:
        write_reports(drill, folder)
        run_id = log_drill(drill, settings.tracking, folder)
    if asked.out:
        write_reports(drill, asked.out)
    print(f"run {run_id}")
    print(f"look at the runs:   {ui_command(settings.tracking.uri)}")
    return 1 if drill.failed else 0


main = Command(
    "drill",
    Asked,
    run,
    example="suite=core retriever=hybrid slices=change_type,language",
    statuses="0 everything was noticed; 1 something was not; 2 bad input",
)

if __name__ == "__main__":
    main()
