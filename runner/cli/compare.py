"""`python -m runner.compare RUN_A RUN_B [RUN_C ...]`: what differs, how surely, and for which queries."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from runner.cli.entry import leave, parsed_arguments
from runner.configuration.settings import register_resolvers
from runner.decisions.comparison import Comparison, ComparisonOptions, compare
from runner.decisions.explain import causes
from runner.decisions.gating import refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.errors import ConfigError, InputError
from runner.files.scratch import scratch_folder
from runner.reports.compare import print_comparison, write_reports
from runner.scoring.metric_names import metric_names, parse_metric
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 compared, 2 bad input or runs that cannot be set against each other."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.compare", description="Compare runs of one suite query by query; the first is A."
    )
    parser.add_argument("runs", nargs="+", metavar="RUN_ID", help="MLflow run ids; also tracking.uri=... or store=...")
    parser.add_argument("--k", type=int, help="compare at this k (default: that of the first run)")
    parser.add_argument("--metric", default="recall", help=f"whose slices to show: {', '.join(metric_names())}")
    parser.add_argument("--level", type=float, default=0.95, help="level of the intervals")
    parser.add_argument("--seed", type=int, default=13, help="of the resampling")
    parser.add_argument("--out", type=Path, help="a folder for compare.md and compare.json")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        metric = str(parse_metric(parsed.metric))
        if not 0 < parsed.level < 1:
            raise ConfigError(f"--level must lie between 0 and 1, found {parsed.level}")
        if parsed.seed < 0:
            raise ConfigError(f"--seed must be 0 or more, found {parsed.seed}")
        place = StoreLocation.of([each for each in parsed.runs if "=" in each])
        place.refuse_rest()
        run_ids = [each for each in parsed.runs if "=" not in each]
        tracker = place.tracker()
        with scratch_folder("compare") as folder:
            scores = _load(tracker, run_ids, folder)
            comparison = compare(
                scores, ComparisonOptions(k=parsed.k, level=parsed.level, seed=parsed.seed, metric=metric)
            )
            print_comparison(comparison, metric, sys.stdout)
            _log(tracker, comparison, folder / "reports")
            if parsed.out:
                write_reports(comparison, parsed.out)
        return 0

    leave(run)


def _load(tracker: Tracker, run_ids: Sequence[str], folder: Path) -> list[RunScores]:
    stored = [StoredRun.fetch(tracker, run_id, folder / str(number)) for number, run_id in enumerate(run_ids)]
    scores = [RunScores.of(run) for run in stored]
    for other in scores[1:]:
        try:
            refuse_unlike(scores[0], other)
        except InputError as error:
            # Refused all the same; what moved is what the person will ask next.
            moved = "; ".join(map(str, causes(stored[0], other.run)))
            raise InputError(f"{error} (what moved: {moved})") from None
    return scores


def _log(tracker: Tracker, comparison: Comparison, folder: Path) -> None:
    """Put the comparison on every run that it is about."""
    if tracker.read_only:
        print("note: the store is read-only; nothing is logged")
        return
    write_reports(comparison, folder)
    ids = [comparison.first.run.id, *(pair.second.run.id for pair in comparison.pairs)]
    for run_id in ids:
        others = "-".join(each[:8] for each in ids if each != run_id)
        tracker.client.log_artifacts(run_id, str(folder), f"compare/{others}")


if __name__ == "__main__":
    main(sys.argv[1:])
