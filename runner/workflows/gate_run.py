"""Gate a run: find its baseline, repeat it where the world has moved on, judge, and put the verdict on the run."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from omegaconf import OmegaConf

from runner.configuration.settings import TrackingSettings
from runner.decisions.baseline import accepted_runs, baseline_key, same_dataset
from runner.decisions.gating import GateResult, judge
from runner.decisions.run_scores import RunScores
from runner.documents.document import Normalization
from runner.engine.building import build
from runner.engine.inputs import GivenInputs, snapshot_store
from runner.engine.plan import Request
from runner.engine.trust import Trust
from runner.errors import RunnerError
from runner.files.scratch import scratch_folder
from runner.reports.gate import write_reports
from runner.rules.policy import Policy
from runner.snapshots import Snapshot
from runner.tracking.names import metric_key
from runner.tracking.provenance import program_version
from runner.tracking.stored_run import StoredRun
from runner.tracking.tracker import Tracker
from runner.workflows.rerun import for_this_machine
from runner.workflows.run_jobs import Listener, RunOptions, SweepOutcome, run_jobs

REPORTS = "gate"
_VALUE = {"pass": 1.0, "inconclusive": 0.0, "fail": -1.0}


def gate_run(
    tracker: Tracker,
    run_id: str,
    policy: Policy,
    store: str,
    baseline_id: str | None = None,
    out: Path | None = None,
    trust: Trust | None = None,
    say: Callable[[str], None] = lambda line: None,
    log: bool = True,
) -> GateResult:
    """Judge a run, log the verdict on it (tags, metrics, reports) and return it.

    baseline_id: another baseline than the accepted one. out: a folder to write the reports to as well. trust: what of
    the baseline's configuration may be built where it has to be repeated; what conf/ names unless said. say: is told
    what a person ought to know beside the verdict. log: whether the verdict is put on the run.
    """
    with scratch_folder("gate") as folder:
        new_run = StoredRun.fetch(tracker, run_id, folder / "new")
        tracker = tracker.for_experiment(new_run.experiment_id)
        accepted = _accepted(tracker, new_run, baseline_id, folder)
        baseline, notes = _like_for_like(tracker, new_run, accepted, store, folder, trust or Trust.of(), say)
        scores = RunScores.of(new_run)
        notes += _look_notes(tracker, new_run, policy)
        earlier = RunScores.of(accepted).slices.names if accepted else ()
        result = judge(policy, scores, RunScores.of(baseline) if baseline else None, notes, earlier)
        reports = folder / "reports"
        write_reports(result, reports)
        if log and tracker.read_only:
            say("note: the store is read-only; the verdict is not logged")
        elif log:
            _record(tracker, result, reports)
        if out is not None:
            write_reports(result, out)
    return result


def gate_jobs(
    outcome: SweepOutcome, requests: Sequence[Request], say: Callable[[str], None] = lambda line: None
) -> Iterator[GateResult]:
    """Judge the run of every job that names a policy, one after the other."""
    # What this command names is the person's own, also where a baseline of theirs has to be repeated.
    own = [request.settings.model_dump(mode="json") for request in requests]
    trackers: dict[TrackingSettings, Tracker] = {}
    for job, row in zip(outcome.jobs, outcome.rows, strict=True):
        settings = job.settings
        if settings.gate is not None:
            tracker = trackers.setdefault(settings.tracking, Tracker(settings.tracking))
            trust = Trust.of(settings.trust, own)
            yield gate_run(tracker, row.run_id, settings.gate, settings.store, trust=trust, say=say)


def _accepted(tracker: Tracker, new_run: StoredRun, baseline_id: str | None, folder: Path) -> StoredRun | None:
    """The run to compare with as it was made: the one that is named, else the accepted baseline."""
    if baseline_id is None:
        standing = [
            run
            for run in accepted_runs(tracker, baseline_key(new_run.params))
            if same_dataset(run.data.params, new_run.params)
        ]
        if not standing:
            return None
        baseline_id = standing[0].info.run_id
    return StoredRun.fetch(tracker, baseline_id, folder / "baseline")


def _of_dataset(new_run: StoredRun) -> str:
    dataset = new_run.params.get("dataset", "")
    return f" of the dataset {dataset}" if dataset else ""


def _like_for_like(
    tracker: Tracker,
    new_run: StoredRun,
    baseline: StoredRun | None,
    store: str,
    folder: Path,
    trust: Trust,
    say: Callable[[str], None],
) -> tuple[StoredRun | None, list[str]]:
    """The baseline on the new run's documents and suite, repeated where they moved on, with what to say of it."""
    if baseline is None:
        return None, [f"no baseline is accepted for this suite{_of_dataset(new_run)}"]
    moved = [
        what
        for what, field in (("suite", "suite_revision"), ("documents", "documents_sha256"))
        if baseline.params[field] != new_run.params[field]
    ]
    if not moved:
        return baseline, []
    again = _repeat_on(tracker, baseline, new_run, store, trust, say)
    note = (
        f"the {' and the '.join(moved)} moved on since the baseline {baseline.id}; its configuration was repeated on "
        f"the new run's as run {again}, and the two are compared"
    )
    say(note)
    return StoredRun.fetch(tracker, again, folder / "repeated"), [note]


