"""The command on real runs of the demo: BM25 and the semantic retriever, pooled, failing, and set against clicks."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.cli.judgments import main
from runner.composition.requests import compose_request
from runner.engine.inputs import ConfiguredInputs, snapshot_store
from runner.tracking.location import StoreLocation
from runner.tracking.stored_run import StoredRun
from runner.workflows.run_jobs import RunOptions, run_jobs

KEYS = ["query_id", "text", "history", "id", "source", "kind", "priority", "why", "evidence", "fields", "rules"]


@dataclass(frozen=True)
class Runs:
    """The runs of a store by retriever, as they were stored."""

    home: Path
    bm25: StoredRun
    semantic: StoredRun
    fresh: str

    @property
    def store(self) -> str:
        return f"{self.home}/mlruns"

    @property
    def place(self) -> list[str]:
        return [f"store={self.store}"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    home = tmp_path_factory.mktemp("candidates")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNNER_HOME", str(home))
        jobs = [["retriever=bm25"], ["retriever=semantic"], ["retriever=bm25", "suite=fresh"]]
        outcome = run_jobs([compose_request(job) for job in jobs], RunOptions(n_jobs=1), ConfiguredInputs())
        ids = {(row.name.split()[0], row.suite): row.run_id for row in outcome.rows}
        tracker = StoreLocation.of([f"store={home}/mlruns"]).tracker()
        stored = [StoredRun.fetch(tracker, ids[name, "core"], home / "fetched" / name) for name in ("bm25", "semantic")]
        yield Runs(home, *stored, fresh=ids["bm25", "fresh"])


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str
    rows: list[dict[str, Any]]
    meta: dict[str, Any]


@pytest.fixture
def command(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def run(*arguments: str) -> Done:
        out = tmp_path / "candidates.jsonl"
        with pytest.raises(SystemExit) as left:
            main(["candidates", "--out", str(out), *arguments, *runs.place])
        said = capsys.readouterr()
        rows = [json.loads(line) for line in out.read_bytes().splitlines()] if out.exists() else []
        meta = json.loads((tmp_path / "candidates.meta.json").read_text("utf-8")) if out.exists() else {}
        return Done(int(left.value.code or 0), said.out, said.err, rows, meta)

    return run


def keys_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in keys_in(inner)}
    return {key for inner in value for key in keys_in(inner)} if isinstance(value, list) else set()


def events(folder: Path, *rows: str) -> str:
    path = folder / "events.csv"
    path.write_text("\n".join(["query,passage_id,rank,clicked", *rows]) + "\n", "utf-8")
    return str(path)


def test_failing_queries_of_bm25_are_those_that_the_run_lost(runs: Runs, command: Callable[..., Done]) -> None:
    done = command("--failures", runs.bm25.id, "--most", "5000")
    table = {row["query_id"]: row for row in runs.bm25.per_query().to_pylist()}
    failing = {id_ for id_, row in table.items() if row["lost_in"]}
    assert done.status == 0, done.err
    assert failing
    assert {row["query_id"] for row in done.rows} == failing
    for row in done.rows:
        stored, evidence = table[row["query_id"]], row["evidence"]["failing"]
        assert evidence["lost_in"] == stored["lost_in"]
        assert evidence["first_relevant_rank"] == stored["first_relevant_rank"]
        assert set(evidence["slices"]) == set(stored["slices"])
        assert row["id"] == stored["ranked"][evidence["rank"] - 1]
        assert row["id"] not in stored["relevant"]
        assert evidence["rank"] < (stored["first_relevant_rank"] or 101)
        assert row["priority"] == round(1 / evidence["rank"], 6)
    assert [row["priority"] for row in done.rows] == sorted((row["priority"] for row in done.rows), reverse=True)


def test_the_pool_of_two_runs_is_what_either_ranks_and_nobody_judged(runs: Runs, command: Callable[..., Done]) -> None:
    done = command("--pool", runs.bm25.id, runs.semantic.id, "--depth", "3", "--most", "5000")
    tables = [{row["query_id"]: row for row in run.per_query().to_pylist()} for run in (runs.bm25, runs.semantic)]
    suite = runs.bm25.suite()
    wanted: dict[tuple[str, str], float] = {}
    for query in suite.scored() + suite.unanswerable():
        ranked = [table[query.id]["ranked"][:3] for table in tables]
        for id_ in {*ranked[0], *ranked[1]} - query.grades.keys():
            heights = [1 / (each.index(id_) + 1) if id_ in each else 0.0 for each in ranked]
            wanted[query.id, id_] = round((sum(heights) / 2 + abs(heights[0] - heights[1])) / 2, 6)
    assert {(row["query_id"], row["id"]): row["priority"] for row in done.rows} == wanted
    assert {row["fields"]["language"] for row in done.rows} == {"en", "zh-Hant"}
    assert done.meta["counts"]["pooled"] == len(wanted)


def test_no_row_of_any_source_has_a_grade_and_all_have_the_same_keys(
    runs: Runs, command: Callable[..., Done], tmp_path: Path
) -> None:
    log = events(
        tmp_path, "寄信給 wei@example.com 失敗,en/billing.md#failed-payments,1,1", "other,en/cli-setup.md#install,1,0"
    )
    sources = ["--failures", runs.bm25.id, "--pool", runs.bm25.id, runs.semantic.id, "--clicks", log]
    done = command(*sources, "--most", "100000", "--snapshot", runs.bm25.params["snapshot"])
    assert {kind for row in done.rows for kind in row["evidence"]} == {"failing", "pooled", "clicked"}
    assert all(list(row) == KEYS for row in done.rows)
    assert all(0 <= row["priority"] <= 1 for row in done.rows)
    assert not {key for key in keys_in(done.rows) | keys_in(done.meta) if "grade" in key or key == "relevant"}
    (clicked,) = [row for row in done.rows if row["kind"] == "clicked"]
    assert (clicked["text"], clicked["rules"], clicked["source"]) == ("寄信給 <email> 失敗", ["e-mail"], "click")
    assert "wei@example.com" not in done.out + json.dumps([done.rows, done.meta], ensure_ascii=False)
    assert [each["kind"] for each in done.meta["inputs"]] == ["run", "run", "clicks", "snapshot"]


def test_clicks_are_among_the_first_though_their_priorities_are_small(
    runs: Runs, command: Callable[..., Done], tmp_path: Path
) -> None:
    log = events(tmp_path, *[f"asked {number},p{number},1,1" for number in range(9)])
    sources = ["--failures", runs.bm25.id, "--pool", runs.bm25.id, runs.semantic.id, "--clicks", log]
    done = command(*sources, "--most", "30")
    assert sum("clicked" in row["evidence"] for row in done.rows) == 9
    assert {row["kind"] for row in done.rows} == {"failing", "pooled", "clicked"}
    found = done.meta["counts"]["found"]
    assert f"written 30 of {found:,} (most=30): {tmp_path}/candidates.jsonl and " in done.out


def test_most_also_holds_at_the_terminal(runs: Runs, command: Callable[..., Done]) -> None:
    done = command("--pool", runs.bm25.id, runs.semantic.id, "--most", "3")
    lines = done.out.splitlines()
    assert len(done.rows) == 3
    assert lines[4] == f"... and {done.meta['counts']['found'] - 3:,} more"


def test_reasons_from_several_sources_for_one_pair_are_one_row(runs: Runs, command: Callable[..., Done]) -> None:
    done = command("--failures", runs.bm25.id, "--pool", runs.bm25.id, runs.semantic.id, "--most", "100000")
    pairs = [(row["query_id"], row["id"]) for row in done.rows]
    assert len(set(pairs)) == len(pairs)
    both = [row for row in done.rows if len(row["evidence"]) == 2]
    assert both
    for row in both:
        failing, pooled = 1 / row["evidence"]["failing"]["rank"], row["evidence"]["pooled"]
        second = round((pooled["reciprocal_rank_sum"] / 2 + pooled["disagreement"]) / 2, 6)
        assert row["priority"] == pytest.approx(1 - (1 - failing) * (1 - second), abs=2e-6)


def test_clicks_on_a_question_of_the_suite_are_set_against_what_is_judged(
    runs: Runs, command: Callable[..., Done], tmp_path: Path
) -> None:
    query = next(each for each in runs.bm25.suite().scored() if not each.history)
    judged = next(iter(query.grades))
    other = next(
        id_
        for id_ in runs.bm25.snapshot(StoreLocation.of(runs.place).tracker(), runs.store).units("passage")
        if id_ not in query.grades
    )
    text = f'"{query.text.upper()}"'
    log = events(tmp_path, f"{text},{judged},1,1", f"{text},{other},2,1", f"{text},en/nowhere.md#x,3,1")
    done = command("--clicks", log, "--suite", "core", "--snapshot", runs.bm25.params["snapshot"][:8])
    assert [(row["query_id"], row["id"]) for row in done.rows] == [(query.id, other)]
    assert done.meta["counts"]["clicked pairs judged already"] == 1
    assert "1 events name 1 passages that the snapshot does not hold, and are left out: 'en/nowhere.md#x'" in done.out


def test_what_was_judged_since_a_run_is_taken_from_the_suite_named(
    runs: Runs, command: Callable[..., Done], tmp_path: Path
) -> None:
    before = command("--failures", runs.bm25.id)
    first = before.rows[0]
    folder = runs.bm25.folder / "suite"
    (tmp_path / "queries.jsonl").write_text((folder / "queries.jsonl").read_text("utf-8"), "utf-8")
    (tmp_path / "suite.yaml").write_text((folder / "suite.yaml").read_text("utf-8"), "utf-8")
    lines = []
    for line in (tmp_path / "queries.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["query_id"] == first["query_id"]:
            row["relevant"].append({"id": first["id"], "grade": 0})
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    (tmp_path / "queries.jsonl").write_text("".join(lines), "utf-8")
    after = command("--failures", runs.bm25.id, "--suite", str(tmp_path / "suite.yaml"))
    pair = first["query_id"], first["id"]
    assert pair not in [(row["query_id"], row["id"]) for row in after.rows]
    assert len(after.rows) == len(before.rows) - 1


def test_the_rules_of_ones_own_file_are_used_and_named(
    runs: Runs, command: Callable[..., Done], tmp_path: Path
) -> None:
    rules = tmp_path / "ours.yaml"
    rules.write_text("rules:\n  - {name: staff, pattern: '工號\\d+', replacement: '<staff>'}\n", "utf-8")
    done = command("--clicks", events(tmp_path, "工號123 a@b.example,p,1,1"), "--rules", str(rules))
    assert (done.rows[0]["text"], done.rows[0]["rules"]) == ("<staff> a@b.example", ["staff"])
    assert (done.meta["rules"]["file"], done.meta["rules"]["names"]) == ("ours.yaml", ["staff"])


def test_the_same_command_gives_the_same_rows(runs: Runs, command: Callable[..., Done]) -> None:
    first, second = (command("--pool", runs.bm25.id, runs.semantic.id).rows for _ in range(2))
    assert len(first) == 200
    assert first == second


def test_without_out_nothing_is_written(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["candidates", "--failures", runs.bm25.id, *runs.place])
    assert not left.value.code
    assert list(tmp_path.iterdir()) == []
    assert "none of them is a judgment" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a source: clicks=FILE.csv"),
        (["--pool", "{bm25}"], "pool= needs two or more different runs"),
        (["--pool", "{bm25}", "{bm25}"], "pool= needs two or more different runs"),
        (["--pool", "{bm25}", "{fresh}"], "differ in suite (core and fresh)"),
        (["--pool", "{bm25}", "{semantic}", "--depth", "101"], "depth=101 is deeper than run"),
        (["--failures", "{bm25}", "--depth", "0"], "depth: expected a whole number from 1, found '0'"),
        (["--failures", "{bm25}", "--most", "0"], "most: expected a whole number from 1, found '0'"),
        (["--failures", "nothing"], "no run 'nothing'"),
        (["--failures", "{bm25}", "--snapshot", "x"], "leave it out"),
        (["--failures", "{bm25}", "gate=release"], "unknown setting 'gate'"),
        (["--failures", "{bm25}", "--suite", "nowhere.yaml"], "nowhere.yaml: not found"),
        (["--failures", "{bm25}", "--suite", "nowhere"], "suite=nowhere"),
        (["--failures", "{bm25}", "--suite", "pages"], "judges the unit document, the run was scored by passage"),
        (["--clicks", "nowhere.csv"], "nowhere.csv: not found"),
        (["--failures", "{bm25}", "--rules", "nowhere.yaml"], "nowhere.yaml: not found"),
    ],
)
def test_what_cannot_be_done_is_refused_with_status_2_and_nothing_is_written(
    runs: Runs, command: Callable[..., Done], arguments: list[str], words: str
) -> None:
    ids = {"bm25": runs.bm25.id, "semantic": runs.semantic.id, "fresh": runs.fresh}
    done = command(*(each.format(**ids) for each in arguments))
    assert (done.status, done.rows) == (2, [])
    assert done.err.startswith("error: ")
    assert words in done.err


def test_a_snapshot_that_is_not_stored_is_named(runs: Runs, command: Callable[..., Done], tmp_path: Path) -> None:
    done = command("--clicks", events(tmp_path, "a,p,1,1"), "--snapshot", "ffff")
    assert done.status == 2
    assert "ffff" in done.err
    assert snapshot_store(runs.store).ids()
