"""Which judged passages to remove so that a slice has to fall, whatever else moves up in the ranking."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from runner.scoring.evaluate import Evaluation
from runner.scoring.judgments import Floats
from runner.selftest.check import EXACT
from runner.selftest.evidence import Evidence
from runner.selftest.sandbox import Measurement, Sandbox, struck_out


@dataclass(frozen=True)
class Removal:
    """pieces: what goes, by id. query: position of the scored query that loses by it for sure.

    touched: positions of all scored queries to which something of it is relevant.
    """

    pieces: tuple[Evidence, ...]
    query: int
    touched: frozenset[int]

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids of the pieces."""
        return tuple(piece.id for piece in self.pieces)


def relevant_pieces(measured: Measurement) -> list[dict[Evidence, int]]:
    """For each scored query, the pieces that hold something relevant, with how many relevant units each holds."""
    least = measured.judged.suite.min_grade
    return [
        dict(Counter(measured.pieces[id_] for id_, grade in query.grades.items() if grade >= least))
        for query in measured.judged.scored
    ]


class Chooser:
    """Orders, slice by slice, what could be removed.

    As few pieces as can be, then those that the fewest queries outside the slice need, then one that was taken for an
    earlier slice: slices share what is equally good for them. What is foreseen to let others of the slice gain as much
    as is lost comes last.
    """

    def __init__(self, bench: Sandbox, measured: Measurement) -> None:
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
                len(each.targets),
                len(each.touched - members),
                each.targets not in self._taken,
                each.targets,
                each.query,
            ),
        )
        later = []
        for each in ordered:
            if self._foresight.change(each)[row].sum() < 0:
                yield each
            else:
                later.append(each)
        yield from later


class _Foresight:
    """Reads the rankings that are there with some pieces struck out: exact where passages are scored one by one."""

    def __init__(self, bench: Sandbox, measured: Measurement) -> None:
        self._bench, self._measured = bench, measured
        self._rows = {id_: row for row, id_ in enumerate(measured.job.stage.snapshot.units("passage"))}
        self._before = self._share(measured.evaluation)
        self._known: dict[tuple[str, ...], Floats] = {}

    def change(self, removal: Removal) -> Floats:
        """The change of each scored query's share of what is relevant to it in the first k, float64 [queries]."""
        if removal.targets not in self._known:
            struck = np.zeros(len(self._rows), np.bool_)
            struck[[self._rows[id_] for piece in removal.pieces for id_ in piece.passages]] = True
            left = (struck_out(each, struck) for each in (self._measured.rankings, self._measured.pool))
            after = self._share(self._bench.score(self._measured.judged, *left))
            self._known[removal.targets] = np.where(np.abs(after - self._before) > EXACT, after - self._before, 0.0)
        return self._known[removal.targets]

    def _share(self, evaluation: Evaluation) -> Floats:
        # Counted here: of a recall that does not move, nothing could be foreseen.
        found = evaluation.found
        return found.found_at(evaluation.k) / np.maximum(found.judgments.relevant_counts, 1)


def _candidates(measured: Measurement) -> Iterator[Removal]:
    """For each query that finds something: each piece that is enough by itself, else as many as it takes.

    With f of R relevant units in the first k, less than f are left for certain once more than R - f are gone.
    """
    pieces = relevant_pieces(measured)
    needed_by: dict[Evidence, set[int]] = defaultdict(set)
    for number, held in enumerate(pieces):
        for piece in held:
            needed_by[piece].add(number)
    found = measured.evaluation.found.found_at(measured.evaluation.k).tolist()
    for number, held in enumerate(pieces):
        if not found[number]:
            continue
        enough = sum(held.values()) - found[number] + 1
        alone: list[tuple[Evidence, ...]] = [(piece,) for piece, units in held.items() if units >= enough]
        for removed in alone or [_several(held, enough, needed_by)]:
            touched = frozenset[int]().union(*(needed_by[piece] for piece in removed))
            yield Removal(tuple(sorted(removed, key=lambda piece: piece.id)), number, touched)


def _several(held: Mapping[Evidence, int], enough: int, needed_by: Mapping[Evidence, set[int]]) -> tuple[Evidence, ...]:
    removed: list[Evidence] = []
    for piece in sorted(held, key=lambda piece: (len(needed_by[piece]), piece.id)):
        removed.append(piece)
        if sum(held[each] for each in removed) >= enough:
            break
    return tuple(removed)
