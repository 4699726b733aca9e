"""Run files of other programs are scored with their qrels alone, and the commands after a sweep work on them."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

SHARED = Path(os.environ.get("RUNNER_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def desk(new_desk: Callable[[], Any]) -> Any:
    return new_desk()


def written(folder: Path, seed: int, tag: str, queries: int = 40, depth: int = 120) -> str:
    """A run over 300 documents, 40 queries of which the qrels judge 30, with scores that never tie."""
    random = np.random.default_rng(seed)
    lines = []
    for query in range(queries):
        for rank, document in enumerate(random.permutation(300)[:depth], 1):
            lines.append(f"{query} Q0 D{document:03} {rank} {1000 - rank}.5 {tag}\n")
    folder.mkdir(exist_ok=True)
    return "".join(lines)


def sweep(desk: Any, *arguments: str) -> list[Any]:
    done = desk.runner("-m", "dataset=trec", *arguments, "hydra.launcher.n_jobs=1")
    assert done.status == 0, done.err
    return list(desk.runs(next(each for each in arguments if each.startswith("dataset.name=")).partition("=")[2]))


@pytest.mark.skipif(not (SHARED / "trec_test").is_dir(), reason=f"{SHARED} does not hold trec_test")
def test_the_test_files_of_the_usual_scorer_get_its_figures(desk: Any) -> None:
    files = SHARED / "trec_test"
    cuts = (5, 10, 15, 20, 30, 100, 1000)
    runs = sweep(
        desk,
        f"dataset.qrels={files}/qrels.test",
        f"dataset.runs={files}",
        "dataset.name=usual",
        f"k={','.join(map(str, cuts))}",
    )
    by_k = {int(run.data.params["k"]): run.data for run in runs}
    assert {run.info.run_name for run in runs} == {f"STANDARD k={k}" for k in cuts}
    with (files / "qrels.test").open() as qrels, (files / "results.test").open() as results:
        judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(results)
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank", "P", "num_rel_ret"}).evaluate(ranked)
    mean = {name: np.mean([each[name] for each in theirs.values()]) for name in theirs["301"]}
    for k in (5, 10, 15, 20, 30, 100):
        assert by_k[k].metrics["precision"] == pytest.approx(mean[f"P_{k}"], abs=1e-9)
    assert by_k[1000].metrics["map"] == pytest.approx(mean["map"], abs=1e-9)
    assert by_k[1000].metrics["mrr"] == pytest.approx(mean["recip_rank"], abs=1e-9)
    assert by_k[1000].metrics["recall_hits"] == sum(each["num_rel_ret"] for each in theirs.values())
    rounded = {
        name: f"{by_k[k].metrics[key]:.4f}"
        for name, key, k in (
            ("map", "map", 1000),
            ("recip_rank", "mrr", 1000),
            ("P_5", "precision", 5),
            ("P_10", "precision", 10),
            ("P_100", "precision", 100),
        )
    }
    assert rounded == {"map": "0.1785", "recip_rank": "0.4064", "P_5": "0.2667", "P_10": "0.3000", "P_100": "0.2467"}
    assert by_k[1000].metrics["recall_hits"] == 131


@pytest.fixture(scope="module")
def files(desk: Any) -> Path:
    """Two runs of one tag, one of them packed; qrels with grades below 0, and topics in XML."""
    folder = Path(desk.folder) / "trec"
    runs = folder / "runs"
    folder.mkdir()
    (folder / "README").write_text("No run.")
    random = np.random.default_rng(7)
    lines = [
        f"{query} 0 D{document:03} {random.integers(-1, 4)}\n"
        for query in range(30)
        for document in random.permutation(300)[:60]
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    first = written(runs, 1, "bm25")
    (runs / "first.run").write_text(first)
    (runs / "second.run.gz").write_bytes(gzip.compress(written(runs, 2, "bm25").encode()))
    topics = "".join(f'<topic number="{n}"><query>tax &lt; {n} &amp; more</query></topic>\n' for n in range(30))
    (folder / "topics.xml").write_text(f"<?xml version='1.0'?>\n<topics>\n{topics}</topics>\n")
    return folder


def test_a_folder_of_runs_is_a_sweep_and_its_runs_are_compared_accepted_gated_and_repeated(
    desk: Any, files: Path
) -> None:
    named = (f"dataset.qrels={files}/qrels.txt", "dataset.name=own", f"dataset.topics={files}/topics.xml")
    runs = {run.info.run_name: run for run in sweep(desk, *named, f"dataset.runs={files}/runs", "k=10,100")}
    assert set(runs) == {f"bm25-{name} k={k}" for name in ("first", "second") for k in (10, 100)}
    with (files / "qrels.txt").open() as qrels, (files / "runs" / "first.run").open() as first:
        judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(first)
    judged = {query: {id_: max(0, grade) for id_, grade in row.items()} for query, row in judged.items()}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut.10"}).evaluate(ranked)
    mine = runs["bm25-first k=10"].data.metrics
    assert mine["n"] == 30
    assert mine["map"] == pytest.approx(np.mean([each["map"] for each in theirs.values()]), abs=1e-9)
    assert mine["ndcg"] == pytest.approx(np.mean([each["ndcg_cut_10"] for each in theirs.values()]), abs=1e-9)

    # A run that was scored another day, with documents that the first ones did not name.
    (files / "late.run").write_text(written(files, 3, "late").replace(" D29", " X29"))
    late = {run.info.run_name: run for run in sweep(desk, *named, f"dataset.runs={files}/late.run", "k=10")}
    ids = [each.info.run_id for each in (runs["bm25-first k=10"], late["late k=10"])]

    def finished(module: str, *arguments: str, status: int = 0) -> str:
        done = desk.finish(desk.start(module, *arguments))
        assert done.status == status, done.err
        return str(done.out)

    assert "snapshots differ" not in finished("runner.compare", *ids)
    finished("runner.accept", ids[0], "--why", "first")
    policy = Path(desk.folder) / "map.yaml"
    policy.write_text("name: map\nrules:\n  - {name: map, metric: map, k: 10, slice: all, max_drop: 0.5}\n")
    told = finished("runner.gate", ids[1], f"gate={policy}")
    assert "repeated" not in told
    assert "no baseline" not in told
    assert "identical" in finished("runner.rerun", ids[0])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("dataset.runs=nowhere.run",), "nowhere.run: not found; expected a TREC run, or a folder of them"),
        (("dataset.runs=empty",), "empty: holds no TREC run (lines of `query Q0 document rank score tag`)"),
        (("dataset.runs=trec/strange.run",), "not one of its 1 queries (such as 'x') is in"),
        (("dataset.runs=trec/foreign.run",), "not one of its 1 documents (such as 'clueweb-1') is in"),
        (("dataset.runs=trec/short.run",), "short.run:2: found 5 fields, expected 6"),
        (("dataset.runs=trec/runs", "retriever=bm25"), "the dataset holds rankings and no texts"),
        (("dataset.runs=[]",), "dataset.runs is empty"),
        ((), "dataset.runs has no value; add dataset.runs=... to the command"),
    ],
)
def test_runs_that_cannot_be_scored_are_refused_in_one_line(
    desk: Any, files: Path, arguments: tuple[str, ...], told: str
) -> None:
    (Path(desk.folder) / "empty").mkdir(exist_ok=True)
    (files / "strange.run").write_text("x Q0 D001 1 2.5 t\n")
    (files / "foreign.run").write_text("1 Q0 clueweb-1 1 2.5 t\n")
    (files / "short.run").write_text("1 Q0 D001 1 2.5 t\n1 Q0 D002 2 2.4\n")
    done = desk.runner("dataset=trec", f"dataset.qrels={files}/qrels.txt", *arguments)
    assert done.status == 2
    assert told in done.err
    assert len([line for line in done.err.splitlines() if line.startswith("error")]) == 1
    assert "Traceback" not in done.err
