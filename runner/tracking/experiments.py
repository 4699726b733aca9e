"""The experiments that the jobs of a plan are logged to: each job's own, as its settings name it."""

from collections.abc import Callable, Iterator, Sequence

from runner.configuration.settings import TrackingSettings
from runner.engine.plan import Job
from runner.tracking.names import key_part
from runner.tracking.recorder import RecordedTracker, Recorder
from runner.tracking.tracker import RunStore, Tracker


class Experiments:
    """One store of runs for each distinct tracking that jobs name, written by the recorder if there is one."""

    def __init__(self, jobs: Sequence[Job], recorder: Recorder | None = None) -> None:
        self._stores: dict[TrackingSettings, RunStore] = {}
        for job in jobs:
            tracking = job.settings.tracking
            if tracking not in self._stores:
                self._stores[tracking] = RecordedTracker(recorder, tracking) if recorder else Tracker(tracking)

    def __iter__(self) -> Iterator[RunStore]:
        return iter(self._stores.values())

    def of(self, job: Job) -> RunStore:
        """Where this job is logged."""
        return self._stores[job.settings.tracking]

    def open_soon(self) -> Callable[[], None]:
        """Open all of them, at the latest when the returned function is called, which raises what opening raises."""
        waiting = [store.open_soon() for store in self]

        def opened() -> None:
            for wait in waiting:
                wait()

        return opened

    def abandon(self) -> None:
        """Give up what has not begun to be written."""
        for store in self:
            store.abandon()

    def holdout_looks(self, jobs: Sequence[Job], announce: Callable[[str], None]) -> dict[str, dict[str, str]]:
        """By URI, the tags that count the looks at holdout suites: each one makes a suite less of one.

        announce: is told of each look.
        """
        tags: dict[str, dict[str, str]] = {}
        for job in jobs:
            suite, store = job.judged.suite, self.of(job)
            found, key = tags.setdefault(store.settings.uri, {}), f"holdout_look.{key_part(suite.name)}"
            if suite.role == "holdout" and key not in found:
                earlier = store.finished({"suite": suite.name, "suite_role": "holdout", "kind": "run"}, anywhere=True)
                look = 1 + len({run.data.tags.get("sweep", run.info.run_id) for run in earlier})
                announce(f"holdout: this is look {look} at suite {suite.name!r}; it is recorded")
                found[key] = str(look)
        return tags
