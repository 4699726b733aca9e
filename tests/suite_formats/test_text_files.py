"""Files as people have them: packed, headed in other words, of another kind, or with a document for a question."""

import gzip
import json
from pathlib import Path

import pytest

from retrievers.base import Query, RetrievalError
from retrievers.recorded import Recorded
from retrievers.run_file import read_run
from retrievers.text_file import NotText, text_bytes
from runner.annotation.candidates.candidate import read_candidates
from runner.annotation.candidates.click_log import read_clicks
from runner.annotation.exchange.pair_files import read_pairs
from runner.annotation.history.suite_file import SuiteFile
from runner.documents.beir import Beir
from runner.errors import InputError
from runner.files.reading import LONGEST_QUESTION, read_bytes
from runner.suite_formats import BeirSuite, CasesSuite, OwnSuite, TrecSuite

QUERIES = '{"_id": "1", "text": "一分鐘幾次？"}\n{"_id": "2", "text": "two"}\n'
QRELS = "query-id\tcorpus-id\tscore\n1\td1\t1\n2\td2\t1\n"
CORPUS = '{"_id": "d1", "title": "", "text": "一百次"}\n{"_id": "d2", "title": "", "text": "b"}\n'


def pack(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


def test_a_packed_collection_is_read_like_a_plain_one(tmp_path: Path) -> None:
    pack(tmp_path / "corpus.jsonl.gz", CORPUS)
    pack(tmp_path / "queries.jsonl.gz", QUERIES)
    pack(tmp_path / "qrels" / "test.tsv.gz", QRELS)
    assert [document.text for document in Beir(tmp_path).read()] == ["一百次", "b"]
    assert [query.text for query in BeirSuite(tmp_path).read().scored()] == ["一分鐘幾次？", "two"]
    assert len(Beir(tmp_path / "corpus.jsonl.gz").read()) == 2


def test_packed_topics_cases_runs_and_queries_are_read(tmp_path: Path) -> None:
    topics, qrels = pack(tmp_path / "topics.gz", "1\tone\n"), pack(tmp_path / "qrels.gz", "1 0 d1 1\n")
    assert TrecSuite(topics, qrels).read().scored()[0].text == "one"
    cases = pack(tmp_path / "cases.json.gz", '[{"query_id": "1", "relevant": ["a"], "retrieved": ["a"]}]')
    assert len(CasesSuite(cases).read().queries) == 1
    assert list(read_run(str(cases))) == ["1"]
    assert list(read_run(str(pack(tmp_path / "a.run.gz", "q Q0 d 1 1.0 t\n")))) == ["q"]
    (tmp_path / "own.yaml").write_text("name: own\nunit: document\n", encoding="utf-8")
    pack(tmp_path / "own.jsonl.gz", '{"query_id": "1", "text": "x", "relevant": ["a"]}\n')
    assert len(OwnSuite(tmp_path / "own.yaml").read().queries) == 1
    with pytest.raises(InputError, match=r"own\.jsonl: is packed.*unpack it \(gunzip\)"):
        _ = SuiteFile(tmp_path / "own.yaml").queries


def test_packed_click_logs_candidates_and_pairs_are_read(tmp_path: Path) -> None:
    log = pack(tmp_path / "clicks.csv.gz", "query,passage_id,rank,clicked\nhow?,p1,1,1\n")
    assert len(read_clicks(log)) == len(read_clicks(tmp_path / "clicks.csv")) == 1
    row = {"query_id": "q", "text": "how?", "kind": "clicked"}
    assert len(read_candidates(pack(tmp_path / "candidates.jsonl.gz", json.dumps(row) + "\n"))) == 1
    pack(tmp_path / "pairs.jsonl.gz", '{"query_id": "q", "id": "p", "text": "how?"}\n')
    assert len(read_pairs(tmp_path / "pairs.jsonl").rows) == 1


def test_a_damaged_or_boundless_packed_file_is_refused(tmp_path: Path) -> None:
    whole = pack(tmp_path / "a.jsonl.gz", "x" * 100_000)
    with pytest.raises(NotText, match="unpacks to more than 1,000 bytes"):
        text_bytes(whole, most=1_000)
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"a\.jsonl\.gz: is a damaged gzip file .*expected queries"):
        read_bytes(whole, "queries")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "is a PDF; export its text first"),
        (b"PK\x03\x04\x14\0", "is a ZIP archive or an office document"),
        (b"PAR1\x15", "is a Parquet file"),
        (b"\x28\xb5\x2f\xfd\x04", "is packed with Zstandard"),
        (gzip.compress(b"%PDF-1.7", mtime=0), "is a PDF"),
    ],
)
def test_what_is_no_text_is_called_what_it_is(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        BeirSuite(tmp_path).read()
    assert says in str(caught.value)
    assert "iconv" not in str(caught.value)
    with pytest.raises(RetrievalError, match=says):
        read_run(str(path))


def test_text_in_utf_16_is_told_how_to_be_converted(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_bytes("1\t一\n".encode("utf-16"))
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="iconv -f UTF-16 -t UTF-8"):
        TrecSuite(tmp_path / "topics.txt", tmp_path / "qrels.txt").read()


@pytest.mark.parametrize(
    "header",
    [
        "query-id\tcorpus-id\trelevance",
        "qid\tdocid\trel",
        "query_id\tdoc_id\tlabel",
        "Query ID\tDoc ID\tGrade",
        "topic\td\tx",
    ],
)
def test_a_header_may_use_other_words(tmp_path: Path, header: str) -> None:
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(f"{header}\n1\td1\t1\n", encoding="utf-8")
    assert BeirSuite(tmp_path, qrels=tmp_path / "qrels.tsv").read().scored()[0].grades == {"d1": 1}


def test_a_first_row_that_is_only_wrong_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("1\td1\tyes\n2\td2\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"qrels\.tsv:1: grade: found 'yes'"):
        BeirSuite(tmp_path, qrels=tmp_path / "qrels.tsv").read()


def test_a_document_in_the_place_of_a_question_is_refused_at_once(tmp_path: Path) -> None:
    long = "word " * (LONGEST_QUESTION // 5 + 1)
    says = r":1: .*found 1,000,00\d characters, expected a question of at most 1,000,000"
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": long}), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("1\td1\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match=says):
        BeirSuite(tmp_path, qrels=tmp_path / "qrels.tsv").read()
    (tmp_path / "own.yaml").write_text("name: own\nunit: document\n", encoding="utf-8")
    row = {"query_id": "1", "text": long + "x", "relevant": ["a"]}
    (tmp_path / "own.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        OwnSuite(tmp_path / "own.yaml").read()
    (tmp_path / "own.jsonl").write_text(json.dumps({**row, "text": "x", "history": [long, long]}), encoding="utf-8")
    with pytest.raises(InputError, match="history: found 2,000,0"):
        OwnSuite(tmp_path / "own.yaml").read()
    (tmp_path / "topics").write_text(f"1\t{long} x\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 d1 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="topic '1': found 1,000,"):
        TrecSuite(tmp_path / "topics", tmp_path / "qrels").read()
    (tmp_path / "c.jsonl").write_text(json.dumps({"query_id": "q", "text": long, "kind": "clicked"}), encoding="utf-8")
    with pytest.raises(InputError, match="text: found 1,000,00"):
        read_candidates(tmp_path / "c.jsonl")


def test_a_run_that_ranks_none_of_the_queries_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("301 Q0 d 1 1.0 t\n", encoding="utf-8")
    recorded = Recorded(str(tmp_path / "a.run"))
    recorded.refuse_queries([Query("301", ""), Query("x", "")])
    with pytest.raises(RetrievalError, match=r"ranks not one of the 1 queries: .* like '301', the suite .* 'q301'"):
        recorded.refuse_queries([Query("q301", "")])
