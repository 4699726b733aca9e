"""The demo's core suite as it stood in March: true of the older pages, and worth carrying to the newer ones."""

from collections import Counter
from functools import cache

import pytest

from runner.annotation.migration.migrate import Migration, migrate
from runner.composition.requests import compose_request
from runner.configuration.settings import Settings
from runner.engine.inputs import ConfiguredInputs
from runner.errors import InputError
from runner.snapshots import Snapshot
from runner.suites import JudgedQuery, Suite
from runner.suites.leak import holdout_leaks

MARCH, SEPTEMBER = "2026-03", "2026-09"
SPLIT = {"access-control.md", "cli.md", "webhooks.md"}
# What March could not answer; September can.
ANSWERED_LATER = {"core-en-031", "core-en-035", "core-zh-021", "core-zh-024", "core-zh-037"}


def settings(suite: str, date: str) -> Settings:
    # A dry run builds the snapshot without keeping it.
    return compose_request([f"suite={suite}", f"dataset.date={date}", "retriever=bm25", "dry_run=true"]).settings


@cache
def suite(name: str = "core-2026-03") -> Suite:
    return ConfiguredInputs().suite(settings(name, MARCH))


@cache
def pages(date: str) -> Snapshot:
    return ConfiguredInputs().snapshot(settings("core-2026-03", date))


@cache
def forward() -> Migration:
    return migrate(suite(), pages(MARCH), pages(SEPTEMBER), by="mei", at="2026-09-21T09:00:00+00:00")


def named(queries: tuple[JudgedQuery, ...]) -> dict[str, JudgedQuery]:
    return {query.id: query for query in queries}


def page(passage: str) -> str:
    return passage.partition("#")[0].partition("/")[2]


def test_it_is_core_frozen_on_the_pages_of_march() -> None:
    march = suite()
    march.check(pages(MARCH))
    assert (march.name, march.role, march.unit) == ("core", "regression", "passage")
    assert march.frozen == march.revision
    assert march.snapshot == pages(MARCH).id


def test_it_is_refused_on_the_pages_of_september_and_core_on_those_of_march() -> None:
    with pytest.raises(InputError, match=r"core-2026-03\.yaml: is pinned to snapshot a62c9f2e87fd61ed"):
        suite().check(pages(SEPTEMBER))
    with pytest.raises(InputError, match=r"core\.yaml: is pinned to snapshot 604816396971dab2"):
        suite("core").check(pages(MARCH))


def test_its_questions_are_half_chinese_and_few_of_them_without_an_answer() -> None:
    queries = suite().queries
    assert Counter(query.fields["language"] for query in queries) == {"en": 55, "zh-Hant": 55}
    assert Counter(query.fields["language"] for query in queries if not query.answerable) == {"en": 6, "zh-Hant": 6}
    assert len(suite().scored()) == 98


def test_its_questions_leak_into_no_holdout() -> None:
    assert holdout_leaks(suite("holdout"), [suite()]) == ()


def test_every_judged_passage_is_a_passage_in_the_language_of_its_question() -> None:
    there = {passage.id for passage in pages(MARCH).passages}
    for query in suite().queries:
        assert set(query.grades) <= there, query.id
        assert {id_.partition("/")[0] for id_ in query.grades} <= {query.fields["language"]}, query.id
        assert set(query.grades.values()) <= {1, 2}, query.id


def test_slices_and_fields_are_those_of_core() -> None:
    assert suite().slices == suite("core").slices
    fields = {field for query in suite("core").queries for field in query.fields}
    for query in suite().queries:
        assert set(query.fields) == fields, query.id
    for field in fields:
        values = {query.fields[field] for query in suite("core").queries}
        assert {query.fields[field] for query in suite().queries} <= values, field


def test_a_question_of_core_has_its_id_and_any_other_one_of_its_own() -> None:
    core = named(suite("core").queries)
    for query in suite().queries:
        same = core.get(query.id)
        assert (same is None) == (query.id[-3] == "1"), query.id
        assert same is None or (same.text, same.history) == (query.text, query.history), query.id


def test_two_people_judged_in_march_and_agree_where_both_did() -> None:
    judgments = [judgment for query in suite().queries for judgment in query.every_judgment]
    assert {judgment.annotator for judgment in judgments} == {"mei", "tom"}
    assert {judgment.source for judgment in judgments} == {"human"}
    assert {(judgment.at or "")[:7] for judgment in judgments} == {"2026-03"}
    pairs = Counter((query.id, judgment.id) for query in suite().queries for judgment in query.every_judgment)
    assert {pair for pair, times in pairs.items() if times > 1} == {
        ("core-en-001", "en/plan-team.md#message-size"),
        ("core-zh-008", "zh-Hant/queue-options.md#順序"),
    }
    assert not any(query.disputed for query in suite().queries)


def test_forward_some_is_carried_some_proposed_and_the_introductions_of_split_pages_are_gone() -> None:
    gone = {entry.old["id"] for entry in forward().entries if entry.what == "gone" and entry.old}
    assert gone == {
        "en/access-control.md#access-control",
        "en/cli.md#command-line-tide",
        "en/webhooks.md#webhooks",
        "zh-Hant/access-control.md#存取控制",
        "zh-Hant/cli.md#命令列工具-tide",
        "zh-Hant/webhooks.md#webhook",
    }
    counts = forward().judgments
    assert set(counts) == {"carried", "proposed", "gone"}
    assert min(counts["carried"], counts["proposed"]) > 30
    assert sum(counts.values()) == sum(len(query.grades) for query in suite().queries)


def test_forward_an_edited_limit_is_proposed_where_it_stands() -> None:
    (proposed,) = (entry for entry in forward().entries if entry.what == "proposed" and entry.query == "core-en-001")
    assert proposed.old is not None
    assert proposed.old["id"] == "en/plan-team.md#message-size"
    assert [item["id"] for item in proposed.new] == ["en/plan-team.md#message-size"]
    assert "core-en-001" in forward().waiting


def test_forward_what_moved_goes_where_core_has_judged_it() -> None:
    march, core = named(suite().queries), named(suite("core").queries)
    moved = 0
    for entry in forward().entries[1:]:
        query = march[entry.query]
        if query.id in core and query.fields["change_type"] in ("page_split", "heading_renamed", "text_moved"):
            there = {item["id"] for item in entry.new}
            assert there and there <= set(core[query.id].grades), query.id
            assert not SPLIT & {page(id_) for id_ in there}, query.id
            # Core gives no grade to an answer that stands alone.
            alone = len(query.grades) < 2
            assert alone or sorted(query.grades.values()) == sorted(core[query.id].grades.values()), query.id
            moved += 1
    assert moved == 47


def test_what_march_cannot_answer_september_can() -> None:
    core = named(suite("core").queries)
    assert {query.id for query in suite().queries if not query.answerable and core[query.id].answerable} == (
        ANSWERED_LATER
    )