def _repeat_on(
    tracker: Tracker,
    baseline: StoredRun,
    new_run: StoredRun,
    store: str,
    trust: Trust,
    say: Callable[[str], None],
) -> str:
    """Run the baseline's configuration on the new run's documents and suite, through the cache."""
    where = "/".join([new_run.params["suite_revision"], new_run.params["documents_sha256"][:16]])
    made = {"rerun_of": baseline.id, "repeated_on": where, "program_version": program_version()}
    before = tracker.finished(made)
    if before:
        return str(before[0].info.run_id)
    own = baseline.buildable(trust)
    snapshot = new_run.snapshot(tracker, store)
    if baseline.settings.chunker != new_run.settings.chunker:
        # The cut belongs to the configuration, the documents to the world.
        chunker = build(own.chunker, "chunker")
        normalization = Normalization(**snapshot.settings["normalization"])
        snapshot = Snapshot.build(snapshot.documents, chunker.object, chunker.params, normalization)
        snapshot_store(store).save(snapshot)
    settings = for_this_machine(own, tracker.settings.uri, store, cache="on")
    inputs = GivenInputs(snapshot, new_run.suite())
    tags = {**made, "repeated_for": new_run.id}
    request = Request((), settings, OmegaConf.to_yaml(baseline.source))
    outcome = run_jobs([request], RunOptions(tags=tags), inputs, Listener(say))
    if not outcome.rows:
        reasons = "; ".join(error for _, error in outcome.failures)
        raise RunnerError(f"the baseline {baseline.id} could not be repeated on the new run's documents: {reasons}")
    return outcome.rows[0].run_id


def _look_notes(tracker: Tracker, new_run: StoredRun, policy: Policy) -> list[str]:
    looks = tracker.count({"kind": "run", "suite": new_run.params["suite"]}, policy.most_looks + 1)
    notes = []
    if looks > policy.most_looks:
        notes.append(
            f"suite {new_run.params['suite']!r} has been scored more than {policy.most_looks} times: what was tuned "
            "on it may fit it by chance"
        )
    if new_run.params["suite_role"] == "holdout":
        notes.append("a holdout suite was used: every look makes it less of one")
    return notes


def _record(tracker: Tracker, result: GateResult, reports: Path) -> None:
    run_id = result.new_run.run.id
    metrics = {metric_key("gate", each.rule.name): _VALUE[each.outcome] for each in result.verdicts}
    tags = {"gate": "blocked" if result.blocked else "passed", "gate_policy": result.policy.name}
    if result.baseline is not None:
        tags["gate_baseline"] = result.baseline.run.id
    tracker.add(run_id, metrics, tags)
    tracker.client.log_artifacts(run_id, str(reports), REPORTS)
