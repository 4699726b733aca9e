"""The files of one run: query by query by hand, and everything it takes to read and to repeat it."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import Any

import pytest
import yaml
from engine_world import TIMED, World, bm25, double, reranked, semantic, toy_model

from runner.configuration.settings import Settings
from runner.engine.run_name import run_name
from runner.rendering.markdown import escape
from runner.reports.run_files import ArtifactWriter
from runner.suite_formats.own import read_own
from runner.suites import JudgedQuery, Suite
from runner.workflows.run_jobs import RunOptions, SweepOutcome, run_jobs

# q1 is the worked example; nothing finds q2's page; q3's is fifth; nothing answers q4; nobody judged q5.
RANKINGS = {
    "q1": ["c.md", "a.md", "d.md", "b.md", "e.md"],
    "q2": ["a.md", "b.md"],
    "q3": ["a.md", "b.md", "c.md", "d.md", "e.md"],
    "q4": ["a.md"],
}
SUSPECT = "<script>alert(1)</script> | `code` *bold* _it_ [link](x) &amp; ~~old~~ # 退款\n\n## 標題"
JUDGED = (
    JudgedQuery("q1", "how many?", {"a.md": 2, "b.md": 1}, {"type": "計數"}, added="2026-01-02", source="click"),
    JudgedQuery("q2", SUSPECT, {"f.md": 1, "a.md": 0}, {"type": "計數"}),
    JudgedQuery("q3", "在哪裡？", {"e.md": 1}, {"type": "a@1 / b"}, history=("退款？",)),
    JudgedQuery("q4", "who is the king?", {}, answerable=False),
    JudgedQuery("q5", "not looked at", {}, judged=False),
)


@dataclass
class JudgedWorld(World):
    """Six pages and five questions."""

    documents: dict[str, str] = field(default_factory=lambda: {f"{letter}.md": f"頁 {letter}" for letter in "abcdef"})

    def suite(self, settings: Settings) -> Suite:
        return Suite("手冊", "regression", "document", JUDGED, slices=("type",))


@pytest.fixture(scope="module")
def judged_world(tmp_path_factory: pytest.TempPathFactory, prepared_store: Path) -> JudgedWorld:
    world = JudgedWorld(tmp_path_factory.mktemp("judged"))
    world.prepare(prepared_store)
    return world


@pytest.fixture(scope="module")
def outcome(judged_world: JudgedWorld) -> SweepOutcome:
    nodes = [double("Fixed", rankings=RANKINGS), reranked(double("Fixed", rankings=RANKINGS), double("Overlap"), 4)]
    requests = judged_world.requests(*nodes, latency=TIMED) + judged_world.requests(nodes[0], latency=TIMED, pool=7)
    return run_jobs(requests, RunOptions(sweep=True), judged_world)


@pytest.fixture(scope="module")
def folder(judged_world: JudgedWorld, outcome: SweepOutcome) -> Path:
    return judged_world.files_of(outcome.rows[0].run_id)


@pytest.fixture(scope="module")
def table(folder: Path) -> Iterator[dict[str, list[Any]]]:
    import pyarrow.parquet as pq

    yield pq.read_table(folder / "per_query.parquet").to_pydict()


# -- query by query ----------------------------------------------------------------------------------------


def test_every_ranked_query_has_a_row_scored_ones_first_and_no_other(table: dict[str, list[Any]]) -> None:
    assert table["query_id"] == ["q1", "q2", "q3", "q4"]
    assert table["answerable"] == [True, True, True, False]


def test_a_row_holds_the_text_that_the_retriever_saw(table: dict[str, list[Any]]) -> None:
    assert table["text"] == ["how many?", SUSPECT, "退款？\n在哪裡？", "who is the king?"]


def test_a_row_holds_the_ranking_with_its_scores(table: dict[str, list[Any]]) -> None:
    assert table["ranked"] == [RANKINGS["q1"], RANKINGS["q2"], RANKINGS["q3"], ["a.md"]]
    assert table["scores"] == [[0, -1, -2, -3, -4], [0, -1], [0, -1, -2, -3, -4], [0]]


def test_a_row_holds_what_is_relevant_and_not_what_was_judged_irrelevant(table: dict[str, list[Any]]) -> None:
    assert table["relevant"] == [["a.md", "b.md"], ["f.md"], ["e.md"], []]
    # Of that, the number is enough for any metric.
    assert table["judged_zero"] == [0, 1, 0, None]


def test_a_row_holds_the_slices_of_its_query(table: dict[str, list[Any]]) -> None:
    assert [sorted(slices) for slices in table["slices"]] == [
        ["query_length.short", "relevant_items.several", "type.計數"],
        ["query_length.long", "relevant_items.one", "type.計數"],
        ["query_length.short", "relevant_items.one", "type.a@1 / b"],
        [],
    ]


def test_a_row_holds_each_metric_at_k(table: dict[str, list[Any]]) -> None:
    ideal = 2 + 1 / log2(3)
    expected = {
        "hit": [1, 0, 0],
        "recall": [0.5, 0, 0],
        "precision": [1 / 3, 0, 0],
        "rr": [0.5, 0, 0.2],
        "ap": [(1 / 2 + 2 / 4) / 2, 0, 0.2],
        "ndcg": [2 / log2(3) / ideal, 0, 0],
        "pool_recall": [1, 0, 1],
    }
    for name, values in expected.items():
        assert table[name] == [*map(pytest.approx, values), None], name


def test_a_row_says_where_the_first_relevant_stands_and_where_a_miss_was_lost(table: dict[str, list[Any]]) -> None:
    assert table["first_relevant_rank"] == [2, None, 5, None]
    assert table["lost_in"] == [None, "pool", "ranking", None]


def test_the_means_that_are_logged_are_those_of_the_rows(table: dict[str, list[Any]], outcome: SweepOutcome) -> None:
    metrics = outcome.rows[0].metrics
    for name, mean in {"hit": "hit", "recall": "recall", "rr": "mrr", "ap": "map", "ndcg": "ndcg"}.items():
        assert metrics[mean] == pytest.approx(sum(table[name][:3]) / 3), name
    assert (metrics["n"], metrics["queries_unanswerable"], metrics["queries_unjudged"]) == (3, 1, 1)
    assert (metrics["failing"], metrics["failing_lost_in_pool"], metrics["failing_lost_in_ranking"]) == (2, 1, 1)
    assert metrics["recall/type.計數"] == pytest.approx(0.25)
    assert metrics["unanswerable/returned"] == 1


def test_a_pool_that_cuts_the_page_off_is_where_it_is_lost(judged_world: JudgedWorld, outcome: SweepOutcome) -> None:
    """The reranker sees the first four only, and q3's page is fifth."""
    import pyarrow.parquet as pq

    rows = pq.read_table(judged_world.files_of(outcome.rows[1].run_id) / "per_query.parquet").to_pydict()
    assert rows["pool_recall"][:3] == [1, 0, 0]
    assert rows["lost_in"][1:3] == ["pool", "pool"]


