"""Reading corpus.jsonl, and the stand-in documents of ready-made cases."""

from pathlib import Path

import pytest

from runner.documents import Beir, Cases
from runner.errors import InputError


def corpus(folder: Path, *lines: str | bytes) -> Path:
    data = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    path = folder / "corpus.jsonl"
    path.write_bytes(data)
    return path


def test_documents_are_sorted_by_id_and_keep_their_metadata_as_fields(tmp_path: Path) -> None:
    corpus(
        tmp_path,
        '{"_id": "b", "title": " T ", "text": "cafe\u0301 \\r\\n", "metadata": {"url": "u"}, "lang": "fr"}',
        "",
        '{"_id": "a", "text": ""}',
    )
    first, second = Beir(tmp_path).read()
    assert (first.id, first.title, first.text, first.fields) == ("a", "", "", {})
    assert (second.id, second.title, second.text) == ("b", "T", "café")
    assert second.fields == {"url": "u", "lang": "fr"}


def test_the_file_itself_may_be_named(tmp_path: Path) -> None:
    assert len(Beir(corpus(tmp_path, '\ufeff{"_id": "a", "text": "x"}\r')).read()) == 1


def test_all_bad_lines_are_listed(tmp_path: Path) -> None:
    path = corpus(
        tmp_path,
        '{"_id": "a", "text": "fine"}',
        '{"_id": "a", "text": "again"}',
        '{"id": "b", "text": "x"}',
        '{"_id": "", "text": "x"}',
        '{"_id": 7, "text": "x"}',
        '{"_id": "c"}',
        '{"_id": "d", "text": ["x"]}',
        "[1]",
        '{"_id": "e", "text": "x"',
        b'{"_id": "f", "text": "\xff"}',
        '{"_id": "g", "text": "x", "metadata": {"k": 1}, "k": 2}',
        '{"_id": "h\\tx", "text": "x"}',
        '{"_id": "i ", "text": "x"}',
        '{"_id": "j", "text": "x", "n": NaN}',
        '{"_id": "k", "text": "\\ud800"}',
        '{"_id": "l", "text": "x", "n": 1e999}',
    )
    with pytest.raises(InputError) as caught:
        Beir(tmp_path).read()
    message = str(caught.value)
    for line, words in {
        2: "_id 'a' is given twice, first in line 1",
        3: "_id is missing; found the keys id, text",
        4: "_id is empty",
        5: '_id found a number 7, expected a string; write "7"',
        6: "text is missing",
        7: "text: found a list, expected a string",
        8: "found a list, expected a JSON object",
        9: "not JSON",
        10: "byte 0xff is not UTF-8",
        11: "field 'k' is both beside and inside metadata",
        12: "control character",
        13: "white space at its ends",
        14: "NaN is not a number that can be kept",
        15: "half of a pair",
        16: "1e999 is not a number that can be kept",
    }.items():
        assert f"{path}:{line}: {words}" in message or (f"{path}:{line}: " in message and words in message), line
    assert "15 problems" in message


def test_only_the_first_twenty_are_listed_with_a_count_of_the_rest(tmp_path: Path) -> None:
    corpus(tmp_path, *["{}"] * 30)
    with pytest.raises(InputError, match="60 problems") as caught:
        Beir(tmp_path).read()
    lines = str(caught.value).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "  ... and 40 more"


def test_a_single_problem_is_a_single_line(tmp_path: Path) -> None:
    path = corpus(tmp_path, '{"_id": "a", "text": "x"}', "nonsense")
    with pytest.raises(InputError) as caught:
        Beir(path).read()
    assert str(caught.value) == f"{path}:2: not JSON (Expecting value at column 1)"


def test_an_empty_or_missing_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"corpus\.jsonl: not found"):
        Beir(tmp_path).read()
    corpus(tmp_path, "")
    with pytest.raises(InputError, match="holds no document"):
        Beir(tmp_path).read()


def test_cases_give_one_empty_document_an_id(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(
        '[{"query_id": "1", "relevant": ["b", {"id": "a", "grade": 2}], "retrieved": ["c", "b"]},'
        ' {"query_id": "2", "relevant": [], "retrieved": [{"id": "文", "score": 1}]}]'
    )
    documents = Cases(path).read()
    assert [document.id for document in documents] == ["a", "b", "c", "文"]
    assert {(document.title, document.text) for document in documents} == {("", "")}


def test_cases_that_name_nothing_or_wrong_things_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text('[\n{"query_id": "1", "relevant": "a"},\n{"query_id": "2", "retrieved": [3]}\n]')
    with pytest.raises(InputError) as caught:
        Cases(path).read()
    assert f"{path}:2: relevant: found a string 'a', expected a list of ids" in str(caught.value)
    assert f"{path}:3: retrieved: id found a number 3" in str(caught.value)
    path.write_text("[]")
    with pytest.raises(InputError, match="names no document"):
        Cases(path).read()
