"""Whether what a suite judges exists in a snapshot, and the suite without what does not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from retrievers.script import same_id
from runner.documents.document import Normalization
from runner.errors import MOST_LISTED, InputError, Problem
from runner.files.nearest import nearest_ids
from runner.snapshots import UNITS, Snapshot
from runner.suites.query import JudgedQuery
from runner.suites.span import Span, SpanFault

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


_SKIP = "to leave out and count what the documents lack, say"


def missing_units(held: Held, unit: str, snapshot: Snapshot, where: str, head: str) -> None:
    """Raise InputError naming every judged document or passage that is not there, by line, with the nearest ones.

    head: the file that says what is done with them; empty: a setting does. What is judged not relevant may be missing:
    no ranking can show it.
    """
    units = snapshot.units(unit)
    missing = [(query.lines.get(id_, 0), query.id, id_) for query, id_ in held.missing if query.grades[id_] > 0]
    if not missing:
        return
    missing.sort()
    other = {id_ for each in UNITS if each != unit for id_ in snapshot.units(each)}
    # Looking for neighbours is slow: only for those that will be listed.
    hints = nearest_ids([id_ for *_, id_ in missing[:MOST_LISTED]], units)
    problems = []
    for line, query_id, id_ in missing:
        message = f"query {query_id!r} judges {id_!r}, a {unit} that snapshot {snapshot.id} does not hold"
        if id_ in other:
            message += "; it holds this id as its other unit, so mend `unit` or the chunker"
        else:
            message += _nearest(hints.get(id_, ()))
        problems.append(Problem(line or None, message))
    error = InputError.of(where, problems)
    if any(query.grades for query in held.queries):
        skip = f"`missing: skip` in {head}" if head else "suite.missing=skip"
        ids = (
            f"`python -m runner snapshot show {snapshot.id} passages=true` lists its ids; " if unit == "passage" else ""
        )
        raise InputError(f"{error}{'; ' if len(problems) == 1 else chr(10) + '  '}{ids}{_SKIP} {skip}")
    raise error


def refuse_unknown(held: Held, unit: str, snapshot: Snapshot, where: str) -> None:
    """Raise InputError where nothing of what is judged is there: then it is about other documents altogether."""
    if not held.missing or any(query.grades for query in held.queries):
        return
    own = "passage" if unit == "passage" else "document"
    query, id_ = held.missing[0]
    named = query.spans[id_].document if id_ in query.spans else id_
    other = "document" if own == "passage" else "passage"
    hint = f"; it holds {named!r} as a {other}, so mend `unit` or the chunker" if named in snapshot.units(other) else ""
    shown = ", ".join(map(repr, snapshot.units(own)[:2]))
    raise InputError(
        f"{where}: not one of the {len(held.missing):,} judgments is of a {own} that snapshot {snapshot.id} holds: "
        f"they name ids like {named!r}, it has ids like {shown}{hint}"
    )


def missing_spans(queries: Iterable[JudgedQuery], snapshot: Snapshot, where: str) -> None:
    """Raise InputError naming every span whose document or whose words are not there, by line."""
    places = SpanPlaces(snapshot)
    problems = []
    for query in queries:
        taken: dict[tuple[str, int, int], str] = {}
        for id_ in query.grades:
            span, line = query.spans.get(id_), query.lines.get(id_) or None
            if span is None:
                reason = f"judges {id_!r}, which is no span; quotations and ranges stand in the own format only"
                problems.append(Problem(line, f"query {query.id!r} {reason}"))
                continue
            try:
                place = (span.document, *places.find(span))
            except SpanFault as fault:
                problems.append(Problem(line, f"query {query.id!r}: {fault}"))
                continue
            if taken.setdefault(place, id_) != id_:
                reason = f"the spans {taken[place]} and {id_} are the same words in the same place; write them alike"
                problems.append(Problem(line, f"query {query.id!r}: {reason}"))
    if problems:
        raise InputError.of(where, problems)


class SpanPlaces:
    """Finds spans in a snapshot's documents, each once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._texts = {document.id: document.text for document in snapshot.documents}
        # A quotation is made uniform as the documents were, or NFKC pages would never hold it.
        self._characters = Normalization(**snapshot.settings["normalization"]).characters

    def find(self, span: Span) -> tuple[int, int]:
        """[start, end) in the characters of its document. Raises SpanFault."""
        text = self._texts.get(span.document)
        if text is None:
            near = _nearest(nearest_ids([span.document], self._snapshot.units("document")).get(span.document, ()))
            raise SpanFault(f"snapshot {self._snapshot.id} holds no document {span.document!r}{near}")
        quote = None if span.quote is None else self._characters(span.quote)
        try:
            return Span(span.document, quote, span.start, span.end).locate(text)
        except SpanFault as fault:
            raise SpanFault(f"the span {span.id} {fault}") from None

    def fault(self, span: Span) -> str | None:
        """What keeps a span from being found, or None."""
        try:
            self.find(span)
        except SpanFault as fault:
            return str(fault)
        return None


def _nearest(hints: Sequence[str]) -> str:
    return f"; nearest: {', '.join(map(repr, hints))}" if hints else ""
