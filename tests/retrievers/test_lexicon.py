"""Reading a user's word list."""

from pathlib import Path

import pytest

from retrievers.analyzer import Analyzer
from retrievers.base import RetrievalError
from retrievers.lexicon import Word, read_lexicon


def written(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "lexicon.txt"
    path.write_bytes(content)
    return str(path)


def test_words_frequencies_comments_and_empty_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeff# 產品\n雲端主機\r\n\n負載平衡 30\n".encode())
    assert read_lexicon(path) == (Word("雲端主機", None), Word("負載平衡", 30))


def test_every_bad_line_is_listed_with_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, "雲端\nT恤\n負載 many\n負載 1 n\n雲端\n".encode() + b"\xff\xfe\n")
    with pytest.raises(RetrievalError) as caught:
        read_lexicon(path)
    lines = str(caught.value).splitlines()
    assert [line.removeprefix(f"{path}:").partition(":")[0] for line in lines] == ["2", "3", "4", "5", "6"]
    assert "'t恤'" in lines[0] and "Chinese characters only" in lines[0]
    assert "'many'" in lines[1]
    assert "first on line 1" in lines[3]
    assert "UTF-8" in lines[4]


def test_twenty_problems_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    path = written(tmp_path, b"latin\n" * 23)
    with pytest.raises(RetrievalError) as caught:
        read_lexicon(path)
    assert len(str(caught.value).splitlines()) == 21
    assert str(caught.value).endswith("and 3 more")


def test_an_empty_lexicon_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="found no word"):
        read_lexicon(written(tmp_path, b"# nothing yet\n"))


def test_a_missing_lexicon_is_an_error_when_it_is_needed(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="found no file"):
        Analyzer(chinese="words", lexicon=str(tmp_path / "none.txt")).tokens("雲端")