# -- failing queries ---------------------------------------------------------------------------------------


def test_failing_queries_are_listed_hardest_first_with_what_came_instead(folder: Path) -> None:
    text = (folder / "failures.md").read_text("utf-8")
    name = run_name("fixed", 3, None, "number=0")
    assert text.startswith(f"# Failing queries of {name}\n\n2 of 3 queries have nothing relevant in the first 3.\n")
    assert text.index("## q2") < text.index("## q3: 退款？ 在哪裡？")
    assert (
        "- lost in the pool; nothing relevant in the ranking\n- relevant: `f.md`\n\n1. `a.md` 0\n2. `b.md` -1" in text
    )
    assert "- lost in the ranking; first relevant at rank 5\n- relevant: `e.md`\n" in text
    assert "## q1" not in text


def test_a_question_cannot_format_the_list_of_failures(folder: Path) -> None:
    (heading,) = [line for line in (folder / "failures.md").read_text("utf-8").splitlines() if line.startswith("## q2")]
    assert heading == (
        r"## q2: \<script\>alert(1)\</script\> \| \`code\` \*bold\* \_it\_ \[link\](x) \&amp; \~\~old\~\~ \# 退款 "
        r"\#\# 標題"
    )


@pytest.mark.parametrize(
    "text", [SUSPECT, "&lt;b&gt;", "![x](y)", "a\\*b", "1. one", "$x$", "- a", "\u2028line", "`` ` ``", "退款？", ""]
)
def test_markdown_shows_an_escaped_text_unchanged_on_one_line(text: str) -> None:
    from markdown_it import MarkdownIt

    rendered = MarkdownIt("gfm-like", {"linkify": False}).render("## q: " + escape(text) + "\n")
    assert rendered.count("\n") == 1
    import html

    inner = rendered.strip().removeprefix("<h2>").removesuffix("</h2>")
    assert "<" not in inner
    assert html.unescape(inner) == ("q: " + " ".join(text.split())).strip()


