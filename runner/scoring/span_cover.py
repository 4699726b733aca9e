"""Which passages show which judged spans, and at which rank each span has been shown.

A span is found at the rank at which the passages so far, together, show at least `coverage` of its characters, white
space apart (chunkers leave it out between passages). Its place is that rank, or the next free one where a passage
completes several: spans that one passage shows together stand one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retrievers.base import Rankings
from retrievers.ignorable import holds_ignorable
from runner.scoring.judgments import Integers, Judgments
from runner.scoring.relevance import Relevance, successive
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery
from runner.suites.existence import SpanPlaces


@dataclass(frozen=True)
class SpanCover:
    """Every pair of a judged span and a passage that shows some of it.

    spans: int64 [pairs], ascending; rows: int64 [pairs], passages; low and high: int64 [pairs], the shown characters
    of the span, [low, high), white space not counted. query, grade, length: int64 [spans]. n_passages: of the snapshot.
    coverage: the share that has to be shown.
    """

    spans: Integers
    rows: Integers
    low: Integers
    high: Integers
    query: Integers
    grade: Integers
    length: Integers
    n_passages: int
    coverage: float
    judgments: Judgments

    @classmethod
    def of(cls, queries: Sequence[JudgedQuery], snapshot: Snapshot, coverage: float, min_grade: int) -> "SpanCover":
        """Find the spans of these queries in the snapshot. Raises SpanFault for one that is not there."""
        places, cut = SpanPlaces(snapshot), _Cut(snapshot)
        pairs: list[tuple[int, int, int, int]] = []
        spans: list[tuple[int, int, int]] = []
        graded: list[Mapping[int, int]] = []
        for number, query in enumerate(queries):
            grades = {}
            for id_, grade in query.grades.items():
                span = query.spans[id_]
                start, end = places.find(span)
                shown = cut.passages(span.document, start, end)
                grades[len(spans)] = grade
                pairs += [(len(spans), row, low, high) for row, low, high in shown]
                spans.append((number, grade, cut.characters(span.document, start, end)))
            graded.append(grades)
        shown_of, rows, low, high = np.array(pairs, np.int64).reshape(-1, 4).T
        query_of, grade_of, length = np.array(spans, np.int64).reshape(-1, 3).T
        judgments = Judgments.of(graded, max(len(spans), 1), min_grade)
        return cls(shown_of, rows, low, high, query_of, grade_of, length, len(snapshot.passages), coverage, judgments)

    def out_of_reach(self) -> int:
        """How many relevant spans no passages of the snapshot could show together, whatever the retriever."""
        order = np.lexsort((self.low, self.spans))
        shown = np.zeros(len(self.length), np.int64)
        for number, ranges in _by_span(self.spans[order], np.stack([self.low, self.high], axis=1)[order]):
            shown[number] = _union(ranges)
        relevant = self.grade >= self.judgments.min_grade
        return int((relevant & (shown < self._needed)).sum())

    @cached_property
    def _needed(self) -> Integers:
        # Rounded up: 0.6 of 5 characters are 3, not 2.9999999999999996.
        needed: Integers = np.ceil(self.coverage * self.length - 1e-9).astype(np.int64)
        return needed

    @cached_property
    def alone(self) -> frozenset[tuple[int, int]]:
        """(query, passage) wherever the passage shows a relevant span by itself."""
        enough = self.high - self.low >= self._needed[self.spans]
        enough &= self.grade[self.spans] >= self.judgments.min_grade
        pairs = zip(self.query[self.spans[enough]].tolist(), self.rows[enough].tolist(), strict=True)
        return frozenset(pairs)

    def relevance(self, rankings: Rankings) -> Relevance:
        """What rankings of these queries, aligned with them, found of the spans."""
        length = np.diff(rankings.offsets)
        width = int(length.max(initial=0))
        complete, shown = self._shown(*self._met(rankings))
        judged = np.zeros((len(rankings), width), np.bool_)
        answers = np.zeros((len(rankings), width), np.int64)
        since: dict[tuple[int, int], int] = {}
        for span, rank, found in shown:
            query = int(self.query[span])
            judged[query, rank - 1] = True
            if self.grade[span] >= self.judgments.min_grade:
                since[query, rank] = min(found, since.get((query, rank), found))
        # A passage counts once, from the earliest rank at which it and those above it show a span.
        for (query, _), rank in since.items():
            answers[query, rank - 1] += 1
        place = self._places(complete)
        gains = np.zeros((len(rankings), max(int(place.max(initial=0)), width)), np.int64)
        at = np.zeros(gains.shape, np.int64)
        there = place > 0
        gains[self.query[there], place[there] - 1] = self.grade[there]
        at[self.query[there], place[there] - 1] = complete[there]
        return Relevance(self.judgments, gains, judged, length, at, answers)

    def _met(self, rankings: Rankings) -> tuple[Integers, Integers]:
        """Pairs whose passage is in its query's ranking, by span and then by rank, with these ranks."""
        numbers = rankings.query_numbers()
        keys = numbers * self.n_passages + rankings.rows
        order = np.argsort(keys, kind="stable")
        wanted = self.query[self.spans] * self.n_passages + self.rows
        place = np.searchsorted(keys[order], wanted)
        there = np.flatnonzero(np.append(keys[order], -1)[place] == wanted)
        positions = order[place[there]]
        ranks = positions - rankings.offsets[numbers[positions]] + 1
        by_rank = np.lexsort((ranks, self.spans[there]))
        return there[by_rank], ranks[by_rank]

    def _shown(self, pairs: Integers, ranks: Integers) -> tuple[Integers, list[tuple[int, int, int]]]:
        """The rank at which each span has been shown, 0 for never, and which passages showed it.

        Of these: span, rank of the passage, rank at which it and those above it had shown the span.
        """
        complete = np.zeros(len(self.length), np.int64)
        shown: list[tuple[int, int, int]] = []
        for span, rows in _by_span(self.spans[pairs], np.stack([self.low[pairs], self.high[pairs], ranks], axis=1)):
            needed = self._needed[span]
            seen: list[tuple[int, int]] = []
            parts: list[int] = []
            covered = 0
            for low, high, rank in rows.tolist():
                seen.append((low, high))
                before, covered = covered, _union(np.array(sorted(seen), np.int64))
                if not complete[span] and covered > before:
                    parts.append(rank)
                    if covered >= needed:
                        complete[span] = rank
                        shown += [(span, part, rank) for part in parts]
                elif high - low >= needed:
                    shown.append((span, rank, rank))
        return complete, shown

    def _places(self, complete: Integers) -> Integers:
        """The place of each span that was found and gains something, else 0: its rank, or the next free one."""
        place = np.zeros(len(complete), np.int64)
        order = np.lexsort((-self.grade, complete, self.query))
        order = order[(complete[order] > 0) & (self.grade[order] > 0)]
        for numbers in np.split(order, np.flatnonzero(np.diff(self.query[order])) + 1):
            place[numbers] = successive(complete[numbers].tolist())
        return place


