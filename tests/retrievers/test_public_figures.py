"""Figures on public collections, against those published with the data (public tools, ir-measures)."""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import ir_measures
import pytest
from ir_measures import Success, nDCG

from retrievers.analyzer import Analyzer
from retrievers.base import Passages, Query, Rankings
from retrievers.bm25 import BM25
from retrievers.embedders.wordllama import WordLlama
from retrievers.fusion import ReciprocalRank
from retrievers.hybrid import Hybrid
from retrievers.reranked import Reranked
from retrievers.rerankers.late_interaction import LateInteraction
from retrievers.semantic import Semantic

DATA = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared/data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the public collections are not at {DATA}")


def json_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


@cache
def collection(name: str) -> tuple[Passages, tuple[Query, ...], Mapping[str, Mapping[str, int]]]:
    rows = sorted(json_lines(DATA / name / "corpus.jsonl"), key=lambda row: row["_id"])
    ids = tuple(row["_id"] for row in rows)
    passages = Passages(ids, ids, tuple(f"{row.get('title', '')}\n{row['text']}".strip() for row in rows))
    judged: dict[str, dict[str, int]] = {}
    for line in (DATA / name / "qrels/test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            judged.setdefault(query, {})[document] = int(float(grade))
    asked = json_lines(DATA / name / "queries.jsonl")
    return passages, tuple(Query(row["_id"], row["text"]) for row in asked if row["_id"] in judged), judged


def figure(name: str, rankings: Rankings, measure: ir_measures.Measure) -> float:
    passages, queries, judged = collection(name)
    # Places instead of scores, as the tool breaks ties in its own way.
    run = {
        query.id: {passages.ids[row]: -float(place) for place, row in enumerate(rankings.one(number)[0])}
        for number, query in enumerate(queries)
    }
    return float(ir_measures.calc_aggregate([measure], judged, run)[measure])


def test_nfcorpus_reaches_the_published_figures() -> None:
    passages, queries, _ = collection("nfcorpus")
    parts: dict[str, BM25 | Semantic] = {"bm25": BM25(Analyzer()), "semantic": Semantic(WordLlama())}
    hybrid = Hybrid(parts, ReciprocalRank())
    reranked = Reranked(hybrid, LateInteraction(WordLlama()), 50, {"reranker": 0.5, "bm25": 1.0, "semantic": 0.5})
    lists = {name: part.retrieve(passages, queries, 100) for name, part in parts.items()}
    found = {name: figure("nfcorpus", ranking, nDCG @ 10) for name, ranking in lists.items()}
    found["rrf"] = figure("nfcorpus", hybrid.combine(lists, 100), nDCG @ 10)
    found["reranked"] = figure("nfcorpus", reranked.retrieve(passages, queries, 100), nDCG @ 10)
    assert found == pytest.approx({"bm25": 0.321, "semantic": 0.245, "rrf": 0.312, "reranked": 0.335}, abs=0.005)
    assert found["reranked"] >= found["bm25"] + 0.010


def test_cranfield_reaches_the_published_figure() -> None:
    passages, queries, _ = collection("cranfield")
    found = BM25(Analyzer()).retrieve(passages, queries, 100)
    assert figure("cranfield", found, nDCG @ 10) == pytest.approx(0.365, abs=0.005)


@pytest.mark.parametrize(("chinese", "success"), [("characters+bigrams", 0.941), ("bigrams", 0.931), ("words", 0.908)])
def test_traditional_chinese_reaches_the_published_figures(chinese: str, success: float) -> None:
    passages, queries, _ = collection("drcd_test")
    found = BM25(Analyzer(chinese=chinese)).retrieve(passages, queries, 100)
    assert figure("drcd_test", found, Success @ 1) == pytest.approx(success, abs=0.005)


def test_nfcorpus_texts_that_are_the_same_tie_and_go_by_row() -> None:
    passages, queries, _ = collection("nfcorpus")
    twins: dict[str, list[int]] = {}
    for row, text in enumerate(passages.texts):
        twins.setdefault(text, []).append(row)
    groups = [rows for rows in twins.values() if len(rows) > 1]
    assert groups
    found = BM25(Analyzer()).retrieve(passages, queries, len(passages))
    for number in range(len(queries)):
        place = {row: place for place, row in enumerate(found.one(number)[0].tolist())}
        for rows in groups:
            places = [place[row] for row in rows if row in place]
            assert places == sorted(places) and len(places) in (0, len(rows))
