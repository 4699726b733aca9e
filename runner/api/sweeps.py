"""Run jobs from Python: the same grammar, the same path and the same records as on the command line."""

from collections.abc import Sequence
from typing import Any

from runner.api.results import FailedJob, RerunResult, RunResult, SweepResult, by_name
from runner.composition.requests import compose_request, readable_settings
from runner.composition.sweeps import compose_sweep
from runner.configuration.settings import register_resolvers
from runner.engine.parallel import refuse_workers
from runner.engine.plan import Job, Request
from runner.engine.rank_and_score import Failed
from runner.engine.scored import Scored
from runner.errors import ConfigError, RunnerError
from runner.files.scratch import scratch_folder
from runner.rendering.progress import progress as progress_shown
from runner.reports.per_query import per_query_table
from runner.reports.sweep_table import Row
from runner.tracking.location import StoreLocation
from runner.tracking.run_record import params_of
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import printed
from runner.workflows.run_jobs import RunOptions, SweepOutcome, run_jobs


def sweep(
    *overrides: str,
    log: bool = True,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool = False,
) -> SweepResult:
    """Run every combination of the values named, as `python -m runner -m` does, and return the results.

    overrides: settings as on the command line, several values with commas: `"retriever=bm25,hybrid"`, `"k=1,3,5"`;
    a name is text as it is, Chinese too. log: whether runs are logged to MLflow, which is not imported otherwise; a
    look at a holdout suite has to be logged. n_jobs: worker processes, -1 for one a core; backend: joblib's; both as
    conf/ has them unless given. progress: show bars on the standard error.

    A job that fails is in `.failures`, and the others go on. Raises ConfigError or InputError, before anything is
    computed or logged, where settings or files cannot be used.

    >>> import runner
    >>> found = runner.sweep("retriever=bm25", "k=1,5", log=False, n_jobs=1)
    >>> [run.name for run in found]
    ['bm25 k=1', 'bm25 k=5']
    >>> found.table[["k", "recall"]].round(2).values.tolist()
    [[1.0, 0.56], [5.0, 0.77]]
    """
    with progress_shown(progress):
        requests, launcher = compose_sweep(overrides)
        workers = (int(launcher["n_jobs"]) if n_jobs is None else n_jobs, backend or str(launcher["backend"]))
        return _run(requests, *workers, sweep=True, log=log)


def run(*overrides: str, log: bool = True, n_jobs: int = 1, backend: str = "loky", progress: bool = False) -> RunResult:
    """Run one job, as `python -m runner` does, and return its result.

    The arguments are those of `sweep`, with one value for each setting. Raises ConfigError or InputError as that does,
    and RunnerError saying why where the job fails.

    >>> import runner
    >>> found = runner.run("retriever=bm25", "k=5", log=False)
    >>> found.name, round(found.metrics["recall"], 2)
    ('bm25 k=5', 0.77)
    >>> int(found.per_query.loc["core-en-001", "first_relevant_rank"])
    2
    """
    with progress_shown(progress):
        result = _run([compose_request(overrides)], n_jobs, backend, sweep=False, log=log)
    if result.failures:
        raise RunnerError(f"{result.failures[0].name}: {result.failures[0].error}")
    return result[0]


def rerun(
    run: str | RunResult,
    *overrides: str,
    store: str | None = None,
    tracking_uri: str | None = None,
    trust: str = "",
    progress: bool = False,
) -> RerunResult:
    """Repeat a logged run from what is stored with it, log the repetition, and hold the two against each other.

    run: its id, or a result with one. overrides: settings to change, like `"k=10"`; `"cache=on"` takes cached rankings.
    store and tracking_uri: where it is logged, if not in the usual place. trust: a module of your own whose classes the
    stored configuration may build. Raises InputError for an unknown run, and RunnerError where the repetition fails.

    >>> import runner
    >>> runner.rerun(runner.run("retriever=bm25", "k=1")).identical
    True
    """
    from runner.workflows.rerun import repeat_run

    register_resolvers()
    place = place_of([run], store, tracking_uri, trust)
    words = readable_settings(overrides, sweep=True)
    with progress_shown(progress), scratch_folder("rerun") as folder:
        found = repeat_run(run_id_of(run), place, words, folder)
        if not found.outcome.scored:
            raise RunnerError("; ".join(failure.error for failure in found.outcome.failures))
        repeated = _results(found.outcome)[0]
    return RerunResult(repeated, found.stored.id, found.rankings, found.metrics, found.causes)


