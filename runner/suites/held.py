"""What a snapshot holds of all that a suite judges: only that can be found, so only that is scored."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from retrievers.script import same_id
from runner.snapshots import Snapshot
from runner.suites.query import JudgedQuery

# What a relevant item that the documents lack is: a fault of the suite, or nothing that could be found.
MISSING = ("error", "skip")


@dataclass(frozen=True)
class Held:
    """queries: all of them, without the judgments of what is not there; one that lost all its relevant items is
    unjudged. missing: (query, judged id) of the judgments left out. emptied: ids of the queries that became unjudged.
    """

    queries: tuple[JudgedQuery, ...]
    missing: tuple[tuple[JudgedQuery, str], ...]
    emptied: tuple[str, ...]

    @classmethod
    def of(cls, queries: Iterable[JudgedQuery], unit: str, snapshot: Snapshot, min_grade: int) -> "Held":
        """Lay queries over a snapshot; a span is there where its document is, whatever that says."""
        known = set(snapshot.units("passage" if unit == "passage" else "document"))
        # A snapshot of an earlier version may have ids with something unseen in them.
        older = {same_id(id_): id_ for id_ in known if same_id(id_) != id_}
        if older:
            queries = [_renamed(query, older) for query in queries]
        kept: list[JudgedQuery] = []
        missing: list[tuple[JudgedQuery, str]] = []
        emptied: list[str] = []
        for query in queries:
            gone = {id_ for id_ in query.grades if _named(query, id_) not in known}
            held = _without(query, gone, min_grade) if gone else query
            missing += [(query, id_) for id_ in query.grades if id_ in gone]
            if held.judged != query.judged:
                emptied.append(query.id)
            kept.append(held)
        return cls(tuple(kept), tuple(missing), tuple(emptied))


def _renamed(query: JudgedQuery, older: Mapping[str, str]) -> JudgedQuery:
    if older.keys().isdisjoint(query.grades):
        return query
    return replace(
        query,
        grades={older.get(id_, id_): grade for id_, grade in query.grades.items()},
        judgments=tuple(replace(each, id=older.get(each.id, each.id)) for each in query.judgments),
        lines={older.get(id_, id_): line for id_, line in query.lines.items()},
    )


def _named(query: JudgedQuery, id_: str) -> str:
    span = query.spans.get(id_)
    return span.document if span else id_


def _without(query: JudgedQuery, gone: set[str], min_grade: int) -> JudgedQuery:
    grades = {id_: grade for id_, grade in query.grades.items() if id_ not in gone}
    relevant = any(grade >= min_grade for grade in grades.values())
    return replace(
        query,
        grades=grades,
        judgments=tuple(judgment for judgment in query.judgments if judgment.id not in gone),
        spans={id_: span for id_, span in query.spans.items() if id_ not in gone},
        judged=query.judged and (relevant or not query.answerable),
    )
