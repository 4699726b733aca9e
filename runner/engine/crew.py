"""Who does the work of a sweep, and the books it is entered in: outcomes, measurements, counts."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from runner.engine.facts import FactBook
from runner.engine.parallel import Done, Task, run_tasks
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
class Crew:
    """Workers through joblib. A task that fails marks its stage with the error; the other stages go on."""

    n_jobs: int
    backend: str
    facts: FactBook
    counts: Counts = field(default_factory=Counts)

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Done]]:
        """Yield each task with its outcome as it ends, in any order."""
        return run_tasks(tasks, self.n_jobs, self.backend)

    def run_here(self, task: Task) -> Done:
        """Do one task in this process."""
        return next(done for _, done in run_tasks([task], 1, self.backend))

    def succeeded(self, stage: Stage, done: Done) -> bool:
        """Enter an outcome for a stage; whether the stage still stands."""
        if done.error is not None and stage.error is None:
            stage.error, stage.trace = done.error, done.trace
        if stage.error is None:
            self.facts.note_work(stage, done)
        return stage.error is None


def guarded(stage: Stage, action: Callable[[Stage], list[T]]) -> list[T]:
    """Do what asks a retriever, maybe the user's own, in this process; its failure is this stage's alone."""
    try:
        return action(stage)
    except Exception as error:
        stage.error, stage.trace = str(error) or type(error).__name__, traceback.format_exc()
        return []
