"""Judgments passed round among the queries: what is left is chance."""

import pytest
from drill_library import Library, named, question
from engine_world import double

from runner.selftest.check import FAILED, NOT_APPLICABLE, NOTICED
from runner.selftest.shuffled_judgments import Chance, shuffle, shuffled
from runner.suites import JudgedQuery, Span, Suite


def suite_of(n: int) -> Suite:
    queries = tuple(JudgedQuery(f"q{number}", f"text {number}", {f"d{number}": 1}) for number in range(n))
    rest = (JudgedQuery("u", "nobody knows", {}, answerable=False), JudgedQuery("w", "waits", {"d1": 1}, judged=False))
    return Suite("core", "development", "document", (*queries, *rest))


@pytest.mark.parametrize("n", [2, 3, 40])
def test_everybody_gets_another_one_s_judgments(n: int) -> None:
    suite = suite_of(n)
    given = shuffled(suite, 13)
    pairs = list(zip(suite.queries, given.queries, strict=True))
    assert all(old.grades != new.grades for old, new in pairs[:n])
    assert sorted(map(str, (new.grades for _, new in pairs))) == sorted(map(str, (old.grades for old, _ in pairs)))
    assert all((old.id, old.text) == (new.id, new.text) for old, new in pairs)
    assert pairs[n:] == [(old, old) for old, _ in pairs[n:]]


def test_a_seed_gives_one_shuffle_and_another_seed_another() -> None:
    suite = suite_of(40)
    assert shuffled(suite, 1).revision == shuffled(suite, 1).revision != shuffled(suite, 2).revision


def laid(library: Library) -> Library:
    """Three questions about six pages; the first two find each other's page too."""
    library.unit = "document"
    library.slices = ()
    library.pages = {f"{letter}.md": f"{letter}\n" for letter in "abcdef"}
    library.asked = (
        question("q1", "one", ["a.md"]),
        question("q2", "two", ["b.md", "c.md"]),
        question("q3", "three", ["f.md"]),
    )
    told = {"q1": ["a.md#top", "b.md#top"], "q2": ["b.md#top", "a.md#top", "f.md#top"], "q3": ["f.md#top"]}
    library.told = double("Fixed", rankings=told)
    return library


def test_chance_is_the_mean_over_all_pairs_of_two_queries(library: Library) -> None:
    with laid(library).sandbox(k=2) as sandbox:
        chance = Chance.of(library.measured(sandbox))
    # q1's first two {a, b}: half of what q2 needs, nothing of q3. q2's {b, a}: all of q1. q3's {f}: nothing.
    assert chance.mean == pytest.approx((0.5 + 1.0) / 6)
    assert chance.limit == pytest.approx(0.25 + 4 * ((0.25 + 1.0) / 6 / 2) ** 0.5)
    assert chance.blind == pytest.approx(2 / 6)


def test_chance_counts_units_and_not_passages(library: Library) -> None:
    laid(library)
    library.pages = {"a.md": "# a\n\n## One\n\nx\n\n## Two\n\ny\n", "b.md": "b\n", "c.md": "c\n", "f.md": "f\n"}
    library.told = double("Fixed", rankings={"q3": ["a.md#one", "a.md#two", "b.md#top"]})
    with library.sandbox(k=2) as sandbox:
        # q3's first two documents are a and b: all that q1 needs, half of what q2 needs.
        assert Chance.of(library.measured(sandbox)).mean == pytest.approx(1.5 / 6)


def test_chance_of_spans_is_never_undercounted(library: Library) -> None:
    library.unit = "span"
    with library.sandbox(k=1) as sandbox:
        chance = Chance.of(library.measured(sandbox))
    # Each question's first section shows its own span and no other's.
    assert chance.mean == 0.0
    with library.sandbox(k=2) as sandbox:
        measured = library.measured(sandbox)
        assert Chance.of(measured).mean > 0
        assert shuffle(sandbox, measured, 13).verdict == NOTICED


def test_a_span_that_two_passages_show_counts_once(library: Library) -> None:
    library.unit, library.slices = "span", ()
    wide = Span("en/alder.md", "The quota of alder. ## Price The fee of alder.")
    one = Span("zh/甲.md", "甲的配額。")
    library.asked = (
        JudgedQuery("q1", "one", {wide.id: 1}, spans={wide.id: wide}),
        JudgedQuery("q2", "two", {one.id: 1}, spans={one.id: one}),
    )
    library.told = double("Fixed", rankings={"q2": ["en/alder.md#limit", "en/alder.md#price"]})
    with library.sandbox(k=2) as sandbox:
        assert Chance.of(library.measured(sandbox)).mean == 0.5


def test_a_sound_score_falls_to_chance(library: Library) -> None:
    found = named(library.drill(), "shuffle")
    assert found.verdict == NOTICED
    assert found.before == 1.0
    assert found.after is not None
    assert found.after < 0.2
    assert found.n == 40


def test_a_score_that_survives_the_shuffle_fails_the_drill(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    import runner.selftest.shuffled_judgments as module

    monkeypatch.setattr(module, "shuffled", lambda suite, seed: suite)
    found = named(library.drill(), "shuffle")
    assert (found.verdict, found.before, found.after) == (FAILED, 1.0, 1.0)
    assert "still better than chance" in found.reason


def test_too_few_queries_cannot_be_told_from_chance(library: Library) -> None:
    laid(library)
    with library.sandbox(k=2) as sandbox:
        found = shuffle(sandbox, library.measured(sandbox), 13)
    assert found.verdict == NOT_APPLICABLE
    assert "3 queries are too few" in found.reason
    library.asked = library.asked[:1]
    with library.sandbox(k=2) as sandbox:
        assert shuffle(sandbox, library.measured(sandbox), 13).reason == "there is one query only"
