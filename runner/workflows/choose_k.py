"""Choose the smallest k of each variant of a stored sweep, and leave the reports with the sweep."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.decisions.run_scores import RunScores
from runner.decisions.smallest_k import Selection, VariantScores, choose
from runner.errors import InputError
from runner.reports.choose import write_reports
from runner.reports.choose_plots import draw_plots
from runner.reports.variants import judged_sets, variants_of
from runner.rules.policy import COSTS, Policy
from runner.tracking.stored_run import StoredRun
from runner.tracking.sweeps import Sweep
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run

REPORTS = "choose"


def choose_k(tracker: Tracker, sweep: Sweep, policy: Policy, metric: str, suite: str | None, folder: Path) -> Selection:
    """Choose; suite: the one to choose on, where the sweep has several; folder: where files of the runs are put."""
    return choose(policy, _candidates(tracker, _of_one_suite(sweep, suite), folder), metric)


def log_selection(
    tracker: Tracker,
    sweep: Sweep,
    selection: Selection,
    reports: Path,
    say: Callable[[str], None],
) -> None:
    """Write the reports and plots into a folder and put them on the sweep's own run."""
    write_selection(selection, reports)
    if sweep.summary is None:
        say(f"note: sweep {sweep.name} was cut short and has no summary run; nothing is logged")
    elif tracker.read_only:
        say("note: the store is read-only; nothing is logged")
    else:
        tracker.client.log_artifacts(sweep.summary.info.run_id, str(reports), REPORTS)


def write_selection(selection: Selection, folder: Path) -> None:
    """Write choose.md, choose.json and the plots."""
    write_reports(selection, folder)
    draw_plots(selection, folder)


def _of_one_suite(sweep: Sweep, wanted: str | None) -> list["Run"]:
    labels = judged_sets([run.data.params for run in sweep.runs])
    known = list(dict.fromkeys(labels))
    fitting = [name for name in known if wanted in (None, name) or name.startswith(f"{wanted}@")]
    if not fitting:
        raise InputError(f"sweep {sweep.name} did not score a suite {wanted!r}; it scored {', '.join(known)}")
    if len(fitting) > 1:
        raise InputError(f"sweep {sweep.name} scored the suites {', '.join(fitting)}; name one with suite=NAME")
    return [run for run, label in zip(sweep.runs, labels, strict=True) if label == fitting[0]]


def _candidates(tracker: Tracker, runs: Sequence["Run"], folder: Path) -> list[VariantScores]:
    """One a variant; its rankings are read once, since k only cuts them."""
    candidates = []
    tags = [run.data.tags.get("variant", "") for run in runs]
    for number, variant in enumerate(variants_of([run.data.params for run in runs], tags)):
        by_k = {k: runs[position] for k, position in variant.by_k.items()}
        stored = StoredRun.fetch(tracker, by_k[max(by_k)].info.run_id, folder / str(number))
        costs = {
            k: {name: run.data.metrics[name] for name in COSTS if name in run.data.metrics} for k, run in by_k.items()
        }
        candidates.append(VariantScores(variant.name, RunScores.of(stored), costs))
    return candidates