def test_an_id_with_a_backtick_stays_inside_its_code(tmp_path: Path, tracked: World) -> None:
    tracked.documents = {"a`b*.md": "text", "plain.md": "other"}
    tracked.queries = {"q1": ("x", ["plain.md"])}
    (row,) = run_jobs(tracked.requests(double("Fixed", rankings={"q1": ["a`b*.md"]})), RunOptions(), tracked).rows
    assert "1. ``a`b*.md`` 0\n" in (tracked.files_of(row.run_id) / "failures.md").read_text("utf-8")


# -- what it takes to repeat it ----------------------------------------------------------------------------


def test_a_run_carries_these_files(folder: Path) -> None:
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == {
        "config.yaml",
        "config.source.yaml",
        "overrides.yaml",
        "environment.txt",
        "measured.json",
        "failures.md",
        "names.json",
        "per_query.parquet",
        "documents.tsv",
        "recall_at_k.png",
        "suite/suite.yaml",
        "suite/queries.jsonl",
        "files.json",
        "logged.json",
    } - {"names.json"}


def test_the_configuration_reads_back_to_the_same_settings(folder: Path, outcome: SweepOutcome) -> None:
    values = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    assert Settings.of_plain(values) == outcome.scored[0].job.settings
    assert (folder / "config.source.yaml").read_text("utf-8") == "# source\n"


def test_the_overrides_of_merged_requests_are_all_there(folder: Path) -> None:
    assert yaml.safe_load((folder / "overrides.yaml").read_text("utf-8")) == [["number=0"], ["number=0"]]


def test_the_suite_reads_back_to_the_same_revision_and_slices(folder: Path, outcome: SweepOutcome) -> None:
    suite, again = outcome.scored[0].job.judged.suite, read_own(folder / "suite")
    assert again.revision == suite.revision
    assert (again.name, again.role, again.slices) == ("手冊", "regression", ("type",))
    assert [query.content() for query in again.queries] == [query.content() for query in suite.queries]


def test_the_documents_are_listed_with_the_hashes_that_make_the_snapshot(folder: Path, outcome: SweepOutcome) -> None:
    snapshot = outcome.scored[0].job.stage.snapshot
    data = (folder / "documents.tsv").read_bytes()
    assert hashlib.sha256(data).hexdigest() == snapshot.documents_sha256
    assert [line.split("\t") for line in data.decode().splitlines()] == [
        [document.id, document.sha256] for document in snapshot.documents
    ]


def test_the_measurements_say_where_and_when(folder: Path) -> None:
    measured = json.loads((folder / "measured.json").read_text("utf-8"))
    assert list(measured) == ["fixed"]
    assert len(measured["fixed"]["latency_ms"]) == 3
    assert all(measured["fixed"][name] for name in ("measured_at", "host", "cpu", "python", "peak_memory_bytes"))


def test_the_environment_names_every_library(folder: Path) -> None:
    lines = (folder / "environment.txt").read_text("utf-8").splitlines()
    assert lines[0].startswith("# python 3.")
    assert any(line.startswith("numpy==") for line in lines)


def test_the_files_that_a_retriever_read_are_kept(tracked: World, tmp_path: Path) -> None:
    lexicon = tmp_path / "詞 表.txt"
    lexicon.write_text("存取權杖\n", "utf-8")
    words = bm25(analyzer={"chinese": "words", "lexicon": str(lexicon)})
    rows = run_jobs(tracked.requests(words, semantic(toy_model(tmp_path / "model"))), RunOptions(), tracked).rows
    kept = tracked.files_of(rows[0].run_id) / "files"
    index = json.loads((kept / "index.json").read_text("utf-8"))
    assert list(index) == ["retriever.analyzer.lexicon"]
    assert (kept / index["retriever.analyzer.lexicon"]).read_text("utf-8") == "存取權杖\n"
    model = tracked.files_of(rows[1].run_id) / "files"
    index = json.loads((model / "index.json").read_text("utf-8"))
    assert set(index) == {"retriever.embedder.tokenizer", "retriever.embedder.weights"}
    for parameter, name in index.items():
        original = tmp_path / "model" / name.partition("-")[2]
        assert (model / name).read_bytes() == original.read_bytes(), parameter
    assert {path.name for path in model.iterdir()} == {"index.json", *index.values()}


