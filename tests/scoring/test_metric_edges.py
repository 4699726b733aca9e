"""The same edges for every metric that is registered, whoever adds it: nothing here names one."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from runner.chunkers import WholeDocument
from runner.documents import Document
from runner.scoring.evaluate import JudgedSet, evaluate
from runner.scoring.judgments import Floats, Judgments
from runner.scoring.metric import REGISTERED, Metric
from runner.scoring.metric_names import POOL_RECALL, metric_names
from runner.scoring.relevance import Relevance
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Span, Suite

LookUp = Callable[..., Relevance]
SAMPLES = {float: (0.3, 0.9), int: (1, 3)}


def values_of(cls: type[Metric]) -> list[Metric]:
    """The metric with its defaults, or with a value of each kind in every parameter that has none, and at a cutoff."""
    hints = get_type_hints(cls)
    needed = [each.name for each in fields(cls) if each.default is MISSING]
    kinds = {
        name: get_args(hints[name]) if get_origin(hints[name]) is Literal else SAMPLES[hints[name]] for name in needed
    }
    made = [cls(**{name: kinds[name][at] for name in needed}) for at in range(2 if needed else 1)]
    for each in fields(cls):
        if each.name not in (*needed, "cutoff") and get_origin(hints[each.name]) is Literal:
            made += [cls(**{each.name: value}) for value in get_args(hints[each.name])]  # type: ignore[arg-type]
    return [*made, *([cls(cutoff=2, **{name: kinds[name][0] for name in needed})] if cls.takes_cutoff else [])]  # type: ignore[arg-type]


assert metric_names()
EVERY = [metric for name, cls in REGISTERED.items() if name != POOL_RECALL for metric in values_of(cls)]
every = pytest.mark.parametrize("metric", EVERY, ids=str)


def sound(values: Floats, n: int) -> list[float]:
    assert values.dtype == np.float64
    assert values.shape == (n,)
    assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    found: list[float] = values.tolist()
    return found


@every
@pytest.mark.parametrize("k", [1, 3, 1000])
def test_an_empty_ranking_is_worth_nothing(metric: Metric, look_up: LookUp, k: int) -> None:
    nothing = 0 if metric.quality else 1
    assert sound(metric.compute(look_up(["", ""], [{"A": 1}, {"B": 2, "C": 0}]), k), 2) == [nothing, nothing]
    assert sound(metric.compute(look_up(["A", ""], [{"A": 1}, {"B": 1}]), k), 2)[1] == nothing


@every
def test_a_ranking_without_anything_relevant_is_worth_nothing(metric: Metric, look_up: LookUp) -> None:
    (value,) = sound(metric.compute(look_up(["CDE"], [{"A": 1, "C": 0, "D": 0}]), 3), 1)
    assert not metric.quality or value == 0


@every
def test_no_queries_have_no_values(metric: Metric, look_up: LookUp) -> None:
    sound(metric.compute(look_up([], []), 3), 0)


@every
def test_nothing_relevant_at_all_is_no_division_by_zero(metric: Metric, look_up: LookUp) -> None:
    sound(metric.compute(look_up(["AB", "AB"], [{"A": 0}, {}]), 3), 2)


@every
def test_k_may_be_over_the_depth(metric: Metric, look_up: LookUp) -> None:
    found = look_up(["CADBE", "A"], [{"A": 3, "B": 1, "C": 0}, {"A": 1}])
    sound(metric.compute(found, 1000), 2)


@every
@pytest.mark.parametrize("min_grade", [1, 2])
def test_grades_keep_it_between_zero_and_one(metric: Metric, look_up: LookUp, min_grade: int) -> None:
    graded = [{"A": 3, "B": 1, "C": 0, "D": -1, "E": 9}, {"A": 2}]
    for k in (1, 2, 3, 8):
        sound(metric.compute(look_up(["EABCD", "HGFA"], graded, min_grade), k), 2)


@every
def test_it_follows_from_the_first_k_or_says_that_it_looks_at_all(metric: Metric, look_up: LookUp) -> None:
    graded = [{"A": 3, "B": 1, "C": 0, "F": 1}]
    whole, top = look_up(["CADBEF"], graded), look_up(["CA"], graded)
    assert metric.whole or metric.compute(whole, 2).tolist() == metric.compute(top, 2).tolist()
    if not metric.follows_k:
        assert metric.compute(whole, 1).tolist() == metric.compute(whole, 5).tolist()


@every
def test_a_query_is_scored_by_itself(metric: Metric, look_up: LookUp) -> None:
    words, graded = ["CADBEF", "A", ""], [{"A": 3, "B": 1, "C": 0}, {"A": 1}, {"B": 1}]
    together = metric.compute(look_up(words, graded), 3).tolist()
    alone = [metric.compute(look_up([w], [g]), 3)[0] for w, g in zip(words, graded, strict=True)]
    assert together == pytest.approx(alone, abs=1e-12)


@every
def test_passages_are_collapsed_to_documents(metric: Metric, rank: Callable[..., object]) -> None:
    judgments = Judgments.of([{0: 1, 1: 1, 2: 0}], 3)
    of_row = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    twice = Relevance.of(rank("ADBEC"), of_row, judgments)  # type: ignore[arg-type]
    once = Relevance.of(rank("AD"), of_row, judgments)  # type: ignore[arg-type]
    assert sound(metric.compute(twice, 2), 1) == sound(metric.compute(once, 2), 1)


@every
def test_spans_are_scored_too(metric: Metric) -> None:
    page = Document("d", "D", "one two three")
    spans = [Span("d", "one"), Span("d", "three"), Span("d", "two")]
    grades = {spans[0].id: 2, spans[1].id: 1, spans[2].id: 0}
    query = JudgedQuery("q", "?", grades, spans={each.id: each for each in spans})
    snapshot = Snapshot.build([page], WholeDocument())
    laid = JudgedSet.of(Suite("s", "development", "span", (query,)), snapshot)
    from retrievers.base import Rankings

    shown = Rankings(np.array([0, 1]), np.array([0], np.int32), np.array([1.0]))
    (value,) = sound(metric.compute(laid.relevance(shown), 5), 1)
    assert value > 0
    result = evaluate(laid, shown, shown, 5, [1], [str(metric)])
    assert result.overall[str(metric)] == value
    assert ("curve" if metric.follows_k else "") == ("curve" if str(metric) in result.curve else "")


@every
def test_a_better_ranking_is_never_worth_less(metric: Metric, look_up: LookUp) -> None:
    graded = [{"A": 2, "B": 1, "C": 0}]
    order = [metric.compute(look_up([word], graded), 3)[0] for word in ("ABC", "ACB", "CAB", "CDA", "CDE")]
    assert not metric.quality or order == sorted(order, reverse=True)
