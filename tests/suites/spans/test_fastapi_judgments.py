"""Sixty quotations from real documentation, found in the pages they were read in and followed into the next version."""

import os
import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from runner.chunkers import Heading, WholeDocument, Window
from runner.chunkers.base import Chunker
from runner.documents import Document, Pages
from runner.errors import InputError
from runner.scoring.span_cover import SpanCover
from runner.snapshots import Snapshot
from runner.suite_formats import OwnSuite
from runner.suites import JudgedQuery, Span, Suite
from runner.suites.span import find_quote

DATA = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))
SITES = ("en", "zh_hant")
CHUNKERS: tuple[Chunker, ...] = (Heading(), WholeDocument(), Window(300, 0), Window(600), Window(1200), Heading(300))
# How many letters in a row a question may share with its answer: the name of a thing, no clause.
BORROWED = {"en": 16, "zh_hant": 4}


def folder(site: str) -> Path:
    path = DATA / f"fastapi_docs_{site}"
    if not path.exists():
        pytest.skip(f"the public collection {path.name} is not in {DATA}; set RUNNER_SHARED_DATA")
    return path


@cache
def pages(site: str, version: str) -> tuple[Document, ...]:
    return tuple(Pages(folder(site) / version / "pages").read())


def texts(site: str, version: str) -> dict[str, str]:
    return {document.id: document.text for document in pages(site, version)}


@cache
def suite_of(site: str) -> Suite:
    return OwnSuite(Path(__file__).parent / "data" / f"fastapi_{site}.yaml").read()


def spans(suite: Suite) -> list[tuple[JudgedQuery, Span]]:
    return [(query, span) for query in suite.queries for span in query.spans.values()]


def quote(span: Span) -> str:
    assert span.quote is not None
    return span.quote


def declared(query: JudgedQuery) -> set[str]:
    change = query.fields["change"]
    return {str(each) for each in change} if isinstance(change, list | tuple) else {str(change)}


def possible_fates(span: Span, newer: dict[str, str]) -> set[str]:
    places = {id_: len(find_quote(quote(span), text)) for id_, text in newer.items()}
    if places.get(span.document) == 1:
        return {"kept"}
    if sum(places.values()) == 1:
        return {"moved"}
    assert sum(places.values()) == 0
    return {"edited", "gone"} if span.document in newer else {"gone"}


@pytest.mark.parametrize("site", SITES)
def test_every_quotation_stands_once_in_its_page_and_in_no_other(site: str) -> None:
    older = texts(site, "v1")
    for query, span in spans(suite_of(site)):
        places = {id_: len(found) for id_, text in older.items() if (found := find_quote(quote(span), text))}
        assert places == {span.document: 1}, query.id


@pytest.mark.parametrize("site", SITES)
def test_the_suite_fits_its_pages_and_is_refused_on_the_next_version(site: str) -> None:
    suite = suite_of(site)
    suite.check(Snapshot.build(pages(site, "v1"), Heading()))
    with pytest.raises(InputError, match=f"is pinned to the documents {suite.documents}"):
        suite.check(Snapshot.build(pages(site, "v2"), Heading()))


@pytest.mark.parametrize(
    ("site", "kept", "edited", "moved", "gone", "same", "deleted"),
    [("en", 17, 6, 1, 6, 6, 5), ("zh_hant", 19, 7, 0, 4, 8, 0)],
)
def test_thirty_spans_met_every_fate(
    site: str, kept: int, edited: int, moved: int, gone: int, same: int, deleted: int
) -> None:
    suite = suite_of(site)
    assert (len(suite.queries), len(suite.scored()), len(spans(suite))) == (24, 24, 30)
    newer = texts(site, "v2")
    fates = Counter(min(possible_fates(span, newer) & declared(query)) for query, span in spans(suite))
    assert fates == Counter({"kept": kept, "edited": edited, "moved": moved, "gone": gone})
    rows = [line.split("\t") for line in (folder(site) / "changes.tsv").read_text("utf-8").splitlines()[1:]]
    status = {row[0]: row[1] for row in rows}
    pages_of = Counter(status[span.document] for _, span in spans(suite))
    assert pages_of == Counter({"modified": 30 - same - deleted, "same": same, "deleted": deleted})
    # A page that was edited elsewhere keeps the words: a third of all.
    assert kept - same == 11


@pytest.mark.parametrize("site", SITES)
def test_the_field_change_says_what_became_of_the_words(site: str) -> None:
    newer = texts(site, "v2")
    for query in suite_of(site).queries:
        possible = [possible_fates(span, newer) for span in query.spans.values()]
        said = declared(query)
        assert all(fates & said for fates in possible), query.id
        assert said <= set().union(*possible), query.id


@pytest.mark.parametrize("site", SITES)
def test_a_quotation_is_a_short_statement_apart_from_the_others_of_its_question(site: str) -> None:
    older = texts(site, "v1")
    for query, span in spans(suite_of(site)):
        words = " ".join(quote(span).split())
        assert 40 <= len(words) <= 250, query.id
        assert not words.startswith(("#", "*   ", "```")), query.id
        assert words.endswith((".", ":", "。", "😅")), query.id
    for query in suite_of(site).queries:
        for one, other in combinations(query.spans.values(), 2):
            if one.document == other.document:
                first, second = (span.locate(older[span.document]) for span in (one, other))
                assert first[1] <= second[0] or second[1] <= first[0], query.id


@pytest.mark.parametrize("site", SITES)
def test_a_question_does_not_borrow_its_answers_words(site: str) -> None:
    for query, span in spans(suite_of(site)):
        one, other = query.text.lower(), quote(span).lower()
        if site == "zh_hant":
            # Names of the interface are the same in any words.
            one, other = (re.sub(r"[ -~]+", "", text) for text in (one, other))
        same = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
        assert same.size <= BORROWED[site], (query.id, one[same.a : same.a + same.size])


def test_all_questions_differ_and_have_every_declared_field() -> None:
    queries = [query for site in SITES for query in suite_of(site).queries]
    assert len({query.text for query in queries}) == len({query.id for query in queries}) == 48
    fields = {name: {query.fields.get(name) for query in queries} for name in ("question_type", "query_style")}
    assert fields["question_type"] == {"concept", "procedure", "error", "comparison"}
    assert fields["query_style"] == {"spoken", "keyword", "rewritten"}
    for site, language in zip(SITES, ("en", "zh-Hant"), strict=True):
        assert {query.fields["language"] for query in suite_of(site).queries} == {language}


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@pytest.mark.parametrize("site", SITES)
def test_every_span_can_be_shown_however_the_pages_are_cut(site: str, chunker: Chunker) -> None:
    suite = suite_of(site)
    cover = SpanCover.of(suite.scored(), Snapshot.build(pages(site, "v1"), chunker), suite.coverage, suite.min_grade)
    assert len(cover.length) == 30
    assert cover.out_of_reach() == 0
