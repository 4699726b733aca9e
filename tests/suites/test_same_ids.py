"""One form of ids in every reader: what nobody sees, and how a letter is composed, parts nothing and hides nothing."""

import json
from pathlib import Path

import pytest

from runner.annotation.candidates.candidate import read_candidates
from runner.annotation.candidates.click_log import read_clicks
from runner.annotation.exchange.pair_files import read_pairs
from runner.chunkers import Heading, WholeDocument
from runner.citation_checks.answer_file import read_answers
from runner.documents.beir import Beir
from runner.documents.cases import Cases
from runner.documents.pages import Pages
from runner.errors import InputError
from runner.snapshots import Snapshot
from runner.suite_formats import BeirSuite, CasesSuite, OwnSuite, TrecSuite

# Read as `設定-é`, whichever of these is written.
ID = "設定-\u00e9"
WAYS = (ID, "設\u200b定-e\u0301", "\ufeff設定-\u00ade\u200d\u0301", "設\U000e0100定-é\ufe0f")


def rows(path: Path, *objects: object) -> Path:
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects), "utf-8")
    return path


@pytest.mark.parametrize("written", WAYS)
def test_every_reader_reads_the_same_id(tmp_path: Path, written: str) -> None:
    rows(tmp_path / "corpus.jsonl", {"_id": written, "title": "", "text": "x"})
    rows(tmp_path / "queries.jsonl", {"_id": written, "text": "x"})
    (tmp_path / "qrels.tsv").write_text(f"{ID}\t{written}\t1\n", "utf-8")
    suite = BeirSuite(tmp_path, qrels=tmp_path / "qrels.tsv").read()
    suite.check(Snapshot.build(Beir(tmp_path).read(), WholeDocument()))
    assert [(query.id, dict(query.grades)) for query in suite.scored()] == [(ID, {ID: 1})]
    (tmp_path / "topics").write_text(f"{written}\tx\n", "utf-8")
    (tmp_path / "qrels").write_text(f"{ID} 0 {written} 1\n", "utf-8")
    assert TrecSuite(tmp_path / "topics", tmp_path / "qrels").read().scored()[0].grades == {ID: 1}
    (tmp_path / "own.yaml").write_text("name: own\nunit: document\n", "utf-8")
    rows(tmp_path / "own.jsonl", {"query_id": written, "text": "x", "relevant": [written]})
    assert OwnSuite(tmp_path / "own.yaml").read().revision == _revision_of_plain(tmp_path)
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([{"query_id": written, "relevant": [written], "retrieved": [ID]}]), "utf-8")
    assert [document.id for document in Cases(cases).read()] == [ID]
    assert CasesSuite(cases).read().queries[0].grades == {ID: 1}
    found = read_candidates(
        rows(tmp_path / "c.jsonl", {"query_id": written, "id": written, "text": "x", "kind": "clicked"})
    )
    assert (found[0].query_id, found[0].id) == (ID, ID)
    pairs = read_pairs(rows(tmp_path / "p.jsonl", {"query_id": written, "id": written, "text": "x"}))
    assert (pairs.rows[0].query_id, pairs.rows[0].id) == (ID, ID)
    (tmp_path / "log.csv").write_text(f"query,passage_id,rank,clicked\nx,{written},1,1\n", "utf-8")
    assert read_clicks(tmp_path / "log.csv").values["passage_id"] == (ID,)
    (answer,) = read_answers(
        rows(tmp_path / "a.jsonl", {"query_id": written, "snapshot": "s", "retrieved": [written], "cited": [written]})
    )
    assert (answer.query_id, answer.retrieved, answer.citations[0].id) == (ID, (ID,), ID)


def _revision_of_plain(folder: Path) -> str:
    (folder / "plain.yaml").write_text("name: plain\nunit: document\n", "utf-8")
    rows(folder / "plain.jsonl", {"query_id": ID, "text": "x", "relevant": [ID]})
    return OwnSuite(folder / "plain.yaml").read().revision


def test_ids_that_become_one_are_refused_with_both_lines(tmp_path: Path) -> None:
    rows(tmp_path / "corpus.jsonl", *({"_id": each, "title": "", "text": "x"} for each in WAYS[:2]))
    with pytest.raises(InputError, match=r"corpus\.jsonl:2: .*given twice, first in line 1"):
        Beir(tmp_path).read()
    (tmp_path / "own.yaml").write_text("name: own\nunit: document\n", "utf-8")
    rows(tmp_path / "own.jsonl", *({"query_id": each, "text": "x", "relevant": ["a"]} for each in WAYS[1:3]))
    with pytest.raises(InputError, match=r"own\.jsonl:2: .*given twice, first in line 1"):
        OwnSuite(tmp_path / "own.yaml").read()


def test_a_judgment_of_a_heading_as_it_was_copied_names_the_nearest_id(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\n## ⚙️ Settings\n\nx\n", "utf-8")
    snapshot = Snapshot.build(Pages(tmp_path).read(), Heading())
    (tmp_path / "own.yaml").write_text("name: own\nunit: passage\n", "utf-8")
    rows(tmp_path / "own.jsonl", {"query_id": "1", "text": "x", "relevant": ["page.md#\ufe0f-settings"]})
    with pytest.raises(InputError, match=r"nearest: 'page\.md#settings'"):
        OwnSuite(tmp_path / "own.yaml").read().check(snapshot)
    rows(tmp_path / "own.jsonl", {"query_id": "1", "text": "x", "relevant": ["page.md#set\u00adtings"]})
    OwnSuite(tmp_path / "own.yaml").read().check(snapshot)
