"""`python -m runner compare RUN_A RUN_B [RUN_C ...]`: what differs, how surely, and for which queries."""

import sys
from pathlib import Path

from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.decisions.comparison import ComparisonOptions
from runner.files.scratch import scratch_folder
from runner.reports.compare import print_comparison, write_reports
from runner.scoring.metric_names import metric_names, parse_metric
from runner.workflows.compare_runs import compare_runs, log_comparison


class Asked(StoredRuns):
    """What the command takes."""

    runs: tuple[str, ...] = words("RUN_ID", "MLflow run ids, or their beginnings; the first is A")
    k: int | None = setting("compare at this k; default: that of the first run", None)
    metric: str = setting("whose slices to show", "recall", such_as=metric_names)
    level: float = setting("level of the intervals", 0.95, above=0, below=1)
    seed: int = setting("of the resampling", 13, least=0)
    out: Path | None = setting("a folder for compare.md and compare.json", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Compare, print, and leave the comparison on every run."""
    metric = str(parse_metric(asked.metric))
    tracker = asked.place().tracker()
    with scratch_folder("compare") as folder:
        options = ComparisonOptions(k=asked.k, level=asked.level, seed=asked.seed, metric=metric)
        comparison = compare_runs(tracker, asked.runs, options, folder)
        print_comparison(comparison, metric, sys.stdout)
        log_comparison(tracker, comparison, folder / "reports", print)
        if asked.out:
            write_reports(comparison, asked.out)
    return 0


main = Command(
    "compare",
    Asked,
    run,
    example="3f2a9c 81bd07 metric=ndcg",
    statuses="0 compared; 2 bad input, or runs that cannot be set against each other",
)

if __name__ == "__main__":
    main()
