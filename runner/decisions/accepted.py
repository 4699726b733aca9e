"""The runs of a suite that were ever accepted, in the order in which they were."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.decisions.baseline import ACCEPTED, baseline_key, decided_runs, history_of
from runner.errors import InputError
from runner.suites import UNITS
from runner.tracking.tracker import Tracker

if TYPE_CHECKING:
    from mlflow.entities import Run


@dataclass(frozen=True)
class Accepted:
    """One run that was accepted. at: when, last. verdict: the gate's at that time. undone: when it was taken back."""

    run: "Run"
    at: str
    verdict: str
    undone: str | None

    @classmethod
    def of(cls, run: "Run") -> "Accepted":
        """Read the decisions kept on a run."""
        history = history_of(run)
        accepted = [event for event in history if event.what == ACCEPTED][-1]
        last = history[-1]
        return cls(run, accepted.at, accepted.verdict, None if last.what == ACCEPTED else last.at)


def accepted_over_time(
    tracker: Tracker, suite: str, *, unit: str | None = None, experiment: str | None = None, undone: bool = False
) -> list[Accepted]:
    """The accepted runs of a suite, oldest acceptance first, of every unit it was ever judged by unless one is named.

    undone: those that were taken back, too. Raises InputError where there is none, and where several experiments
    hold some: a name is all that their suites have in common.
    """
    if "'" in suite:
        raise InputError(f"no suite has the name {suite!r}: a name holds no quote")
    units = UNITS if unit is None else (unit,)
    runs = [run for each in units for run in decided_runs(tracker, baseline_key({"suite": suite, "unit": each}))]
    found = [Accepted.of(run) for run in runs]
    wanted = [each for each in found if undone or each.undone is None]
    if experiment is None:
        of = {each.run.info.experiment_id for each in wanted}
        if len(of) > 1:
            names = sorted(tracker.client.get_experiment(id_).name for id_ in of)
            raise InputError(
                f"accepted runs of suite {suite!r} are in the experiments {', '.join(names)}; name one with "
                f"tracking.experiment={names[0]}"
            )
    else:
        known = tracker.client.get_experiment_by_name(experiment)
        if known is None:
            raise InputError(f"no experiment {experiment!r} in {tracker.settings.uri}")
        wanted = [each for each in wanted if each.run.info.experiment_id == known.experiment_id]
    if not wanted:
        raise InputError(_none_accepted(tracker, suite, len(found)))
    return sorted(wanted, key=lambda each: (each.at, each.run.info.run_id))


def _none_accepted(tracker: Tracker, suite: str, decided: int) -> str:
    message = f"no accepted run of suite {suite!r} in {tracker.settings.uri}"
    if decided:
        return f"{message}: {decided} accepted once are taken back or of another unit or experiment; see all=true"
    runs = tracker.finished({"suite": suite, "kind": "run"}, anywhere=True)
    if not runs:
        return f"{message}, and no run at all; make one with python -m runner suite={suite}"
    newest = runs[0].info
    return f"{message}; accept one, say {newest.run_name}: python -m runner accept {newest.run_id}"


def default_k(accepted: Sequence[Accepted]) -> int:
    """The k at which the newest run was logged."""
    return int(accepted[-1].run.data.params["k"])
