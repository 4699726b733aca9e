"""A passage there twice, or returned twice."""

import numpy as np
import pytest
from drill_library import Library, named

from runner.scoring.evaluate import JudgedSet
from runner.scoring.metrics.ndcg import Ndcg
from runner.scoring.metrics.precision import Precision
from runner.scoring.metrics.recall import Recall
from runner.scoring.relevance import Relevance, cumulated
from runner.selftest.check import FAILED, NOTICED
from runner.selftest.duplicates import scores
from runner.selftest.sandbox import doubled


@pytest.mark.parametrize("unit", ["passage", "document", "span"])
def test_no_score_of_a_sound_instrument_rises_above_1(library: Library, unit: str) -> None:
    library.unit = unit
    drill = library.drill()
    assert named(drill, "duplicate").verdict == NOTICED
    assert named(drill, "repeat").verdict == NOTICED
    assert named(drill, "duplicate").after == 1.0


def test_copies_are_measured_unjudged_and_judged(library: Library) -> None:
    drill = library.drill()
    counts = {name: int(named(drill, name).reason.split(" ")[2].replace(",", "")) for name in ("duplicate", "repeat")}
    # Judged with its copies, a query has several relevant items: that slice appears beside those of the others.
    assert counts["duplicate"] > 2 * counts["repeat"]


def test_every_metric_every_slice_and_every_k_is_looked_at(library: Library) -> None:
    with library.sandbox() as sandbox:
        evaluation = library.measured(sandbox).evaluation
    seen = {place for _, place in scores(evaluation)}
    assert {f"{metric} of a query" for metric in evaluation.values} <= seen
    assert {"map of all", "recall_micro of all", "ndcg of language.zh", "mrr of language x topic.en x limit"} <= seen
    assert {"precision at 10", "ndcg at 1", "recall of topic.price at 5"} <= seen
    assert not any(place.startswith(("n of", "hit_queries", "recall_hits")) for place in seen)


def test_a_metric_above_1_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Ndcg.per_query
    monkeypatch.setattr(Ndcg, "per_query", lambda self, found, k: sound(self, found, k) * 1.01)
    drill = library.drill()
    assert named(drill, "duplicate").verdict == FAILED
    assert "ndcg of a query is 1.01" in named(drill, "duplicate").reason
    assert named(drill, "repeat").verdict == FAILED


def test_one_slice_at_one_k_above_1_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Recall.per_query
    monkeypatch.setattr(Recall, "per_query", lambda self, found, k: sound(self, found, k) + (0.5 if k == 5 else 0.0))
    repeated = named(library.drill(), "repeat")
    assert repeated.verdict == FAILED
    assert repeated.reason.startswith("recall at 5 is 1.5")


def test_a_score_that_is_no_number_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Precision, "per_query", lambda self, found, k: np.full(len(found.length), np.nan))
    repeated = named(library.drill(), "repeat")
    assert repeated.verdict == FAILED
    assert "precision of a query is nan" in repeated.reason
    assert repeated.after == 1.0


def test_rankings_that_are_not_collapsed_fail_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def naive(self: JudgedSet, rankings: object) -> Relevance:
        sound = Relevance.of(rankings, self.unit_of_row, self.judgments)  # type: ignore[arg-type]
        width = int(np.diff(rankings.offsets).max())  # type: ignore[attr-defined]
        gains = np.zeros((len(sound.length), width), np.int64)
        for number in range(len(sound.length)):
            rows, _ = rankings.one(number)  # type: ignore[attr-defined]
            keys = number * self.judgments.n_units + self.unit_of_row[rows]
            gains[number, : len(rows)] = np.isin(keys, self.judgments.keys)
        return Relevance(self.judgments, gains, gains > 0, sound.length)

    monkeypatch.setattr(JudgedSet, "relevance", naive)
    drill = library.drill()
    assert named(drill, "repeat").verdict == FAILED
    assert "is 2" in named(drill, "repeat").reason
    assert named(drill, "duplicate").verdict == NOTICED


def test_doubled_rankings_hold_every_entry_twice_in_a_row(library: Library) -> None:
    with library.sandbox() as sandbox:
        rankings = library.measured(sandbox).rankings
    twice = doubled(rankings)
    assert len(twice) == len(rankings)
    for number in range(len(rankings)):
        rows, scored = rankings.one(number)
        assert twice.one(number)[0].tolist() == [row for row in rows for _ in range(2)]
        assert twice.one(number)[1].tolist() == [score for score in scored for _ in range(2)]
    assert cumulated(np.array([[1, 0]])).tolist() == [[0, 1, 1]]
