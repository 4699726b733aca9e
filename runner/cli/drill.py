"""`python -m runner.drill suite=core retriever=hybrid [--slices change_type,language]`: is it noticed?"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from runner.cli.entry import leave, parsed_arguments
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs
from runner.files.scratch import scratch_folder
from runner.reports.drill import print_drill, write_reports
from runner.selftest.drill import run_drill
from runner.tracking.mlflow_store import ui_command
from runner.workflows.log_drill import log_drill


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 everything was noticed, 1 something was not, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.drill",
        description="Prove the instrument on a copy: remove, rename, shuffle, double and swap what has to be noticed.",
        epilog="Overrides are those of python -m runner: suite=core retriever=hybrid k=5 store=... tracking.uri=...",
    )
    parser.add_argument("overrides", nargs="*", help="what to drill, like suite=core retriever=hybrid")
    parser.add_argument("--slices", default="", help="fields of slices, with commas; all slices unless said")
    parser.add_argument("--out", type=Path, help="a folder for drill.md and drill.json")
    parsed = parsed_arguments(parser, arguments)

    def run() -> int:
        settings = compose_request(parsed.overrides).settings
        fields = [field.strip() for field in parsed.slices.split(",") if field.strip()]
        drill = run_drill(settings, ConfiguredInputs(), fields)
        print_drill(drill, sys.stdout)
        with scratch_folder("drill") as folder:
            write_reports(drill, folder)
            run_id = log_drill(drill, settings.tracking, folder)
        if parsed.out:
            write_reports(drill, parsed.out)
        print(f"run {run_id}")
        print(f"look at the runs:   {ui_command(settings.tracking.uri)}")
        return 1 if drill.failed else 0

    leave(run)


if __name__ == "__main__":
    main(sys.argv[1:])
