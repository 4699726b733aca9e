"""The demo's sentences: found in its pages, whatever cuts them."""

import json
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from runner.composition.requests import compose_request
from runner.configuration.settings import Settings, data_directory
from runner.engine.inputs import ConfiguredInputs
from runner.errors import InputError
from runner.scoring.span_cover import SpanCover
from runner.snapshots import Snapshot
from runner.suites import Suite
from runner.suites.existence import SpanPlaces

CUTS = (
    "chunker=heading",
    "chunker=document",
    "chunker=window chunker.size=300 chunker.overlap=0",
    "chunker=window chunker.size=600",
    "chunker=window chunker.size=1200",
    "chunker=heading chunker.size=300",
)
SMALL = CUTS[2]


def settings(cut: str = CUTS[0], *more: str) -> Settings:
    # A dry run builds the snapshot without keeping it.
    return compose_request(["dataset=demo", "suite=facts", *cut.split(), "dry_run=true", *more]).settings


@cache
def facts() -> Suite:
    return ConfiguredInputs().suite(settings())


@cache
def pages(cut: str) -> Snapshot:
    return ConfiguredInputs().snapshot(settings(cut))


@cache
def cover(cut: str) -> SpanCover:
    return SpanCover.of(facts().scored(), pages(cut), facts().coverage, facts().min_grade)


@pytest.mark.parametrize("cut", CUTS)
def test_the_suite_holds_whatever_cuts_the_pages(cut: str) -> None:
    facts().check(pages(cut))
    assert len(cover(cut).length) == 50
    assert cover(cut).out_of_reach() == 0


def test_the_suite_is_refused_on_the_pages_of_the_other_date() -> None:
    older = ConfiguredInputs().snapshot(settings(CUTS[0], "dataset.date=2026-03"))
    with pytest.raises(InputError, match="is pinned to the documents dfd86c125df882f8"):
        facts().check(older)


def test_forty_questions_half_of_them_chinese() -> None:
    queries = facts().queries
    assert Counter(query.fields["language"] for query in queries) == {"en": 20, "zh-Hant": 20}
    assert len(facts().scored()) == 40
    assert Counter(query.fields["spread"] for query in queries) == {"narrow": 30, "wide": 10}


def test_a_page_is_quoted_in_the_language_of_its_question() -> None:
    for query in facts().queries:
        assert {span.document.partition("/")[0] for span in query.spans.values()} == {query.fields["language"]}


def test_no_question_stands_in_another_suite_of_the_demo() -> None:
    others = set()
    for path in (data_directory() / "demo/suites").glob("*.jsonl"):
        if path.stem != "facts":
            others |= {json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()}
    assert len(others) > 100
    assert not others & {query.text for query in facts().queries}


def test_no_two_quotations_of_a_question_overlap() -> None:
    places = SpanPlaces(pages(CUTS[0]))
    for query in facts().queries:
        found = sorted((span.document, *places.find(span)) for span in query.spans.values())
        for (page, _, end), (next_page, start, _) in pairwise(found):
            assert page != next_page or end <= start, query.id


def test_a_wide_question_needs_more_than_three_hundred_characters_of_one_page() -> None:
    places = SpanPlaces(pages(SMALL))
    for query in facts().queries:
        documents = {span.document for span in query.spans.values()}
        found = [places.find(span) for span in query.spans.values()]
        extent = max(end for _, end in found) - min(start for start, _ in found)
        assert (query.fields["spread"] == "wide") == (len(documents) > 1 or extent > 300), query.id


def test_two_facts_are_longer_than_a_small_passage_and_need_two_together() -> None:
    small, large = cover(SMALL), cover(CUTS[1])
    long = [number for number in range(50) if small.length[number] > 250]
    assert len(long) == 2
    for number in long:
        assert (small.spans == number).sum() >= 2
        assert (large.spans == number).sum() == 1
