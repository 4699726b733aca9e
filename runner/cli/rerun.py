"""`python -m runner rerun RUN_ID [name=value ...]`: repeat a past run from what was stored with it."""

from runner.cli.arguments import Arguments, others, words
from runner.cli.command import Command
from runner.cli.sweep_printer import SweepPrinter
from runner.composition.requests import readable_settings
from runner.files.scratch import scratch_folder
from runner.tracking.location import StoreLocation
from runner.workflows.rerun import repeat_run, repetition_lines


class Asked(Arguments):
    """What the command takes."""

    run_id: str = words("RUN_ID", "the MLflow run id, or its beginning")
    overrides: tuple[str, ...] = others("NAME=VALUE: settings to change, like k=10 or retriever.fusion.k=10")


def run(asked: Asked) -> int:
    """Repeat the run."""
    with scratch_folder("rerun") as folder:
        place = StoreLocation.of(readable_settings(asked.overrides, sweep=True))
        found = repeat_run(asked.run_id, place, place.rest, folder, SweepPrinter())
        for line in repetition_lines(found):
            print(line)
        return found.outcome.status


main = Command(
    "rerun",
    Asked,
    run,
    example="3f2a9c k=10",
    statuses="0 the run was repeated, identical or not; 1 it could not be; 2 bad input",
    notes="Without settings everything is computed again; cache=on takes cached rankings. tracking.uri=... names the\n"
    "store that holds the run, if it is not the default one. trust=MODULE names a module of your own whose classes\n"
    "the stored configuration may build.",
)

if __name__ == "__main__":
    main()
