"""A named set of questions and of what is relevant to each, with a revision that is the hash of its content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from runner.errors import MOST_LISTED, ConfigError, InputError, Problem
from runner.formats.canonical import sha256_of
from runner.formats.nearest_ids import nearest_ids
from runner.snapshot import UNITS as SNAPSHOT_UNITS
from runner.snapshot import Snapshot

ROLES = ("development", "regression", "holdout")
UNITS = ("document", "passage", "span")
SOURCES = ("human", "synthetic", "click")
HISTORY_MODES = ("prepend", "ignore")
CROSSING = " x "
# Groups that the runner makes itself, so that a suite may declare or cross them without holding such a field.
DERIVED_FIELDS = ("freshness", "query_length", "relevant_items")

FieldValue = str | int | float | bool | None | list[str]


@dataclass(frozen=True)
class JudgedQuery:
    """One question. grades: judged id -> grade, 0 for judged and not relevant.

    answerable False: nothing in the documents answers it, and it enters no recall mean. judged False: nobody has looked
    yet, and it enters no mean at all. history: the turns before a follow-up, oldest first. lines: where each judgment
    stands in its file.
    """

    id: str
    text: str
    grades: Mapping[str, int]
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    answerable: bool = True
    judged: bool = True
    source: str = "human"
    added: str | None = None
    history: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def content(self) -> dict[str, Any]:
        """Everything that makes this query what it is, as JSON values."""
        return {
            "query_id": self.id,
            "text": self.text,
            "grades": dict(self.grades),
            "fields": dict(self.fields),
            "answerable": self.answerable,
            "judged": self.judged,
            "source": self.source,
            "added": self.added,
            "history": list(self.history),
        }


@dataclass(frozen=True)
class Suite:
    """queries: sorted by id. snapshot: the id it is pinned to, or None. slices: field names, or crossings `a x b`.

    path: the file that holds the judgments, for messages. Make one with a reader of `runner.suite_formats`.
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

    @cached_property
    def revision(self) -> str:
        """16 hex digits over the queries, judgments, unit, smallest relevant grade, role and history mode.

        The order of lines, the name, the pinned snapshot and the declared slices are not part of it.
        """
        return sha256_of(
            {
                "queries": [query.content() for query in sorted(self.queries, key=lambda query: query.id)],
                "unit": self.unit,
                "min_grade": self.min_grade,
                "role": self.role,
                "history": self.history_mode,
            }
        )[:16]

    def scored(self) -> tuple[JudgedQuery, ...]:
        """The queries of every mean: judged and answerable."""
        return tuple(query for query in self.queries if query.judged and query.answerable)

    def unanswerable(self) -> tuple[JudgedQuery, ...]:
        """The queries that nothing answers, reported on their own."""
        return tuple(query for query in self.queries if query.judged and not query.answerable)

    def unjudged(self) -> tuple[JudgedQuery, ...]:
        """The queries that nobody has judged: counted, in no mean."""
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

        Raises InputError: pinned to another snapshot (both ids), a unit the snapshot does not have, and every judged
        id that does not exist, by line, with the nearest ones that do.
        """
        where = self.path or f"suite {self.name}"
        problems = []
        if self.snapshot is not None and self.snapshot != snapshot.id:
            fix = "run on the pinned snapshot, or judge again and pin the new one"
            problems.append(Problem(None, f"is pinned to snapshot {self.snapshot}, this one is {snapshot.id}; {fix}"))
        if self.unit not in SNAPSHOT_UNITS:
            has = " and ".join(SNAPSHOT_UNITS)
            problems.append(Problem(None, f"judges the unit {self.unit!r}, snapshot {snapshot.id} has {has}"))
        if problems:
            raise InputError.of(where, problems)
        units = snapshot.units(self.unit)
        known = set(units)
        missing = [
            (query.lines.get(id_, 0), query.id, id_)
            for query in self.queries
            for id_ in query.grades
            if id_ not in known
        ]
        if not missing:
            return
        missing.sort()
        other = {id_ for unit in SNAPSHOT_UNITS if unit != self.unit for id_ in snapshot.units(unit)}
        # Looking for neighbours is slow: only for those that will be listed.
        hints = nearest_ids([id_ for *_, id_ in missing[:MOST_LISTED]], units)
        for line, query_id, id_ in missing:
            message = f"query {query_id!r} judges {id_!r}, a {self.unit} that snapshot {snapshot.id} does not hold"
            if id_ in other:
                message += "; it holds this id as its other unit, so mend `unit` or the chunker"
            elif hints.get(id_):
                message += f"; nearest: {', '.join(map(repr, hints[id_]))}"
            problems.append(Problem(line or None, message))
        raise InputError.of(where, problems)
