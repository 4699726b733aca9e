"""Where judgments come from, what holds where several people judged, and the round trip through files."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.suite_formats import OwnSuite
from runner.suite_formats.own import read_own, write_own
from runner.suites import JudgedQuery, Judgment, Suite, settle


def said(id_: str, grade: int, annotator: str | None = None, **more: Any) -> Judgment:
    return Judgment(id_, grade, annotator=annotator, **more)


def test_one_judgment_holds() -> None:
    assert settle([said("a", 2)]).grades == {"a": 2}
    assert settle([]).grades == {}


def test_people_who_agree_are_not_disputed() -> None:
    found = settle([said("a", 1, "wei"), said("a", 1, "ann"), said("b", 0, "wei")])
    assert (found.grades, found.disputed) == ({"a": 1, "b": 0}, ())


@pytest.mark.parametrize(
    ("grades", "holds"), [((0, 1), 1), ((0, 2), 2), ((0, 0, 2), 0), ((0, 1, 2), 1), ((2, 2, 0, 0), 2), ((1, 2), 2)]
)
def test_where_people_disagree_the_upper_median_stands_in_until_somebody_settles_it(
    grades: tuple[int, ...], holds: int
) -> None:
    judgments = [said("a", grade, f"n{number}") for number, grade in enumerate(grades)]
    found = settle(judgments)
    assert (found.grades, found.disputed) == ({"a": holds}, ("a",))
    settled = settle([*judgments, said("a", 1, "lead", adjudicated=True)])
    assert (settled.grades, settled.disputed) == ({"a": 1}, ())


def test_the_latest_adjudication_holds_whatever_its_place_in_the_file() -> None:
    first = said("a", 0, "lead", adjudicated=True, at="2026-09-01T10:00:00+00:00")
    second = said("a", 2, "lead", adjudicated=True, at="2026-09-02T10:00:00+00:00")
    assert settle([second, first, said("a", 1, "wei")]).grades == {"a": 2}


@pytest.mark.parametrize(
    ("times", "holds"),
    [
        # 09:00 in Taipei is 01:00 in London.
        (("2026-11-30T09:00:00+08:00", "2026-11-30T02:00:00+00:00"), 1),
        (("2026-11-30T02:00:00+00:00", "2026-11-30T09:00:00+08:00"), 0),
        # A time without a zone is one of UTC.
        (("2026-11-30T02:00:00", "2026-11-30T09:00:00+08:00"), 0),
        (("2026-11-30T02:00:00Z", "2026-11-30T02:00:00"), 1),
        # Without a time the later line holds.
        (("2026-11-30T02:00:00", None), 1),
        ((None, "2026-11-30T02:00:00"), 1),
        ((None, None), 1),
    ],
)
def test_adjudications_are_compared_by_the_moment_and_without_one_by_their_lines(
    times: tuple[str | None, ...], holds: int
) -> None:
    settled = [said("a", grade, f"n{grade}", adjudicated=True, at=at) for grade, at in enumerate(times)]
    assert settle([said("a", 2, "wei"), *settled]).grades == {"a": holds}


def test_what_people_say_goes_before_clicks_and_synthetic_labels() -> None:
    found = settle([said("a", 3, source="synthetic"), said("a", 0, "wei"), said("a", 1, source="click")])
    assert (found.grades, found.disputed) == ({"a": 0}, ())
    # Nobody has looked: programs that disagree are a dispute too.
    assert settle([said("b", 1, "x", source="synthetic"), said("b", 0, source="click")]).disputed == ("b",)


def test_the_least_trusted_source_of_what_holds_is_that_of_the_query() -> None:
    def source(*judgments: Judgment, **more: Any) -> str:
        return JudgedQuery.of_judgments("q", "x", judgments, **more).weakest_source

    assert source(said("a", 1)) == "human"
    assert source(said("a", 1), said("b", 1, source="synthetic")) == "synthetic"
    assert source(said("a", 1, "wei"), said("a", 1, source="click")) == "human"
    # A question out of a click log is as good as any once people have said what answers it.
    assert source(said("a", 1), source="click") == "human"
    assert source(said("a", 1, source="click"), source="click") == "click"
    assert source(source="click") == source(source="click", answerable=False) == "click"
    assert JudgedQuery("q", "x", {"a": 1}, source="click").weakest_source == "click"


def test_judgments_that_say_nothing_more_than_grades_leave_the_revision_as_it_was() -> None:
    plain = JudgedQuery("q", "x", {"a": 1, "b": 0})
    made = JudgedQuery.of_judgments("q", "x", (said("a", 1), said("b", 0)))
    assert made == plain
    assert plain.every_judgment == (said("a", 1), said("b", 0))
    told = JudgedQuery.of_judgments("q", "x", (said("a", 1, "wei"), said("b", 0)))
    suites = [Suite("s", "development", "passage", (query,)) for query in (plain, made, told)]
    assert suites[0].revision == suites[1].revision != suites[2].revision


def write(folder: Path, unit: str, *rows: dict[str, Any], head: str = "") -> OwnSuite:
    (folder / "s.yaml").write_text(f"name: s\nunit: {unit}\n{head}", encoding="utf-8")
    lines = [
        json.dumps({"query_id": f"q{n}", "text": "什麼?", **row}, ensure_ascii=False) for n, row in enumerate(rows)
    ]
    (folder / "s.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return OwnSuite(folder / "s.yaml")


EVERYTHING = {
    "relevant": [
        {"id": "a", "grade": 2, "annotator": "小魏", "at": "2026-09-30T14:00:00+00:00", "note": "第二段"},
        {"id": "a", "grade": 0, "annotator": "ann"},
        {"id": "a", "grade": 1, "annotator": "lead", "adjudicated": True},
        {"id": "b", "grade": 0, "source": "click"},
        "c",
    ]
}
SPANS = {
    "relevant": [
        {"document": "d.md", "quote": "一百\n次", "grade": 2, "annotator": "小魏"},
        {"document": "d.md", "start": 3, "end": 9},
        {"document": "e.md", "quote": "words", "start": 12, "grade": 0},
    ]
}


def test_everything_that_is_known_of_a_judgment_is_read(tmp_path: Path) -> None:
    query = write(tmp_path, "passage", EVERYTHING).read().queries[0]
    assert query.grades == {"a": 1, "b": 0, "c": 1}
    assert query.every_judgment[0] == Judgment("a", 2, "human", "小魏", "2026-09-30T14:00:00+00:00", "第二段")
    assert [each.adjudicated for each in query.every_judgment] == [False, False, True, False, False]
    assert query.every_judgment[3].source == "click"


@pytest.mark.parametrize(("unit", "row"), [("passage", EVERYTHING), ("span", SPANS), ("document", EVERYTHING)])
def test_a_written_suite_reads_back_the_same(tmp_path: Path, unit: str, row: dict[str, Any]) -> None:
    suite = write(
        tmp_path, unit, row, {**row, "source": "click"}, head="coverage: 0.8\ndocuments: '0123456789'\n"
    ).read()
    again = read_own(write_own(suite, tmp_path / "copy").parent)
    assert again.queries == suite.queries
    assert (again.revision, again.coverage, again.documents) == (suite.revision, 0.8, "0123456789")


def test_spans_have_readable_ids_and_keep_their_words(tmp_path: Path) -> None:
    query = write(tmp_path, "span", SPANS, head="documents: '0123456789'\n").read().queries[0]
    assert list(query.grades.items()) == [("d.md “一百 次”", 2), ("d.md@3-9", 1), ("e.md@12 “words”", 0)]
    assert query.spans["d.md “一百 次”"].quote == "一百\n次"


@pytest.mark.parametrize(
    ("unit", "item", "words"),
    [
        ("passage", {"id": "a", "grade": 1, "annotatr": "x"}, "unknown field 'annotatr'; did you mean 'annotator'?"),
        ("passage", {"id": "a", "annotator": ""}, "annotator is empty"),
        ("passage", {"id": "a", "at": "yesterday"}, "at: found a string 'yesterday', expected a time like"),
        ("passage", {"id": "a", "at": 7}, "at: found a number 7"),
        ("passage", {"id": "a", "note": 7}, "note: found a number 7, expected a string"),
        ("passage", {"id": "a", "adjudicated": "yes"}, "adjudicated: found a string 'yes'"),
        ("passage", {"id": "a", "source": "llm"}, "source: found a string 'llm', expected one of human"),
        ("passage", {"document": "d", "quote": "x"}, "unknown field 'document'"),
        ("span", "d.md", "expected a span: {document, quote} or {document, start, end}"),
        ("span", {"id": "d.md"}, "unknown field 'id'"),
        ("span", {"document": "d"}, "names neither a quote nor both start and end"),
        ("span", {"document": "d", "start": 4}, "names neither a quote nor both start and end"),
        ("span", {"document": "d", "quote": "  "}, "quote: found a string '  ', expected words of the document"),
        ("span", {"document": "d", "quote": "x", "end": 4}, "leave `end` out"),
        ("span", {"document": "d", "start": -1, "end": 4}, "start: found a number -1"),
        ("span", {"document": "", "quote": "x"}, "document is empty"),
    ],
)
def test_every_fault_of_a_judgment_is_named(tmp_path: Path, unit: str, item: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        write(tmp_path, unit, {"relevant": [item]}).read()
    assert words in str(caught.value)
    assert "s.jsonl:1: relevant: " in str(caught.value)


def test_one_annotator_judges_a_pair_once(tmp_path: Path) -> None:
    twice = [{"id": "a", "grade": 1, "annotator": "wei"}, {"id": "a", "grade": 2, "annotator": "wei"}]
    with pytest.raises(InputError, match="'a' is given twice by 'wei'"):
        write(tmp_path, "passage", {"relevant": twice}).read()


def test_a_frozen_suite_that_was_changed_is_refused_with_the_way_on(tmp_path: Path) -> None:
    suite = write(tmp_path, "passage", {"relevant": ["a"]}).read()
    frozen = write(tmp_path, "passage", {"relevant": ["a"]}, head=f"frozen: '{suite.revision}'\n")
    assert frozen.read().frozen == suite.revision
    changed = write(tmp_path, "passage", {"relevant": ["b"]}, head=f"frozen: '{suite.revision}'\n")
    with pytest.raises(
        InputError, match=rf"s\.yaml:3: suite 's' is frozen at revision {suite.revision}.*judgments freeze"
    ):
        changed.read()


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("coverage: 0", "coverage: found a number 0, expected a share above 0 and up to 1"),
        ("coverage: 1.2", "coverage: found a number 1.2"),
        ("coverage: half", "coverage: found a string 'half'"),
        ("documents: 12345678", "documents: found a number 12345678, expected 8 to 64 hex digits"),
        ("frozen: nope", "frozen: found a string 'nope'"),
    ],
)
def test_bad_settings_of_the_head_are_named(tmp_path: Path, head: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        write(tmp_path, "span", SPANS, head=head + "\n").read()
    assert words in str(caught.value)
