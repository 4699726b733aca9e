"""Rankings read from files: TREC runs and JSON cases."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from retrievers.base import Passages, Query, Rankings, RetrievalError
from retrievers.recorded import Recorded

PASSAGES = Passages(("a#1", "a#2", "b#1", "c#1"), ("a", "a", "b", "c"), ("", "", "", ""))
Read = Callable[[str], Rankings]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a run file and look up q1, q2 and 問3 in it."""

    def made(content: str) -> Rankings:
        path = tmp_path / "run.txt"
        path.write_text(content, encoding="utf-8")
        return Recorded(str(path)).retrieve(PASSAGES, [Query("q1", "x"), Query("q2", ""), Query("問3", "y")], 10)

    return made


def test_a_trec_run_is_read_in_any_order(read: Read) -> None:
    found = read("q2 Q0 c#1 1 0.5 t\nq1 Q0 b#1 2 1.5 t\n\nq1 Q0 a#2 1 2.5 t\n問3 Q0 a#1 1 -3 t\n")
    assert [found.one(number)[0].tolist() for number in range(3)] == [[1, 2], [3], [0]]
    assert found.scores.tolist() == [2.5, 1.5, 0.5, -3.0]


def test_a_document_stands_for_its_first_passage(read: Read) -> None:
    assert read("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n").rows.tolist() == [0, 2]
    assert read('[{"query_id": "q1", "retrieved": ["a"]}]').rows.tolist() == [0]


def test_what_is_named_twice_keeps_its_better_place(read: Read) -> None:
    assert read("q1 Q0 a#1 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1 t\n").rows.tolist() == [0, 2]


def test_the_same_name_twice_for_one_query_is_refused_with_both_lines(read: Read) -> None:
    assert read("q1 Q0 a#1 1 3 t\nq2 Q0 a#1 1 3 t\n").rows.tolist() == [0, 0]
    with pytest.raises(RetrievalError, match=r":3: found 'a' again for query 'q1', first in line 1; keep one"):
        read("q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 a 3 1 t\n")


@pytest.mark.parametrize("item", ["[" * 100_000, "9" * 5000])
def test_json_that_would_exhaust_the_reader_is_refused_in_one_line(read: Read, item: str) -> None:
    with pytest.raises(RetrievalError, match=r":1: is not JSON that can be read") as caught:
        read(f"[{item}")
    assert "\n" not in str(caught.value)


def test_equal_scores_keep_the_recorded_order(read: Read) -> None:
    found = read("q1 Q0 a#1 2 1 t\nq1 Q0 b#1 3 1 t\nq1 Q0 c#1 1 1 t\n")
    assert found.rows.tolist() == [3, 0, 2]
    assert found.scores == pytest.approx([1, 1, 1])


def test_equal_scores_without_ranks_go_by_row(read: Read) -> None:
    assert read("q1 Q0 c#1 0 1 t\nq1 Q0 a#1 0 1 t\n").rows.tolist() == [0, 3]


def test_scores_decide_over_ranks_and_it_is_said(read: Read, caplog: pytest.LogCaptureFixture) -> None:
    assert read("q1 Q0 c#1 1 0.1 t\nq1 Q0 a#1 2 0.9 t\n").rows.tolist() == [0, 3]
    assert "query q1 has better scores at worse ranks" in caplog.text


