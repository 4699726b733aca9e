"""Who gave which grade to which pair of query and judged thing, out of suites and of files of pairs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from runner.annotation.exchange.pair_row import PairRow
from runner.errors import InputError, Problem
from runner.suites import JudgedQuery, Judgment, Suite

# Why a row is there that only says what a suite holds.
FROM_SUITE = "judged"


@dataclass(frozen=True)
class Source:
    """One file of judgments. name: what it is called in messages. stem: the rater of what was graded in it unsigned."""

    name: str
    stem: str
    rows: tuple[PairRow, ...]


@dataclass(frozen=True)
class Ratings:
    """raters and pairs: sorted. grades: [raters, pairs], NaN where a rater said nothing. rows: one of each pair.

    notes: (rater, pair number) -> note. adjudicated: how many judgments were left out since they settle others.
    """

    raters: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    grades: NDArray[np.float64]
    rows: Mapping[tuple[str, str], PairRow]
    notes: Mapping[tuple[int, int], str]
    adjudicated: int

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """The pairs that at least two raters judged, bool [pairs]."""
        several: NDArray[np.bool_] = (~np.isnan(self.grades)).sum(axis=0) > 1
        return several


def suite_rows(suite: Suite) -> tuple[PairRow, ...]:
    """Every judgment of a suite as a row, in the order of queries and judgments."""
    return tuple(row for query in suite.queries for row in query_rows(query))


def query_rows(query: JudgedQuery) -> Iterable[PairRow]:
    """Every judgment of one query as a row."""
    for each in query.every_judgment:
        yield PairRow(
            query.id,
            each.id,
            query.text,
            query.history,
            query.spans.get(each.id),
            each.grade,
            each.annotator,
            each.at,
            each.note,
            each.source,
            each.adjudicated,
            FROM_SUITE,
            line=query.lines.get(each.id),
        )


def collect(sources: Sequence[Source]) -> Ratings:
    """Tell the raters of some files apart and lay their grades side by side.

    A rater is an annotator by name, else the program (synthetic, click), else `unnamed` for what a suite holds and the
    file for what was graded in it. A name that speaks of one pair in two files is two raters, `name (file)`, so that
    somebody can be compared with themselves; but copies of what nobody signed are no second opinion. Adjudications
    settle what raters said and are left out. Raises InputError for a rater who gives one pair two grades, by line, and
    where no pair has two raters.
    """
    signed = [
        [(row, _rater(row, row.judgment, source)) for row in source.rows if row.judgment and not row.adjudicated]
        for source in sources
    ]
    twice = _in_several(signed)
    given: dict[str, dict[tuple[str, str], PairRow]] = {}
    for source, rows in zip(sources, signed, strict=True):
        problems = []
        for row, name in rows:
            rater = f"{name} ({source.name})" if name in twice else name
            before = given.setdefault(rater, {}).setdefault((row.query_id, row.id), row)
            if before.grade != row.grade:
                said = f"{rater!r} gives query {row.query_id!r} and {row.id!r} the grade {row.grade}"
                problems.append(Problem(row.line, f"{said}, in line {before.line} {before.grade}; keep one of them"))
        if problems:
            raise InputError.of(source.name, problems)
    adjudicated = sum(row.adjudicated and row.grade is not None for source in sources for row in source.rows)
    ratings = _aligned(given, adjudicated)
    if not ratings.common.any():
        raise InputError(_nothing_common(sources, ratings))
    return ratings


def _rater(row: PairRow, judgment: Judgment, source: Source) -> str:
    graded_here = row.kind != FROM_SUITE and judgment.annotator is None and judgment.source == "human"
    return source.stem if graded_here else judgment.rater


def _in_several(signed: Sequence[Sequence[tuple[PairRow, str]]]) -> set[str]:
    seen: dict[tuple[str, str, str], tuple[int, PairRow]] = {}
    several: set[str] = set()
    for number, rows in enumerate(signed):
        for row, name in rows:
            first, before = seen.setdefault((name, row.query_id, row.id), (number, row))
            copied = row.annotator is None and row.kind == before.kind == FROM_SUITE and row.grade == before.grade
            if first != number and not copied:
                several.add(name)
    return several


def _aligned(given: Mapping[str, Mapping[tuple[str, str], PairRow]], adjudicated: int) -> Ratings:
    raters = tuple(sorted(given))
    pairs = tuple(sorted({pair for said in given.values() for pair in said}))
    position = {pair: number for number, pair in enumerate(pairs)}
    grades = np.full((len(raters), len(pairs)), np.nan)
    rows: dict[tuple[str, str], PairRow] = {}
    notes: dict[tuple[int, int], str] = {}
    for number, rater in enumerate(raters):
        for pair, row in given[rater].items():
            grades[number, position[pair]] = row.grade
            if row.note:
                notes[number, position[pair]] = row.note
            # The row that says most of the question and the passage speaks for the pair.
            known = rows.setdefault(pair, row)
            if (bool(row.text), bool(row.passage_text)) > (bool(known.text), bool(known.passage_text)):
                rows[pair] = row
    return Ratings(raters, pairs, grades, rows, notes, adjudicated)


def _nothing_common(sources: Sequence[Source], ratings: Ratings) -> str:
    where = ", ".join(source.name for source in sources)
    if not ratings.raters:
        return f"{where}: nobody gave a grade"
    counts = ", ".join(
        f"{rater} {int((~np.isnan(grades)).sum())}"
        for rater, grades in zip(ratings.raters, ratings.grades, strict=True)
    )
    return (
        f"{where}: no pair of query_id and id was judged by two raters (pairs by rater: {counts}); "
        "agreement needs the same pairs judged twice"
    )
