"""Which judged passages to remove so that a slice has to fall, whatever else moves up in the ranking."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from runner.scoring.evaluate import Evaluation
from runner.scoring.judgments import Floats
from runner.selftest.check import EXACT
from runner.selftest.evidence import EvidencePart
from runner.selftest.sandbox import Measurement, Sandbox, struck_out


@dataclass(frozen=True)
class Removal:
    """pieces: what goes, by id. query: position of the scored query that loses by it for sure.

    touched: positions of all scored queries to which something of it is relevant.
    """

    evidence: tuple[EvidencePart, ...]
    query: int
    affected: frozenset[int]

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids of the pieces."""
        return tuple(part.id for part in self.evidence)


def relevant_evidence(measured: Measurement) -> list[dict[EvidencePart, int]]:
    """For each scored query, the pieces that hold something relevant, with how many relevant units each holds."""
    least = measured.judged.suite.min_grade
    return [
        dict(Counter(measured.evidence[id_] for id_, grade in query.grades.items() if grade >= least))
        for query in measured.judged.scored
    ]


class RemovalOrder:
    """Orders, slice by slice, what could be removed.

    As few pieces as can be, then those that the fewest queries outside the slice need, then one that was taken for an
    earlier slice: slices share what is equally good for them. What is foreseen to let others of the slice gain as much
    as is lost comes last.
    """

    def __init__(self, sandbox: Sandbox, measured: Measurement) -> None:
        slices = measured.judged.slices
        self._members = dict(zip(slices.names, slices.members, strict=True))
        self._possible = list(_possible(measured))
        self._predicted = _PredictedLoss(sandbox, measured)
        self._taken: set[tuple[str, ...]] = set()

    def take(self, removal: Removal) -> None:
        """Note that a removal was carried out for some slice."""
        self._taken.add(removal.targets)

    def removals(self, group: str) -> Iterator[Removal]:
        """The removals by which a slice has to lose; none where nothing relevant is found in the first k."""
        row = self._members[group]
        members = frozenset(np.flatnonzero(row).tolist())
        ordered = sorted(
            (each for each in self._possible if each.query in members),
            key=lambda each: (
                len(each.targets),
                len(each.affected - members),
                each.targets not in self._taken,
                each.targets,
                each.query,
            ),
        )
        later = []
        for each in ordered:
            if self._predicted.change(each)[row].sum() < 0:
                yield each
            else:
                later.append(each)
        yield from later


class _PredictedLoss:
    """Reads the rankings that are there with some pieces struck out: exact where passages are scored one by one."""

    def __init__(self, sandbox: Sandbox, measured: Measurement) -> None:
        self._sandbox, self._measured = sandbox, measured
        self._rows = {id_: row for row, id_ in enumerate(measured.job.stage.snapshot.units("passage"))}
        self._before = self._share(measured.evaluation)
        self._known: dict[tuple[str, ...], Floats] = {}

    def change(self, removal: Removal) -> Floats:
        """The change of each scored query's share of what is relevant to it in the first k, float64 [queries]."""
        if removal.targets not in self._known:
            struck = np.zeros(len(self._rows), np.bool_)
            struck[[self._rows[id_] for part in removal.evidence for id_ in part.passages]] = True
            left = (struck_out(each, struck) for each in (self._measured.rankings, self._measured.candidates))
            after = self._share(self._sandbox.score(self._measured.judged, *left))
            self._known[removal.targets] = np.where(np.abs(after - self._before) > EXACT, after - self._before, 0.0)
        return self._known[removal.targets]

    def _share(self, evaluation: Evaluation) -> Floats:
        # Counted here: of a recall that does not move, nothing could be foreseen.
        found = evaluation.found
        return found.found_at(evaluation.k) / np.maximum(found.judgments.relevant_counts, 1)


def _possible(measured: Measurement) -> Iterator[Removal]:
    """For each query that finds something: each piece that is enough by itself, else as many as it takes.

    With f of R relevant units in the first k, less than f are left for certain once more than R - f are gone.
    """
    evidence = relevant_evidence(measured)
    needed_by: dict[EvidencePart, set[int]] = defaultdict(set)
    for number, held in enumerate(evidence):
        for part in held:
            needed_by[part].add(number)
    found = measured.evaluation.found.found_at(measured.evaluation.k).tolist()
    for number, held in enumerate(evidence):
        if not found[number]:
            continue
        enough = sum(held.values()) - found[number] + 1
        alone: list[tuple[EvidencePart, ...]] = [(part,) for part, units in held.items() if units >= enough]
        for removed in alone or [_several(held, enough, needed_by)]:
            affected = frozenset[int]().union(*(needed_by[part] for part in removed))
            yield Removal(tuple(sorted(removed, key=lambda part: part.id)), number, affected)


def _several(
    held: Mapping[EvidencePart, int], enough: int, needed_by: Mapping[EvidencePart, set[int]]
) -> tuple[EvidencePart, ...]:
    removed: list[EvidencePart] = []
    for part in sorted(held, key=lambda part: (len(needed_by[part]), part.id)):
        removed.append(part)
        if sum(held[each] for each in removed) >= enough:
            break
    return tuple(removed)
