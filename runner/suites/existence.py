"""Whether everything that a suite judges exists in a snapshot: a wrong id would be a miss that nobody made."""

from collections.abc import Iterable, Sequence

from runner.documents.document import Normalization
from runner.errors import MOST_LISTED, InputError, Problem
from runner.files.nearest import nearest_ids
from runner.snapshots import UNITS, Snapshot
from runner.suites.held import Held
from runner.suites.query import JudgedQuery
from runner.suites.span import Span, SpanFault

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
        ids = f"`python -m runner.snapshot show {snapshot.id} --passages` lists its ids; " if unit == "passage" else ""
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
