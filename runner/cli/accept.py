"""`python -m runner.accept RUN_ID [--why TEXT]`: this run is the baseline of its suite from now on."""

import argparse
import sys
from collections.abc import Sequence

from runner.cli.entry import leave, parsed_arguments
from runner.configuration.settings import register_resolvers
from runner.decisions.baseline import accept, accepted_runs, baseline_key, decisions, same_dataset, undo
from runner.errors import InputError
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import find_run


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.accept",
        description="Accept a finished run as the baseline that later runs of its suite are gated against.",
    )
    parser.add_argument("run_id", help="the MLflow run id")
    parser.add_argument("overrides", nargs="*", help="tracking.uri=... or store=...")
    parser.add_argument("--why", default="", help="the reason, kept with the decision")
    parser.add_argument("--undo", action="store_true", help="take the acceptance back; the one before counts again")
    parser.add_argument("--list", action="store_true", help="only show the baselines of this run's suite")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        place = StoreLocation.of(parsed.overrides)
        place.refuse_rest()
        tracker = place.tracker()
        found = find_run(tracker, parsed.run_id)
        if "suite" not in found.data.params:
            raise InputError(f"run {parsed.run_id} is not a scored job, so it has no suite to be a baseline of")
        tracker = tracker.for_experiment(found.info.experiment_id)
        key = baseline_key(found.data.params)
        if parsed.undo:
            standing = undo(tracker, found, parsed.why)
            now = f"{standing.info.run_name} ({standing.info.run_id})" if standing else "none"
            print(f"run {parsed.run_id} is no longer the baseline of {key}; the baseline is now: {now}")
        elif not parsed.list:
            event = accept(tracker, found, parsed.why)
            print(f"run {parsed.run_id} is the baseline of {key} from now on (gate: {event.verdict})")
        params = found.data.params
        standing_now = [each for each in accepted_runs(tracker, key) if same_dataset(each.data.params, params)]
        if parsed.list:
            print(f"baseline of {key}: {standing_now[0].info.run_id if standing_now else 'none'}")
        for run_id, event in decisions(tracker, key):
            reason = f": {event.why}" if event.why else ""
            print(f"  {event.at[:19]} {event.what} {run_id} by {event.who}, gate {event.verdict}{reason}")
        return 0

    leave(run)


if __name__ == "__main__":
    main(sys.argv[1:])
