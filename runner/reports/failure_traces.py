"""Each failing query of a run as a trace: what every stage found, and where what was expected stood in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrievers.base import Query, Rankings
from runner.annotation.review.passage_texts import PassageTexts
from runner.configuration.settings import TraceSettings
from runner.engine.cache import text_key
from runner.engine.scored import Scored
from runner.reports.failures import hardest_first
from runner.reports.stage_trace import Look, Step, Tracer, looks
from runner.scoring.evaluate import JudgedSet
from runner.suites import JudgedQuery
from runner.tracking.query_trace import QueryTrace, TraceSpan

_MOST_CHARACTERS = 600
_RETRIEVER, _CHAIN = "RETRIEVER", "CHAIN"


def failure_traces(scored: Scored, settings: TraceSettings | None) -> tuple[QueryTrace, ...]:
    """Traces of the failing queries of a run, the hardest first; none where none are asked for."""
    if settings is None:
        return ()
    chosen = hardest_first(scored)[: settings.most]
    if not chosen:
        return ()
    queries = [scored.job.queries[number] for number in chosen]
    steps = Tracer().trace(scored)
    seen = [_Seen.of(look, step, queries, scored) for look, step in zip(looks(scored.job), steps, strict=True)]
    return tuple(_trace(scored, settings, seen, position, number) for position, number in enumerate(chosen))


@dataclass(frozen=True)
class _Seen:
    """What one stage found for the chosen queries. units: the same, as the judgments count; milliseconds: by query."""

    look: Look
    step: Step
    rankings: Rankings
    units: Rankings
    milliseconds: Mapping[str, float]

    @classmethod
    def of(cls, look: Look, step: Step, queries: Sequence[Query], scored: Scored) -> "_Seen":
        rankings = look.rankings(queries)
        measured = scored.measured.get(look.name)
        units = scored.job.judged.collapsed(rankings)
        return cls(look, step, rankings, units, measured.latency_ms if measured else {})


def _trace(scored: Scored, settings: TraceSettings, seen: Sequence[_Seen], position: int, number: int) -> QueryTrace:
    job, evaluation = scored.job, scored.evaluation
    query, asked, judged = job.judged.scored[number], job.queries[number], job.judged
    rank, cause = int(evaluation.found.first_rank[number]), evaluation.cause[number]
    where = f"the first relevant is at rank {rank}" if rank else f"nothing relevant in the first {job.settings.depth}"
    result = f"lost in the {cause}: {where}, k is {job.settings.k}"
    ids = job.stage.snapshot.passages_for_retrieval().ids
    final = seen[-1].units.one(position)[0][: job.settings.k].tolist()
    first = [ids[row] if judged.cover is not None else judged.units[judged.unit_of_row[row]] for row in final]
    expected = sorted(id_ for id_, grade in query.grades.items() if grade >= judged.suite.min_grade)
    slices = [name for name, members in zip(judged.slices.names, judged.slices.members, strict=True) if members[number]]
    attributes = {
        "query": query.id,
        "cause": cause,
        "first_relevant_rank": rank or None,
        "expected": expected,
        "slices": slices,
    }
    outputs = {"result": result, f"first {job.settings.k}": first}
    whole = TraceSpan(job.name, _CHAIN, {"question": asked.text}, outputs, attributes)
    stages = [_expected(scored, query, expected, settings.candidates)]
    stages += [_stage(scored, settings, each, position, number, expected) for each in seen]
    tags = {"query": query.id, "cause": cause, "retriever": job.stage.component.name, "k": str(job.settings.k)}
    return QueryTrace(query.id, asked.text, result, tags, whole, tuple(stages))


def _stage(
    scored: Scored, settings: TraceSettings, seen: _Seen, position: int, number: int, expected: Sequence[str]
) -> TraceSpan:
    job, judged, look = scored.job, scored.job.judged, seen.look
    rows, scores = seen.rankings.one(position)
    passages, snapshot = job.stage.snapshot.passages_for_retrieval(), job.stage.snapshot
    candidates = [
        {
            "id": passages.ids[row],
            "page_content": _excerpt(snapshot.text(snapshot.passages[row])),
            "metadata": {
                "doc_uri": passages.ids[row],
                "title": snapshot.passages[row].title,
                "rank": place,
                "score": round(float(score), 6),
                "relevant": judged.shows_alone(number, row),
            },
        }
        for place, (row, score) in enumerate(
            zip(rows[: settings.candidates].tolist(), scores[: settings.candidates], strict=True), 1
        )
    ]
    asked = job.queries[number].text
    told = seen.step.told(number)
    attributes: dict[str, Any] = {"stage": look.name, "candidates": len(rows), "first_relevant": told}
    attributes |= _ranks(judged, seen, position, expected)
    if look.depth is not None:
        attributes["depth"] = look.depth
    milliseconds = seen.milliseconds.get(text_key(asked).hex())
    if milliseconds is None:
        attributes["timed"] = "no"
    # The tree of a trace's spans then tells the whole story without a click.
    return TraceSpan(f"{look.name}: {told}", _RETRIEVER, {"question": asked}, candidates, attributes, milliseconds)


def _ranks(judged: JudgedSet, seen: _Seen, position: int, expected: Sequence[str]) -> dict[str, Any]:
    """Where each of what was expected stood. Of spans, which several passages may show together, only the first."""
    if judged.cover is not None:
        return {}
    found = judged.unit_of_row[seen.units.one(position)[0]]
    rank_of = {judged.units[unit]: rank for rank, unit in enumerate(found.tolist(), 1)}
    return {"expected_ranks": {id_: rank_of.get(id_, "not found") for id_ in expected}}


def _expected(scored: Scored, query: JudgedQuery, expected: Sequence[str], most: int) -> TraceSpan:
    """What should have been found, to be read beside what was."""
    texts = PassageTexts(scored.job.stage.snapshot, scored.job.judged.suite.unit)
    shown = [(id_, texts.find(id_, query.spans.get(id_), around=0)) for id_ in expected[:most]]
    documents = [
        {
            "id": id_,
            "page_content": _excerpt(text.text),
            "metadata": {"doc_uri": id_, "title": text.title, "grade": query.grades[id_]},
        }
        for id_, text in shown
        if text
    ]
    return TraceSpan("expected", _RETRIEVER, {"question": query.text}, documents, {"expected": len(expected)})


def _excerpt(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
