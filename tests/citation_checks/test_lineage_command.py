"""The command prints, writes and logs what was found, and leaves with the status that was asked for."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from citation_archive import FAX, RATE, ROTATE, UPPER, Counter, keep, noon, record

from runner.chunkers import Heading
from runner.cli.citations import main
from runner.documents import Pages
from runner.snapshots import Snapshot

GOOD = record([{"id": ROTATE, "quotation": "every ninety days"}], answer_id="好", language="zh")
STALE = record([RATE], answer_id="stale", at=noon("2026-10-01"), language="en")
MADE_UP = record(["en/tokens.md#rotat"], answer_id="made-up", language="en")
MISQUOTED = record(
    [{"id": UPPER, "quotation": "最多送出\n三百次請求，超過"}], answer_id="誤", language="zh", kind="alert"
)
UNCITED = record([], answer_id="bare", language="en")


def test_good_answers_pass(counter: Counter) -> None:
    ended = counter.lineage(counter.file(GOOD), "--ignore", "language", "--min", "existence=1,containment=1")
    assert ended.status == 0
    assert "答案.jsonl: 1 answer, 0 without a citation; 1 citation from 1 stored snapshot" in ended.out
    assert "fails" not in ended.out
    assert "NOT MET" not in ended.out


def test_the_table_has_a_row_a_check_and_no_score_of_all(counter: Counter) -> None:
    records = (GOOD, STALE, MADE_UP, MISQUOTED, UNCITED)
    ended = counter.lineage(counter.file(*records), "--fields", "language")
    rows = [line.split() for line in ended.out.splitlines() if " all " in line]
    assert rows == [
        ["existence", "all", "3", "4", "0.7500", "[0.301,", "0.954]", "0"],
        ["containment", "all", "4", "4", "1.0000", "[0.510,", "1.000]", "0"],
        ["quotation", "all", "1", "2", "0.5000", "[0.095,", "0.905]", "2"],
        ["freshness", "all", "2", "3", "0.6667", "[0.208,", "0.939]", "1"],
    ]
    assert "5 answers, 1 alert among them, 1 without a citation" in ended.out
    assert "quotation not checked: 2 no quotation was given" in ended.out
    assert "freshness not checked: 1 what is cited does not exist" in ended.out


def test_failing_citations_are_listed_by_check_with_line_and_nearest(counter: Counter) -> None:
    out = counter.lineage(counter.file(GOOD, STALE, MADE_UP, MISQUOTED), "--ignore", "language").out
    assert (
        "existence fails: 1 (1 not in the snapshot):\n"
        f"  line 3 answer made-up cites en/tokens.md#rotat: not in the snapshot; nearest: {ROTATE}"
    ) in out
    assert (
        "quotation fails: 1 (1 not in the text):\n"
        f"  line 4 alert 誤 cites {UPPER} “最多送出 三百次請求，超過”: "
        "not in the text; 91% alike: 最多送出一百次請求，超過\n"
    ) in out
    assert (
        "freshness fails: 1 (1 the page had changed):\n"
        f"  line 2 answer stale cites {RATE}: the page had changed; en/limits.md differs in september, made 2026-09-01T"
    ) in out


def test_twenty_failures_are_listed_and_the_rest_counted(counter: Counter) -> None:
    records = [record([FAX], answer_id=f"a{n}") for n in range(23)]
    out = counter.lineage(counter.file(*records)).out
    assert out.count(f"cites {FAX}: not in the snapshot") == 20
    assert "existence fails: 23 (23 not in the snapshot)" in out
    assert "... and 3 more in citations.parquet" in out


@pytest.mark.parametrize(
    ("demand", "status"), [("existence=0.75", 0), ("existence=0.76", 1), ("quotation=0.5,freshness=0.6", 0)]
)
def test_a_demanded_rate_decides_the_exit_status(counter: Counter, demand: str, status: int) -> None:
    path = counter.file(GOOD, STALE, MADE_UP, MISQUOTED)
    assert counter.lineage(path, "--ignore", "language", "--min", demand).status == status


def test_failures_alone_block_nothing(counter: Counter) -> None:
    assert counter.lineage(counter.file(MADE_UP), "--ignore", "language").status == 0


def test_a_rate_of_nothing_blocks_where_it_is_demanded(counter: Counter) -> None:
    ended = counter.lineage(counter.file(STALE), "--ignore", "language", "--min", "quotation=0")
    assert ended.status == 1
    assert "NOT MET quotation: at least 0 is demanded, and no citation could be checked" in ended.out


def test_a_record_from_the_future_is_listed_first(counter: Counter) -> None:
    future = record(answer_id="early", snapshot="september", at=noon("2026-08-01"))
    ended = counter.lineage(counter.file(future), "--min", "freshness=0")
    assert ended.status == 1
    assert (
        "records that cannot be true: 1:\n  line 1 answer early: cites a snapshot from the future: served" in ended.out
    )
    assert "freshness fails" not in ended.out


def test_repeated_citations_and_unknown_retrieved_ids_are_noted(counter: Counter) -> None:
    out = counter.lineage(counter.file(record([ROTATE, ROTATE], retrieved=[ROTATE, "nowhere"]))).out
    assert "1 citation said the same as another of their answer and counted once" in out
    assert "1 retrieved id not in the answer's snapshot; was it really the one that was searched?" in out


def test_the_reports_hold_the_same_figures(counter: Counter) -> None:
    out = counter.folder / "報告"
    path = counter.file(GOOD, STALE, MADE_UP, MISQUOTED, UNCITED)
    counter.lineage(path, "--fields", "language", "--out", out, "--min", "freshness=1")
    assert sorted(each.name for each in out.iterdir()) == ["citations.parquet", "lineage.json", "lineage.md"]
    values = json.loads((out / "lineage.json").read_text("utf-8"))
    assert values["counts"] == {
        "answers": 5,
        "alerts": 1,
        "without_citation": 1,
        "citations": 4,
        "repeated_citations": 0,
        "retrieved_unknown": 1,
        "from_the_future": 0,
    }
    rates = {(each["check"], each["slice"]): each for each in values["rates"]}
    assert (rates["existence", "language.en"]["held"], rates["existence", "language.en"]["n"]) == (1, 2)
    assert rates["quotation", "language.en"]["value"] is None
    assert [each["answer_id"] for each in values["failing"]["quotation"]] == ["誤"]
    assert values["unmet"] == ["freshness: 2 of 3 = 0.6667, at least 1 is demanded"]
    text = (out / "lineage.md").read_text("utf-8")
    assert "| existence | language.zh | 2 | 2 | 1.0000 |" in text
    assert "| quotation | language.en | 0 | 0 | - | - | 2 |" in text
    assert "- NOT MET freshness: 2 of 3" in text


def test_what_a_record_holds_cannot_write_markdown(counter: Counter) -> None:
    out = counter.folder / "out"
    evil = record([{"id": "a`|b", "quotation": "<b>*x*</b>"}], answer_id="# [a](b)|c", topic="x|y")
    counter.lineage(
        counter.file(evil, GOOD | {"topic": "z"}), "--fields", "topic", "--ignore", "language", "--out", out
    )
    text = (out / "lineage.md").read_text("utf-8")
    assert "| existence | topic.x\\|y |" in text
    assert "answer \\# \\[a\\](b)\\|c cites ``a`|b``: not in the snapshot" in text


def test_every_citation_is_a_row_of_the_table(counter: Counter) -> None:
    out = counter.folder / "out"
    path = counter.file(GOOD, STALE, MADE_UP, MISQUOTED, UNCITED, record([ROTATE], snapshot="may", at=None))
    counter.lineage(path, "--fields", "language", "--out", out)
    rows: list[Mapping[str, Any]] = pq.read_table(out / "citations.parquet").to_pylist()
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 6]
    assert [row["freshness"] for row in rows] == ["held", "failed", "unchecked", "held", "unchecked"]
    assert [row["existence_reason"] for row in rows] == [
        "",
        "",
        "not in the snapshot",
        "",
        "the snapshot is not stored",
    ]
    assert rows[3]["quotation_found"] == "91% alike: 最多送出一百次請求，超過"
    # Twelve characters, the line end apart; one of them is another.
    assert rows[3]["similarity"] == pytest.approx(1 - 2 / 24)
    assert rows[0]["similarity"] is None
    assert json.loads(rows[3]["fields"]) == {"language": "zh"}
    assert (rows[4]["snapshot"], rows[4]["answer_id"], rows[4]["at"]) == ("may", None, None)
    assert rows[0]["snapshot"] == counter.archive.ids["june"]


def test_the_run_in_mlflow_says_it_all(counter: Counter) -> None:
    path = counter.file(GOOD, STALE, MADE_UP, MISQUOTED, UNCITED)
    ended = counter.lineage(path, "--fields", "language", "--experiment", "引用", "--min", "freshness=0.5")
    run = counter.client.get_run(ended.run_id)
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "lineage of 答案.jsonl"
    assert counter.client.get_experiment(run.info.experiment_id).name == "引用"
    assert run.data.tags["kind"] == "lineage"
    params = run.data.params
    assert params["answers_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (params["answers"], params["citations"], params["fields"]) == ("5", "4", "language")
    assert (params["snapshots"], params["min.freshness"]) == (counter.archive.ids["june"], "0.5")
    metrics = run.data.metrics
    assert metrics["lineage/existence"] == 0.75
    assert (metrics["lineage/existence/held"], metrics["lineage/existence/n"]) == (3, 4)
    assert metrics["lineage/existence/low"] == pytest.approx(0.3006, abs=1e-4)
    assert (metrics["lineage/quotation"], metrics["lineage/quotation/unchecked"]) == (0.5, 2)
    assert metrics["lineage/without_citation"] == 1
    assert (metrics["lineage/existence/language.en"], metrics["lineage/existence/language.en/n"]) == (0.5, 2)
    assert "lineage/quotation/language.en" not in metrics
    assert metrics["lineage/quotation/language.en/n"] == 0
    files = {each.path for each in counter.client.list_artifacts(ended.run_id)}
    assert files == {"citations.parquet", "lineage.json", "lineage.md"}
    datasets = {each.dataset.name: each.dataset.digest for each in run.inputs.dataset_inputs}
    assert datasets["snapshot"] == counter.archive.ids["june"]


def test_a_value_that_mlflow_does_not_take_is_logged_under_another_key(counter: Counter) -> None:
    ended = counter.lineage(counter.file(record(topic="a@1"), record(topic="../" + "長" * 300)), "--fields", "topic")
    keys = counter.client.get_run(ended.run_id).data.metrics
    assert keys["lineage/existence/topic.a_x40_1/n"] == 1
    (long,) = [key for key in keys if "長" in key and key.startswith("lineage/existence/") and not key.endswith("/n")]
    assert keys[f"{long}/n"] == 1


def test_the_default_snapshot_may_be_a_name_and_must_be_stored(counter: Counter) -> None:
    path = counter.file(record(snapshot=...))
    assert counter.lineage(path, "--snapshot", "june").status == 0
    ended = counter.lineage(path, "--snapshot", "may")
    assert ended.status == 2
    assert ended.err.startswith("error: snapshot 'may' is not in ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--min", "lineage=1"], "expected one of existence, containment, quotation, freshness"),
        (["--fields", "none"], "fields= names 'none', but no record of"),
        (["--collection", "none"], "no collection 'none'"),
        (["--experiment", " "], "experiment= is empty"),
        (["k=3"], "unknown setting 'k'"),
        (["more.jsonl"], "unexpected word 'more.jsonl'"),
    ],
)
def test_bad_settings_end_with_2_and_log_nothing(counter: Counter, arguments: list[str], said: str) -> None:
    ended = counter.lineage(counter.file(record()), *arguments)
    assert ended.status == 2
    assert said in ended.err
    assert "run " not in ended.out


def test_bad_records_end_with_2_before_anything_is_written(counter: Counter) -> None:
    out = counter.folder / "out"
    ended = counter.lineage(counter.file(record(), record(cited="x")), "--out", out)
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert "答案.jsonl:2: cited: found a string 'x', expected a list of ids" in ended.err
    assert not out.exists()


def test_another_store_can_be_named(counter: Counter) -> None:
    store = counter.folder / "elsewhere"
    ended = counter.lineage(counter.file(record()), "--snapshot", "june", f"store={store}")
    assert ended.status == 2
    assert f"is not in {store}" in ended.err


def test_thousands_of_answers_are_counted_right(counter: Counter) -> None:
    # Of twelve answers in a row: three are stale, two are of no stored snapshot, one retrieved something else.
    rows = []
    for n in range(6000):
        row = record([{"id": ROTATE, "quotation": "ninety days"}], answer_id=f"a{n}", language="en" if n % 2 else "zh")
        if n % 12 in (0, 1, 2):
            row = record([RATE], answer_id=f"a{n}", language="en" if n % 2 else "zh", at=noon("2026-10-01"))
        elif n % 12 in (3, 4):
            row["snapshot"] = "may"
        elif n % 12 == 5:
            row["retrieved"] = [UPPER]
        rows.append(row)
    out = counter.folder / "out"
    counter.lineage(counter.file(*rows), "--fields", "language", "--out", out)
    rates = {
        (each["check"], each["slice"]): (each["held"], each["n"])
        for each in json.loads((out / "lineage.json").read_text("utf-8"))["rates"]
    }
    assert rates["existence", ""] == (5000, 6000)
    assert rates["containment", ""] == (5500, 6000)
    assert rates["quotation", ""] == (3500, 3500)
    assert rates["freshness", ""] == (3500, 5000)
    # Places 1, 3, 5, 7, 9 and 11 of twelve are English: 1 is stale, 3 is of no stored snapshot.
    assert rates["freshness", "language.en"] == (2000, 2500)


def test_the_demo_is_checked_against_its_two_dates(counter: Counter) -> None:
    store, demo = counter.archive.store, Path(__file__).parents[2] / "data/demo"
    for date in ("2026-03", "2026-09"):
        snapshot = Snapshot.build(Pages(demo / date).read(), Heading())
        keep(store, snapshot, "demo", f"{date}-01", f"demo {date}")
    scale, webhooks = "zh-Hant/plan-scale.md#專用通道", "en/webhooks.md#register-an-endpoint"
    quoted = {"id": scale, "quotation": "只屬於您的處理容量，不受其他客戶的尖峰影響"}
    records = [
        record([quoted], snapshot="demo 2026-09", at=noon("2026-10-01")),
        # The page about webhooks was split into two in between.
        record([webhooks], snapshot="demo 2026-03", at=noon("2026-08-31")),
        record([webhooks], snapshot="demo 2026-03", at=noon("2026-10-01")),
        record([webhooks], snapshot="demo 2026-09", at=noon("2026-10-01")),
    ]
    ended = counter.lineage(counter.file(*records))
    rows = {line.split()[0]: line.split()[2:4] for line in ended.out.splitlines() if " all " in line}
    assert rows == {
        "existence": ["3", "4"],
        "containment": ["4", "4"],
        "quotation": ["1", "1"],
        "freshness": ["2", "3"],
    }
    assert "line 3 answer to q1 cites en/webhooks.md#register-an-endpoint: the page had been deleted" in ended.out
    assert "line 4 answer to q1 cites en/webhooks.md#register-an-endpoint: not in the snapshot" in ended.out


def test_a_report_that_cannot_be_written_leaves_the_old_one_whole(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = counter.folder / "out"
    counter.lineage(counter.file(record()), "--out", out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def broken(table: Any, file: Any, **options: Any) -> None:
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(pq, "write_table", broken)
    with pytest.raises(SystemExit) as stopped:
        main([str(counter.file(record(), record())), "--out", str(out)])
    assert stopped.value.code == 1
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
