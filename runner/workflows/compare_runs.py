"""Compare stored runs, and put the comparison on every run that it is about."""

from collections.abc import Callable, Sequence
from pathlib import Path

from runner.decisions.comparison import Comparison, ComparisonOptions, compare
from runner.decisions.explain import causes
from runner.decisions.gating import refuse_unlike
from runner.decisions.run_scores import RunScores
from runner.errors import InputError
from runner.reports.compare import write_reports
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


def compare_runs(
    tracker: Tracker, runs: Sequence[str | StoredRun], options: ComparisonOptions, folder: Path
) -> Comparison:
    """Compare the first run with every other; of those named by id the files are put into a folder.

    Raises InputError as `compare` does, and says what moved where runs were not scored alike.
    """
    stored = [
        run if isinstance(run, StoredRun) else StoredRun.fetch(tracker, run, folder / str(number))
        for number, run in enumerate(runs)
    ]
    scores = [RunScores.of(run) for run in stored]
    for other in scores[1:]:
        try:
            refuse_unlike(scores[0], other)
        except InputError as error:
            # Refused all the same; what moved is what the person will ask next.
            moved = "; ".join(map(str, causes(stored[0], other.run)))
            raise InputError(f"{error} (what moved: {moved})") from None
    return compare(scores, options)


def log_comparison(tracker: Tracker, comparison: Comparison, folder: Path, say: Callable[[str], None]) -> None:
    """Write the reports into a folder and put them on every run that they are about."""
    if tracker.read_only:
        say("note: the store is read-only; nothing is logged")
        return
    write_reports(comparison, folder)
    ids = [comparison.first.run.id, *(pair.second.run.id for pair in comparison.pairs)]
    for run_id in ids:
        others = "-".join(each[:8] for each in ids if each != run_id)
        tracker.client.log_artifacts(run_id, str(folder), f"compare/{others}")
