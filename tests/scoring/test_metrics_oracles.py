"""Every metric against ir-measures, pytrec_eval or a count in fractions, to 1e-9, on random data without ties.

ir-measures breaks ties one way for some measures and another way for others, so scores here strictly decrease.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RR, Bpref, Judged, P, R, Rprec, Success, nDCG

from retrievers.base import Rankings
from runner.scoring.judgments import Judgments
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.scoring.relevance import Relevance

MOST_UNITS = 12
CHANCES = (0.5, 0.8, 0.95)
OURS = ("ndcg(dcg=exp-log2)", "err", "err(max_grade=3)", "bpref", "r_precision", *(f"rbp(p={p})" for p in CHANCES))
METRICS = tuple(map(parse_metric, (*DEFAULT_NAMES, "map@3", *OURS)))


@dataclass(frozen=True)
class Case:
    """rankings: unit numbers by query, best first; may name a unit again. graded: unit -> grade by query."""

    rankings: list[list[int]]
    graded: list[dict[int, int]]
    min_grade: int
    k: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    units = st.integers(0, MOST_UNITS - 1)
    min_grade = draw(st.sampled_from((1, 2)))
    n_queries = draw(st.integers(1, 5))
    graded, rankings = [], []
    for _ in range(n_queries):
        grades = draw(st.dictionaries(units, st.integers(0, 3), max_size=8))
        grades[draw(units)] = draw(st.integers(min_grade, 3))
        graded.append(grades)
        rankings.append(draw(st.lists(units, max_size=16)))
    return Case(rankings, graded, min_grade, draw(st.integers(1, 15)))


def ours(case: Case) -> dict[str, list[float]]:
    """Score the case, with every place of a ranking a passage of its own that belongs to the unit named."""
    lengths = [len(ranking) for ranking in case.rankings]
    unit_of_row = np.array([unit for ranking in case.rankings for unit in ranking] or [0], np.int64)
    rankings = Rankings.canonical(
        np.repeat(np.arange(len(lengths)), lengths),
        np.arange(sum(lengths)),
        -np.arange(sum(lengths)),
        n_queries=len(lengths),
        depth=100,
    )
    found = Relevance.of(rankings, unit_of_row, Judgments.of(list(case.graded), MOST_UNITS, case.min_grade))
    return {metric.of_query: metric.compute(found, case.k).tolist() for metric in METRICS}


def as_trec(case: Case) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and rankings by text ids; repeated units are left out and empty rankings missing, as in a file."""
    judged = {f"q{n}": {f"d{unit}": grade for unit, grade in grades.items()} for n, grades in enumerate(case.graded)}
    ranked = {
        f"q{n}": {f"d{unit}": float(-place) for place, unit in enumerate(dict.fromkeys(ranking))}
        for n, ranking in enumerate(case.rankings)
        if ranking
    }
    return judged, ranked


def assert_same(case: Case, theirs: Mapping[str, list[float]]) -> None:
    values = ours(case)
    for name in theirs:
        assert values[name] == pytest.approx(theirs[name], abs=1e-9), name


def ask_ir_measures(case: Case) -> dict[str, list[float]]:
    rel, k = case.min_grade, case.k
    named = {
        "hit": Success(rel=rel) @ k,
        "recall": R(rel=rel) @ k,
        "precision": P(rel=rel) @ k,
        "ndcg": nDCG @ k,
        "rr": RR(rel=rel),
        "ap": AP(rel=rel),
        "ap@3": AP(rel=rel) @ 3,
        "bpref": Bpref(rel=rel),
        "r_precision": Rprec(rel=rel),
        "judged": Judged @ k,
    }
    judged, ranked = as_trec(case)
    table = {
        (value.measure, value.query_id): value.value
        for value in ir_measures.iter_calc(list(named.values()), judged, ranked)
    }
    # A query that returned nothing may be missing from the answer: it is worth zero.
    found = {name: [table.get((measure, query), 0.0) for query in judged] for name, measure in named.items()}
    # Here what was not returned is not unjudged either; there it is 0.
    found["judged"] = [value if query in ranked else 1.0 for query, value in zip(judged, found["judged"], strict=True)]
    return found


def ask_pytrec_eval(case: Case) -> dict[str, list[float]]:
    k = case.k
    named = {
        "hit": f"success_{k}",
        "recall": f"recall_{k}",
        "precision": f"P_{k}",
        "ndcg": f"ndcg_cut_{k}",
        "rr": "recip_rank",
        "ap": "map",
        "ap@3": "map_cut_3",
        "bpref": "bpref",
        "r_precision": "Rprec",
    }
    judged, ranked = as_trec(case)
    wanted = {f"{family}.{k}" for family in ("success", "recall", "P", "ndcg_cut")}
    wanted |= {"recip_rank", "map", "map_cut.3", "bpref", "Rprec"}
    table = pytrec_eval.RelevanceEvaluator(judged, wanted, relevance_level=case.min_grade).evaluate(ranked)
    return {name: [table.get(query, {}).get(key, 0.0) for query in judged] for name, key in named.items()}


