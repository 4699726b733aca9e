"""Which judged passages to remove so that a slice has to fall, whatever else moves up in the ranking."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from runner.drilling.altered import target_of, target_unit
from runner.drilling.bench import Bench, Measurement, struck_out
from runner.drilling.exercise import EXACT
from runner.scoring.evaluate import Evaluation
from runner.scoring.relevance import Floats


@dataclass(frozen=True)
class Removal:
    """targets: passages or documents, sorted. query: position of the scored query that loses by it for sure.

    touched: positions of all scored queries that a target is relevant to.
    """

    targets: tuple[str, ...]
    query: int
    touched: frozenset[int]


def relevant_targets(measured: Measurement) -> list[dict[str, int]]:
    """For each scored query, the targets that hold something relevant, with how many relevant units each holds."""
    suite = measured.judged.suite
    found = []
    for query in measured.judged.scored:
        held: dict[str, int] = defaultdict(int)
        for id_, grade in query.grades.items():
            if grade >= suite.min_grade:
                held[target_of(query, id_)] += 1
        found.append(dict(held))
    return found


class Chooser:
    """Orders, slice by slice, what could be removed.

    As few targets as can be, then those that the fewest queries outside the slice need, then one that was taken for an
    earlier slice: slices share what is equally good for them. What is foreseen to let others of the slice gain as much
    as is lost comes last.
    """

    def __init__(self, bench: Bench, measured: Measurement) -> None:
        slices = measured.judged.slices
        self._members = dict(zip(slices.names, slices.members, strict=True))
        self._candidates = list(_candidates(measured))
        self._foresight = _Foresight(bench, measured)
        self._taken: set[tuple[str, ...]] = set()

    def take(self, removal: Removal) -> None:
        """Note that a removal was carried out for some slice."""
        self._taken.add(removal.targets)

    def removals(self, group: str) -> Iterator[Removal]:
        """The removals by which a slice has to lose; none where nothing relevant is found in the first k."""
        row = self._members[group]
        members = frozenset(np.flatnonzero(row).tolist())
        ordered = sorted(
            (each for each in self._candidates if each.query in members),
            key=lambda each: (
                len(each.targets), len(each.touched - members), each.targets not in self._taken, each.targets,
                each.query,
            ),
        )  # fmt: skip
        later = []
        for each in ordered:
            if self._foresight.change(each.targets)[row].sum() < 0:
                yield each
            else:
                later.append(each)
        yield from later


class _Foresight:
    """Reads the rankings that are there with some targets struck out: exact where passages are scored one by one."""

    def __init__(self, bench: Bench, measured: Measurement) -> None:
        self._bench, self._measured = bench, measured
        snapshot, unit = measured.job.stage.snapshot, target_unit(measured.judged.suite)
        self._target = np.array([each.id if unit == "passage" else each.document for each in snapshot.passages])
        self._before = self._share(measured.evaluation)
        self._known: dict[tuple[str, ...], Floats] = {}

    def change(self, targets: tuple[str, ...]) -> Floats:
        """The change of each scored query's share of what is relevant to it in the first k, float64 [queries]."""
        if targets not in self._known:
            struck = np.isin(self._target, targets)
            left = (struck_out(each, struck) for each in (self._measured.rankings, self._measured.pool))
            after = self._share(self._bench.score(self._measured.judged, *left))
            self._known[targets] = np.where(np.abs(after - self._before) > EXACT, after - self._before, 0.0)
        return self._known[targets]

    def _share(self, evaluation: Evaluation) -> Floats:
        # Counted here: of a recall that does not move, nothing could be foreseen.
        found = evaluation.found
        return found.found_at(evaluation.k) / np.maximum(found.judgments.relevant_counts, 1)


def _candidates(measured: Measurement) -> Iterator[Removal]:
    """For each query that finds something: each target that is enough by itself, else as many as it takes.

    With f of R relevant units in the first k, less than f are left for certain once more than R - f are gone.
    """
    targets = relevant_targets(measured)
    needed_by: dict[str, set[int]] = defaultdict(set)
    for number, held in enumerate(targets):
        for target in held:
            needed_by[target].add(number)
    found = measured.evaluation.found.found_at(measured.evaluation.k).tolist()
    for number, held in enumerate(targets):
        if not found[number]:
            continue
        enough = sum(held.values()) - found[number] + 1
        alone: list[tuple[str, ...]] = [(target,) for target, units in held.items() if units >= enough]
        for removed in alone or [_several(held, enough, needed_by)]:
            touched = frozenset[int]().union(*(needed_by[target] for target in removed))
            yield Removal(tuple(sorted(removed)), number, touched)


def _several(held: Mapping[str, int], enough: int, needed_by: Mapping[str, set[int]]) -> tuple[str, ...]:
    removed: list[str] = []
    for target in sorted(held, key=lambda target: (len(needed_by[target]), target)):
        removed.append(target)
        if sum(held[each] for each in removed) >= enough:
            break
    return tuple(removed)
