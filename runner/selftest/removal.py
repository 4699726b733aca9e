"""One removal carried out: the old judgments must be refused, and the score must fall and come back."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from runner.errors import MOST_LISTED, InputError, RunnerError
from runner.scoring.evaluate import Evaluation
from runner.selftest.evidence import EvidencePart
from runner.selftest.perturbations import moved, new_mark, pinned, renamed, without
from runner.selftest.removal_choice import Removal
from runner.selftest.sandbox import Measurement, Sandbox
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Span, Suite

Judged = list[tuple[JudgedQuery, str]]
T = TypeVar("T")


def gone_judgments(suite: Suite, evidence: Collection[EvidencePart]) -> Judged:
    """Every judgment of these pieces above grade 0, whether its query is scored or not."""
    gone = {id_ for part in evidence for id_ in part.judged}
    return [(query, id_) for query in suite.queries for id_, grade in query.grades.items() if id_ in gone and grade > 0]


def unrefused(sandbox: Sandbox, suite: Suite, altered: Snapshot, evidence: Collection[EvidencePart]) -> tuple[str, str]:
    """What is wrong with how the judgments of these pieces are taken, "" if nothing, and the first line of a refusal.

    Of each query only these judgments are asked, between two of what is there, and with a query before and one behind
    that judge nothing else: a check that looks at a part of them only cannot pass.
    """
    named = ""
    for asked, wanted in _suites(suite, altered, evidence):
        try:
            # Pinned to the altered snapshot, or the pin would refuse it before anything judged is looked for.
            sandbox.plan(altered, pinned(asked, altered))
        except InputError as error:
            lines = str(error).splitlines()
            missed = [pair for pair in wanted if not any(_names(line, *pair) for line in lines)]
            if missed:
                query, id_ = missed[0]
                return f"{len(missed)} not refused by name, such as {id_!r} of query {query.id!r} ({lines[0]})", named
            named = named or next(line.strip() for line in lines if _names(line, *wanted[0]))
        except Exception as error:
            return f"not refused; it would break later ({type(error).__name__}: {error})", named
        else:
            return "not refused; it would be reported as a miss", named
    return "", named


def _suites(suite: Suite, altered: Snapshot, evidence: Collection[EvidencePart]) -> Iterator[tuple[Suite, Judged]]:
    """Suites that each hold as many of the judgments as an error lists."""
    pairs = gone_judgments(suite, evidence)
    spans = _there(altered)
    there = list(spans) if suite.unit == "span" else list(dict.fromkeys(_ends(altered.units(suite.unit))))
    ends = [JudgedQuery(id_, "?", dict.fromkeys(there, suite.min_grade), spans=spans) for id_ in ("!", "!!")]
    for start in range(0, len(pairs), MOST_LISTED):
        asked = pairs[start : start + MOST_LISTED]
        gone: dict[str, dict[str, int]] = {query.id: {} for query, _ in asked}
        for query, id_ in asked:
            gone[query.id][id_] = query.grades[id_]
        between = [
            replace(
                query,
                judgments=(),
                spans={**query.spans, **spans},
                grades=dict.fromkeys(there[:1], suite.min_grade)
                | gone[query.id]
                | dict.fromkeys(there[1:], suite.min_grade),
            )
            for query in {query.id: query for query, _ in asked}.values()
        ]
        yield replace(suite, queries=(ends[0], *between, ends[1]), slices=(), missing="error"), asked


def _there(altered: Snapshot) -> dict[str, Span]:
    """The first and the last passage that hold anything, as spans."""
    shown = [each for each in altered.passages if altered.text(each).strip()]
    spans = (Span(each.document, None, each.start, each.end) for each in _ends(shown))
    return {span.id: span for span in spans}


def _ends(found: Sequence[T]) -> list[T]:
    return [*found[:1], *found[-1:]]


def _names(line: str, query: JudgedQuery, id_: str) -> bool:
    named = (id_, repr(query.spans[id_].document)) if id_ in query.spans else (repr(id_),)
    return f"query {query.id!r}" in line and any(name in line for name in named)


@dataclass(frozen=True)
class RemovalOutcome:
    """What a removal did, for every slice that shares it.

    gone: the old judgments on the snapshot without it; back: the judgments led to the new ids; or why that could not be
    measured. unrefused: what was wrong with how the old judgments were taken, one line each. refusal: the first line
    that named one. refused: how many judgments there are of what went. revision: of the suite with the new ids.
    in_order: whether every passage kept its place among the ids, so that ties fall as before.
    """

    removal: Removal
    gone: Measurement | RunnerError
    back: Evaluation | RunnerError
    unrefused: tuple[str, ...]
    refusal: str
    refused: int
    revision: str
    in_order: bool


def carry_out(sandbox: Sandbox, before: Measurement, removal: Removal) -> RemovalOutcome:
    """Make both altered snapshots, store and read them, hold the old judgments against them, and measure."""
    suite, snapshot, evidence = before.judged.suite, before.job.stage.snapshot, removal.evidence
    mark = new_mark(snapshot, "moved")
    lacking, other = without(snapshot, evidence), moved(snapshot, evidence, mark)
    updated = renamed(suite, evidence, mark, other)
    faults, refusals = [], []
    for how, altered in (("removed", lacking), ("renamed", other)):
        fault, refusal = unrefused(sandbox, suite, altered, evidence)
        faults += [f"{how}: {fault}"] if fault else []
        refusals += [refusal] if refusal else []
    return RemovalOutcome(
        removal,
        _measured(lambda: sandbox.measure_gone(sandbox.stored(lacking), before)),
        _measured(lambda: sandbox.measure(sandbox.stored(other), sandbox.written(updated)).evaluation),
        tuple(faults),
        refusals[0] if refusals else "",
        len(gone_judgments(suite, evidence)),
        updated.revision,
        other.passages_for_retrieval().texts == snapshot.passages_for_retrieval().texts,
    )


def _measured(measure: Callable[[], T]) -> T | RunnerError:
    try:
        return measure()
    except RunnerError as error:
        return error
