"""Topics as tracks have published them: SGML, XML, columns, JSON lines; entities and `<` in their text."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import InputError, Problem
from runner.suite_formats import TrecSuite
from runner.suite_formats.topics import topics_in

SGML = """<top>
<num> Number: 301
<title> Tax &amp; levies, day < 4 for all

<desc> Description:
What is a levy?

<narr> Narrative:
Relevant: <i>any</i> of them.
</top>
<top><num>302</num><title>第二題</title></top>
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<topics task="2026"><!-- <topic number="0"><query>no</query></topic> -->
  <topic number="301" type="faceted">
    <query>Tax &amp; levies, day < 4 for all</query>
    <description><![CDATA[What is a levy?]]></description>
    <subtopic number="1" type="nav">the office</subtopic>
    <narrative>Relevant: any of them.</narrative>
  </topic>
  <topic number='302'>
    第二題
  </topic>
</topics>
"""
NESTED = (
    "<topics><topic><identifier>301</identifier><title>Tax &amp; levies, day &lt; 4 for all</title></topic></topics>"
)
LINES = '{"qid": "301", "query": "Tax & levies, day < 4 for all"}\n{"_id": 302, "text": "第二題"}\n'
TITLE = "Tax & levies, day < 4 for all"


def read(text: str, part: str = "title") -> tuple[list[tuple[int, str, str]], list[Problem]]:
    problems: list[Problem] = []
    return list(topics_in(text, part, problems)), problems


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (SGML, (1, 11)),
        (SGML.replace("\n</top>", "").replace("</title></top>", "").lower().replace("tax", "Tax"), (1, 10)),
        (XML, (3, 9)),
        (LINES, (1, 2)),
        (f"301\t{TITLE}\n302\t第二題", (1, 2)),
    ],
    ids=["sgml", "sgml without end tags", "xml", "json lines", "columns"],
)
def test_every_form_says_the_same(text: str, lines: tuple[int, int]) -> None:
    found, problems = read(text)
    assert not problems
    assert found == [(lines[0], "301", TITLE), (lines[1], "302", "第二題")]


def test_an_id_may_be_an_element() -> None:
    assert read(NESTED)[0] == [(1, "301", TITLE)]


@pytest.mark.parametrize(("part", "words"), [("desc", "What is a levy?"), ("narr", "Relevant: any of them.")])
def test_the_other_parts_are_read_by_their_names(part: str, words: str) -> None:
    assert read(XML, part)[0][0][2] == words
    assert read(SGML.replace("<i>", "").replace("</i>", ""), part)[0][0][2] == words


def test_a_file_can_declare_nothing_that_expands() -> None:
    bomb = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n'
    found, _ = read(f'{bomb}<topics><topic number="1"><query>&b; x</query></topic></topics>')
    assert found == [(2, "1", "&b; x")]


@given(st.text(alphabet=st.characters(blacklist_characters="<>&\x00", blacklist_categories=("Cs", "Cc"))))
@settings(max_examples=200, deadline=None)
def test_any_words_come_back_as_they_were_written(words: str) -> None:
    kept = " ".join(words.split())
    assert read(f"<top>\n<num>7</num>\n<title>a {words}</title>\n</top>")[0] == [(1, "7", f"a {kept}".strip())]
    assert read(f'<topic number="7"><query>a {words}</query></topic>')[0] == [(1, "7", f"a {kept}".strip())]


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_topics_or_problems_and_nothing_else(text: str) -> None:
    for each in (text, f"<top>{text}", f'<topics><topic number="1">{text}', f'{{"id": {json.dumps(text)}'):
        read(each)


def suite(folder: Path, topics: str | bytes, qrels: str = "301 0 d1 1\n302 0 d2 2\n", **more: str) -> TrecSuite:
    file = folder / "topics"
    file.write_bytes(topics if isinstance(topics, bytes) else topics.encode())
    (folder / "qrels").write_text(qrels)
    return TrecSuite(file, folder / "qrels", **more)


def test_packed_topics_and_no_topics_give_the_same_judgments(tmp_path: Path) -> None:
    plain = suite(tmp_path, XML).read()
    packed = suite(tmp_path, gzip.compress(XML.encode())).read()
    untold = TrecSuite(None, tmp_path / "qrels").read()
    assert plain == packed
    assert [query.text for query in plain.queries] == [TITLE, "第二題"]
    assert [query.text for query in untold.queries] == ["", ""]
    assert [query.grades for query in untold.queries] == [query.grades for query in plain.queries]
    assert (untold.name, plain.name) == ("qrels", "topics")


def test_the_same_topic_twice_and_one_without_an_id_are_listed_with_their_lines(tmp_path: Path) -> None:
    text = XML.replace("number='302'", "")
    with pytest.raises(InputError, match="topics:9: topic id is empty"):
        suite(tmp_path, text, "301 0 d1 1\n").read()
    with pytest.raises(InputError, match="topics:9: query '301' is given twice, first in line 3"):
        suite(tmp_path, XML.replace("'302'", "'301'"), "301 0 d1 1\n").read()


def test_grades_below_zero_say_how_they_are_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"suite\.negative=zero"):
        suite(tmp_path, XML, "301 0 d1 -2\n301 0 d2 1\n302 0 d1 1\n").read()
    read_as_zero = suite(tmp_path, XML, "301 0 d1 -2\n301 0 d2 1\n302 0 d1 1\n", negative="zero").read()
    assert read_as_zero.queries[0].grades == {"d1": 0, "d2": 1}