def test_names_with_spaces_may_be_separated_by_tabs(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q 1\tQ0\tmy page\t1\t2\tt\n")
    passages = Passages(("my page",), ("my page",), ("",))
    assert Recorded(str(tmp_path / "run")).retrieve(passages, [Query("q 1", "")], 5).rows.tolist() == [0]


def test_json_cases_rank_by_place(read: Read) -> None:
    cases = [
        {"query_id": "q1", "relevant": ["a"], "retrieved": ["c#1", "a#2", "c"]},
        {"query_id": "問3", "relevant": [], "retrieved": []},
    ]
    found = read(json.dumps(cases, ensure_ascii=False))
    assert [found.one(number)[0].tolist() for number in range(3)] == [[3, 1], [], []]


def test_a_query_that_is_not_in_the_file_ranks_nothing(read: Read) -> None:
    assert len(read("other Q0 a#1 1 1 t\n").rows) == 0


def test_depth_cuts(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 c#1 1 2 t\nq Q0 a#1 2 1 t\n")
    assert Recorded(str(tmp_path / "run")).retrieve(PASSAGES, [Query("q", "")], 1).rows.tolist() == [3]


def test_every_malformed_line_is_listed(read: Read) -> None:
    with pytest.raises(RetrievalError) as caught:
        read("q1 Q0 a#1 1 1 t\nq1 Q0 a#1 1\nq1 Q0 b#1 one 1 t\nq1 Q0 b#1 1 nan t\nq1 Q0 b#1 1 inf t\n")
    said = str(caught.value).splitlines()
    assert [line.partition("run.txt:")[2].partition(":")[0] for line in said] == ["2", "3", "4", "5"]
    assert "found 4 fields, expected 6" in said[0]
    assert "rank 'one' and score '1'" in said[1]


def test_every_unknown_name_is_listed_with_its_line(read: Read) -> None:
    with pytest.raises(RetrievalError) as caught:
        read("q1 Q0 a#1 1 1 t\nzz Q0 gone 1 1 t\nq1 Q0 lost 2 0 t\n")
    said = str(caught.value).splitlines()
    assert "run.txt:2: found 'gone'" in said[0] and "run.txt:3: found 'lost'" in said[1]


def test_twenty_problems_are_shown_and_the_rest_counted(read: Read) -> None:
    with pytest.raises(RetrievalError) as caught:
        read("bad line\n" * 25)
    assert len(str(caught.value).splitlines()) == 21 and str(caught.value).endswith("and 5 more")


def test_every_bad_case_of_a_json_file_is_listed_with_its_line(read: Read) -> None:
    with pytest.raises(RetrievalError) as caught:
        read(
            '[\n {"query_id": "q1", "retrieved": ["a"]},\n {"query_id": null, "retrieved": []},\n'
            ' {"query_id": "q2", "retrieved": "a"},\n 7,\n {"query_id": "q1", "retrieved": []}\n]'
        )
    said = str(caught.value).splitlines()
    assert [line.partition("run.txt:")[2].partition(":")[0] for line in said] == ["3", "4", "5", "6"]
    assert "query_id is None" in said[0] and "retrieved of q2 is 'a'" in said[1] and "again" in said[3]


@pytest.mark.parametrize(
    ("content", "line"), [("[\n{,\n]", 2), ('[\n{"query_id": "q"}\n7]', 3), ("[1,\n]", 2), ("[]\nmore", 2), ("[\n", 2)]
)
def test_broken_json_names_its_line(content: str, line: int, read: Read) -> None:
    with pytest.raises(RetrievalError, match=f"run.txt:{line}: is not JSON"):
        read(content)


@pytest.mark.parametrize("content", ["", "\n \n", "[]"])
def test_a_file_without_rankings_is_an_error(content: str, read: Read) -> None:
    with pytest.raises(RetrievalError, match=r"found (no ranking|an empty array)"):
        read(content)


def test_a_file_that_is_not_utf8_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes("q1 Q0 a 1 1 t\nq1 Q0 頁 1 1 t\n".encode("big5"))
    with pytest.raises(RetrievalError, match="run:2: found bytes that are not UTF-8"):
        Recorded(str(tmp_path / "run")).retrieve(PASSAGES, [], 1)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="found no file"):
        Recorded(str(tmp_path / "none")).retrieve(PASSAGES, [], 1)


def test_a_changed_file_is_read_again_and_hashes_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "run"
    recorded = Recorded(str(path))
    path.write_text("q Q0 a 1 1 t\n")
    before = recorded.contents()
    assert recorded.retrieve(PASSAGES, [Query("q", "")], 1).rows.tolist() == [0]
    path.write_text("q Q0 b#1 1 1 t\n")
    assert recorded.retrieve(PASSAGES, [Query("q", "")], 1).rows.tolist() == [2]
    assert recorded.contents() != before
    assert recorded.files() == {"path": str(path.resolve())}
    assert Recorded.cacheable is False
