"""What became of a job: its scores, and what was measured of every stage it is made of."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from runner.engine.components import Component
from runner.engine.context_length import Context
from runner.engine.measurements import Measured
from runner.engine.plan import Job, Stage
from runner.scoring.evaluate import Evaluation
from runner.scoring.uncertainty import Uncertainty


@dataclass(frozen=True)
class Scored:
    """A job with its scores, and what was measured of each of its stages by stage name.

    context: what its results cost a reader; None where it was not measured. uncertainty: intervals of its means;
    None where none were asked for.
    """

    job: Job
    evaluation: Evaluation
    measured: Mapping[str, Measured]
    context: Context | None = None
    uncertainty: Uncertainty | None = None

    def latency_ms(self, percentile: float) -> float | None:
        """A percentile over the timed queries of the time all stages take together; None if nothing was timed."""
        totals = self._latency_totals()
        return float(np.percentile(totals, percentile)) if totals else None

    def _latency_totals(self) -> list[float]:
        timed = [each.latency_ms for each in self.measured.values()]
        if not timed or not all(timed):
            return []
        shared = set.intersection(*(set(each) for each in timed))
        return [sum(each[key] for each in timed) for key in sorted(shared)]


def stages_of(stage: Stage) -> Iterator[Stage]:
    """A stage and everything it builds on, each once."""
    seen: set[int] = set()
    waiting = [stage]
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting.extend(each.sources.values())


def component_names(root: Component) -> dict[int, str]:
    """A short name for each distinct component, by the id of its object.

    A component with a name of its own has that, or its path where another one has it too; any other is
    named after what it stands in: `bm25.analyzer`, `hybrid.fusion`.
    """
    distinct = {id(component.object): component for component in root.walk()}
    given = Counter(component.given_name for component in distinct.values() if component.given_name)
    names: dict[int, str] = {}

    def visit(component: Component, fallback: str) -> None:
        unique = component.given_name and given[component.given_name] == 1
        names.setdefault(id(component.object), component.given_name if unique else fallback)
        for key, inner in component.children.items():
            visit(inner, f"{names[id(component.object)]}.{key}")

    visit(root, root.name)
    return names
