"""`python -m runner choose SWEEP_ID [gate=release]`: the smallest k of each retriever that meets every floor."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.cli.arguments import StoredRuns, others, setting, words
from runner.cli.command import Command
from runner.composition.policy_files import read_policy
from runner.decisions.run_scores import RunScores
from runner.decisions.smallest_k import VariantScores, choose
from runner.errors import ConfigError, InputError
from runner.files.scratch import scratch_folder
from runner.reports.choose import print_selection, write_reports
from runner.reports.choose_plots import draw_plots
from runner.reports.variants import judged_sets, variants_of
from runner.rules.policy import COSTS
from runner.scoring.metric_names import metric_names, parse_metric
from runner.tracking.stored_run import StoredRun
from runner.tracking.sweeps import Sweep
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run

FOUND, NONE_FEASIBLE = 0, 1
REPORTS = "choose"


class Choice(StoredRuns):
    """What the command takes."""

    sweep: str = words("SWEEP_ID", "the sweep's name (tag `sweep`), or the id of its summary run")
    policy: tuple[str, ...] = others(
        "gate=NAME|FILE.yaml: the policy (default release); gate.KEY=VALUE changes it", "gate"
    )
    metric: str = setting("whose curve to show", "recall", such_as=metric_names)
    suite: str | None = setting("the suite to choose on, where the sweep has several", None, metavar="NAME")
    out: Path | None = setting("a folder for choose.md, choose.json and the plots", None, metavar="DIR")


def run(asked: Choice) -> int:
    """Choose, print, and leave the reports with the sweep."""
    policy = read_policy(asked.policy)
    if policy is None:
        raise ConfigError("gate=null demands nothing; name a policy of conf/gate/")
    metric = str(parse_metric(asked.metric))
    tracker = asked.place().tracker()
    sweep = Sweep.find(tracker, asked.sweep)
    with scratch_folder("choose") as folder:
        variants = _variants(tracker, _of_one_suite(sweep, asked.suite), folder)
        selection = choose(policy, variants, metric)
        print_selection(selection, sys.stdout)
        reports = folder / REPORTS
        for target in (reports, asked.out) if asked.out else (reports,):
            write_reports(selection, target)
            draw_plots(selection, target)
        if sweep.summary is None:
            print(f"note: sweep {sweep.name} was cut short and has no summary run; nothing is logged")
        elif tracker.read_only:
            print("note: the store is read-only; nothing is logged")
        else:
            tracker.client.log_artifacts(sweep.summary.info.run_id, str(reports), REPORTS)
    return NONE_FEASIBLE if selection.cheapest is None else FOUND


def _of_one_suite(sweep: Sweep, wanted: str | None) -> list["Run"]:
    labels = judged_sets([run.data.params for run in sweep.runs])
    known = list(dict.fromkeys(labels))
    fitting = [name for name in known if wanted in (None, name) or name.startswith(f"{wanted}@")]
    if not fitting:
        raise InputError(f"sweep {sweep.name} did not score a suite {wanted!r}; it scored {', '.join(known)}")
    if len(fitting) > 1:
        raise InputError(f"sweep {sweep.name} scored the suites {', '.join(fitting)}; name one with suite=NAME")
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


main = Command(
    "choose",
    Choice,
    run,
    example="bm25-hybrid-20261201 gate=release gate.budget.context_tokens=900",
    statuses="0 a variant is feasible; 1 none is; 2 bad input",
)

if __name__ == "__main__":
    main()
