"""`python -m runner.gate RUN_ID [--baseline RUN_ID] [gate=release]`: may this run be released?"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from runner.cli.entry import leave, parsed_arguments
from runner.composition.policy_files import read_policy
from runner.configuration.settings import register_resolvers
from runner.errors import ConfigError
from runner.reports.gate import gate_lines
from runner.tracking.location import StoreLocation
from runner.workflows.gate_run import gate_run


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 passed, 1 blocked, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.gate",
        description="Judge a run by a policy of conf/gate/, against the accepted baseline of its suite.",
        epilog="Overrides: gate=NAME or gate=FILE.yaml (default release), gate.seed=7, tracking.uri=..., "
        "store=..., trust=MODULE (of yours, that "
        "a stored baseline names).",
    )
    parser.add_argument("run_id", help="the MLflow run id of the new run")
    parser.add_argument("overrides", nargs="*", help="settings, like gate=release")
    parser.add_argument("--baseline", help="the run to compare with, instead of the accepted baseline")
    parser.add_argument("--out", type=Path, help="a folder for gate.md, gate.xml and gate.json")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        place = StoreLocation.of(parsed.overrides)
        policy = read_policy(place.rest)
        if policy is None:
            raise ConfigError("gate=null judges nothing; name a policy of conf/gate/")
        result = gate_run(
            place.tracker(), parsed.run_id, policy, place.store, parsed.baseline, parsed.out, place.trust, print
        )
        print("\n".join(gate_lines(result)))
        return 1 if result.blocked else 0

    leave(run)


if __name__ == "__main__":
    main(sys.argv[1:])