GRADED = Case([[2, 0, 3, 1, 4], [], [1, 1, 0]], [{0: 1, 1: 3, 2: 0}, {5: 2, 6: 0}, {0: 2, 1: 1}], 2, 3)


@settings(max_examples=150, deadline=None)
@given(cases())
@example(GRADED)
def test_every_metric_equals_ir_measures(case: Case) -> None:
    assert_same(case, ask_ir_measures(case))


@settings(max_examples=150, deadline=None)
@given(cases())
@example(GRADED)
def test_every_metric_equals_pytrec_eval(case: Case) -> None:
    assert_same(case, ask_pytrec_eval(case))


@settings(max_examples=100, deadline=None)
@given(cases())
@example(GRADED)
def test_exponential_gains_equal_pytrec_eval_given_them_as_grades(case: Case) -> None:
    judged, ranked = as_trec(case)
    grown = {query: {unit: 2**grade - 1 for unit, grade in grades.items()} for query, grades in judged.items()}
    table = pytrec_eval.RelevanceEvaluator(grown, {f"ndcg_cut.{case.k}"}).evaluate(ranked)
    theirs = [table.get(query, {}).get(f"ndcg_cut_{case.k}", 0.0) for query in judged]
    assert_same(case, {"ndcg(dcg=exp-log2)": theirs})


@settings(max_examples=100, deadline=None)
@given(cases())
@example(GRADED)
def test_rbp_is_the_gain_of_a_reader_who_goes_on_by_chance(case: Case) -> None:
    # cwl-eval's own sum, without its package: weights (1 - p) p^(rank - 1) times binary relevance, to the first k.
    judged, ranked = as_trec(case)
    for p in CHANCES:
        theirs = [
            sum(
                (1 - p) * p**place
                for place, unit in enumerate(list(ranked.get(query, {}))[: case.k])
                if grades.get(unit, 0) >= case.min_grade
            )
            for query, grades in judged.items()
        ]
        assert_same(case, {f"rbp(p={p})": theirs})


@settings(max_examples=100, deadline=None)
@given(cases())
@example(GRADED)
def test_err_is_the_expected_reciprocal_of_where_a_reader_stops(case: Case) -> None:
    judged, ranked = as_trec(case)
    for name, most in (("err", 4), ("err(max_grade=3)", 3)):
        theirs = []
        for query, grades in judged.items():
            left, expected = Fraction(1), Fraction(0)
            for rank, unit in enumerate(list(ranked.get(query, {}))[: case.k], 1):
                stops = Fraction(2 ** grades.get(unit, 0) - 1, 2**most)
                expected += left * stops / rank
                left *= 1 - stops
            theirs.append(float(expected))
        assert_same(case, {name: theirs})


def test_err_and_exponential_gains_equal_gdeval_of_trec() -> None:
    # It takes topics by number only.
    judged, ranked = ({query[1:]: table for query, table in each.items()} for each in as_trec(GRADED))
    named = {"err": ERR @ GRADED.k, "ndcg(dcg=exp-log2)": nDCG(dcg="exp-log2") @ GRADED.k}
    if not ir_measures.gdeval.is_available() or shutil.which("perl") is None:
        pytest.skip("gdeval is a Perl script")
    table = {
        (value.measure, value.query_id): value.value
        for value in ir_measures.gdeval.iter_calc(list(named.values()), judged, ranked)
    }
    values = ours(GRADED)
    for name, measure in named.items():
        # It prints five digits.
        theirs = [table.get((measure, query), 0.0) for query in judged]
        assert values[name] == pytest.approx(theirs, abs=6e-6), name


@pytest.mark.parametrize("min_grade", [1, 2])
def test_five_hundred_queries_equal_pytrec_eval(min_grade: int) -> None:
    generator = np.random.default_rng(20260930)
    rankings = [generator.integers(0, MOST_UNITS, generator.integers(0, 30)).tolist() for _ in range(500)]
    graded = [
        {
            **dict(
                zip(generator.permutation(MOST_UNITS)[:6].tolist(), generator.integers(0, 4, 6).tolist(), strict=True)
            ),
            int(generator.integers(MOST_UNITS)): 3,
        }
        for _ in range(500)
    ]
    case = Case(rankings, graded, min_grade, 5)
    assert_same(case, ask_pytrec_eval(case))


@settings(max_examples=100, deadline=None)
@given(cases())
def test_every_value_lies_between_zero_and_one_and_recall_never_falls_with_k(case: Case) -> None:
    values = ours(case)
    for name in values:
        assert all(0 <= value <= 1 + 1e-12 for value in values[name]), name
    deeper = ours(Case(case.rankings, case.graded, case.min_grade, case.k + 1))
    assert all(later >= now for now, later in zip(values["recall"], deeper["recall"], strict=True))
    assert (values["rr"], values["ap"]) == (deeper["rr"], deeper["ap"])
