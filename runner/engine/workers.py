"""Who does the work of a sweep, and where outcomes, measurements and counts are entered."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from retrievers.base import Query
from runner.engine import work
from runner.engine.failure import described, is_own, kind_of, trace_of
from runner.engine.measurement_store import MeasurementStore
from runner.engine.parallel import HERE, Done, Task, Workers, run_tasks
from runner.engine.plan import Stage

T = TypeVar("T")


@dataclass
class Counts:
    """What was computed: rankings by stage name, embedded texts, scored pairs, built indexes."""

    rankings: Counter[str] = field(default_factory=Counter)
    embedded: int = 0
    pairs: int = 0
    indexes: int = 0


@dataclass(frozen=True)
class WorkerPool:
    """Workers through joblib. A task that fails marks its stage with the error; the other stages go on."""

    workers: Workers
    measurements: MeasurementStore
    counts: Counts = field(default_factory=Counts)

    def run(self, tasks: Sequence[Task], *, one_by_one: bool = False) -> Iterator[tuple[Task, Done]]:
        """Yield each task with its outcome as it ends, in any order."""
        return run_tasks(tasks, self.workers, one_by_one=one_by_one)

    def run_near(self, task: Task, code: object) -> Done:
        """Do one task in this process if it runs this program's own code, else where it can hurt nobody."""
        workers = Workers(backend=HERE) if is_own(code) else self.workers
        return next(done for _, done in run_tasks([task], workers))

    def look(self, stage: Stage, queries: Sequence[Query]) -> bool:
        """Find out what a stage over others looks at for these queries; a failure is entered, and False."""
        retriever = stage.component.object
        for sources in guarded(stage, lambda stage: [stage.source_rankings(queries)]):
            arguments = (stage.component.name, retriever, sources, queries, len(stage.snapshot.passages))
            done = self.run_near(Task(stage, work.candidates, arguments, component=kind_of(retriever)), retriever)
            if done.error is None:
                stage.candidates_of |= {stage.query_key(query): done.value.take([n]) for n, query in enumerate(queries)}
                return True
            stage.error, stage.trace = done.error, done.trace
        return False

    def succeeded(self, stage: Stage, done: Done) -> bool:
        """Enter an outcome for a stage; whether the stage still stands."""
        if done.error is not None and stage.error is None:
            stage.error, stage.trace = done.error, done.trace
        if stage.error is None:
            self.measurements.note_work(stage, done)
        return stage.error is None


def guarded(stage: Stage, action: Callable[[Stage], list[T]]) -> list[T]:
    """Ask a retriever, maybe the user's own, in this process for what takes no work; its failure is this stage's."""
    try:
        return action(stage)
    except Exception as error:
        stage.error, stage.trace = described(error, kind_of(stage.component.object)), trace_of(error)
        return []
