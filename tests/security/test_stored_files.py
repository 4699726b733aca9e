"""What else a stored run may try: other files, other folders, the environment; and what damage looks like."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from decide_office import RULES, Desk, Office, write_policy
from engine_world import bm25
from tampering import put, reseal, tamper

from runner.cli import accept, compare, gate, judgments, rerun, trend

SECRET = "the words of a file that is none of the run's"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "private.txt"
    path.write_text(f"{SECRET}\n", "utf-8")
    return path


def with_words(lexicon: Path) -> dict[str, Any]:
    analyzer = {"_target_": "retrievers.analyzer.Analyzer", "chinese": "words", "lexicon": str(lexicon)}
    return {**bm25(), "analyzer": analyzer}


def everything_below(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_the_environment_is_not_read_for_a_stored_configuration(
    office: Office, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYSECRET", "hidden-in-the-environment")
    run_id = office.log()
    folder = office.files_of(run_id)
    source = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    source["k"] = "${three}"
    source["three"] = 3
    del source["gate"]
    for number, question in enumerate(
        [
            "${oc.env:MYSECRET}",
            "a ${oc.env:MYSECRET,x} b",
            "${oc.decode:'${oc.env:MYSECRET}'}",
            "${${one}:MYSECRET}",
            '${oc.create:{a: "${oc.env:MYSECRET}"}}',
            "${runner.stem:${oc.env:MYSECRET}}",
        ]
    ):
        source["one"] = "oc.env"
        source["retriever"]["name"] = question
        source["retriever"]["given"] = question
        (folder / "config.source.yaml").write_text(yaml.safe_dump(source), "utf-8")
        reseal(office, run_id)
        done = desk(rerun.main, run_id, "depth=9", office.place)
        assert "hidden" not in done.out + done.err, (number, question)
    for run in office.search():
        assert "hidden-in-the-environment" not in str(run.to_dictionary())
        assert "hidden-in-the-environment" not in everything_below(office.files_of(run.info.run_id))


def test_a_value_that_asked_the_environment_is_as_it_was_then(
    office: Office, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = office.log(bm25(k1=0.7))
    folder = office.files_of(run_id)
    source = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    source["retriever"]["k1"] = "${oc.decode:${oc.env:K1}}"
    (folder / "config.source.yaml").write_text(yaml.safe_dump(source), "utf-8")
    reseal(office, run_id)
    monkeypatch.setenv("K1", "1.9")
    done = desk(rerun.main, run_id, "k=2", office.place)
    assert done.status == 0, done.err
    assert {run.data.params["stage.bm25.k1"] for run in office.search()} == {"0.7"}


@pytest.mark.parametrize("name", ["ABSOLUTE", "../../config.yaml", "..", ".", "", None, 3, "not_there.txt"])
def test_an_index_names_only_files_of_the_run(office: Office, desk: Desk, outside: Path, name: Any) -> None:
    words = outside.with_name("words.txt")
    words.write_text("存取金鑰\n", "utf-8")
    run_id = office.log(with_words(words))
    index = office.files_of(run_id) / "files/index.json"
    listed = json.loads(index.read_text("utf-8"))
    assert list(listed) == ["retriever.analyzer.lexicon"]
    index.write_text(json.dumps({each: str(outside) if name == "ABSOLUTE" else name for each in listed}), "utf-8")
    reseal(office, run_id)
    done = desk(rerun.main, run_id, office.place)
    assert done.status == 2
    assert done.err.startswith(f"error: run {run_id}: its index of files names ")
    assert SECRET not in done.err
    assert len(office.search()) == 1


def test_a_parameter_that_names_another_file_of_this_machine_is_refused(
    office: Office, desk: Desk, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = office.log()
    monkeypatch.chdir(outside.parent)
    for named in (str(outside), outside.name, os.path.relpath(outside)):
        tamper(office, run_id, put("retriever.analyzer", with_words(Path(named))["analyzer"]))
        done = desk(rerun.main, run_id, office.place)
        assert done.status == 2
        assert "a file of this machine that was not stored with the run" in done.err
        assert SECRET not in done.err
    assert SECRET not in everything_below(office.store / "artifacts")


def test_a_stored_suite_reads_only_the_queries_beside_it(office: Office, desk: Desk, outside: Path) -> None:
    run_id = office.log()
    head = office.files_of(run_id) / "suite/suite.yaml"
    text = head.read_text("utf-8")
    for named in (str(outside), "../../../private.txt"):
        head.write_text(text.replace('queries: "queries.jsonl"', f'queries: "{named}"'), "utf-8")
        reseal(office, run_id)
        for main, words in ((rerun.main, [run_id]), (judgments.main, ["candidates", "--failures", run_id])):
            done = desk(main, *words, office.place)
            assert done.status == 2
            assert f"run {run_id}: suite/suite.yaml" in done.err
            assert SECRET not in done.err


def test_a_link_among_the_files_of_a_run_is_not_followed(office: Office, desk: Desk, outside: Path) -> None:
    run_id = office.log()
    queries = office.files_of(run_id) / "suite/queries.jsonl"
    queries.unlink()
    queries.symlink_to(outside)
    reseal(office, run_id)
    done = desk(rerun.main, run_id, office.place)
    assert done.status == 2
    assert "suite/queries.jsonl is a link" in done.err
    assert SECRET not in done.err


@pytest.mark.parametrize("id_", ["../../elsewhere", "/etc", "x' OR tags.kind = 'snapshot", ""])
def test_a_snapshot_is_named_by_its_id_alone(office: Office, desk: Desk, id_: str) -> None:
    from runner.tracking.stored_run import StoredRun

    run = office.run(office.log())
    stored = StoredRun("r1", "x", "0", {**run.data.params, "snapshot": id_}, {}, {}, Path())
    with pytest.raises(Exception, match=r"run r1: its snapshot is .*, expected an id of hex digits"):
        stored.snapshot(office.tracker, str(office.store))


def test_the_folder_that_a_stored_run_names_is_not_searched_for_snapshots(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    run_id = office.log()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.rename(office.store / "snapshots", elsewhere / "snapshots")
    try:
        tamper(office, run_id, put("store", str(elsewhere)))
        done = desk(rerun.main, run_id, office.place)
    finally:
        os.rename(elsewhere / "snapshots", office.store / "snapshots")
    assert done.status == 2
    assert "is neither in" in done.err


# -- damage ----------------------------------------------------------------------------------------------------


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def gone(path: Path) -> None:
    path.unlink()


FILES = ("per_query.parquet", "config.yaml", "config.source.yaml", "suite/queries.jsonl", "suite/suite.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [True, False], ids=["with checksums", "from before checksums"])
@pytest.mark.parametrize("damage", [half, empty, flipped, gone])
def test_a_damaged_file_of_a_run_is_named_by_every_command(
    office: Office, desk: Desk, tmp_path: Path, damage: Any, sealed: bool
) -> None:
    run_id, other = office.log(), office.log(bm25(k1=0.7))
    assert desk(accept.main, run_id, office.place).status == 0
    policy = write_policy(tmp_path, *RULES)
    commands: dict[str, tuple[Any, list[str]]] = {
        "rerun": (rerun.main, [run_id]),
        "compare": (compare.main, [other, run_id]),
        "gate": (gate.main, [other, policy]),
        "candidates": (judgments.main, ["candidates", "--failures", run_id]),
    }
    before = len(office.search())
    if not sealed:
        office.client.delete_tag(run_id, "files_sha256")
        (office.files_of(run_id) / "files.json").unlink()
    for name in FILES:
        path = office.files_of(run_id) / name
        whole = path.read_bytes()
        damage(path)
        for command, (main, words) in commands.items():
            done = desk(main, *words, office.place)
            if sealed:
                assert done.status == 2, (name, command, done)
                assert name.partition("/")[0] in done.err, (name, command, done)
            if done.status:
                assert f"run {run_id}" in done.err, (name, command, done)
                assert [line for line in done.err.splitlines() if line.startswith("error: ")]
            assert "Traceback" not in done.err
            assert str(tmp_path.parents[1]) not in done.err.replace(str(office.store), ""), done.err
        path.write_bytes(whole)
        if sealed:
            assert len(office.search()) == before
    done = desk(trend.main, f"suite={office.suite_name}", office.place)
    assert done.status == 0, done.err


@pytest.mark.slow
def test_a_flipped_bit_anywhere_in_the_table_of_queries_is_noticed(office: Office, desk: Desk) -> None:
    run_id, other = office.log(), office.log(bm25(k1=0.7))
    path = office.files_of(run_id) / "per_query.parquet"
    whole = path.read_bytes()
    for place in range(3, len(whole), len(whole) // 40):
        data = bytearray(whole)
        data[place] ^= 1 << place % 8
        path.write_bytes(data)
        done = desk(compare.main, other, run_id, office.place)
        assert done.status == 2
        assert f"run {run_id}: per_query.parquet is damaged" in done.err


def test_scores_that_do_not_make_the_logged_means_are_refused(office: Office, desk: Desk) -> None:
    run_id, other = office.log(), office.log(bm25(k1=0.7))
    path = office.files_of(run_id) / "per_query.parquet"
    table = pq.read_table(path)
    ranks = [[] if number == 1 else value for number, value in enumerate(table["found_ranks"].to_pylist())]
    grades = [[] if number == 1 else value for number, value in enumerate(table["found_grades"].to_pylist())]
    for name, values in (("found_ranks", ranks), ("found_grades", grades)):
        at = table.column_names.index(name)
        table = table.set_column(at, table.schema.field(name), pa.array(values, table.schema.field(name).type))
    pq.write_table(table, path)
    reseal(office, run_id)
    for words in ([run_id, other], [other, run_id]):
        done = desk(compare.main, *words, office.place)
        assert done.status == 2
        assert f"run {run_id}: per_query.parquet gives " in done.err
        assert "was logged" in done.err


def test_a_table_of_queries_without_a_column_is_told_of_by_its_name(office: Office, desk: Desk) -> None:
    run_id, other = office.log(), office.log(bm25(k1=0.7))
    path = office.files_of(run_id) / "per_query.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["text"]), path)
    reseal(office, run_id)
    done = desk(compare.main, run_id, other, office.place)
    assert done.status == 2
    assert f"run {run_id}: per_query.parquet has no column text" in done.err
