"""`python -m runner trend suite=NAME [metric=recall k=5] [slice=FIELD.VALUE]`: a metric over the accepted runs."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from runner.cli.arguments import StoredRuns, setting
from runner.cli.command import Command
from runner.decisions.accepted import Accepted, accepted_over_time, default_k
from runner.decisions.run_scores import RunScores
from runner.decisions.trend import Measure, trend_of
from runner.errors import ConfigError, InputError, RunnerError
from runner.files.scratch import scratch_folder
from runner.reports.trend import print_trend, write_reports
from runner.scoring.metric_names import metric_names
from runner.suites import UNITS
from runner.tracking.artifacts import PER_QUERY
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker


class Asked(StoredRuns):
    """What the command takes."""

    suite: str = setting("the suite", metavar="NAME")
    metric: str = setting("which metric", "recall", such_as=metric_names)
    k: int | None = setting("at this k; default: that of the newest accepted run", None, least=1)
    slice: str = setting("over a slice, like language.en", "all")
    unit: str | None = setting("only runs of this judged unit", None, among=UNITS)
    tracking_experiment: str | None = setting(
        "only runs of this experiment", None, name="tracking.experiment", metavar="NAME"
    )
    all: bool = setting("show the runs that were taken back, too, struck", False)
    level: float = setting("level of the intervals", 0.95, above=0, below=1)
    seed: int = setting("of the resampling", 13, least=0)
    out: Path | None = setting("a folder for trend.png, trend.csv, trend.json and trend.md", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Read the accepted runs, print the trend, and write it."""
    if not asked.suite:
        raise ConfigError("name the suite: suite=core")
    group = "" if asked.slice == "all" else asked.slice
    # Said before the store is opened, like every fault of the command line.
    measure = Measure(asked.metric, asked.k, group, asked.level, asked.seed)
    tracker = asked.place().tracker()
    accepted = accepted_over_time(
        tracker, asked.suite, unit=asked.unit, experiment=asked.tracking_experiment, undone=asked.all
    )
    if measure.k is None:
        measure = Measure(measure.metric, default_k(accepted), group, asked.level, asked.seed)
    with scratch_folder("trend") as folder:
        trend = trend_of(asked.suite, measure, _shown(accepted), lambda each: _read(tracker, each, folder))
    print_trend(trend, sys.stdout)
    if asked.out:
        write_reports(trend, asked.out)
        print(f"written: {asked.out / 'trend.md'}, .csv, .json and .png")
    return 0


def _shown(accepted: Sequence[Accepted]) -> Iterable[Accepted]:
    from runner.rendering.progress import progress_bar

    shown: Iterable[Accepted] = progress_bar(accepted, desc="runs", leave=False)
    return shown


def _read(tracker: Tracker, accepted: Accepted, folder: Path) -> RunScores:
    """The scores of a run from its table of queries, the only file that they take."""
    place = folder / accepted.run.info.run_id
    try:
        return RunScores.of(StoredRun.of_run(tracker, accepted.run, place, [PER_QUERY]))
    except RunnerError as error:
        raise InputError(f"its table of queries cannot be read: {error}") from None


main = Command("trend", Asked, run, example="suite=core metric=ndcg k=10 slice=language.en")

if __name__ == "__main__":
    main()
