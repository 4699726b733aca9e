"""`python -m runner.trend suite=NAME [metric=recall k=5] [slice=FIELD.VALUE]`: a metric over the accepted runs."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from runner.cli.entry import leave, parsed_arguments
from runner.composition.overrides import read_settings
from runner.configuration.settings import register_resolvers
from runner.decisions.accepted import Accepted, accepted_over_time, default_k
from runner.decisions.run_scores import RunScores
from runner.decisions.trend import Measure, trend_of
from runner.errors import ConfigError, InputError, RunnerError
from runner.files.scratch import scratch_folder
from runner.reports.trend import print_trend, write_reports
from runner.suites import UNITS
from runner.tracking.artifacts import PER_QUERY
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker

_SETTINGS = ("suite", "metric", "k", "slice", "unit", "tracking.experiment")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.trend",
        description="Show how a metric of a suite moved over the runs that were accepted as its baseline.",
        epilog="Settings: suite=NAME, metric=recall, k=5, slice=language.en, unit=passage, tracking.experiment=demo, "
        "tracking.uri=..., store=...",
    )
    parser.add_argument("settings", nargs="+", metavar="KEY=VALUE", help="suite=NAME and what else is wanted")
    parser.add_argument("--all", action="store_true", help="show the runs that were taken back, too, struck")
    parser.add_argument("--level", type=float, default=0.95, help="level of the intervals")
    parser.add_argument("--seed", type=int, default=13, help="of the resampling")
    parser.add_argument("--out", type=Path, help="a folder for trend.png, trend.csv, trend.json and trend.md")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        if parsed.seed < 0:
            raise ConfigError(f"--seed must be 0 or more, found {parsed.seed}")
        place = StoreLocation.of(parsed.settings)
        asked = _asked(place.rest)
        group = "" if asked.get("slice") in (None, "all") else asked["slice"]
        # JudgedThings before the store is opened, like every fault of the command line.
        measure = Measure(asked.get("metric", "recall"), _k(asked.get("k")), group, parsed.level, parsed.seed)
        tracker = place.tracker()
        experiment = asked.get("tracking.experiment")
        accepted = accepted_over_time(
            tracker, asked["suite"], unit=asked.get("unit"), experiment=experiment, undone=parsed.all
        )
        if measure.k is None:
            measure = Measure(measure.metric, default_k(accepted), group, parsed.level, parsed.seed)
        with scratch_folder("trend") as folder:
            trend = trend_of(asked["suite"], measure, _shown(accepted), lambda each: _read(tracker, each, folder))
        print_trend(trend, sys.stdout)
        if parsed.out:
            write_reports(trend, parsed.out)
            print(f"written: {parsed.out / 'trend.md'}, .csv, .json and .png")
        return 0

    leave(run)


def _asked(settings: Sequence[str]) -> dict[str, str]:
    asked = {setting.key: setting.text for setting in read_settings(settings)}
    for key in asked:
        if key not in _SETTINGS:
            raise ConfigError(f"unknown setting {key!r}; this command takes {', '.join(_SETTINGS)}")
    if not asked.get("suite"):
        raise ConfigError("name the suite: suite=core")
    if asked.get("unit") not in (None, *UNITS):
        raise ConfigError(f"unit: expected one of {', '.join(UNITS)}, found {asked['unit']!r}")
    return asked


def _k(text: str | None) -> int | None:
    if text is not None and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ConfigError(f"k: expected a whole number from 1, found {text!r:.60}")
    return None if text is None else int(text)


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


if __name__ == "__main__":
    main(sys.argv[1:])
