"""What keeps a row of another tool from becoming a judgment of a suite."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runner.annotation.candidates.candidate import KINDS
from runner.annotation.exchange.pair_files import Pair
from runner.annotation.exchange.pair_row import PairRow
from runner.annotation.review.passage_texts import PassageTexts
from runner.errors import MOST_LISTED, InputError, Problem
from runner.files.nearest import nearest_ids
from runner.suites import Judgment, Suite


@dataclass(frozen=True)
class ImportCheck:
    """lost: pairs whose passage is gone. asked: pairs that a proposal names. highest: the highest grade.

    known: what was said before. texts: of the suite's snapshot; without it only known pairs pass.
    """

    suite: Suite
    known: Mapping[Pair, Sequence[Judgment]]
    lost: Collection[Pair]
    asked: Collection[Pair]
    highest: int
    texts: PassageTexts | None

    def refuse(self, rows: Sequence[PairRow], path: str) -> None:
        """Raise InputError listing by line every fault of the rows."""
        strange = [row for row in rows if row.query_id not in self._queries and not self._may_add(row)]
        problems = [Problem(row.line, fault) for row in rows for fault in self._faults(row)]
        problems += [*_strange_queries(strange, sorted(self._queries)), *_contradictions(rows)]
        if problems:
            raise InputError.of(path, problems)

    @cached_property
    def _queries(self) -> frozenset[str]:
        return frozenset(query.id for query in self.suite.queries)

    def _may_add(self, row: PairRow) -> bool:
        return row.kind in KINDS and self.suite.role != "holdout"

    def _faults(self, row: PairRow) -> Iterator[str]:
        pair = (row.query_id, row.id)
        if (row.span is None) == (self.suite.unit == "span"):
            found, wanted = ("a span", "an id") if row.span else ("an id", "a document and a quote, or start and end")
            yield f"names {found}, the suite judges {self.suite.unit}s; expected {wanted}"
        elif row.kind == "gone" and pair in self.lost:
            if row.grade:
                yield f"{row.id!r} is gone; expected grade 0, which drops it, or another id, of what answers now"
        elif pair not in self.known and pair not in self.asked:
            yield from self._missing(row)
        if self._may_add(row) and row.query_id not in self._queries and not row.text.strip():
            yield f"query {row.query_id!r} is new, but the row has no text"
        if row.grade is None:
            return
        if row.grade > self.highest:
            yield f"grade: found {row.grade}, expected 0 to {self.highest} (grades=N allows more)"
        if same_as(row, self.known.get(pair, ())) is None:
            if row.annotator is None:
                yield "names no annotator; say whose judgments these are: annotator=NAME"
            if row.source != "human":
                yield f"source: found {row.source!r}; only what a person judged becomes a judgment: have one judge it"

    def _missing(self, row: PairRow) -> Iterator[str]:
        if self.texts is None:
            yield f"{row.id!r} is not judged yet, and only the snapshot says whether it exists: snapshot=ID"
            return
        try:
            self.texts.refuse_missing(row.id, row.span)
        except InputError as error:
            yield str(error)


def same_as(row: PairRow, known: Sequence[Judgment]) -> Judgment | None:
    """The judgment that says what a row says; a row without a time or a name says what any time or name does."""
    for each in known:
        same = (each.grade, each.source, each.note, each.adjudicated) == (
            row.grade,
            row.source,
            row.note,
            row.adjudicated,
        )
        if same and row.annotator == each.annotator and row.at in (None, each.at):
            return each
    return None


def _strange_queries(rows: Sequence[PairRow], known: Sequence[str]) -> Iterator[Problem]:
    names = list(dict.fromkeys(row.query_id for row in rows))
    hints = nearest_ids(names[:MOST_LISTED], known)
    for row in rows:
        near = ", ".join(map(repr, hints.get(row.query_id, ())))
        yield Problem(row.line, f"the suite has no query {row.query_id!r}{f'; nearest: {near}' if near else ''}")


def _contradictions(rows: Sequence[PairRow]) -> Iterator[Problem]:
    first: dict[tuple[str, str, str | None], PairRow] = {}
    for row in rows:
        if row.grade is None or row.adjudicated:
            continue
        before = first.setdefault((row.query_id, row.id, row.annotator), row)
        if before.grade != row.grade:
            by = f" by {row.annotator!r}" if row.annotator else ""
            twice = f"grade {row.grade}{by}, but {before.grade} in line {before.line}; keep one of them"
            yield Problem(row.line, f"query {row.query_id!r} and {row.id!r}: {twice}")
