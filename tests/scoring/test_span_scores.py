"""Scores of span judgments: truths by hand, an oracle that counts characters one by one, and equality between cuts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.base import Rankings
from runner.chunkers import Chunk, Heading, WholeDocument, Window
from runner.documents import Document
from runner.errors import InputError
from runner.scoring.evaluate import JudgedSet, evaluate
from runner.scoring.judgments import Floats
from runner.scoring.metric_names import DEFAULT_NAMES, parse_metric
from runner.scoring.relevance import Relevance
from runner.scoring.slices import Freshness
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Span, Suite

EVERY = tuple(map(parse_metric, (*DEFAULT_NAMES, "rbp(p=0.8)", "err", "bpref", "r_precision", "ndcg(dcg=exp-log2)")))
hit, recall, precision, ndcg, judged = (parse_metric(name).compute for name in DEFAULT_NAMES[:5])


def average_precision(found: Relevance) -> Floats:
    return parse_metric("map").compute(found, 1)


@dataclass(frozen=True)
class Cuts:
    """A chunker that cuts every document at the same characters."""

    ranges: tuple[tuple[int, int], ...]

    def split(self, document: Document) -> list[Chunk]:
        length = len(document.text)
        return [
            Chunk(min(start, length), min(end, length), "", f"{number}")
            for number, (start, end) in enumerate(self.ranges)
        ]


def suite_of(*queries: Mapping[Span, int], coverage: float = 0.6, min_grade: int = 1) -> Suite:
    return Suite(
        "facts",
        "development",
        "span",
        tuple(
            JudgedQuery(
                f"q{n}", "what?", {span.id: grade for span, grade in spans.items()}, spans={s.id: s for s in spans}
            )
            for n, spans in enumerate(queries)
        ),
        documents="00000000",
        coverage=coverage,
        min_grade=min_grade,
    )


def lay(suite: Suite, *documents: Document, ranges: Sequence[tuple[int, int]]) -> JudgedSet:
    return JudgedSet.of(suite, Snapshot.build(documents, Cuts(tuple(ranges))))


def rank(laid: JudgedSet, *rankings: Sequence[str]) -> Relevance:
    ids = [f"{id_}" for id_ in laid.units]
    rows = [ids.index(f"d#{name}") for ranking in rankings for name in ranking]
    lengths = [len(ranking) for ranking in rankings]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return laid.relevance(Rankings(offsets, np.array(rows, np.int64), -np.arange(len(rows), dtype=np.float64)))


TEXT = Document("d", "D", "abcdefghij" * 10)
TENS = [(start, start + 10) for start in range(0, 100, 10)]


def test_a_passage_that_shows_enough_of_a_span_finds_it() -> None:
    # Passage 0 shows 6 of the 10 characters 4..14, passage 1 the other 4.
    laid = lay(suite_of({Span("d", start=4, end=14): 1}), TEXT, ranges=TENS)
    found = rank(laid, ["5", "1", "0"])
    assert found.first_rank.tolist() == [3]
    assert [hit(found, k)[0] for k in (1, 2, 3)] == [0, 0, 1]
    # At rank 3 passages 1 and 0 together show all of it, so both count as relevant from there on.
    assert [precision(found, k)[0] for k in (1, 2, 3, 4)] == pytest.approx([0, 0, 2 / 3, 2 / 4])


def test_passages_show_a_span_together() -> None:
    laid = lay(suite_of({Span("d", start=5, end=35): 1}, coverage=0.8), TEXT, ranges=TENS)
    # 5 + 10 + 10 of 30 characters are 0.83.
    found = rank(laid, ["0", "9", "2", "1", "3"])
    assert [recall(found, k)[0] for k in (1, 3, 4, 5)] == [0, 0, 1, 1]
    assert [precision(found, k)[0] for k in (3, 4, 5)] == pytest.approx([0, 3 / 4, 3 / 5])
    assert judged(found, 2)[0] == 0.5


def test_what_two_passages_share_is_counted_once() -> None:
    laid = lay(suite_of({Span("d", start=0, end=20): 1}), TEXT, ranges=[(0, 10), (2, 11), (10, 20)])
    # 10 and 9 characters, but 11 together: 0.55 of the span.
    found = rank(laid, ["0", "1"])
    assert not found.relevant.any()
    assert rank(laid, ["0", "1", "2"]).first_rank.tolist() == [3]


def test_exactly_the_coverage_is_enough_and_a_character_less_is_not() -> None:
    for length, passed in ((3, True), (2, False)):
        laid = lay(suite_of({Span("d", start=0, end=5): 1}), TEXT, ranges=[(0, length)])
        assert rank(laid, ["0"]).relevant.any() == passed


def test_recall_counts_spans_not_passages() -> None:
    spans = {Span("d", start=0, end=10): 1, Span("d", start=10, end=20): 1, Span("d", start=50, end=60): 1}
    laid = lay(suite_of(spans), TEXT, ranges=[(0, 20), (20, 40), (50, 60)])
    found = rank(laid, ["0", "1", "2"])
    assert [recall(found, k)[0] for k in (1, 2, 3)] == pytest.approx([2 / 3, 2 / 3, 1])
    assert found.judgments.relevant_counts.tolist() == [3]
    # Two spans of one passage stand at places 1 and 2; the third is complete at rank 3.
    ideal = 1 + 1 / log2(3) + 1 / 2
    assert [ndcg(found, k)[0] for k in (1, 2, 3)] == pytest.approx([1, 1, 1])
    late = rank(laid, ["1", "0", "2"])
    # Complete at ranks 2, 2 and 3: places 2, 3 and 4.
    assert ndcg(late, 4)[0] == pytest.approx((1 / log2(3) + 1 / log2(4) + 1 / log2(5)) / ideal)
    assert average_precision(late)[0] == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)


def test_of_spans_found_together_the_higher_grade_stands_first() -> None:
    spans = {Span("d", start=0, end=5): 1, Span("d", start=5, end=10): 3}
    found = rank(lay(suite_of(spans), TEXT, ranges=[(0, 10)]), ["0"])
    assert found.gains.tolist() == [[3, 1]]
    assert ndcg(found, 2)[0] == 1


def test_a_span_judged_not_relevant_is_known_but_never_found() -> None:
    spans = {Span("d", start=0, end=10): 0, Span("d", start=50, end=60): 2, Span("d", start=20, end=30): 1}
    found = rank(lay(suite_of(spans, min_grade=2), TEXT, ranges=TENS), ["0", "2", "5"])
    assert found.first_rank.tolist() == [3]
    assert judged(found, 3)[0] == 1
    assert precision(found, 3)[0] == pytest.approx(1 / 3)


def test_a_span_judged_not_relevant_takes_no_place_from_one_that_is() -> None:
    spans = {Span("d", start=0, end=5): 0, Span("d", start=5, end=10): 1}
    found = rank(lay(suite_of(spans), TEXT, ranges=[(0, 10)]), ["0"])
    assert (ndcg(found, 1)[0], average_precision(found)[0]) == (1, 1)
    assert found.gains.tolist() == [[1]]


def test_a_glimpse_of_a_span_does_not_make_a_passage_judged() -> None:
    laid = lay(suite_of({Span("d", start=0, end=10): 1, Span("d", start=40, end=50): 0}), TEXT, ranges=TENS)
    assert judged(rank(laid, ["0", "4", "5"]), 3)[0] == pytest.approx(2 / 3)
    glimpse = lay(suite_of({Span("d", start=9, end=30): 1}), TEXT, ranges=TENS)
    assert judged(rank(glimpse, ["0"]), 1)[0] == 0
    # Together with what completes it, it is.
    assert judged(rank(glimpse, ["0", "1", "2"]), 3)[0] == 1


def test_how_old_evidence_is_counts_back_from_the_newest_page_judged_or_not() -> None:
    pages = [
        Document("d", "D", "an old fact", {"updated": "2024-01-01"}),
        Document("e", "E", "x", {"updated": "2026-01-01"}),
    ]
    span = Span("d", "an old fact")
    suite = Suite("s", "development", "span", (JudgedQuery("q", "?", {span.id: 1}, spans={span.id: span}),))
    laid = JudgedSet.of(suite, Snapshot.build(pages, WholeDocument()), Freshness("updated", (30, 365)))
    assert [name for name in laid.slices.names if name.startswith("freshness")] == ["freshness.over 365 days"]


def test_white_space_between_passages_is_not_missed() -> None:
    page = Document("d", "D", "一句話。\n\n   another one.\n\nend")
    whole = Span("d", "一句話。 another one.")
    laid = lay(suite_of({whole: 1}, coverage=1.0), page, ranges=[(0, 4), (9, 21)])
    assert rank(laid, ["0", "1"]).first_rank.tolist() == [2]


def test_a_span_in_no_passage_is_out_of_reach_and_counts_as_missed() -> None:
    spans = {Span("d", start=0, end=10): 1, Span("d", start=90, end=100): 1}
    laid = lay(suite_of(spans), TEXT, ranges=[(0, 10), (20, 30)])
    assert laid.cover is not None
    assert laid.cover.out_of_reach() == 1
    assert recall(rank(laid, ["0", "1"]), 2)[0] == 0.5


def test_queries_do_not_share_their_spans() -> None:
    laid = lay(suite_of({Span("d", start=0, end=10): 1}, {Span("d", start=20, end=30): 1}), TEXT, ranges=TENS)
    found = rank(laid, ["2", "0"], ["2", "0"])
    assert found.first_rank.tolist() == [2, 1]


def test_nothing_returned_is_a_zero() -> None:
    laid = lay(suite_of({Span("d", start=0, end=10): 1}, {Span("d", start=0, end=10): 1}), TEXT, ranges=TENS)
    found = rank(laid, [], ["0"])
    for metric in EVERY:
        full = {"rbp(p=0.8)": 0.2, "err": 1 / 16}.get(str(metric), 1)
        assert metric.compute(found, 1).tolist() == pytest.approx([float(not metric.quality), full])


def test_the_same_spans_are_scored_under_every_cut_and_whole_pages_find_all() -> None:
    pages = [
        Document(
            "a.md", "A", "# A\n\nFirst fact stands here. " + "filler words. " * 40 + "\n\n## B\n\nSecond fact here."
        ),
        Document("甲.md", "甲", "# 甲\n\n第一件事在這裡。" + "其他的字。" * 40 + "\n\n## 乙\n\n第二件事在這裡。"),
    ]
    spans = [
        Span("a.md", "First fact stands here."),
        Span("a.md", "Second fact here."),
        Span("甲.md", "第二件事在這裡。"),
    ]
    queries = tuple(JudgedQuery(f"q{n}", "?", {s.id: 1}, spans={s.id: s}) for n, s in enumerate(spans))
    suite = Suite("facts", "development", "span", queries)
    for chunker in (Heading(), Window(80, 10), Window(300, 0), WholeDocument()):
        snapshot = Snapshot.build(pages, chunker)
        suite.check(snapshot)
        laid = JudgedSet.of(suite, snapshot)
        rows = np.arange(len(snapshot.passages))
        n = len(queries)
        every = Rankings(np.arange(n + 1) * len(rows), np.tile(rows, n), np.tile(-rows.astype(np.float64), n))
        result = evaluate(laid, every, every, len(rows), [1])
        assert (result.overall["n"], result.overall["recall"], result.overall["pool_recall"]) == (3, 1, 1)


def test_a_suite_of_spans_is_refused_where_they_are_not_in_the_pages() -> None:
    page = Document("d", "D", "one two three two. 額度是一百。")
    for span, words in [
        (Span("d", "two"), "found 2 times"),
        (Span("d", "one too three"), "nearest, in line 1"),
        (Span("e", "one"), "holds no document 'e'"),
        (Span("d", start=3, end=4), "white space only"),
        (Span("d", start=3, end=400), "has the range 3-400"),
        (Span("d", "額度是一萬。"), "額度是一百"),
    ]:
        suite = replace(suite_of({span: 1}), documents=None, snapshot=None)
        snapshot = Snapshot.build([page], WholeDocument())
        if span.quote is None:
            suite = replace(suite, snapshot=snapshot.id)
        with pytest.raises(InputError, match=words):
            suite.check(snapshot)


def test_one_place_is_judged_once_and_only_spans_are_judged() -> None:
    snapshot = Snapshot.build([Document("d", "D", "one two three")], WholeDocument())
    twice = {Span("d", "two"): 1, Span("d", "two", 4): 0}
    with pytest.raises(InputError, match="are the same words in the same place"):
        replace(suite_of(twice), documents=None).check(snapshot)
    plain = Suite("s", "development", "span", (JudgedQuery("q", "?", {"d": 1}),))
    with pytest.raises(InputError, match="query 'q' judges 'd', which is no span"):
        plain.check(snapshot)


def test_a_range_needs_documents_that_are_pinned() -> None:
    snapshot = Snapshot.build([TEXT], WholeDocument())
    suite = replace(suite_of({Span("d", start=0, end=5): 1}), documents=None)
    with pytest.raises(InputError, match="pin them"):
        suite.check(snapshot)
    replace(suite, documents=snapshot.documents_sha256[:16]).check(snapshot)
    with pytest.raises(InputError, match="is pinned to the documents 00000000"):
        replace(suite, documents="00000000").check(snapshot)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]], list[int], float]:
    pair = st.tuples(st.integers(0, 30), st.integers(1, 12))
    passages = [(start, start + length) for start, length in draw(st.lists(pair, min_size=1, max_size=8))]
    spans = draw(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 3)), min_size=1, max_size=4))
    order = draw(st.permutations(range(len(passages))))
    return passages, spans, order[: draw(st.integers(0, len(order)))], draw(st.sampled_from([0.3, 0.6, 1.0]))


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_every_score_agrees_with_counting_characters_one_by_one(
    world: tuple[list[tuple[int, int]], list[tuple[int, int, int]], list[int], float],
) -> None:
    passages, spans, order, coverage = world
    graded = {Span("d", start=start, end=start + length): grade for start, length, grade in spans}
    laid = lay(suite_of(graded, coverage=coverage), TEXT, ranges=passages)
    found = rank(laid, [str(number) for number in order])
    complete = {}
    for span, grade in graded.items():
        characters = set(range(span.start or 0, span.end or 0))
        seen: set[int] = set()
        for place, number in enumerate(order, 1):
            seen |= characters & set(range(*passages[number]))
            if grade and len(seen) >= coverage * len(characters) - 1e-9:
                complete[span] = place
                break
    relevant = sum(grade > 0 for grade in graded.values())
    for k in (1, 2, 5, 100):
        expected = sum(place <= k for place in complete.values())
        assert found.found_at(k).tolist() == [expected]
        assert recall(found, k)[0] == pytest.approx(expected / relevant if relevant else 0)
        for metric in EVERY:
            assert 0 <= metric.compute(found, k)[0] <= 1 + 1e-12
        # Somebody has to have shown what was found.
        assert (found.answers_at(k)[0] > 0) == (expected > 0)
    assert found.first_rank.tolist() == [min(complete.values(), default=0)]


def test_what_nobody_sees_counts_as_no_part_of_a_span() -> None:
    quote = Span("d", "one two three")
    plain = lay(suite_of({quote: 1}), Document("d", "", "one two three"), ranges=[(0, 7), (7, 13)])
    text = "o\u00adn\u200be t\u2060w\u00ado three"
    unseen = lay(suite_of({quote: 1}), Document("d", "", text), ranges=[(0, 11), (11, len(text))])
    assert plain.cover is not None
    assert unseen.cover is not None
    assert unseen.cover.length.tolist() == plain.cover.length.tolist() == [11]
    assert unseen.cover.low.tolist() == plain.cover.low.tolist()
    assert unseen.cover.high.tolist() == plain.cover.high.tolist()
    assert unseen.cover.alone == plain.cover.alone
