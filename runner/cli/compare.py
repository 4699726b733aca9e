"""`python -m runner compare RUN_A RUN_B [RUN_C ...]`: what differs, how surely, and for which queries."""

import sys
from collections.abc import Sequence
from pathlib import Path

from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.decisions.comparison import Comparison, ComparisonOptions, compare
from runner.decisions.explain import causes
from runner.decisions.gating import refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.errors import InputError
from runner.files.scratch import scratch_folder
from runner.reports.compare import print_comparison, write_reports
from runner.scoring.metric_names import metric_names, parse_metric
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


class Compared(StoredRuns):
    """What the command takes."""

    runs: tuple[str, ...] = words("RUN_ID", "MLflow run ids, or their beginnings; the first is A")
    k: int | None = setting("compare at this k; default: that of the first run", None)
    metric: str = setting("whose slices to show", "recall", such_as=metric_names)
    level: float = setting("level of the intervals", 0.95, above=0, below=1)
    seed: int = setting("of the resampling", 13, least=0)
    out: Path | None = setting("a folder for compare.md and compare.json", None, metavar="DIR")


def run(asked: Compared) -> int:
    """Compare, print, and leave the comparison on every run."""
    metric = str(parse_metric(asked.metric))
    tracker = asked.place().tracker()
    with scratch_folder("compare") as folder:
        scores = _load(tracker, asked.runs, folder)
        comparison = compare(scores, ComparisonOptions(k=asked.k, level=asked.level, seed=asked.seed, metric=metric))
        print_comparison(comparison, metric, sys.stdout)
        _log(tracker, comparison, folder / "reports")
        if asked.out:
            write_reports(comparison, asked.out)
    return 0


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


main = Command(
    "compare",
    Compared,
    run,
    example="3f2a9c 81bd07 metric=ndcg",
    statuses="0 compared; 2 bad input, or runs that cannot be set against each other",
)

if __name__ == "__main__":
    main()
