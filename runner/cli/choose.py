"""`python -m runner.choose SWEEP_ID [gate=release]`: the smallest k of each retriever that meets every floor."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.cli.entry import leave, parsed_arguments
from runner.composition.policy_files import read_policy
from runner.configuration.settings import register_resolvers
from runner.decisions.run_scores import RunScores
from runner.decisions.smallest_k import VariantScores, choose
from runner.errors import ConfigError, InputError
from runner.files.scratch import scratch_folder
from runner.reports.choose import print_selection, write_reports
from runner.reports.choose_plots import draw_plots
from runner.reports.variants import judged_sets, variants_of
from runner.rules.policy import COSTS
from runner.scoring.metric_names import metric_names, parse_metric
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import StoredRun
from runner.tracking.sweeps import Sweep
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run

FOUND, NONE_FEASIBLE = 0, 1
REPORTS = "choose"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 a variant is feasible, 1 none is, 2 bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.choose",
        description="Choose the smallest k of a sweep that meets every blocking floor of a policy within its budget.",
        epilog="Overrides: gate=NAME or gate=FILE.yaml (default release), gate.budget.context_tokens=900, "
        "tracking.uri=..., store=...",
    )
    parser.add_argument(
        "sweep", metavar="SWEEP_ID", help="the sweep's name (tag `sweep`), or the id of its summary run"
    )
    parser.add_argument("overrides", nargs="*", help="settings, like gate=release")
    parser.add_argument("--metric", default="recall", help=f"whose curve to show: {', '.join(metric_names())}")
    parser.add_argument("--suite", help="the suite to choose on, where the sweep has several")
    parser.add_argument("--out", type=Path, help="a folder for choose.md, choose.json and the plots")
    parsed = parsed_arguments(parser, arguments)
    register_resolvers()

    def run() -> int:
        place = StoreLocation.of(parsed.overrides)
        policy = read_policy(place.rest)
        if policy is None:
            raise ConfigError("gate=null demands nothing; name a policy of conf/gate/")
        metric = str(parse_metric(parsed.metric))
        tracker = place.tracker()
        sweep = Sweep.find(tracker, parsed.sweep)
        with scratch_folder("choose") as folder:
            variants = _variants(tracker, _of_one_suite(sweep, parsed.suite), folder)
            selection = choose(policy, variants, metric)
            print_selection(selection, sys.stdout)
            reports = folder / REPORTS
            for target in (reports, parsed.out) if parsed.out else (reports,):
                write_reports(selection, target)
                draw_plots(selection, target)
            if sweep.summary is None:
                print(f"note: sweep {sweep.name} was cut short and has no summary run; nothing is logged")
            elif tracker.read_only:
                print("note: the store is read-only; nothing is logged")
            else:
                tracker.client.log_artifacts(sweep.summary.info.run_id, str(reports), REPORTS)
        return NONE_FEASIBLE if selection.cheapest is None else FOUND

    leave(run)


def _of_one_suite(sweep: Sweep, wanted: str | None) -> list["Run"]:
    labels = judged_sets([run.data.params for run in sweep.runs])
    known = list(dict.fromkeys(labels))
    fitting = [name for name in known if wanted in (None, name) or name.startswith(f"{wanted}@")]
    if not fitting:
        raise InputError(f"sweep {sweep.name} did not score a suite {wanted!r}; it scored {', '.join(known)}")
    if len(fitting) > 1:
        raise InputError(f"sweep {sweep.name} scored the suites {', '.join(fitting)}; name one with --suite")
    return [run for run, label in zip(sweep.runs, labels, strict=True) if label == fitting[0]]


def _variants(tracker: Tracker, runs: Sequence["Run"], folder: Path) -> list[VariantScores]:
    """One a variant; its rankings are read once, since k only cuts them."""
    variants = []
    tags = [run.data.tags.get("variant", "") for run in runs]
    for number, variant in enumerate(variants_of([run.data.params for run in runs], tags)):
        by_k = {k: runs[position] for k, position in variant.by_k.items()}
        stored = StoredRun.fetch(tracker, by_k[max(by_k)].info.run_id, folder / str(number))
        costs = {
            k: {name: run.data.metrics[name] for name in COSTS if name in run.data.metrics} for k, run in by_k.items()
        }
        variants.append(VariantScores(variant.name, RunScores.of(stored), costs))
    return variants


if __name__ == "__main__":
    main(sys.argv[1:])
