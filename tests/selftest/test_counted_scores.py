"""Recall, hit and reciprocal rank held against a count of the suite's own judgments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drill_library import Library, named, question
from engine_world import double

from runner.scoring.judgments import Floats
from runner.scoring.metric_names import parse_metric
from runner.scoring.metrics.hit import Hit
from runner.scoring.metrics.mrr import MeanReciprocalRank
from runner.scoring.metrics.recall import Recall
from runner.scoring.relevance import Relevance
from runner.selftest.check import FAILED, NOTICED
from runner.selftest.reference_metrics import Counter, fell_behind
from runner.suites import JudgedQuery, Span

PAGES = {
    "a.md": "# a\n\n## One\n\nx.\n\n## Two\n\ny.\n",
    "b.md": "b\n",
    "c.md": "c\n",
    "d.md": "d\n",
    "e.md": "e\n",
}


def laid(library: Library, unit: str, *queries: JudgedQuery, **told: list[str]) -> Library:
    library.pages, library.unit, library.slices, library.asked = PAGES, unit, (), queries
    library.told = double(
        "Fixed",
        rankings={
            id_: [f"{each}.md#top" if len(each) == 1 else each for each in ranked] for id_, ranked in told.items()
        },
    )
    return library


def found(library: Library) -> list[list[tuple[int, int]]]:
    with library.sandbox() as sandbox:
        counter = Counter(library.measured(sandbox))
        return [sorted(counter.found(number)) for number in range(len(counter.scored))]


def test_a_document_stands_where_its_first_passage_does(library: Library) -> None:
    one = JudgedQuery("q1", "text", {"a.md": 2, "c.md": 1, "d.md": 1, "b.md": 0})
    laid(library, "document", one, q1=["b", "a.md#two", "a.md#one", "c"])
    assert found(library) == [[(1, 0), (2, 2), (3, 1)]]


def test_a_span_stands_where_enough_of_it_was_shown(library: Library) -> None:
    wide, narrow = Span("a.md", "x. ## Two y."), Span("b.md", "b")
    one = JudgedQuery("q1", "text", {wide.id: 2, narrow.id: 1}, spans={wide.id: wide, narrow.id: narrow})
    # 2 of the 9 characters, then 2 more: the heading between them is in no passage.
    laid(library, "span", one, q1=["a.md#one", "b", "a.md#two"])
    assert found(library) == [[(2, 1)]]
    library.pages = {**PAGES, "a.md": "# a\n\n## One\n\nx x x.\n\n## Two\n\ny y y.\n"}
    wide = Span("a.md", "x x x. ## Two y y y.")
    library.asked = (JudgedQuery("q1", "text", {wide.id: 2}, spans={wide.id: wide}),)
    assert found(library) == [[(3, 2)]]


@pytest.mark.parametrize("unit", ["passage", "document", "span"])
def test_a_sound_instrument_is_as_counted(library: Library, unit: str) -> None:
    library.unit = unit
    counted = named(library.drill(), "count")
    assert (counted.verdict, counted.before, counted.after, counted.n) == (NOTICED, 1.0, 1.0, 40)


def needed(found: Relevance) -> Floats:
    return found.judgments.relevant_counts.astype(np.float64)


def recall(found: Relevance, k: int) -> Floats:
    return found.found_at(k) / needed(found)


WRONG: dict[str, Callable[[Relevance, int], Any]] = {
    "k + 1": lambda found, k: recall(found, k + 1),
    "k - 1": lambda found, k: recall(found, k - 1),
    "over k": lambda found, k: found.found_at(k) / k,
    "of as many as fit": lambda found, k: found.found_at(k) / np.minimum(needed(found), k),
    "hit": lambda found, k: (found.found_at(k) > 0).astype(np.float64),
    "constant": lambda found, k: np.full(len(found.length), 0.5),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_recall_that_is_defined_otherwise_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    many = question("q1", "one", [f"{each}.md#top" for each in "bcde"])
    laid(library, "passage", many, question("q2", "two", ["b.md#top"]), q1=["b", "c", "d", "e"], q2=["c", "d", "b"])
    assert named(library.drill(), "count").verdict == NOTICED
    monkeypatch.setattr(Recall, "per_query", lambda self, found, k: WRONG[wrong](found, k))
    counted = named(library.drill(), "count")
    assert counted.verdict == FAILED
    assert "counted" in counted.reason


def test_one_wrong_mean_of_the_curve_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recall, "per_query", lambda self, found, k: recall(found, k) * (0.5 if k == 10 else 1))
    counted = named(library.drill(), "count")
    assert (counted.verdict, counted.reason) == (FAILED, "recall at 10 is 0.5, counted 1")


def test_a_hit_or_a_reciprocal_rank_that_is_constant_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Hit, "per_query", lambda self, found, k: np.full(len(found.length), 0.5))
        assert "hit of query 'alder-limit' is 0.5, counted 1" in named(library.drill(), "count").reason
    monkeypatch.setattr(MeanReciprocalRank, "per_query", lambda self, found, k: np.full(len(found.length), 0.5))
    assert "rr of query 'alder-limit' is 0.5, counted 1" in named(library.drill(), "count").reason


EVERY = ("default", "rbp(p=0.8)", "err", "bpref", "r_precision", "ndcg(dcg=exp-log2)", "recall@2", "mrr@10", "map@2")


@pytest.mark.parametrize("unit", ["passage", "document", "span"])
def test_every_metric_passes_the_drill_of_a_sound_instrument(library: Library, unit: str) -> None:
    library.unit = unit
    drill = library.drill(metrics=EVERY)
    assert [each for each in drill.checks if each.verdict == FAILED] == []
    assert "all 16 metrics lie between 0 and 1" in named(drill, "count").reason


@pytest.mark.parametrize("name", ["precision", "ndcg", "rbp(p=0.8)", "err", "precision@2", "mrr@2"])
def test_a_metric_that_looks_past_its_cut_fails_the_drill(
    library: Library, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    cls = type(parse_metric(name))
    sound = cls.per_query
    # What stands behind the cut counts a little.
    monkeypatch.setattr(cls, "per_query", lambda self, found, k: 0.9 * sound(self, found, k) + found.length / 1000)
    counted = named(library.drill(metrics=[name]), "count")
    assert counted.verdict == FAILED
    assert f"{name} of query" in counted.reason
    assert "where nothing stands below its cut" in counted.reason


def test_an_own_metric_over_1_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = type(parse_metric("bpref"))
    monkeypatch.setattr(cls, "per_query", lambda self, found, k: np.full(len(found.length), 1.5))
    drill = library.drill(metrics=["bpref"])
    assert "bpref of query 'alder-limit' is 1.5, not from 0 to 1" in named(drill, "count").reason
    assert named(drill, "duplicate").verdict == FAILED


@pytest.mark.parametrize(
    ("before", "after", "behind"),
    [
        ([(1, 1), (2, 1)], [(1, 1)], True),
        ([(1, 1), (2, 1)], [(2, 1)], True),
        ([(2, 1), (3, 1)], [(1, 1)], False),  # moved up
        ([(1, 1), (2, 1)], [(1, 3)], False),  # fewer, and better ones
        ([(1, 1), (2, 3)], [(1, 2)], False),  # fewer, a better one first
        ([(1, 3), (2, 1)], [(1, 2), (2, 1)], False),  # as many
        ([(1, 1), (4, 1)], [(1, 1)], False),  # what went was behind k
        ([(1, 1), (2, 1)], [(2, 1), (5, 1)], True),
        ([(1, 1)], [], True),
        ([(1, 2), (2, 1)], [(1, 2)], True),
    ],
)
def test_what_fell_behind_has_nothing_to_gain(before: Any, after: Any, behind: bool) -> None:
    assert fell_behind(before, after, 3, 1) == behind


def test_what_is_too_low_a_grade_to_be_relevant_still_weighs() -> None:
    assert not fell_behind([(1, 2)], [(1, 1), (2, 1)], 3, 2)
    assert fell_behind([(1, 2), (2, 2)], [(1, 2), (2, 1)], 3, 2)
