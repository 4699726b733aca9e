"""A named set of questions and of what is relevant to each, with a revision that is the hash of its content."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from runner.errors import ConfigError, InputError, Problem
from runner.files.strict_json import sha256_of
from runner.snapshots import UNITS as SNAPSHOT_UNITS
from runner.snapshots import Snapshot
from runner.suites.existence import Held, missing_spans, missing_units, refuse_unknown
from runner.suites.query import JudgedQuery

ROLES = ("development", "regression", "holdout")
UNITS = ("document", "passage", "span")
HISTORY_MODES = ("prepend", "ignore")
CROSSING = " x "
# Groups that the runner makes itself, so that a suite may declare or cross them without holding such a field.
DERIVED_FIELDS = ("freshness", "query_length", "relevant_items")
# How much of a span the passages of a ranking must show.
COVERAGE = 0.6


@dataclass(frozen=True)
class Suite:
    """queries: sorted by id. snapshot: the id it is pinned to, or None. slices: field names, or crossings `a x b`.

    documents: the beginning of the documents_sha256 it is pinned to, or None: the same pages, however they are cut.
    coverage: for the unit span, how much of one must be shown. missing: whether a relevant item that the documents
    lack is an error, or skipped; it decides no score, only whether there is one. frozen: the revision its file says it
    has. path: the file that holds the judgments, for messages. head: the file that says all the rest, where that is
    another one. Make one with a reader of `runner.suite_formats`.
    """

    name: str
    role: str
    unit: str
    queries: tuple[JudgedQuery, ...]
    snapshot: str | None = None
    slices: tuple[str, ...] = ()
    min_grade: int = 1
    history_mode: str = "prepend"
    path: str = field(default="", compare=False)
    documents: str | None = None
    coverage: float = COVERAGE
    frozen: str | None = field(default=None, compare=False)
    head: str = field(default="", compare=False)
    missing: str = field(default="error", compare=False)

    @cached_property
    def revision(self) -> str:
        """16 hex digits over the queries, judgments, unit, smallest relevant grade, role, history mode and coverage.

        The order of lines, the name, the pins and the declared slices are not part of it.
        """
        content: dict[str, Any] = {
            "queries": [query.content() for query in sorted(self.queries, key=lambda query: query.id)],
            "unit": self.unit,
            "min_grade": self.min_grade,
            "role": self.role,
            "history": self.history_mode,
        }
        if self.unit == "span":
            content["coverage"] = self.coverage
        return sha256_of(content)[:16]

    def scored(self) -> tuple[JudgedQuery, ...]:
        """The queries of every mean: judged and answerable."""
        return tuple(query for query in self.queries if query.judged and query.answerable)

    def unanswerable(self) -> tuple[JudgedQuery, ...]:
        """The queries that nothing answers, reported on their own."""
        return tuple(query for query in self.queries if query.judged and not query.answerable)

    def unjudged(self) -> tuple[JudgedQuery, ...]:
        """The queries that nobody has judged, or whose judgments wait for review: counted, in no mean."""
        return tuple(query for query in self.queries if not query.judged)

    def query_text(self, query: JudgedQuery, history: str | None = None) -> str:
        """What a retriever is asked: the text, after the earlier turns on lines of their own if history is `prepend`.

        Without `history`, the suite's own mode holds. Raises ConfigError for any other mode.
        """
        mode = self.history_mode if history is None else history
        if mode not in HISTORY_MODES:
            raise ConfigError(f"history must be one of {', '.join(HISTORY_MODES)}, found {mode!r}")
        return "\n".join([*query.history, query.text]) if mode == "prepend" else query.text

    def check(self, snapshot: Snapshot) -> None:
        """Hold the suite against a snapshot before anything is computed.

        Raises InputError: pinned to another snapshot or to other documents (both ids), and every judged id that does
        not exist and every span that cannot be found, by line, with the nearest that do. An id of grade 0 that does
        not exist is no error, and none is with `missing` skip, unless nothing that is judged exists.
        """
        where = self.path or f"suite {self.name}"
        if problems := self._pin_faults(snapshot):
            raise InputError.of(self.head or where, problems)  # a pin stands in the head
        if self.unit not in UNITS:
            raise InputError(f"{where}: judges the unit {self.unit!r}, expected one of {', '.join(UNITS)}")
        held = self.held(snapshot)
        if self.unit in SNAPSHOT_UNITS:
            if self.missing == "error":
                missing_units(held, self.unit, snapshot, where, self.head)
        else:
            missing_spans(self._findable(held), snapshot, where)
        refuse_unknown(held, self.unit, snapshot, where)

    def held(self, snapshot: Snapshot) -> Held:
        """What the snapshot holds of the judgments, and which it does not."""
        return Held.of(self.queries, self.unit, snapshot, self.min_grade)

    def within(self, snapshot: Snapshot) -> "Suite":
        """The suite with those judgments only that are of something the snapshot holds."""
        return replace(self, queries=self.held(snapshot).queries)

    def _findable(self, held: Held) -> tuple[JudgedQuery, ...]:
        """The queries with the spans that have to be found: those of the documents that are there, at least."""
        if self.missing == "skip":
            return held.queries
        excused = {(query.id, id_) for query, id_ in held.missing if query.grades[id_] == 0}
        if not excused:
            return self.queries
        return tuple(
            replace(query, grades={id_: grade for id_, grade in query.grades.items() if (query.id, id_) not in excused})
            for query in self.queries
        )

    def _pin_faults(self, snapshot: Snapshot) -> list[Problem]:
        problems = []
        if self.snapshot is not None and self.snapshot != snapshot.id:
            fix = (
                "run on the pinned snapshot, carry the judgments over (python -m runner judgments migrate), or judge "
                "again and pin the new one"
            )
            problems.append(Problem(None, f"is pinned to snapshot {self.snapshot}, this one is {snapshot.id}; {fix}"))
        if self.documents is not None and not snapshot.documents_sha256.startswith(self.documents):
            found = snapshot.documents_sha256[:16]
            problems.append(
                Problem(
                    None,
                    f"is pinned to the documents {self.documents}, those of snapshot {snapshot.id} are {found}; carry "
                    "the judgments over (python -m runner judgments migrate)",
                )
            )
        ranges = [span for query in self.queries for span in query.spans.values() if span.quote is None]
        if ranges and self.documents is None and self.snapshot is None:
            problems.append(
                Problem(
                    None,
                    f"judges characters by their number ({ranges[0].id}), which means something on known documents "
                    f"only; pin them (documents: {snapshot.documents_sha256[:16]}) or quote the words",
                )
            )
        return problems
