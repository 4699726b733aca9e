"""`python -m runner accept RUN_ID [why=TEXT]`: this run is the baseline of its suite from now on."""

from runner.cli.arguments import StoredRuns, setting, words
from runner.cli.command import Command
from runner.decisions.baseline import accept, accepted_runs, baseline_key, decisions, same_dataset, undo
from runner.errors import InputError
from runner.tracking.stored_run import find_run


class Asked(StoredRuns):
    """What the command takes."""

    run_id: str = words("RUN_ID", "the MLflow run id, or its beginning")
    why: str = setting("the reason, kept with the decision", "")
    undo: bool = setting("take the acceptance back; the one before counts again", False)
    list: bool = setting("only show the baselines of this run's suite", False)


def run(asked: Asked) -> int:
    """Accept, take back or list."""
    tracker = asked.place().tracker()
    found = find_run(tracker, asked.run_id)
    run_id, params = found.info.run_id, found.data.params
    if "suite" not in params:
        raise InputError(f"run {run_id} is not a scored job, so it has no suite to be a baseline of")
    tracker = tracker.for_experiment(found.info.experiment_id)
    key = baseline_key(params)
    if asked.undo:
        standing = undo(tracker, found, asked.why)
        now = f"{standing.info.run_name} ({standing.info.run_id})" if standing else "none"
        print(f"run {run_id} is no longer the baseline of {key}; the baseline is now: {now}")
    elif not asked.list:
        event = accept(tracker, found, asked.why)
        print(f"run {run_id} is the baseline of {key} from now on (gate: {event.verdict})")
    standing_now = [each for each in accepted_runs(tracker, key) if same_dataset(each.data.params, params)]
    if asked.list:
        print(f"baseline of {key}: {standing_now[0].info.run_id if standing_now else 'none'}")
    for decided, event in decisions(tracker, key):
        reason = f": {event.why}" if event.why else ""
        print(f"  {event.at[:19]} {event.what} {decided} by {event.who}, gate {event.verdict}{reason}")
    return 0


main = Command("accept", Asked, run, example='3f2a9c why="first release"')

if __name__ == "__main__":
    main()