def load_run(run_id: str, *, store: str | None = None, tracking_uri: str | None = None) -> RunResult:
    """Read a logged run. Raises InputError for an unknown id, and for files that are damaged.

    >>> import runner
    >>> logged = runner.run("retriever=bm25", "k=3")
    >>> runner.load_run(logged.run_id).metrics["recall"] == logged.metrics["recall"]
    True
    """
    place = StoreLocation.at(store, tracking_uri)
    with scratch_folder("run") as folder:
        stored = StoredRun.fetch(place.tracker(), run_id, folder)
        queries = stored.per_query()
    metrics = by_name({key: value for key, value in stored.metrics.items() if not key.startswith("curve/")})
    return RunResult(stored.name, metrics, stored.params, stored.id, (), place, lambda: queries)


def run_id_of(run: str | RunResult) -> str:
    """The id of a run. Raises ConfigError for a result that was not logged."""
    if isinstance(run, str):
        return run
    if not isinstance(run, RunResult):
        raise ConfigError(f"expected a run's id, or its result, found {run!r:.60}")
    if run.run_id is None:
        raise ConfigError(f"{run.name} was not logged, so nothing of it is stored; run it with log=True")
    return run.run_id


def place_of(
    runs: Sequence[str | RunResult], store: str | None, tracking_uri: str | None, trust: str = ""
) -> StoreLocation:
    """Where runs are logged: as it is said, else where the first result was."""
    known = next((run.place for run in runs if isinstance(run, RunResult) and run.place is not None), None)
    if known is not None and store is None and tracking_uri is None:
        return StoreLocation.at(known.store, known.uri, trust)
    return StoreLocation.at(store, tracking_uri, trust)


def _run(requests: Sequence[Request], n_jobs: int, backend: str, *, sweep: bool, log: bool) -> SweepResult:
    if any(request.settings.dry_run for request in requests):
        raise ConfigError("dry_run=true prints a plan and returns nothing: use it with python -m runner")
    if not log and any(request.settings.gate for request in requests):
        raise ConfigError("gate=...: only a run that is logged can be judged; leave log=False out")
    refuse_workers(n_jobs, backend)
    register_resolvers()
    outcome = run_jobs(requests, RunOptions(n_jobs, backend, sweep, log=log))
    runs, failures = _results(outcome), tuple(map(_failed, outcome.failures))
    gates: tuple[Any, ...] = ()
    if any(job.settings.gate for job in outcome.jobs):
        from runner.workflows.gate_run import gate_jobs

        gates = tuple(gate_jobs(outcome, requests))
    return SweepResult(runs, failures, outcome.sweep, gates)


def _results(outcome: SweepOutcome) -> tuple[RunResult, ...]:
    scored = {id(each.job): each for each in outcome.scored}
    return tuple(_result(job, row, scored.get(id(job))) for job, row in zip(outcome.jobs, outcome.rows, strict=True))


def _result(job: Job, row: Row, scored: Scored | None) -> RunResult:
    settings = job.settings
    place = StoreLocation.at(settings.store, settings.tracking.uri)
    params = {key: printed(value) for key, value in params_of(job).items()}

    def queries() -> Any:
        if scored is not None:
            return per_query_table(scored)
        return load_run(row.run_id, store=place.store, tracking_uri=place.uri)._queries()

    return RunResult(row.name, by_name(row.metrics), params, row.run_id or None, job.overrides, place, queries)


def _failed(failure: Failed) -> FailedJob:
    return FailedJob(failure.job.name, failure.job.overrides, failure.error, failure.trace)
