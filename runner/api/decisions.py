"""Decide from logged runs: compare them, gate one, choose the k of a sweep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.api.results import RunResult, SweepResult
from runner.api.sweeps import place_of, run_id_of
from runner.composition.policy_files import policy_of, read_policy
from runner.configuration.settings import register_resolvers
from runner.decisions.comparison import Comparison, ComparisonOptions
from runner.decisions.gating import GateResult
from runner.decisions.smallest_k import Selection
from runner.errors import ConfigError
from runner.files.scratch import scratch_folder
from runner.rules.policy import Policy
from runner.scoring.metric_names import parse_metric
from runner.tracking.stored_run import StoredRun
from runner.tracking.sweeps import Sweep
from runner.workflows.choose_k import choose_k, log_selection
from runner.workflows.compare_runs import compare_runs, log_comparison
from runner.workflows.gate_run import gate_run

PolicyLike = str | Path | Policy | Mapping[str, Any]


def compare(
    *runs: str | RunResult,
    k: int | None = None,
    metric: str = "recall",
    level: float = 0.95,
    seed: int = 13,
    log: bool = False,
    store: str | None = None,
    tracking_uri: str | None = None,
) -> Comparison:
    """Compare the first run with every other, query by query.

    runs: ids of logged runs, or results, logged or not. k: the cut, that of the first run unless given. metric: one
    that is compared whatever the runs measured. level and seed: of the intervals and tests. log: whether the reports
    are put on the runs, as `python -m runner compare` does. store and tracking_uri: where runs named by id are logged,
    if not in the usual place.

    Raises InputError naming what differs where runs were not scored alike, and ConfigError for settings out of range.

    >>> import runner
    >>> a, b = runner.sweep("retriever=bm25", "retriever.k1=0.5,1.5", "k=5", n_jobs=1)
    >>> found = runner.compare(a, b)
    >>> found.title
    'bm25 k=5 k1=0.5 against bm25 k=5 k1=1.5 at k=5'
    >>> found.table.query("metric == 'recall' and group == ''")[["first", "second"]].round(2).values.tolist()
    [[0.76, 0.77]]
    """
    if not 0 < level < 1:
        raise ConfigError(f"level must lie between 0 and 1, found {level}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, found {seed}")
    if log:
        for run in runs:
            run_id_of(run)
    tracker = place_of(runs, store, tracking_uri).tracker()
    with scratch_folder("compare") as folder:
        options = ComparisonOptions(k=k, level=level, seed=seed, metric=str(parse_metric(metric)))
        given = [_stored(run, folder / f"unlogged-{number}") for number, run in enumerate(runs, 1)]
        found = compare_runs(tracker, given, options, folder)
        if log:
            log_comparison(tracker, found, folder / "reports", lambda line: None)
    return found


def gate(
    run: str | RunResult,
    policy: PolicyLike = "release",
    *,
    baseline: str | RunResult | None = None,
    log: bool = True,
    store: str | None = None,
    tracking_uri: str | None = None,
    trust: str = "",
) -> GateResult:
    """Judge a logged run by a policy, against the accepted baseline of its suite.

    policy: a name of conf/gate, a YAML file, or its values. baseline: another run to compare with. log: whether the
    verdict is put on the run, as `python -m runner gate` does; a baseline that has to be repeated on what the run was
    scored on is logged in any case. trust: a module of your own whose classes a stored baseline may name.

    `.blocked` says whether the release must stop. Raises ConfigError for a policy that is none or does not fit the run,
    InputError for an unknown run.

    >>> import runner
    >>> floor = {"name": "mine", "rules": [{"name": "found", "metric": "recall", "min": 0.5}]}
    >>> runner.gate(runner.run("retriever=bm25", "k=5"), floor).blocked
    False
    """
    place = place_of([run], store, tracking_uri, trust)
    other = None if baseline is None else run_id_of(baseline)
    register_resolvers()
    return gate_run(place.tracker(), run_id_of(run), _policy(policy), place.store, other, trust=place.trust, log=log)


def choose(
    sweep: str | SweepResult,
    policy: PolicyLike = "release",
    *,
    metric: str = "recall",
    suite: str | None = None,
    log: bool = False,
    store: str | None = None,
    tracking_uri: str | None = None,
) -> Selection:
    """Choose the smallest k of each variant of a logged sweep that meets every blocking floor of a policy.

    sweep: its name, or its result. policy: as for `gate`. metric: whose curve is shown. suite: which one to choose on,
    where the sweep has several. log: whether the reports are put on the sweep, as `python -m runner choose` does.

    `.cheapest` is the choice, None where nothing is feasible. Raises ConfigError for a policy without a blocking floor,
    InputError for an unknown sweep.

    >>> import runner
    >>> found = runner.sweep("retriever=bm25", "k=1,3,5", n_jobs=1)
    >>> floor = {"name": "mine", "rules": [{"name": "found", "metric": "recall", "min": 0.6}]}
    >>> runner.choose(found, floor).cheapest.chosen.k
    3
    """
    if isinstance(sweep, SweepResult):
        place = place_of(sweep.runs, store, tracking_uri)
        if sweep.name is None:
            raise ConfigError("the sweep was not logged, so nothing of it is stored; run it with log=True")
        name = sweep.name
    else:
        place, name = place_of([], store, tracking_uri), sweep
    tracker = place.tracker()
    found = Sweep.find(tracker, name)
    with scratch_folder("choose") as folder:
        selection = choose_k(tracker, found, _policy(policy), str(parse_metric(metric)), suite, folder)
        if log:
            log_selection(tracker, found, selection, folder / "choose", lambda line: None)
    return selection


@dataclass(frozen=True)
class _Unlogged(StoredRun):
    """A run that is stored nowhere, read as one that is. queries: its table."""

    queries: Any = None

    def per_query(self, needed: Sequence[str] = ()) -> Any:
        """The table at hand."""
        return self.queries


def _stored(run: str | RunResult, place: Path) -> str | StoredRun:
    if not isinstance(run, RunResult) or run.run_id is not None:
        return run_id_of(run)
    if (queries := run._queries()) is None:
        raise ConfigError(f"{run.name} has no queries to compare; name a result of sweep, run or load_run")
    return _Unlogged(place.name, run.name, "", run.params, run.metrics, {}, place, queries=queries)


def _policy(given: PolicyLike) -> Policy:
    if isinstance(given, Policy):
        return given
    if isinstance(given, Mapping):
        return policy_of(given, "the policy")
    found = read_policy([], str(given))
    if found is None:
        raise ConfigError(f"{str(given)!r} names no policy; name one of conf/gate, or a YAML file")
    return found
