"""`python -m runner choose SWEEP_ID [gate=release]`: the smallest k of each retriever that meets every floor."""

import sys
from pathlib import Path

from runner.cli.arguments import StoredRuns, others, setting, words
from runner.cli.command import Command
from runner.composition.policy_files import read_policy
from runner.errors import ConfigError
from runner.files.scratch import scratch_folder
from runner.reports.choose import print_selection
from runner.scoring.metric_names import metric_names, parse_metric
from runner.tracking.sweeps import Sweep
from runner.workflows.choose_k import choose_k, log_selection, write_selection

FOUND, NONE_FEASIBLE = 0, 1


class Asked(StoredRuns):
    """What the command takes."""

    sweep: str = words("SWEEP_ID", "the sweep's name (tag `sweep`), or the id of its summary run")
    policy: tuple[str, ...] = others(
        "gate=NAME|FILE.yaml: the policy (default release); gate.KEY=VALUE changes it", "gate"
    )
    metric: str = setting("whose curve to show", "recall", such_as=metric_names)
    suite: str | None = setting("the suite to choose on, where the sweep has several", None, metavar="NAME")
    out: Path | None = setting("a folder for choose.md, choose.json and the plots", None, metavar="DIR")


def run(asked: Asked) -> int:
    """Choose, print, and leave the reports with the sweep."""
    policy = read_policy(asked.policy)
    if policy is None:
        raise ConfigError("gate=null demands nothing; name a policy of conf/gate/")
    metric = str(parse_metric(asked.metric))
    tracker = asked.place().tracker()
    sweep = Sweep.find(tracker, asked.sweep)
    with scratch_folder("choose") as folder:
        selection = choose_k(tracker, sweep, policy, metric, asked.suite, folder)
        print_selection(selection, sys.stdout)
        log_selection(tracker, sweep, selection, folder / "reports", print)
        if asked.out:
            write_selection(selection, asked.out)
    return NONE_FEASIBLE if selection.cheapest is None else FOUND


main = Command(
    "choose",
    Asked,
    run,
    example="bm25-hybrid-20261201 gate=release gate.budget.context_tokens=900",
    statuses="0 a variant is feasible; 1 none is; 2 bad input",
)

if __name__ == "__main__":
    main()