def test_names_that_had_to_be_cut_are_spelt_out(tracked: World) -> None:
    long = "很長的問題類型" * 40

    class Sliced(World):
        def suite(self, settings: Settings) -> Suite:
            judged = (JudgedQuery("q1", "refund", {"en/billing.md": 1}, {"type": long}),)
            return Suite("core", "development", "document", judged, slices=("type",))

    world = Sliced(tracked.folder)
    (row,) = run_jobs(world.requests(bm25()), RunOptions(), world).rows
    names = json.loads((world.files_of(row.run_id) / "names.json").read_text("utf-8"))
    assert f"recall/type.{long}" in names.values()
    assert set(names) <= set(row.metrics)


def test_suites_that_differ_only_in_their_slices_are_each_kept_as_they_are(tracked: World) -> None:
    class Twice(World):
        def suite(self, settings: Settings) -> Suite:
            judged = (JudgedQuery("q1", "refund", {"en/billing.md": 1}, {"type": "計數", "style": "short"}),)
            return Suite("core", "development", "document", judged, slices=(str(settings.suite["slice"]),))

    world = Twice(tracked.folder)
    requests = [request for name in ("type", "style") for request in world.requests(bm25(), suite={"slice": name})]
    rows = run_jobs(requests, RunOptions(), world).rows
    assert [read_own(world.files_of(row.run_id) / "suite").slices for row in rows] == [("type",), ("style",)]


def test_what_runs_share_is_made_once_and_each_has_its_own_copy(outcome: SweepOutcome, tmp_path: Path) -> None:
    writer = ArtifactWriter(tmp_path)
    folders = [writer.write(scored)[0] for scored in outcome.scored]
    shared = [path for path in tmp_path.iterdir() if path.name.startswith("shared")]
    # One suite, one list of documents, and a curve of each retriever.
    assert len(shared) == 4
    assert all((folder / name).exists() for folder in folders for name in ("suite/suite.yaml", "documents.tsv"))


def test_the_sweep_has_a_run_with_a_table_and_plots_by_slice(judged_world: JudgedWorld, outcome: SweepOutcome) -> None:
    from runner.tracking.tracker import Tracker

    tracker = Tracker(judged_world.settings(bm25()).tracking)
    (run,) = tracker.finished({"kind": "sweep"})
    files = judged_world.files_of(run.info.run_id)
    assert {path.name for path in (files / "plots").iterdir()} == {
        "recall_at_k.png",
        "recall_at_k.type.png",
        "recall_at_k.query_length.png",
        "recall_at_k.relevant_items.png",
    }
    assert (files / "table.md").read_text("utf-8").startswith(f"# Sweep {run.data.tags['sweep']}\n")
    assert f"worst slice of {run_name('fixed', 3)}" in (files / "table.txt").read_text("utf-8")
    assert run.data.tags["sweep"] == tracker.finished({"kind": "run"})[0].data.tags["sweep"]


def test_a_miss_that_is_not_ranked_at_all_is_harder_than_one_ranked_too_low(tracked: World) -> None:
    tracked.documents = {f"{letter}.md": letter for letter in "abcde"}
    tracked.queries = {"q1": ("bcd", ["e.md"]), "q2": ("abcd", ["b.md"])}
    first = double("Fixed", rankings={"q1": [*tracked.documents], "q2": [*tracked.documents]})
    (row,) = run_jobs(tracked.requests(reranked(first, double("Overlap")), k=1, depth=3), RunOptions(), tracked).rows
    text = (tracked.files_of(row.run_id) / "failures.md").read_text("utf-8")
    headings = [line for line in text.splitlines() if line.startswith(("## ", "- lost"))]
    assert headings == [
        "## q1: bcd",
        "- lost in the ranking; nothing relevant in the ranking",
        "## q2: abcd",
        "- lost in the ranking; first relevant at rank 2",
    ]
