"""A click log is read whole or refused with every fault by its line."""

import csv
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from candidate_world import log

from runner.annotation.candidates.click_log import read_clicks
from runner.errors import InputError

HEADER = "query,passage_id,rank,clicked"


def refused(folder: Path, text: str | bytes) -> str:
    path = folder / "events.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as error:
        read_clicks(path)
    return str(error.value).replace(str(path), "FILE")


def test_columns_may_stand_in_any_order_and_cells_become_numbers(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        "1,zh/額度.md#免費,額度是多少,3,s1,2026-11-30T08:00:00+08:00,q1,0123",
        "0,en/a.md,the limit,10,,,,",
        header="clicked,passage_id,query,rank,session,at,query_id,snapshot",
    )
    assert found.values["query"] == ("額度是多少", "the limit")
    assert found.values["passage_id"] == ("zh/額度.md#免費", "en/a.md")
    assert found.columns["rank"].tolist() == [3, 10]
    assert found.columns["clicked"].tolist() == [1, 0]
    assert [found.columns[name].tolist() for name in ("session", "query_id", "snapshot")] == [[0, -1]] * 3
    assert found.at is not None
    assert np.isnan(found.at).tolist() == [False, True]
    assert len(found) == 2


@pytest.fixture
def in_taipei(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine that is not set to UTC."""
    monkeypatch.setenv("TZ", "Asia/Taipei")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_taipei")
def test_a_time_without_an_offset_is_utc(tmp_path: Path) -> None:
    rows = ("a,p,1,0,1970-01-02", "a,p,1,0,1970-01-01T08:00:10+08:00", "a,p,1,0,1970-01-01T00:00:10")
    found = log(tmp_path, *rows, header=f"{HEADER},at")
    assert found.at is not None
    assert found.at.tolist() == [86_400, 10, 10]


def test_texts_are_composed_and_trimmed_and_ids_meet(tmp_path: Path) -> None:
    found = log(tmp_path, " cafe\u0301 ,cafe\u0301.md,1,0", "caf\u00e9,caf\u00e9.md,1,0")
    assert found.values["query"] == ("caf\u00e9",)
    assert found.values["passage_id"] == ("caf\u00e9.md",)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_byte_order_mark_blank_lines_and_line_ends_do_no_harm(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "events.csv"
    path.write_bytes("\ufeff".encode() + ending.join([HEADER, "", "a,p,1,1", '"a, b",p,2,0', "", ""]).encode())
    found = read_clicks(path)
    assert found.values["query"] == ("a", "a, b")
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_columns_of_ones_own_are_kept_aside_by_name(tmp_path: Path) -> None:
    assert log(tmp_path, "a,p,1,1,web,tw", header=f"{HEADER},channel,region").ignored == ("channel", "region")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,p,0,1", "rank: found '0', expected a whole number from 1"),
        ("a,p,-1,1", "rank: found '-1'"),
        ("a,p,1.0,1", "rank: found '1.0'"),
        ("a,p,,1", "rank: found ''"),
        ("a,p,³,1", "rank: found '³'"),
        ("a,p,１,1", "rank: found '１'"),
        ("a,p,99999999999999999999,1", "rank: found '99999999999999999999'"),
        ("a,p,1,2", "clicked: found '2', expected 1 or 0"),
        ("a,p,1,true", "clicked: found 'true'"),
        ("a,p,1,", "clicked: found ''"),
        (",p,1,1", "query: is empty"),
        ('" ",p,1,1', "query: is empty"),
        ("a,,1,1", "passage_id: is empty"),
        ("a, p,1,1", "passage_id: ' p' has white space"),
        ('a,"p\tq",1,1', "control character"),
        ("a,p,1", "found 3 cells, expected 4"),
        ("a,b,p,1,1", "found 5 cells, expected 4; quote a text that holds a comma"),
    ],
)
def test_a_cell_that_is_not_what_it_should_be_is_named_with_its_line(tmp_path: Path, row: str, words: str) -> None:
    message = refused(tmp_path, f"{HEADER}\nfine,p,1,0\n{row}\n")
    assert message.startswith("FILE:3: ")
    assert words in message


def test_a_time_that_is_none_is_named(tmp_path: Path) -> None:
    assert "FILE:2: at: found 'yesterday', expected a time" in refused(tmp_path, f"{HEADER},at\na,p,1,1,yesterday\n")


def test_the_same_bad_cell_is_named_on_every_line(tmp_path: Path) -> None:
    message = refused(tmp_path, f"{HEADER}\n" + "a,p,x,1\n" * 3)
    assert [f"FILE:{line}: rank: found 'x'" in message for line in (2, 3, 4)] == [True] * 3


def test_two_faults_of_one_line_are_two_and_after_twenty_they_are_counted(tmp_path: Path) -> None:
    message = refused(tmp_path, f"{HEADER}\n" + "a,p,x,7\n" * 30)
    assert message.startswith("FILE: 60 problems")
    assert message.endswith("... and 40 more")


def test_lines_are_counted_across_quoted_line_ends(tmp_path: Path) -> None:
    assert "FILE:4: rank" in refused(tmp_path, f'{HEADER}\n"a\nb",p,1,1\nc,p,x,1\n')
    assert "FILE:2: rank" in refused(tmp_path, f'{HEADER}\n"a\nb",p,x,1\nc,p,1,1\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: found nothing, expected a header"),
        ("query;passage_id;rank;clicked\na;p;1;1\n", "expected a header with commas"),
        ("query,passage,rank,clicked\na,p,1,1\n", "unknown column 'passage'; did you mean 'passage_id'?"),
        ("Query,passage_id,rank,clicked\na,p,1,1\n", "unknown column 'Query'; did you mean 'query'?"),
        ("query,passage_id,rank\na,p,1\n", ":1: column 'clicked' is missing; found: query, passage_id, rank"),
        (f"{HEADER},sesion\na,p,1,1,s\n", "unknown column 'sesion'; did you mean 'session'?"),
        (f"{HEADER},rank\na,p,1,1,1\n", "column 'rank' is given twice"),
        (f"{HEADER}\n", "holds no impression"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in refused(tmp_path, text)


def test_a_quotation_that_does_not_end_is_named_where_it_begins(tmp_path: Path) -> None:
    message = refused(tmp_path, f'{HEADER}\na,p,1,1\n"b,p,1,1\nc,p,1,1\n')
    assert "FILE:3: not CSV" in message


def test_bytes_of_another_encoding_are_named_with_their_line(tmp_path: Path) -> None:
    assert "FILE:2: byte 0xc3 is not UTF-8" in refused(tmp_path, f"{HEADER}\n".encode() + "額度,p,1,1\n".encode("big5"))
    assert "FILE:1: byte 0xff is not UTF-8" in refused(tmp_path, f"{HEADER}\n".encode("utf-16"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found; expected a click log, CSV with the columns query, passage_id"):
        read_clicks(tmp_path / "nowhere.csv")


def test_a_large_log_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER.split(","))
        writer.writerows(
            (f"問題 {number % 1000}", f"p{number % 77}", 1 + number % 10, number % 2) for number in range(200_000)
        )
    found = read_clicks(path)
    assert len(found) == 200_000
    assert (len(found.values["query"]), len(found.values["passage_id"])) == (1000, 77)
    assert int(found.columns["clicked"].sum()) == 100_000
    assert np.bincount(found.columns["rank"]).tolist() == [0, *[20_000] * 10]