class _Cut:
    """The passages of each document as sorted arrays, and its characters that are neither white space nor ignorable."""

    def __init__(self, snapshot: Snapshot) -> None:
        rows: dict[str, list[tuple[int, int, int]]] = {}
        for number, passage in enumerate(snapshot.passages):
            rows.setdefault(passage.document, []).append((passage.start, passage.end, number))
        self._rows = {id_: np.array(sorted(found), np.int64) for id_, found in rows.items()}
        self._texts = {document.id: document.text for document in snapshot.documents}
        self._inked: dict[str, Integers] = {}

    def characters(self, document: str, start: int, end: int) -> int:
        """How many characters of [start, end) are seen."""
        inked = self._counts(document)
        return int(inked[end] - inked[start])

    def passages(self, document: str, start: int, end: int) -> list[tuple[int, int, int]]:
        """The passages that show some of [start, end): row, and which of its characters, white space not counted."""
        rows = self._rows.get(document, np.zeros((0, 3), np.int64))
        inked = self._counts(document)
        low, high = np.maximum(rows[:, 0], start), np.minimum(rows[:, 1], end)
        met = low < high
        shown = np.stack([rows[met, 2], inked[low[met]] - inked[start], inked[high[met]] - inked[start]], axis=1)
        return [(row, first, last) for row, first, last in shown.tolist() if first < last]

    def _counts(self, document: str) -> Integers:
        if document not in self._inked:
            text = self._texts[document]
            unseen = holds_ignorable(text)
            ink = np.array([not (each.isspace() or (unseen and holds_ignorable(each))) for each in text], np.int64)
            self._inked[document] = np.concatenate(([0], np.cumsum(ink)))
        return self._inked[document]


def _by_span(spans: Integers, rows: Integers) -> list[tuple[int, Integers]]:
    """Rows, grouped by their span."""
    if not len(spans):
        return []
    cuts = np.flatnonzero(np.diff(spans)) + 1
    return [(int(each[0]), group) for each, group in zip(np.split(spans, cuts), np.split(rows, cuts), strict=True)]


def _union(ranges: Integers) -> int:
    """How many characters ranges cover together; sorted by their beginning."""
    covered, reached = 0, 0
    for low, high in ranges[:, :2].tolist():
        covered += max(high - max(low, reached), 0)
        reached = max(reached, high)
    return covered
