"""When documents or suite moved on, the gate repeats the baseline on the new ones and compares like with like."""

import json
from pathlib import Path

from decide_office import RULES, Desk, Office, without_chinese, write_policy
from decide_scores import rule
from engine_world import bm25, double

from runner.cli import accept, gate, rerun
from runner.engine.run_name import run_name
from runner.suites import JudgedQuery

WINDOWS = {"_target_": "runner.chunkers.Window", "size": 12, "overlap": 0, "by": "characters"}


def accepted(office: Office, desk: Desk, *retriever: dict[str, object], **changes: object) -> str:
    """A run that was made and accepted before the world moved on."""
    run_id = office.log(*retriever, **changes)
    assert desk(accept.main, run_id, office.place).status == 0
    return run_id


def repetitions(office: Office) -> list[str]:
    return [run.info.run_id for run in office.search("tags.repeated_for != ''")]


def test_nothing_is_repeated_while_nothing_has_moved(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline, new_run = accepted(office, desk), office.log(without_chinese())
    done = desk(gate.main, new_run, write_policy(tmp_path, *RULES), office.place)
    assert done.status == 1
    assert f"against {run_name('bm25', 3)} ({baseline})" in done.out
    assert "moved on" not in done.out
    assert repetitions(office) == []


def test_moved_documents_repeat_the_baseline_on_the_candidates(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline = accepted(office, desk, bm25(k1=0.7))
    for name in ("en/10.md", "en/11.md", "zh/甲.md"):
        office.documents[name] = "這一頁改寫了。 This page was rewritten."
    new_run = office.log()
    done = desk(gate.main, new_run, write_policy(tmp_path, *RULES), office.place, "--out", str(tmp_path / "out"))
    assert done.status == 0, done.err
    (again,) = repetitions(office)
    said = (
        f"the documents moved on since the baseline {baseline}; its configuration was repeated on the new run's "
        f"as run {again}, and the two are compared"
    )
    assert f"note: {said}" in done.out
    values = json.loads((tmp_path / "out" / "gate.json").read_text("utf-8"))
    assert (values["baseline"], said in values["notes"]) == (again, True)
    # Both lost the rewritten pages alike: against the old score it would be a drop of 3 in 40.
    assert [each["difference"]["value"] for each in values["verdicts"]] == [0, 0]
    run, old, new = office.run(again), office.run(baseline), office.run(new_run)
    assert (run.data.tags["rerun_of"], run.data.tags["repeated_for"]) == (baseline, new_run)
    assert run.data.params["documents_sha256"] == new.data.params["documents_sha256"]
    assert run.data.params["stage.bm25.k1"] == old.data.params["stage.bm25.k1"] == "0.7"
    assert new.data.tags["gate_baseline"] == again


def test_a_baseline_that_was_named_is_repeated_too(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline = office.log()
    office.documents["zh/甲.md"] = "改寫了。"
    done = desk(gate.main, office.log(), "--baseline", baseline, write_policy(tmp_path, *RULES), office.place)
    assert (done.status, f"since the baseline {baseline}" in done.out) == (0, True)


def test_a_regression_is_still_blocked_after_the_world_moved_on(office: Office, desk: Desk, tmp_path: Path) -> None:
    accepted(office, desk)
    office.documents["en/10.md"] = "改寫了。"
    done = desk(gate.main, office.log(without_chinese()), write_policy(tmp_path, *RULES), office.place)
    assert (done.status, "by 移除的選項" in done.out) == (1, True)


def test_a_moved_suite_repeats_the_baseline_on_its_new_questions(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline = accepted(office, desk)
    removed = {"language": "zh", "topic": "removed"}
    office.asked = (*office.asked, JudgedQuery("zh-新", "乙的額度", {"zh/乙.md": 1}, removed))
    new_run = office.log(without_chinese())
    done = desk(gate.main, new_run, write_policy(tmp_path, *RULES), office.place)
    assert done.status == 1
    assert f"note: the suite moved on since the baseline {baseline}; " in done.out
    assert "FAIL         移除的選項: recall k=3 topic.removed (n=11, block)" in done.out
    (again,) = repetitions(office)
    assert office.run(again).data.params["suite_revision"] == office.run(new_run).data.params["suite_revision"]


def test_suite_and_documents_may_move_at_once(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline = accepted(office, desk)
    office.documents["zh/新.md"] = "新的額度。"
    office.asked = (*office.asked, JudgedQuery("新", "新的額度", {"zh/新.md": 1}, {"language": "zh", "topic": "new"}))
    done = desk(gate.main, office.log(), write_policy(tmp_path, *RULES), office.place)
    assert (done.status, f"the suite and the documents moved on since the baseline {baseline}" in done.out) == (0, True)


def test_the_repetition_takes_from_the_cache_what_it_holds(office: Office, desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "asked.log"
    accepted(office, desk, double("Counting", log=str(log)))
    assert len(log.read_text("utf-8").splitlines()) == len(office.asked)
    log.write_text("", "utf-8")
    office.asked = (*office.asked, JudgedQuery("新", "x", {"zh/乙.md": 1}, {"language": "zh", "topic": "removed"}))
    desk(
        gate.main,
        office.log(),
        write_policy(tmp_path, rule(min=0.1, max_drop=0.5)),
        office.place,
        "trust=engine_doubles",
    )
    assert len(repetitions(office)) == 1
    assert log.read_text("utf-8").splitlines() == ["新"]


def test_a_baseline_with_another_chunker_is_cut_its_own_way_and_can_itself_be_repeated(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    baseline = accepted(office, desk, chunker=WINDOWS)
    office.documents["zh/甲.md"] = "甲的額度改寫了，而且寫得比較長，長到要切成兩段。"
    new_run = office.log()
    done = desk(gate.main, new_run, write_policy(tmp_path, *RULES), office.place)
    assert done.status == 0, done.err
    (again,) = repetitions(office)
    run, new, old = (office.run(each).data.params for each in (again, new_run, baseline))
    assert run["documents_sha256"] == new["documents_sha256"] != old["documents_sha256"]
    assert run["chunker.size"] == old["chunker.size"] == "12"
    assert run["snapshot"] not in (new["snapshot"], old["snapshot"])
    repeated = desk(rerun.main, again, office.place)
    assert (repeated.status, "identical: " in repeated.out) == (0, True), repeated.err


def test_the_verdict_after_a_repetition_is_the_same_each_time(office: Office, desk: Desk, tmp_path: Path) -> None:
    accepted(office, desk)
    office.documents["en/10.md"] = "改寫了。"
    new_run, policy = office.log(without_chinese()), write_policy(tmp_path, *RULES)
    verdicts = []
    for name in ("one", "two"):
        desk(gate.main, new_run, policy, office.place, "--out", str(tmp_path / name))
        verdicts.append(json.loads((tmp_path / name / "gate.json").read_text("utf-8"))["verdicts"])
    assert verdicts[0] == verdicts[1]


def test_a_repetition_is_not_a_baseline(office: Office, desk: Desk, tmp_path: Path) -> None:
    baseline = accepted(office, desk)
    office.documents["en/10.md"] = "改寫了。"
    desk(gate.main, office.log(), write_policy(tmp_path, *RULES), office.place)
    assert [run.info.run_id for run in office.search("tags.baseline_state = 'accepted'")] == [baseline]


def test_a_baseline_that_cannot_be_repeated_ends_with_status_1_and_no_verdict(
    office: Office, desk: Desk, tmp_path: Path
) -> None:
    # It hides documents that are gone now, which is worth knowing of.
    baseline = accepted(office, desk, without_chinese())
    office.documents = {name: text for name, text in office.documents.items() if not name.startswith("zh/")}
    office.asked = tuple(query for query in office.asked if not query.id.startswith("zh-"))
    new_run = office.log()
    done = desk(gate.main, new_run, write_policy(tmp_path, RULES[0]), office.place)
    assert done.status == 1
    assert f"error: the baseline {baseline} could not be repeated on the new run's documents: " in done.err
    assert "'zh/*' matches no passage" in done.err
    assert "gate" not in office.run(new_run).data.tags
