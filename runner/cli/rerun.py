"""`python -m runner.rerun RUN_ID [key=value ...]`: repeat a past run from what was stored with it."""

import argparse
import sys
from collections.abc import Sequence

from runner.cli.entry import leave, parsed_arguments
from runner.cli.sweep_printer import SweepPrinter
from runner.composition.requests import readable_settings
from runner.configuration.settings import register_resolvers
from runner.files.scratch import scratch_folder
from runner.workflows.rerun import repeat_run, repetition_lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 when the run was repeated, identical or not."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.rerun",
        description="Repeat a past run from the configuration, suite and snapshot stored with it, and compare.",
        epilog="Without overrides everything is computed again; cache=on takes cached rankings. "
        "tracking.uri=... names the store that holds the run, if it is not the default one. trust=MODULE names a "
        "module of your own whose classes the stored configuration may build.",
    )
    parser.add_argument("run_id", help="the MLflow run id")
    parser.add_argument("overrides", nargs="*", help="settings to change, like k=10 or retriever.fusion.k=10")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        with scratch_folder("rerun") as folder:
            changes = readable_settings(parsed.overrides, sweep=True)
            found = repeat_run(parsed.run_id, changes, folder, SweepPrinter())
            for line in repetition_lines(found):
                print(line)
            return found.outcome.status

    leave(run)


if __name__ == "__main__":
    main(sys.argv[1:])
