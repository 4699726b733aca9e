"""BEIR, TREC and ready-made cases."""

from pathlib import Path
from typing import Any

import pytest

from runner.errors import ConfigError, InputError
from runner.suite_formats import BeirSuite, CasesSuite, TrecSuite
from runner.suite_formats.own import read_own, write_own
from runner.suites import Suite

QUERIES = (
    '{"_id": "2", "text": "two", "metadata": {"category": "long", "level": 3}}\n'
    '{"_id": "10", "text": "十", "metadata": {"category": "short"}}\n'
    '{"_id": "3", "text": ""}\n'
)
HEADER = "query-id\tcorpus-id\tscore\n"


def beir(folder: Path, qrels: str, queries: str | bytes = QUERIES, **settings: Any) -> Suite:
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "queries.jsonl").write_bytes(queries if isinstance(queries, bytes) else queries.encode())
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return BeirSuite(folder, **settings).read()


def refusal(folder: Path, qrels: str, queries: str | bytes = QUERIES, **settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        beir(folder, qrels, queries, **settings)
    return str(caught.value)


def test_queries_without_judgments_are_kept_as_unjudged(tmp_path: Path) -> None:
    suite = beir(tmp_path, HEADER + "2\td1\t2\n2\td2\t0\n10\t文\t1.0\n")
    assert (suite.name, suite.unit, suite.role) == (tmp_path.name, "document", "development")
    assert [(query.id, query.text, query.grades) for query in suite.scored()] == [
        ("10", "十", {"文": 1}),
        ("2", "two", {"d1": 2, "d2": 0}),
    ]
    assert [query.id for query in suite.unjudged()] == ["3"]
    assert suite.unanswerable() == ()
    assert suite.scored()[1].lines == {"d1": 2, "d2": 3}


def test_a_missing_header_and_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    assert len(beir(tmp_path, "2\td1\t1\r\n\r\n10\td1\t1\r\n").scored()) == 2


def test_only_named_metadata_becomes_fields(tmp_path: Path) -> None:
    qrels = HEADER + "2\td1\t1\n10\td1\t1\n"
    assert beir(tmp_path, qrels).scored()[1].fields == {}
    suite = beir(tmp_path, qrels, slices=["category x level"], fields=["category"])
    assert suite.slices == ("category x level",)
    assert [query.fields for query in suite.scored()] == [{"category": "short"}, {"category": "long", "level": 3}]


def test_a_slice_that_no_query_has_is_refused(tmp_path: Path) -> None:
    assert "slice field 'categori' is declared, but no query has it" in refusal(
        tmp_path, "2\td1\t1\n", slices=["categori"]
    )


def test_every_bad_row_is_listed_with_its_line(tmp_path: Path) -> None:
    rows = [
        "2\td1\t1",
        "2\td1\t1",
        "2\td1\t2",
        "2\td2\t-1",
        "2\td3\t0.5",
        "2\td4\tx",
        "2 d5 1",
        "2\t\t1",
        "\td1\t1",
        "11\td1\t1",
        "11\td2\t1",
        "10\td1\t0",
        "3\td1\t1",
        "2\td6\t1e999",
        "2\td7\tnan",
    ]
    message = refusal(tmp_path, HEADER + "\n".join(rows))
    for line, words in {
        3: "query '2' and 'd1' are judged twice, first in line 2 (grades 1 and 1)",
        4: "query '2' and 'd1' are judged twice, first in line 2 (grades 1 and 2)",
        5: "grade: found -1, which is negative",
        6: "grade: found 0.5, expected a whole number",
        7: "grade: found 'x', expected a whole number",
        8: "found 1 columns, expected 3 tab-separated ones (query-id, corpus-id, score)",
        9: "corpus-id is empty",
        10: "query-id is empty",
        11: "query '11' is not among the queries (2 rows)",
        13: "query '10' has no relevant item (none with grade >= 1)",
        15: "grade: found '1e999', expected a whole number",
        16: "grade: found 'nan', expected a whole number",
    }.items():
        assert any(f"test.tsv:{line}: {words}" in each for each in message.splitlines()), (line, message)
    assert "test.tsv: 12 problems" in message
    assert "queries.jsonl:3: query '3' is judged, but its text is empty" in message


def test_an_unknown_query_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    queries = '{"_id": "PLAIN-102", "text": "x"}\n'
    assert "nearest: 'PLAIN-102'" in refusal(tmp_path, "PLAIN-0102\td\t1\nplain-102\td\t1\n", queries)


def test_every_bad_query_is_listed_with_its_line(tmp_path: Path) -> None:
    queries = (
        b'{"_id": "2", "text": "x"}\n{"_id": "2", "text": "y"}\n{"text": "z"}\n{"_id": 4, "text": "z"}\n'
        b'{"_id": "5"}\n{"_id": "6", "text": "x", "metadata": [1]}\n{"_id": "7", "text": "\xff"}\n'
        b'{"_id": "8", "text": "x", "metadata": {"category": {"a": 1}}}\n'
    )
    message = refusal(tmp_path, "2\td1\t1\n5\td1\t1\n", queries, fields=["category"])
    for line, words in {
        2: "query '2' is given twice, first in line 1",
        3: "_id is missing; found the keys text",
        4: "_id found a number 4",
        5: "text: found null, expected a string",
        6: "metadata: found a list, expected an object",
        7: "byte 0xff is not UTF-8",
        8: "field 'category': found an object",
    }.items():
        assert f"queries.jsonl:{line}: {words}" in message, line
    assert "7 problems" in message


def test_negative_grades_may_be_taken_as_not_relevant(tmp_path: Path) -> None:
    (query,) = beir(tmp_path, "2\td1\t1\n2\td2\t-1\n", negative="zero").scored()
    assert query.grades == {"d1": 1, "d2": 0}


def test_queries_without_a_relevant_item_may_be_set_aside(tmp_path: Path) -> None:
    suite = beir(tmp_path, "2\td1\t2\n10\td1\t1\n", min_grade=2, no_relevant="skip")
    assert [query.id for query in suite.scored()] == ["2"]
    assert [query.id for query in suite.unjudged()] == ["10", "3"]
    write_own(suite, tmp_path / "copy")
    assert read_own(tmp_path / "copy").revision == suite.revision


def test_another_split_or_file_may_be_named(tmp_path: Path) -> None:
    beir(tmp_path, "2\td1\t1\n")
    (tmp_path / "qrels" / "dev.tsv").write_text("10\td9\t1\n")
    (tmp_path / "mine.tsv").write_text("10\td8\t1\n")
    assert BeirSuite(tmp_path, qrels="dev").read().scored()[0].grades == {"d9": 1}
    assert BeirSuite(tmp_path, qrels=tmp_path / "mine.tsv").read().scored()[0].grades == {"d8": 1}
    with pytest.raises(InputError, match=r"train\.tsv: not found; expected judgments in columns query-id"):
        BeirSuite(tmp_path, qrels="train").read()


def test_judgments_that_are_empty_are_refused(tmp_path: Path) -> None:
    assert "holds no judgment" in refusal(tmp_path, HEADER)


@pytest.mark.parametrize(
    "settings",
    [
        {"role": "hold"},
        {"unit": "page"},
        {"min_grade": 0},
        {"negative": "drop"},
        {"no_relevant": "x"},
        {"slices": [1, 1]},
    ],
)
def test_settings_outside_the_known_ones_are_refused(tmp_path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=rf"suite\.{next(iter(settings))}"):
        beir(tmp_path, "2\td1\t1\n", **settings)


TOPICS = """<top>
<num> Number: 301
<title> International
Organized Crime
<desc> Description:
Identify organizations.
</top>

<top>
<num>302</num> <title>Topic: 小兒麻痺</title>
</top>
"""


def trec(folder: Path, topics: str, qrels: str, **settings: Any) -> Suite:
    (folder / "topics.txt").write_text(topics, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    return TrecSuite(folder / "topics.txt", folder / "qrels.txt", **settings).read()


def test_trec_topics_and_judgments_are_read(tmp_path: Path) -> None:
    suite = trec(tmp_path, TOPICS, "301 0 FR-1 2\n301\t0\tFR-2\t0\n302 Q0 FR-1 1\n", name="robust")
    assert suite.name == "robust"
    assert [(query.text, query.grades) for query in suite.queries] == [
        ("International Organized Crime", {"FR-1": 2, "FR-2": 0}),
        ("小兒麻痺", {"FR-1": 1}),
    ]


def test_another_part_of_a_topic_may_be_asked(tmp_path: Path) -> None:
    suite = trec(tmp_path, TOPICS, "301 0 FR-1 1\n", part="desc")
    assert suite.scored()[0].text == "Identify organizations."
    with pytest.raises(ConfigError, match=r"suite\.part must be one of title, desc, narr"):
        trec(tmp_path, TOPICS, "301 0 FR-1 1\n", part="body")


def test_topics_in_two_columns_are_read(tmp_path: Path) -> None:
    suite = trec(tmp_path, "1\tfirst  one\n\n2\t第二\n", "1 0 d 1\n2 0 d 1\n")
    assert [query.text for query in suite.queries] == ["first one", "第二"]


def test_every_fault_of_topics_and_judgments_is_listed(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        trec(tmp_path, TOPICS + TOPICS + "<top>\n<title> nameless\n</top>", "301 0 d\n303 0 d 1\n302 0 d -2\n")
    message = str(caught.value)
    for words in (
        "topics.txt:12: query '301' is given twice, first in line 1",
        "topics.txt:20: query '302' is given twice, first in line 9",
        "topics.txt:23: topic id is empty",
        "qrels.txt:1: found 3 columns, expected 4 space-separated ones",
        "qrels.txt:2: query '303' is not among the queries",
        "qrels.txt:3: grade: found -2, which is negative",
    ):
        assert words in message, (words, message)


def test_topics_that_are_neither_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"topics\.txt:1: found no tab"):
        trec(tmp_path, "301 International\n", "301 0 d 1\n")
    with pytest.raises(InputError, match=r"topics\.txt: holds no topic"):
        trec(tmp_path, "\n", "301 0 d 1\n")


def cases(folder: Path, text: str, **settings: Any) -> Suite:
    (folder / "cases.json").write_text(text, encoding="utf-8")
    return CasesSuite(folder / "cases.json", **settings).read()


def test_ready_made_cases_need_no_text(tmp_path: Path) -> None:
    suite = cases(
        tmp_path,
        '\n[{"query_id": "q2", "relevant": ["a", {"id": "b", "grade": 2}], "retrieved": ["c", "a"], "kind": "x"},\n'
        ' {"query_id": "q1", "relevant": ["文"], "retrieved": [], "text": "問", "kind": "y"}]\n',
        slices=["kind"],
    )
    assert [(query.id, query.text, query.grades) for query in suite.scored()] == [
        ("q1", "問", {"文": 1}),
        ("q2", "", {"a": 1, "b": 2}),
    ]
    write_own(suite, tmp_path / "copy")
    assert read_own(tmp_path / "copy") == suite


def test_every_bad_case_is_listed_with_its_line(tmp_path: Path) -> None:
    rows = [
        '{"query_id": "a", "relevant": ["x"],\n "retrieved": ["x"]}',
        '{"query_id": "a", "relevant": ["x"], "retrieved": ["x"]}',
        '{"query_id": "c", "relevant": [], "retrieved": ["x"]}',
        '{"query_id": "d", "relevant": ["x"]}',
        '{"query_id": "e", "relevant": ["x"], "retrieved": "x"}',
        '{"query_id": "f", "relevant": ["x"], "retrieved": ["y", 3]}',
        '{"query_id": "g", "relevant": ["x"], "retreived": ["x"], "retrieved": []}',
        '"h"',
        '{"query_id": "i", "relevant": ["x", "x"], "retrieved": []}',
    ]
    with pytest.raises(InputError) as caught:
        cases(tmp_path, "[\n" + ",\n".join(rows) + "\n]")
    message = str(caught.value)
    for line, words in {
        4: "query_id 'a' is given twice, first in line 2",
        5: "no relevant item",
        6: "retrieved is missing; write []",
        7: "retrieved: found a string 'x', expected a list of ids",
        8: "retrieved: id at rank 2 found a number 3",
        9: "unknown field 'retreived'; did you mean 'retrieved'?",
        10: "found a string 'h', expected a JSON array of {query_id, relevant, retrieved}",
        11: "relevant: 'x' is given twice",
    }.items():
        assert f"cases.json:{line}: {words}" in message, (line, message)
    assert "8 problems" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"query_id": "a"}', "cases.json:1: expected a JSON array of"),
        ('[\n{"query_id": "a", }]', "cases.json:2: not JSON"),
        ('[{"query_id": "a", "relevant": ["x"], "retrieved": []}\n{}]', "cases.json:2: expected , or ] after an item"),
        ('[{"query_id": "a", "relevant": ["x"], "retrieved": []}]\n]', "cases.json:2: expected nothing after"),
        ('[{"query_id": "a", "relevant": ["x"], "retrieved": []}', "expected , or ]"),
        ("", "cases.json:1: expected a JSON array"),
        ("[]", "holds no query"),
    ],
)
def test_a_file_that_is_no_array_is_told(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        cases(tmp_path, text)
    assert words in str(caught.value)
